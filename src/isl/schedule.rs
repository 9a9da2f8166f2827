//! Schedules, schedule constraints and isl's own scheduler.

use super::{Ctx, MultiUnionPwAff, Result, ScheduleNode, Set, Space, UnionMap, UnionPwMultiAff, UnionSet};
use std::ffi::{c_int, c_void};

object! {
    /// A schedule in the form of a tree. Its text form is isl's schedule-tree YAML.
    Schedule, isl_schedule_copy, isl_schedule_free, isl_schedule_to_str
}
object! {
    /// The input of the scheduler (ppcg report, section 4.2).
    ScheduleConstraints, isl_schedule_constraints_copy, isl_schedule_constraints_free, isl_schedule_constraints_to_str
}

parse! {
    Schedule = isl_schedule_read_from_str;
    ScheduleConstraints = isl_schedule_constraints_read_from_str;
}

methods! { Schedule:
    /// The tree of a domain alone.
    new from_domain(domain: UnionSet) = isl_schedule_from_domain;
    /// The instances.
    fn domain(&self) -> UnionSet = isl_schedule_get_domain;
    /// The order as a flat relation `{ S[i] -> [t] }` with padded tuples.
    fn map(&self) -> UnionMap = isl_schedule_get_map;
    /// The root node.
    fn root(&self) -> ScheduleNode = isl_schedule_get_root;
    /// First this, then the other.
    fn sequence(self, other: Schedule) -> Schedule = isl_schedule_sequence;
    /// This and the other, in any order.
    fn set(self, other: Schedule) -> Schedule = isl_schedule_set;
    /// A band above the tree.
    fn insert_partial_schedule(self, partial: MultiUnionPwAff) -> Schedule = isl_schedule_insert_partial_schedule;
    /// A context node above the tree.
    fn insert_context(self, context: Set) -> Schedule = isl_schedule_insert_context;
    /// Restricted to a part of the domain.
    fn intersect_domain(self, domain: UnionSet) -> Schedule = isl_schedule_intersect_domain;
    /// Simplified in a context of the domain.
    fn gist_domain_params(self, context: Set) -> Schedule = isl_schedule_gist_domain_params;
    /// The domain replaced by its preimage.
    fn pullback_union_pw_multi_aff(self, function: UnionPwMultiAff) -> Schedule = isl_schedule_pullback_union_pw_multi_aff;
    /// Parameters ordered as in a model.
    fn align_params(self, model: Space) -> Schedule = isl_schedule_align_params;
    /// Structural equality, as far as it can be seen at once.
    fn plain_is_equal(&self, other: &Schedule) -> bool = isl_schedule_plain_is_equal;
}

methods! { ScheduleConstraints:
    /// Constraints on a domain, none yet.
    new on_domain(domain: UnionSet) = isl_schedule_constraints_on_domain;
    /// Sets the context.
    fn set_context(self, context: Set) -> ScheduleConstraints = isl_schedule_constraints_set_context;
    /// Sets the pairs that must keep their order.
    fn set_validity(self, validity: UnionMap) -> ScheduleConstraints = isl_schedule_constraints_set_validity;
    /// Sets the pairs that should be close.
    fn set_proximity(self, proximity: UnionMap) -> ScheduleConstraints = isl_schedule_constraints_set_proximity;
    /// Sets the pairs that should coincide.
    fn set_coincidence(self, coincidence: UnionMap) -> ScheduleConstraints = isl_schedule_constraints_set_coincidence;
    /// Sets conditions and conditioned validity.
    fn set_conditional_validity(self, condition: UnionMap, validity: UnionMap) -> ScheduleConstraints = isl_schedule_constraints_set_conditional_validity;
    /// The domain.
    fn domain(&self) -> UnionSet = isl_schedule_constraints_get_domain;
    /// The context.
    fn context(&self) -> Set = isl_schedule_constraints_get_context;
    /// The validity constraints.
    fn validity(&self) -> UnionMap = isl_schedule_constraints_get_validity;
    /// The proximity constraints.
    fn proximity(&self) -> UnionMap = isl_schedule_constraints_get_proximity;
    /// The coincidence constraints.
    fn coincidence(&self) -> UnionMap = isl_schedule_constraints_get_coincidence;
    /// The conditions.
    fn conditional_validity_condition(&self) -> UnionMap = isl_schedule_constraints_get_conditional_validity_condition;
    /// The conditioned validity constraints.
    fn conditional_validity(&self) -> UnionMap = isl_schedule_constraints_get_conditional_validity;
    /// Schedules with isl's own scheduler.
    fn compute_schedule(self) -> Schedule = isl_schedule_constraints_compute_schedule;
}

