//! Spatial proximity (the unified report, 4.2): a line's uses, each with the next, for each pattern on its own.
//!
//! References whose subscripts are not affine have no pattern and are in no relation.

use super::completion::completion;
use super::lines::lines;
use super::nearest::nearest;
use super::patterns::Pattern;
use super::references::Reference;
use super::subscripts::{Subscripts, combinations, named};
use super::{Group, Line};
use crate::isl::{DimType, Map, Result, UnionMap};
use crate::scop::Scop;
use std::collections::BTreeMap;

/// Adds the relations to the groups, whose references are at the positions `members`. Returns how many were given up.
pub(super) fn relate(
    scop: &Scop,
    references: &[Reference<'_>],
    members: &[Vec<usize>],
    groups: &mut [Group],
    line: Line,
) -> Result<usize> {
    let mut group_of = vec![0; references.len()];
    for (group, members) in members.iter().enumerate() {
        members.iter().for_each(|&position| group_of[position] = group);
    }
    // The references of a pattern in one statement are all of one group, since equal subscripts are equal without constants.
    let mut patterns: BTreeMap<Pattern, BTreeMap<usize, UnionMap>> = BTreeMap::new();
    for (position, reference) in references.iter().enumerate() {
        let (Some(subscripts), Some(per_line)) = (&reference.subscripts, line.elements(reference.array)) else {
            continue;
        };
        let Some(used) = completed_lines(reference, subscripts, per_line)? else { continue };
        let used = used.to_union_map()?;
        let uses = patterns.entry(Pattern::of(reference, subscripts)).or_default();
        let used = match uses.remove(&group_of[position]) {
            Some(others) => others.union(used)?,
            None => used,
        };
        uses.insert(group_of[position], used);
    }
    let mut given_up = 0;
    for uses in patterns.values() {
        let mut earlier = UnionMap::empty(scop.context.space()?)?;
        for used in uses.values() {
            earlier = earlier.union(used.clone())?;
        }
        for (&group, later) in uses {
            let group = &mut groups[group];
            match nearest(&earlier, later, &scop.schedule)? {
                Some(pairs) => group.spatial = group.spatial.clone().union(pairs)?.coalesce()?,
                None => given_up += 1,
            }
        }
    }
    Ok(given_up)
}

/// The lines that a reference uses, with what completes its subscripts in front: `{ S[i] -> A[c, a'] }`. `None`: a number on
/// the way does not fit 64 bits.
fn completed_lines(reference: &Reference<'_>, subscripts: &Subscripts, per_line: u32) -> Result<Option<Map>> {
    let elements = reference.relation.space()?.range()?;
    let used = reference.relation.clone().apply_range(lines(elements, per_line)?)?;
    let Ok(more) = completion(&subscripts.matrix(), subscripts.depth) else { return Ok(None) };
    if more.is_empty() {
        return Ok(Some(used));
    }
    let front = combinations(&used.clone().domain()?, &more)?;
    let array = used.tuple_name(DimType::Out)?.unwrap_or_default();
    named(front.flat_range_product(used)?, &array).map(Some)
}
