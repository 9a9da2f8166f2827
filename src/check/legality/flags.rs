//! Bands marked permutable, members marked coincident, and vector marks.
//!
//! A band is *permutable* when no pair that must keep its order has a negative distance at any member, over the pairs
//! that the nodes above leave together. Which pairs must keep their order: for an array whose conflicts all keep their
//! order, the conflicts. For an array on which live ranges changed places, the flow from each write to its reads, and the
//! conflicts of all instances that take part in a live range that spans several points of the band (or is not closed in
//! the region): a live range within one point of the band can change places with others as a whole
//! (ppcg report, section 3.2.2).
//!
//! A member is *coincident* when those same pairs have distance zero, where conflicts on scalars and local buffers that
//! are no flow are left out, as the report does (section 4.3): whoever runs the member in parallel has to give them
//! private copies, which the `parallel` mark then says and the other steps check.

use super::order::{Conflicts, band_below, mark_of};
use super::storage::Storage;
use super::violation::{Rule, Violation};
use super::{accesses_to, dataflow};
use crate::isl::{self, MultiUnionPwAff, NodeType, ScheduleNode, UnionMap, UnionSet};
use crate::scop::{AccessKind, ArrayKind, Scop};
use crate::tree::Mark;
use std::collections::BTreeSet;

/// The pairs on one array, all in the original order.
struct Pairs {
    array: String,
    /// Conflicts `{ I -> I' }`.
    conflicts: UnionMap,
    /// Only for arrays on which live ranges moved: flow `{ I -> I' }`, and the instances `{ I }` that take part in a
    /// live range which is not closed.
    moved: Option<(UnionMap, UnionSet)>,
    /// Conflicts that are no flow do not count for coincidence.
    expandable: bool,
    /// Flow, for expandable arrays.
    flow: Option<UnionMap>,
}

/// Everything wrong with the flags and vector marks of a tree.
pub(super) fn violations(
    scop: &Scop,
    conflicts: &Conflicts,
    moved: &BTreeSet<String>,
    storage: &Storage,
    alive: &UnionSet,
    root: &ScheduleNode,
) -> isl::Result<Vec<Violation>> {
    let mut all = Vec::new();
    for array in conflicts.arrays() {
        let Some(pairs) = conflicts.on(&array) else { continue };
        let pairs = pairs.clone().intersect_domain(alive.clone())?.intersect_range(alive.clone())?;
        let expandable = scop.array_by_name(&array).is_some_and(|a| a.kind != ArrayKind::Memory);
        let is_moved = moved.contains(&array);
        let flow = if expandable || is_moved {
            Some(
                dataflow::original_pairs(scop, &array)?
                    .intersect_domain(alive.clone())?
                    .intersect_range(alive.clone())?,
            )
        } else {
            None
        };
        let open = if is_moved { Some(dataflow::open_ends(scop, &array)?.intersect(alive.clone())?) } else { None };
        all.push(Pairs { array, conflicts: pairs, moved: flow.clone().zip(open), expandable, flow });
    }
    let mut found = Vec::new();
    let mut band = 0;
    root.for_each_descendant_top_down(&mut |node| {
        match node.node_type()? {
            NodeType::Band => {
                check_band(scop, node, &all, band, &mut found)?;
                band += 1;
            }
            NodeType::Mark if mark_of(node)? == Some(Mark::Vector) => check_vector(scop, node, storage, &mut found)?,
            _ => {}
        }
        Ok(true)
    })?;
    Ok(found)
}

