//! What is near for some problems alone ([`crate::schedule::Formulation::near`]).
//!
//! Schedule constraints have one relation for what is near. Pairs that belong to a choice are among them with a tag on
//! both ends, as those of conditional validity are: `{ [S[i] -> N[]] -> [T[j] -> N[]] }`, where `N` is the list of the
//! choice. Pairs without a tag are for the problems that have no choice.

use crate::dependence::Dependences;
use crate::isl::{DimType, Id, Map, Result, ScheduleConstraints, UnionMap};
use crate::schedule::strategy::{DependenceKind, Near, Strategy};
use crate::scop::Scop;
use std::borrow::Cow;

/// The same constraints with what is near by the choices of the strategy's problems. `reads` are input dependences, if
/// the strategy has some: `{ S[i] -> T[j] }`.
///
/// # Errors
/// Those of isl.
pub(super) fn with_choices(
    constraints: ScheduleConstraints,
    scop: &Scop,
    dependences: &Dependences,
    strategy: &Strategy,
    reads: Option<&UnionMap>,
) -> Result<ScheduleConstraints> {
    let choices = strategy.near_choices();
    // What groups of references relate takes the place of dependences.
    if choices.is_empty() || strategy.is_near_by_groups() {
        return Ok(constraints);
    }
    let (domain, mut near) = (constraints.domain()?, constraints.proximity()?);
    // Dead instances are not scheduled.
    let dead = scop.domain()?.subtract(domain.clone())?;
    let live = if dead.is_empty()? { Cow::Borrowed(scop) } else { Cow::Owned(scop.without(&dead)?) };
    for choice in choices {
        let pairs = chosen(&live, dependences, choice, reads)?;
        let pairs = pairs.intersect_domain(domain.clone())?.intersect_range(domain.clone())?;
        near = near.union(tagged(&pairs, choice)?)?;
    }
    constraints.set_proximity(near)
}

/// The pairs of a choice in a region without dead instances: `{ S[i] -> T[j] }`.
fn chosen(scop: &Scop, dependences: &Dependences, choice: &Near, reads: Option<&UnionMap>) -> Result<UnionMap> {
    let mut all = UnionMap::empty(scop.context.space()?)?;
    let is_on_all = choice.arrays().is_empty();
    if choice.takes(DependenceKind::Flow) {
        all = all.union(match is_on_all {
            true => dependences.flow.clone(),
            false => dependences.flow_on(scop, choice.arrays())?,
        })?;
    }
    if choice.takes(DependenceKind::False) {
        all = all.union(match is_on_all {
            true => dependences.dep_false.clone(),
            false => dependences.false_on(scop, choice.arrays())?,
        })?;
    }
    if let Some(reads) = reads.filter(|_| choice.takes(DependenceKind::Input)) {
        all = all.union(match is_on_all {
            true => reads.clone(),
            false => dependences.input_on(scop, choice.arrays())?,
        })?;
    }
    Ok(all)
}

/// Pairs with the tag of a choice.
fn tagged(pairs: &UnionMap, choice: &Near) -> Result<UnionMap> {
    let name = name(choice);
    let mut all = UnionMap::empty(pairs.space()?)?;
    for map in pairs.map_list()?.to_vec()? {
        all = all.union(with_tag(map, &name)?.zip()?.to_union_map()?)?;
    }
    Ok(all)
}

/// A relation `{ S[i] -> T[j] }` with the same tag on all its ends: `{ [S[i] -> T[j]] -> [N[] -> N[]] }`.
pub(super) fn with_tag(map: Map, name: &str) -> Result<Map> {
    let tag = Id::new(map.ctx(), name)?;
    let space = map.space()?.params()?.add_named_tuple_id_ui(tag, 0)?;
    let tags = Map::universe(space.map_from_set()?)?.wrap()?;
    Map::from_domain_and_range(map.wrap()?, tags)
}

/// Of what constraints say is near, the pairs of a choice, without their tags: `{ S[i] -> T[j] }`.
///
/// # Errors
/// Those of isl.
pub(super) fn of_choice(near: &UnionMap, choice: &Near) -> Result<UnionMap> {
    let name = name(choice);
    let mut all = UnionMap::empty(near.space()?)?;
    // { [S[i] -> T[j]] -> [N[] -> N[]] }, those with tags
    for map in near.clone().zip()?.map_list()?.to_vec()? {
        let tags = map.space()?.range()?.unwrap_space()?;
        if tags.tuple_name(DimType::In)?.as_deref() == Some(&name) {
            all = all.union(map.domain()?.unwrap_map()?.to_union_map()?)?;
        }
    }
    Ok(all)
}

/// The name of the tag.
fn name(choice: &Near) -> String {
    choice.entries().collect::<Vec<_>>().join(" ")
}
