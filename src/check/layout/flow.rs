//! Where the values that are read in a region come from.

use super::error::{LayoutError, different};
use crate::after::after;
use crate::isl::{self, Schedule, UnionAccessInfo, UnionMap, UnionPwMultiAff};
use crate::scop::{AccessKind, Scop, Statement};

/// Where reads get their values from. Reads and writes are references of instances, `[S[i] -> R[]]`; what comes after the
/// region reads each element that it may see: `[AFTER[] -> A[a]]`.
pub(super) struct Flow {
    /// `{ write -> read }`
    pub writers: UnionMap,
    /// What was there before the region: `{ read -> A[a] }`.
    pub live_in: UnionMap,
}

impl Flow {
    pub fn of(scop: &Scop) -> isl::Result<Self> {
        // { AFTER[] -> A[a] }
        let observed = UnionMap::from_domain_and_range(after(scop)?, scop.live_out.clone())?;
        let all = [AccessKind::Read, AccessKind::MayWrite, AccessKind::MustWrite, AccessKind::Kill];
        // { S[i] -> R[] }
        let references = scop.tagged_accesses(&all)?.domain()?.unwrap_map()?;
        let tagger: UnionPwMultiAff = references.domain_map_union_pw_multi_aff()?;
        let order = scop.schedule.clone().pullback_union_pw_multi_aff(tagger)?;
        let order = order.sequence(Schedule::from_domain(observed.clone().wrap()?)?)?;
        let reads = scop.tagged_accesses(&[AccessKind::Read])?.union(observed.range_map()?)?;
        let flow = UnionAccessInfo::from_sink(reads)?
            .set_may_source(scop.tagged_accesses(&[AccessKind::MayWrite, AccessKind::MustWrite])?)?
            .set_kill(scop.tagged_accesses(&[AccessKind::MustWrite, AccessKind::Kill])?)?
            .set_schedule(order)?
            .compute_flow()?;
        // { write -> [read -> A[a]] }
        let writers = flow.full_may_dependence()?.range_factor_domain()?;
        Ok(Flow { writers, live_in: flow.may_no_source()? })
    }

    /// The same, looking through some copies.
    pub fn without_copies(self, scop: &Scop, copies: &[&Statement]) -> Result<Self, LayoutError> {
        let mut from_write = UnionMap::empty(scop.context.space()?)?;
        for copy in copies {
            let tag = |position: usize| -> isl::Result<_> {
                let access = &copy.accesses[position];
                let relation = access.relation.clone().intersect_domain(copy.domain.clone())?;
                // { [S[i] -> R[]] -> S[i] }
                access.tag(relation)?.domain()?.unwrap_map()?.domain_map()
            };
            // { [S[i] -> W[]] -> [S[i] -> R[]] }
            let link = tag(1)?.apply_range(tag(0)?.reverse()?)?;
            from_write = from_write.union(link.to_union_map()?)?;
        }
        let (copied, reads) = (from_write.clone().domain()?, from_write.clone().range()?);
        let Flow { mut writers, mut live_in } = self;
        // What reads of copies get: { write -> [S[i] -> R[]] } and { [S[i] -> R[]] -> A[a] }
        let (sources, first) = (writers.clone(), live_in.clone());
        // A value goes through each statement that copies once.
        for _ in 0..=copies.len() {
            // { copy's write -> read }
            let copies = writers.clone().intersect_domain(copied.clone())?;
            if copies.is_empty()? {
                let (writers, live_in) = (writers.subtract_range(reads.clone())?, live_in.subtract_domain(reads)?);
                return Ok(Flow { writers, live_in });
            }
            // { copy's read -> read }
            let through = copies.apply_domain(from_write.clone())?;
            let own = writers.subtract_domain(copied.clone())?;
            writers = own.union(sources.clone().apply_range(through.clone())?)?;
            live_in = live_in.union(through.reverse()?.apply_range(first.clone())?)?;
        }
        different("values go through the same copies again and again")
    }
}
