//! Temporal proximity (the unified report, 4.3): an element's uses, each with the next.
//!
//! All accesses of an array take part, the quasi-affine ones, too, and scalars.
//!
//! # Relations of a statement to itself
//! Those that are not uniform are left out, since no affine schedule makes their distances small. Two references are
//! never in a uniform relation if their subscripts differ in more than constants: an instance then meets others at all
//! distances, and that the next one in the original order may be at a constant distance is an accident (in `lu`, that
//! of `A[i][j]` and the next `A[k][j]`). So those are not looked for in the first place, and do not hide others either.
//! What is then found at a distance that is not constant is dropped.

use super::group::ReferenceGroup;
use super::nearest::{Question, nearest};
use super::orders::Orders;
use super::references::Reference;
use crate::dependence::{HandedOn, is_large};
use crate::isl::{DimType, Map, Result, UnionMap};
use crate::scop::Scop;
use std::collections::{BTreeMap, BTreeSet};

/// Adds the relations to the groups, whose references are at the positions `members`. Returns how many were given up.
pub(super) fn relate(
    scop: &Scop,
    references: &[Reference<'_>],
    members: &[Vec<usize>],
    groups: &mut [ReferenceGroup],
    orders: &Orders,
) -> Result<usize> {
    let known = of_values(scop, groups)?;
    let mut questions = Vec::new();
    for asked in together(scop, groups) {
        if known.contains(&groups[asked[0]].array) {
            continue;
        }
        let positions = asked.iter().flat_map(|&group| &members[group]);
        let later = uses(scop, positions.map(|&position| &references[position]))?;
        // With several groups of one statement only one is asked about, and the others are not before it.
        let others = references.iter().filter(|reference| {
            let of_other = |&group: &usize| groups[group].statement != reference.statement;
            let is_copy = scop.statement(reference.statement).copy;
            reference.array.name == groups[asked[0]].array && !is_copy && asked.iter().all(of_other)
        });
        let earlier = uses(scop, others)?.union(later.clone())?;
        let name = |&group: &usize| (scop.statement(groups[group].statement).name.clone(), group);
        questions.push(Question { earlier, later, groups: asked.iter().map(name).collect() });
    }
    let answers = nearest(&questions, &orders.of_others, is_large(scop))?;
    for (group, pairs) in answers.found {
        let group = &mut groups[group];
        group.temporal = group.temporal.clone().union(useful(pairs)?)?;
    }
    Ok(answers.given_up)
}

/// Relates the uses of scalars that hand on values; the names of these scalars.
fn of_values(scop: &Scop, groups: &mut [ReferenceGroup]) -> Result<BTreeSet<String>> {
    let mut known = BTreeSet::new();
    if !is_large(scop) {
        return Ok(known);
    }
    let values = HandedOn::of(scop)?;
    for value in &values.values {
        let array = value.write.1.array()?;
        let Some(pairs) = values.nearest(value)? else { continue };
        for (sink, pairs) in pairs {
            let is_its =
                |group: &&mut ReferenceGroup| group.array == array && scop.statement(group.statement).name == sink;
            if let Some(group) = groups.iter_mut().find(is_its) {
                group.temporal = group.temporal.clone().union(useful(pairs.to_union_map()?)?)?;
            }
        }
        known.insert(array);
    }
    Ok(known)
}

/// The groups that can be asked about at once: those of an array if they are of different statements, else each alone. Copies of a
/// layout use each element once, and are scheduled apart from what uses it before or after them.
fn together(scop: &Scop, groups: &[ReferenceGroup]) -> Vec<Vec<usize>> {
    let mut of_array: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate().filter(|(_, group)| !scop.statement(group.statement).copy) {
        of_array.entry(&group.array).or_default().push(index);
    }
    let mut asked = Vec::new();
    for indices in of_array.into_values() {
        // Groups are in the order of their statements.
        match indices.windows(2).all(|pair| groups[pair[0]].statement < groups[pair[1]].statement) {
            true => asked.push(indices),
            false => asked.extend(indices.into_iter().map(|index| vec![index])),
        }
    }
    asked
}

/// What references use: `{ S[i] -> A[a] }`.
fn uses<'r>(scop: &Scop, references: impl Iterator<Item = &'r Reference<'r>>) -> Result<UnionMap> {
    let mut all = UnionMap::empty(scop.context.space()?)?;
    for reference in references {
        all = all.union(reference.relation.clone().to_union_map()?)?;
    }
    Ok(all)
}

/// The pairs `{ S[i] -> T[j] }` without those of one statement whose distance is not constant, piece by piece.
fn useful(pairs: UnionMap) -> Result<UnionMap> {
    let mut kept = UnionMap::empty(pairs.space()?)?;
    for map in pairs.map_list()?.to_vec()? {
        if map.tuple_name(DimType::In)? != map.tuple_name(DimType::Out)? {
            kept = kept.union(map.coalesce()?.to_union_map()?)?;
            continue;
        }
        // What is uniform before pieces are merged may not be after it.
        let mut uniform = Map::empty(map.space()?)?;
        for piece in map.basic_map_list()?.to_vec()? {
            let piece = piece.to_map()?;
            if is_uniform(&piece)? {
                uniform = uniform.union(piece)?;
            }
        }
        kept = kept.union(uniform.coalesce()?.to_union_map()?)?;
    }
    Ok(kept)
}

/// All pairs `{ S[i] -> S[j] }` are the same distance apart, which does not depend on the parameters either.
fn is_uniform(pairs: &Map) -> Result<bool> {
    let distances = pairs.clone().deltas()?.detect_equalities()?;
    for i in 0..distances.dim(DimType::SET)? {
        if distances.plain_get_val_if_fixed(DimType::SET, i)?.is_nan()? {
            return Ok(false);
        }
    }
    Ok(true)
}
