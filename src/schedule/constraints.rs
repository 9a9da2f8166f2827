//! Dependences as constraints for a scheduler (ppcg report, section 4.3).

use crate::dependence::{Dependences, untag};
use crate::isl::{Result, ScheduleConstraints, UnionMap, UnionSet};
use crate::schedule::near::with_choices;
use crate::schedule::strategy::Strategy;
use crate::scop::Scop;
use std::collections::BTreeSet;

/// The constraints on all instances of the scop but the dead ones.
///
/// Without live-range reordering flow and false dependences are validity, coincidence and proximity alike. With it:
/// - validity: flow and forced dependences;
/// - proximity: flow dependences, and false ones where they are known;
/// - coincidence: flow and forced dependences, and the order dependences on arrays that cannot be given private copies.
///   ppcg leaves out those on scalars; here it is those on [`Dependences::private_candidates`], unless a strategy has
///   them ([`as_aimed`]). What is left out is left to [`crate::transform`], which gives private copies or does not make
///   the loop parallel;
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
    let private: BTreeSet<String> = dependences.private_candidates(scop)?;
    let shared_order = among(&untag(dependences.order_on(scop, |array| !private.contains(array))?)?)?;
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

/// The same constraints with what a strategy says of them: [`Strategy::input_dependences`], [`Strategy::private_arrays`],
/// and for problems that choose what is near ([`crate::schedule::Formulation::near`]) the pairs of their choice. These have
/// tags on their ends, `{ [S[i] -> N[]] -> [T[j] -> N[]] }`, which our own scheduler looks at and no other.
///
/// # Errors
/// Those of isl.
pub fn as_aimed(
    constraints: ScheduleConstraints,
    scop: &Scop,
    dependences: &Dependences,
    strategy: &Strategy,
) -> Result<ScheduleConstraints> {
    let mut constraints = constraints;
    if !strategy.private_arrays && dependences.mode.live_range_reordering {
        constraints = with_arrays_shared(constraints, scop, dependences)?;
    }
    let mut reads = None;
    if strategy.input_dependences {
        let found = dependences.input(scop)?;
        constraints = with_near(constraints, found.clone())?;
        reads = Some(found);
    }
    with_choices(constraints, scop, dependences, strategy, reads.as_ref())
}

/// The same constraints where scalars alone can be given private copies: order dependences on proper arrays ask for
/// coincidence, too, as they do in ppcg (4.3).
fn with_arrays_shared(
    constraints: ScheduleConstraints,
    scop: &Scop,
    dependences: &Dependences,
) -> Result<ScheduleConstraints> {
    let domain = constraints.domain()?;
    let arrays: BTreeSet<String> =
        scop.arrays.iter().filter(|array| array.rank() > 0).map(|array| array.name.clone()).collect();
    // { S[i] -> T[j] }
    let order = untag(dependences.order_on(scop, |array| arrays.contains(array))?)?;
    let order = order.intersect_domain(domain.clone())?.intersect_range(domain)?;
    let together = constraints.coincidence()?.union(order)?;
    constraints.set_coincidence(together)
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
    with_near(constraints, dependences.input(scop)?)
}

/// The same constraints with more pairs near each other: `{ S[i] -> T[j] }`.
fn with_near(constraints: ScheduleConstraints, pairs: UnionMap) -> Result<ScheduleConstraints> {
    let domain = constraints.domain()?;
    let pairs = pairs.intersect_domain(domain.clone())?.intersect_range(domain)?;
    let near = constraints.proximity()?.union(pairs)?;
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