fn check_band(
    scop: &Scop,
    node: &ScheduleNode,
    all: &[Pairs],
    number: usize,
    found: &mut Vec<Violation>,
) -> isl::Result<()> {
    let coincident = node.band_coincident()?;
    let n = coincident.len();
    let permutable = node.band_permutable()? && n > 1;
    if !permutable && !coincident.contains(&true) {
        return Ok(());
    }
    let partial = node.band_partial_schedule()?;
    let prefix = node.prefix_schedule()?;
    let domain = node.domain()?;
    let together = |pairs: &UnionMap| -> isl::Result<UnionMap> {
        let pairs = pairs.clone().intersect_domain(domain.clone())?.intersect_range(domain.clone())?;
        if prefix.size()? == 0 { Ok(pairs) } else { pairs.eq_at(prefix.clone()) }
    };
    for pairs in all {
        let ordered = together(&ordered_pairs(pairs, &partial)?)?;
        let zero = together(&coincidence_pairs(pairs, &ordered)?)?;
        for (member, &is_coincident) in coincident.iter().enumerate() {
            let place = format!("band {number}, member {member}");
            let date = MultiUnionPwAff::from_union_pw_aff(partial.at(i32::try_from(member).unwrap_or(0))?)?;
            if permutable {
                let negative = ordered.clone().lex_gt_at(date.clone())?;
                if !negative.is_empty()? {
                    found.push(Violation::of_pairs(Rule::NotPermutable, scop, &pairs.array, &negative, &place)?);
                }
            }
            if is_coincident {
                let apart = zero.clone().subtract(zero.clone().eq_at(date)?)?;
                if !apart.is_empty()? {
                    found.push(Violation::of_pairs(Rule::NotCoincident, scop, &pairs.array, &apart, &place)?);
                }
            }
        }
    }
    Ok(())
}

/// The pairs `{ I -> I' }` that must keep their order whatever is done to the band.
fn ordered_pairs(pairs: &Pairs, partial: &MultiUnionPwAff) -> isl::Result<UnionMap> {
    let Some((flow, open)) = &pairs.moved else { return Ok(pairs.conflicts.clone()) };
    let spanning = flow.clone().subtract(flow.clone().eq_at(partial.clone())?)?;
    let ends = spanning.clone().domain()?.union(spanning.range()?)?.union(open.clone())?;
    let from = pairs.conflicts.clone().intersect_domain(ends.clone())?;
    let to = pairs.conflicts.clone().intersect_range(ends)?;
    from.union(to)?.union(flow.clone())
}

/// The pairs `{ I -> I' }` that a coincident member has to keep together.
fn coincidence_pairs(pairs: &Pairs, ordered: &UnionMap) -> isl::Result<UnionMap> {
    match &pairs.flow {
        Some(flow) if pairs.expandable => Ok(flow.clone()),
        _ => Ok(ordered.clone()),
    }
}

/// The last member of a band under a `vector` mark must carry no conflict at all, on the storage as it is.
fn check_vector(scop: &Scop, mark: &ScheduleNode, storage: &Storage, found: &mut Vec<Violation>) -> isl::Result<()> {
    let Some(band) = band_below(mark)? else { return Ok(()) };
    let last = i32::try_from(band.band_n_member()?).unwrap_or(1) - 1;
    let partial = band.band_partial_schedule()?;
    let outer = partial.clone().drop_dims(isl::DimType::SET, usize::try_from(last).unwrap_or(0), 1)?;
    let date = MultiUnionPwAff::from_union_pw_aff(partial.at(last)?)?;
    let prefix = band.prefix_schedule()?;
    let domain = band.domain()?;
    for array in &scop.arrays {
        let touched = accesses_to(scop, |a, name| name == array.name && a.kind != AccessKind::Kill)?;
        let written = accesses_to(scop, |a, name| name == array.name && a.kind.is_write())?;
        let touched = storage.place(&array.name, touched.intersect_domain(domain.clone())?)?;
        let written = storage.place(&array.name, written.intersect_domain(domain.clone())?)?;
        let mut pairs = written.apply_range(touched.reverse()?)?;
        for above in [&prefix, &outer] {
            if above.size()? > 0 {
                pairs = pairs.eq_at(above.clone())?;
            }
        }
        let carried = pairs.clone().subtract(pairs.eq_at(date.clone())?)?;
        if !carried.is_empty()? {
            found.push(Violation::of_pairs(Rule::NotVector, scop, &array.name, &carried, "")?);
        }
    }
    Ok(())
}
