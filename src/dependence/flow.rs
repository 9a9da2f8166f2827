//! Flow dependences, live-in reads, live-out writes (ppcg report, section 3.2.1, tagged as in 3.2.4).

use super::tags::{Tags, to_arrays_of};
use crate::isl::{Result, UnionAccessInfo, UnionMap};
use crate::scop::Scop;

pub(super) struct Flow {
    /// `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`
    pub tagged_flow: UnionMap,
    /// `{ S[i] -> A[a] }`
    pub may_live_in: UnionMap,
    /// What is written and read later: `{ [S[i] -> R[]] -> A[a] }`. `None` where references write one element each,
    /// which the domain of `tagged_flow` then tells.
    pub seen: Option<UnionMap>,
}

pub(super) fn compute(scop: &Scop, tags: &Tags) -> Result<Flow> {
    // What is never written is live-in without an analysis.
    let others = tags.may_writes.clone().union(tags.kills.clone())?;
    let reads = to_arrays_of(tags.reads.clone(), &others)?;
    let rest = tags.reads.clone().subtract_range(others.universe()?.range()?)?;
    let flow = UnionAccessInfo::from_sink(reads)?
        .set_must_source(tags.must_writes.clone())?
        .set_may_source(tags.may_writes.clone())?
        .set_kill(tags.kills.clone())?
        .set_schedule(tags.schedule.clone())?
        .compute_flow()?;
    let seen = match write_single_elements(scop)? {
        true => None,
        false => Some(flow.full_may_dependence()?.range_factor_range()?),
    };
    Ok(Flow {
        seen,
        tagged_flow: flow.may_dependence()?.coalesce()?,
        may_live_in: flow.may_no_source()?.union(rest)?.domain_factor_domain()?.coalesce()?,
    })
}

/// Each reference that writes, writes one element at most in each instance.
fn write_single_elements(scop: &Scop) -> Result<bool> {
    for access in scop.statements.iter().flat_map(|statement| &statement.accesses) {
        if access.kind.is_write() && !access.relation.is_single_valued()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The may-writes without those that a later definite write or kill covers, and without those to elements that nobody
/// looks at after the region: `{ S[i] -> A[a] }`.
pub(super) fn may_live_out(scop: &Scop, tags: &Tags) -> Result<UnionMap> {
    // { A[a] }, all elements of arrays that somebody may look at
    let arrays = scop.live_out.clone().universe()?;
    let may_writes = tags.may_writes.clone().intersect_range(arrays.clone())?;
    let flow = UnionAccessInfo::from_sink(tags.cuts()?.intersect_range(arrays)?)?
        .set_may_source(may_writes.clone())?
        .set_schedule(tags.schedule.clone())?
        .compute_flow()?;
    // { [S[i] -> R[]] -> A[a] }
    let covered = flow.full_may_dependence()?.range_factor_range()?;
    may_writes.subtract(covered)?.domain_factor_domain()?.intersect_range(scop.live_out.clone())?.coalesce()
}
