//! False, order and forced dependences (ppcg report, sections 3.2.1 and 3.2.5).

use super::flow::Flow;
use super::tags::{Tags, to_arrays_of};
use crate::isl::{Result, Schedule, UnionAccessInfo, UnionMap};
use crate::scop::{AccessKind, Scop};

/// All pairs of a source before a sink on the same element: `{ I -> I' }`.
pub(super) fn all_before(source: UnionMap, sink: UnionMap, schedule: &Schedule) -> Result<UnionMap> {
    let source = to_arrays_of(source, &sink)?;
    UnionAccessInfo::from_sink(to_arrays_of(sink, &source)?)?
        .set_may_source(source)?
        .set_schedule(schedule.clone())?
        .compute_flow()?
        .may_dependence()
}

/// Accesses before the writes that may overwrite them: `{ S[i] -> T[j] }`.
pub(super) fn dep_false(scop: &Scop) -> Result<UnionMap> {
    let may_writes = scop.may_writes()?;
    let accesses = to_arrays_of(scop.reads()?, &may_writes)?.union(may_writes.clone())?;
    UnionAccessInfo::from_sink(may_writes)?
        .set_must_source(scop.must_writes()?)?
        .set_may_source(accesses)?
        .set_schedule(scop.schedule.clone())?
        .compute_flow()?
        .may_dependence()?
        .coalesce()
}

/// The ends of live ranges before the writes that begin others: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
///
/// Elements that are written and not read are live ranges of their own, also where the same write has others. Nothing
/// cuts here: a write between two live ranges may be moved away, and then would not keep them apart.
pub(super) fn tagged_order(tags: &Tags, Flow { tagged_flow, seen, .. }: &Flow) -> Result<UnionMap> {
    let unmatched = match seen {
        Some(seen) => tags.may_writes.clone().subtract(seen.clone())?,
        None => tags.may_writes.clone().subtract_domain(tagged_flow.clone().domain()?)?,
    };
    all_before(tags.reads.clone().union(unmatched)?, tags.may_writes.clone(), &tags.schedule)?.coalesce()
}

/// The three parts of the forced dependences: `{ S[i] -> T[j] }`.
pub(super) fn forced(scop: &Scop, tags: &Tags, flow: &Flow, may_live_out: &UnionMap) -> Result<UnionMap> {
    let Flow { tagged_flow, may_live_in, seen } = flow;
    let may_writes = scop.may_writes()?;
    let before_live_out = all_before(may_writes.clone(), may_live_out.clone(), &scop.schedule)?;
    let after_live_in = all_before(may_live_in.clone(), may_writes, &scop.schedule)?;
    let forced = before_live_out.union(after_live_in)?;
    let is_definite = |kind| kind != AccessKind::MayWrite;
    let mut accesses = scop.statements.iter().flat_map(|statement| &statement.accesses);
    if seen.is_none() && accesses.all(|access| is_definite(access.kind)) {
        // The last write alone reaches a read of its element.
        return forced.coalesce();
    }
    // { S[i] -> [[T[j] -> Q[]] -> A[a]] }
    let shared = tagged_flow.clone().range_product(tags.may_writes.clone())?.domain_factor_domain()?;
    forced.union(all_before(shared.clone(), shared, &scop.schedule)?)?.coalesce()
}
