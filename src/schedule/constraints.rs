//! Dependences as constraints for a scheduler (ppcg report, section 4.3).

use crate::dependence::{Dependences, untag};
use crate::isl::{Result, ScheduleConstraints, UnionMap, UnionSet};
use crate::scop::Scop;
use std::collections::BTreeSet;

/// The constraints on all instances of the scop but the dead ones.
///
/// Without live-range reordering flow and false dependences are validity, coincidence and proximity alike. With it:
/// - validity: flow and forced dependences;
/// - proximity: flow dependences, and false ones where they are known;
/// - coincidence: flow and forced dependences, and the order dependences on arrays that cannot be given private copies.
///   ppcg leaves out those on scalars; here it is those on [`Dependences::private_candidates`]. What is left out is
///   left to [`crate::transform`], which gives private copies or does not make the loop parallel;
/// - conditional validity: tagged flow dependences are the condition, tagged order dependences what is conditioned.
///
/// Relations to and from `dead` instances (`{ S[i] }`) are dropped.
pub fn constraints(scop: &Scop, dependences: &Dependences, dead: Option<&UnionSet>) -> Result<ScheduleConstraints> {
    let domain = match dead {
        Some(dead) => scop.domain()?.subtract(dead.clone())?.coalesce()?,
        None => scop.domain()?,
    };
    // { S[i] -> T[j] } between instances that are scheduled
    let among =
        |relation: &UnionMap| relation.clone().intersect_domain(domain.clone())?.intersect_range(domain.clone());
    let flow = among(&dependences.flow)?;
    let dep_false = among(&dependences.dep_false)?;
    let empty = ScheduleConstraints::on_domain(domain.clone())?.set_context(scop.context.clone())?;
    if !dependences.mode.live_range_reordering {
        let all = flow.union(dep_false)?;
        return empty.set_validity(all.clone())?.set_coincidence(all.clone())?.set_proximity(all);
    }
    let validity = flow.clone().union(among(&dependences.forced)?)?;
    let shared_order = among(&untag(order_on_shared(scop, dependences)?)?)?;
    let coincidence = validity.clone().union(shared_order)?;
    let references = tagged_domain(scop, &domain)?;
    let among_tagged = |relation: &UnionMap| {
        relation.clone().intersect_domain(references.clone())?.intersect_range(references.clone())
    };
    empty
        .set_validity(validity)?
        .set_coincidence(coincidence)?
        .set_proximity(flow.union(dep_false)?)?
        .set_conditional_validity(among_tagged(&dependences.tagged_flow)?, among_tagged(&dependences.tagged_order)?)
}

/// The same constraints with reads of the same value near each other: no order between them matters, but what both bring
/// into a cache is brought once (Pluto paper, "input dependences").
///
/// # Errors
/// Those of isl. Where finding the pairs takes too long there are none.
pub fn with_reads_near(
    constraints: ScheduleConstraints,
    scop: &Scop,
    dependences: &Dependences,
) -> Result<ScheduleConstraints> {
    let domain = constraints.domain()?;
    // { S[i] -> T[j] }
    let reads = dependences.input(scop)?.intersect_domain(domain.clone())?.intersect_range(domain)?;
    let near = constraints.proximity()?.union(reads)?;
    constraints.set_proximity(near)
}

/// The references of some instances: `{ [S[i] -> R[]] }`.
fn tagged_domain(scop: &Scop, domain: &UnionSet) -> Result<UnionSet> {
    let mut all = UnionMap::empty(scop.context.space()?)?;
    for statement in &scop.statements {
        for access in &statement.accesses {
            all = all.union(access.tag(access.relation.clone())?.to_union_map()?)?;
        }
    }
    // { S[i] -> R[] }
    all.domain()?.universe()?.unwrap_map()?.intersect_domain(domain.clone())?.wrap()
}

/// The order dependences on arrays without private copies: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
fn order_on_shared(scop: &Scop, dependences: &Dependences) -> Result<UnionMap> {
    let private: BTreeSet<String> = dependences.private_candidates(scop)?;
    let mut references = UnionSet::empty(scop.context.space()?)?;
    for access in scop.statements.iter().flat_map(|s| &s.accesses) {
        if !private.contains(&access.array()?) {
            let tags = access.tag(access.relation.clone())?.domain()?.to_union_set()?.universe()?;
            references = references.union(tags)?;
        }
    }
    dependences.tagged_order.clone().intersect_domain(references)
}