macro_rules! schedule_options {
    ($($(#[$doc:meta])* $name:ident = $set:ident;)*) => {
        impl Ctx {$(
            $(#[$doc])*
            pub fn $name(&self, value: i32) -> Result<()> {
                unsafe extern "C" {
                    fn $set(ctx: *mut c_void, value: c_int) -> c_int;
                }
                // SAFETY: the context is alive.
                if unsafe { $set(self.ptr(), value) } < 0 { Err(self.take_error()) } else { Ok(()) }
            }
        )*}
    };
}

schedule_options! {
    /// Option of isl's scheduler: whether the outermost member of a band must be coincident where possible.
    set_schedule_outer_coincidence = isl_options_set_schedule_outer_coincidence;
    /// Option of isl's scheduler: whether bands are made as wide as possible.
    set_schedule_maximize_band_depth = isl_options_set_schedule_maximize_band_depth;
    /// Option of isl's scheduler: whether coincidence goes before band depth.
    set_schedule_maximize_coincidence = isl_options_set_schedule_maximize_coincidence;
    /// Option of isl's scheduler: whether each strongly connected component is scheduled by itself.
    set_schedule_serialize_sccs = isl_options_set_schedule_serialize_sccs;
    /// Option of isl's scheduler: whether whole components are scheduled at once.
    set_schedule_whole_component = isl_options_set_schedule_whole_component;
    /// Option of isl's scheduler: whether loop coalescing is avoided.
    set_schedule_treat_coalescing = isl_options_set_schedule_treat_coalescing;
    /// Option of isl's scheduler: which algorithm (0: Pluto-like, 1: Feautrier).
    set_schedule_algorithm = isl_options_set_schedule_algorithm;
    /// Option of isl's scheduler: bound on constant terms (-1: none).
    set_schedule_max_constant_term = isl_options_set_schedule_max_constant_term;
    /// Option of isl's scheduler: bound on coefficients (-1: none).
    set_schedule_max_coefficient = isl_options_set_schedule_max_coefficient;
    /// Option of isl's scheduler: whether a Feautrier step first carries the dependences of statements on
    /// themselves.
    set_schedule_carry_self_first = isl_options_set_schedule_carry_self_first;
    /// Option of isl's scheduler: whether a common factor of a Feautrier step's coefficients is divided out.
    set_schedule_split_scaled = isl_options_set_schedule_split_scaled;
    /// Option of isl's scheduler: whether weakly connected components are kept apart.
    set_schedule_separate_components = isl_options_set_schedule_separate_components;
    /// Option of tiling: whether tile members keep the scale of the original.
    set_tile_scale_tile_loops = isl_options_set_tile_scale_tile_loops;
    /// Option of tiling: whether point members start at zero.
    set_tile_shift_point_loops = isl_options_set_tile_shift_point_loops;
    /// Option of AST generation: whether loop bounds may be exploited by atomic upper bounds.
    set_ast_build_atomic_upper_bound = isl_options_set_ast_build_atomic_upper_bound;
    /// Option of AST generation: whether division is preferred to be exact.
    set_ast_build_prefer_pdiv = isl_options_set_ast_build_prefer_pdiv;
    /// Option of AST generation: whether unimplemented conditions may become exponential in size.
    set_ast_build_exploit_nested_bounds = isl_options_set_ast_build_exploit_nested_bounds;
    /// Option of AST generation: whether conditions are grouped in one guard.
    set_ast_build_group_coscheduled = isl_options_set_ast_build_group_coscheduled;
    /// Option of AST generation: whether loops with one iteration are detected by comparing bounds.
    set_ast_build_detect_min_max = isl_options_set_ast_build_detect_min_max;
    /// Option of AST generation: whether conditions may be separated from loop bounds (0: no, 1: yes).
    set_ast_build_allow_or = isl_options_set_ast_build_allow_or;
    /// Option of AST generation: whether else branches may be made.
    set_ast_build_allow_else = isl_options_set_ast_build_allow_else;
    /// Option of AST generation: whether bounds are separated per piece.
    set_ast_build_separation_bounds = isl_options_set_ast_build_separation_bounds;
    /// Option of AST generation: whether strides are scaled out of iterators.
    set_ast_build_scale_strides = isl_options_set_ast_build_scale_strides;
}
