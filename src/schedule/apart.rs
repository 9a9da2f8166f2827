//! Copies of a layout are scheduled apart from what they are for.
//!
//! A scheduler that has them in one problem with the rest fuses them with what reads them: near in time, and in the hot
//! loop of a product, under a condition that is true once. A layout has copies in first and copies out last, with nothing
//! between that touches the memory they copy. Where arrays are redistributed there are copies in between, too: then what
//! is before them, they, and what is behind them are apart. Where constraints say otherwise, as a region that somebody
//! wrote may have copies anywhere, all is one problem as ever.

use super::{Observer, Result, Strategy, schedule_or_serialize};
use crate::isl::{self, Schedule, ScheduleConstraints, UnionMap, UnionSet};
use crate::proximity::ReferenceGroup;
use crate::schedule_tree::parts;
use crate::scop::{ArrayKind, Scop, Statement};
use std::collections::BTreeSet;

/// What [`schedule_or_serialize`] finds for copies in, for the rest, and for copies out, one after the other; or else for
/// all copies and what is between them.
///
/// # Errors
/// As there.
pub fn schedule_apart(
    scop: &Scop,
    constraints: &ScheduleConstraints,
    groups: &[ReferenceGroup],
    strategy: &Strategy,
    observer: Observer,
) -> Result<Schedule> {
    let mut parts = in_and_out(scop)?;
    if !is_in_order(constraints, &all_instances(scop, &parts)?)? {
        parts = in_between(scop)?;
    }
    let instances = all_instances(scop, &parts)?;
    if parts.len() < 2 || !is_in_order(constraints, &instances)? {
        return schedule_or_serialize(constraints, groups, strategy, observer);
    }
    let mut all: Option<Schedule> = None;
    for (statements, instances) in parts.iter().zip(&instances) {
        let is_of_part =
            |group: &&ReferenceGroup| statements.iter().any(|one| one.name == scop.statement(group.statement).name);
        let groups = groups.iter().filter(is_of_part).map(|group| restricted_group(group, instances));
        let groups = groups.collect::<isl::Result<Vec<_>>>()?;
        let constraints = restricted(constraints, instances)?;
        if constraints.domain()?.is_empty()? {
            continue;
        }
        let is_copy = statements.iter().all(|statement| statement.copy);
        // Who gives the outermost members knows nothing of copies.
        let of_copies = is_copy.then(|| Strategy { prefix: Vec::new(), ..strategy.clone() });
        let strategy = of_copies.as_ref().unwrap_or(strategy);
        let found = schedule_or_serialize(&constraints, &groups, strategy, observer)?;
        all = Some(match all {
            None => found,
            Some(before) => before.sequence(found)?,
        });
    }
    match all {
        Some(all) => Ok(all),
        None => schedule_or_serialize(constraints, groups, strategy, observer),
    }
}

/// Copies in, the rest, and copies out.
fn in_and_out(scop: &Scop) -> isl::Result<Vec<Vec<&Statement>>> {
    let mut all = vec![Vec::new(); 3];
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        all[part(scop, statement)?].push(statement);
    }
    Ok(all)
}

/// Copies where they are at the top level of the region's order, and what is between them; nothing if some statement is
/// in several places.
fn in_between(scop: &Scop) -> isl::Result<Vec<Vec<&Statement>>> {
    let mut all: Vec<(bool, Vec<&Statement>)> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for part in parts(&scop.schedule)? {
        let mut statements = Vec::new();
        for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
            if part.instances.extract_set(statement.domain.space()?)?.is_empty()? {
                continue;
            }
            if !known.insert(&statement.name) {
                return Ok(Vec::new());
            }
            statements.push(statement);
        }
        let is_copy = statements.iter().all(|statement| statement.copy);
        match all.last_mut() {
            _ if statements.is_empty() => {}
            Some((last, others)) if *last == is_copy => others.extend(statements),
            _ => all.push((is_copy, statements)),
        }
    }
    Ok(all.into_iter().map(|(_, statements)| statements).collect())
}

