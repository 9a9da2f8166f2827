//! Spatial proximity (the unified report, 4.2): a line's uses, each with the next, for each pattern on its own.
//!
//! References whose subscripts are not affine have no pattern and are in no relation.

use super::completion::completion;
use super::group::ReferenceGroup;
use super::line::Line;
use super::lines::lines;
use super::nearest::{Question, nearest};
use super::orders::Orders;
use super::patterns::Pattern;
use super::references::Reference;
use super::subscripts::{Subscripts, combinations, named};
use crate::dependence::is_large;
use crate::isl::{DimType, Map, Result};
use crate::scop::Scop;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Adds the relations to the groups, whose references are at the positions `members`. Returns how many were given up.
pub(super) fn relate(
    scop: &Scop,
    references: &[Reference<'_>],
    members: &[Vec<usize>],
    groups: &mut [ReferenceGroup],
    (line, orders): (Line, &Orders),
) -> Result<usize> {
    let mut group_of = vec![0; references.len()];
    for (group, members) in members.iter().enumerate() {
        members.iter().for_each(|&position| group_of[position] = group);
    }
    // The references of a pattern in one statement are all of one group, since equal subscripts are equal without
    // constants.
    let mut patterns: BTreeMap<Pattern, Question> = BTreeMap::new();
    for (position, reference) in references.iter().enumerate() {
        let (Some(subscripts), Some(per_line)) = (&reference.subscripts, line.elements(reference.array)) else {
            continue;
        };
        let Some(used) = completed_lines(reference, subscripts, per_line)? else { continue };
        let used = used.to_union_map()?;
        let name = scop.statement(reference.statement).name.clone();
        match patterns.entry(Pattern::of(scop, reference, subscripts)) {
            Entry::Vacant(entry) => {
                let groups = BTreeMap::from([(name, group_of[position])]);
                entry.insert(Question { earlier: used.clone(), later: used, groups });
            }
            Entry::Occupied(mut entry) => {
                let question = entry.get_mut();
                question.later = question.later.clone().union(used)?;
                question.earlier = question.later.clone();
                question.groups.insert(name, group_of[position]);
            }
        }
    }
    let (of_copies, others): (Vec<_>, Vec<_>) = patterns.into_iter().partition(|(pattern, _)| pattern.is_of_copy());
    let mut given_up = 0;
    for (patterns, order) in [(of_copies, &orders.of_copies), (others, &orders.of_others)] {
        let questions: Vec<Question> = patterns.into_iter().map(|(_, question)| question).collect();
        let answers = nearest(&questions, order, is_large(scop))?;
        for (group, pairs) in answers.found {
            let group = &mut groups[group];
            group.spatial = group.spatial.clone().union(pairs)?;
        }
        given_up += answers.given_up;
    }
    for group in groups {
        group.spatial = group.spatial.clone().coalesce()?;
    }
    Ok(given_up)
}

/// The lines that a reference uses, with what completes its subscripts in front: `{ S[i] -> A[c, a'] }`. `None`: a
/// number on the way does not fit 64 bits.
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
