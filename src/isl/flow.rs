//! isl's dataflow analysis (ppcg report, section 3.1).

use super::{Schedule, UnionMap};

object! {
    /// The input of the analysis: sinks, sources, kills and a schedule.
    UnionAccessInfo, isl_union_access_info_copy, isl_union_access_info_free, isl_union_access_info_to_str
}
object! {
    /// The result of the analysis.
    UnionFlow, isl_union_flow_copy, isl_union_flow_free, isl_union_flow_to_str
}

methods! { UnionAccessInfo:
    /// Starts from the sink access relation `{ I -> D }`.
    new from_sink(sink: UnionMap) = isl_union_access_info_from_sink;
    /// Sets the definite sources, which also cut.
    fn set_must_source(self, source: UnionMap) -> UnionAccessInfo = isl_union_access_info_set_must_source;
    /// Sets the possible sources `{ I -> D }`.
    fn set_may_source(self, source: UnionMap) -> UnionAccessInfo = isl_union_access_info_set_may_source;
    /// Sets the cut access relation `{ I -> D }`.
    fn set_kill(self, kill: UnionMap) -> UnionAccessInfo = isl_union_access_info_set_kill;
    /// Sets the order of the instances by a tree.
    fn set_schedule(self, schedule: Schedule) -> UnionAccessInfo = isl_union_access_info_set_schedule;
    /// Sets the order of the instances by a map.
    fn set_schedule_map(self, schedule: UnionMap) -> UnionAccessInfo = isl_union_access_info_set_schedule_map;
    /// Runs the analysis.
    fn compute_flow(self) -> UnionFlow = isl_union_access_info_compute_flow;
}

methods! { UnionFlow:
    /// Dependences from sources that definitely reach the sink `{ I -> I' }`.
    fn must_dependence(&self) -> UnionMap = isl_union_flow_get_must_dependence;
    /// Dependences from all possible sources `{ I -> I' }`.
    fn may_dependence(&self) -> UnionMap = isl_union_flow_get_may_dependence;
    /// The same with the element `{ I -> [I' -> D] }`.
    fn full_must_dependence(&self) -> UnionMap = isl_union_flow_get_full_must_dependence;
    /// The same with the element `{ I -> [I' -> D] }`.
    fn full_may_dependence(&self) -> UnionMap = isl_union_flow_get_full_may_dependence;
    /// Sinks that no source reaches `{ I' -> D }`.
    fn must_no_source(&self) -> UnionMap = isl_union_flow_get_must_no_source;
    /// Sinks that possibly no source reaches `{ I' -> D }`.
    fn may_no_source(&self) -> UnionMap = isl_union_flow_get_may_no_source;
}