fn all_instances(scop: &Scop, parts: &[Vec<&Statement>]) -> isl::Result<Vec<UnionSet>> {
    parts.iter().map(|statements| instances(scop, statements)).collect()
}

/// All instances of some statements, whatever their domains: `{ S[i] }`.
fn instances(scop: &Scop, statements: &[&Statement]) -> isl::Result<UnionSet> {
    let mut all = UnionSet::empty(scop.context.space()?)?;
    for statement in statements {
        all = all.union(statement.domain.clone().to_union_set()?.universe()?)?;
    }
    Ok(all)
}

/// No constraint leads from a part to one before it.
fn is_in_order(constraints: &ScheduleConstraints, parts: &[UnionSet]) -> isl::Result<bool> {
    // { S[i] -> T[j] }
    let conditional = constraints.conditional_validity()?.factor_domain()?;
    let ordered = constraints.validity()?.union(conditional)?;
    for (number, later) in parts.iter().enumerate() {
        for earlier in &parts[..number] {
            let back = ordered.clone().intersect_domain(later.clone())?.intersect_range(earlier.clone())?;
            if !back.is_empty()? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Copies from memory are in the first part, copies to memory in the last one.
fn part(scop: &Scop, statement: &Statement) -> isl::Result<usize> {
    if !statement.copy {
        return Ok(1);
    }
    let from = statement.accesses.first().map(|read| read.array()).transpose()?;
    let from = from.and_then(|name| scop.array_by_name(&name));
    Ok(if from.is_some_and(|array| array.kind == ArrayKind::Memory) { 0 } else { 2 })
}

fn restricted_group(group: &ReferenceGroup, instances: &UnionSet) -> isl::Result<ReferenceGroup> {
    let among =
        |pairs: &UnionMap| pairs.clone().intersect_domain(instances.clone())?.intersect_range(instances.clone());
    Ok(ReferenceGroup { temporal: among(&group.temporal)?, spatial: among(&group.spatial)?, ..group.clone() })
}

/// Constraints among some instances `{ S[i] }`. Live ranges that lead out of them or into them are whole only if nothing
/// comes in between, whatever the order among these instances is: what is conditional on them is not any more.
fn restricted(constraints: &ScheduleConstraints, instances: &UnionSet) -> isl::Result<ScheduleConstraints> {
    // { S[i] -> T[j] }
    let among = |pairs: UnionMap| pairs.intersect_domain(instances.clone())?.intersect_range(instances.clone());
    // { [S[i] -> R[]] }
    let own = |references: UnionSet| references.unwrap_map()?.intersect_domain(instances.clone())?.wrap();
    // { [S[i] -> R[]] -> [T[j] -> Q[]] }
    let among_tagged = |pairs: UnionMap| {
        let (sources, sinks) = (own(pairs.clone().domain()?)?, own(pairs.clone().range()?)?);
        pairs.intersect_domain(sources)?.intersect_range(sinks)
    };
    let live_ranges = constraints.conditional_validity_condition()?;
    let inside = among_tagged(live_ranges.clone())?;
    let crossing = live_ranges.subtract(inside.clone())?;
    let conditional = among_tagged(constraints.conditional_validity()?)?;
    let behind = conditional.clone().intersect_domain(crossing.clone().range()?)?;
    let certain = conditional.clone().intersect_range(crossing.domain()?)?.union(behind)?;
    // Some of these pairs may have tags, too.
    let near = constraints.proximity()?;
    let near = among(near.clone())?.union(among_tagged(near)?)?;
    let domain = constraints.domain()?.intersect(instances.clone())?;
    ScheduleConstraints::on_domain(domain)?
        .set_context(constraints.context()?)?
        .set_validity(among(constraints.validity()?)?.union(certain.factor_domain()?)?)?
        .set_coincidence(among(constraints.coincidence()?)?)?
        .set_proximity(near)?
        .set_conditional_validity(inside, conditional)
}
