//! Bands marked permutable, members marked coincident, and vector marks.
//!
//! A band is *permutable* when no pair that must keep its order has a negative distance at any member, over the pairs
//! that the nodes above leave together. Which pairs must keep their order: all conflicts are enough, and tried first.
//! If they fail on an array, live ranges may still change places: then it is the flow from each write to its reads, and
//! the conflicts at the ends of live ranges that span several points of the band, each on the element that it is about,
//! and those on elements whose live range begins or ends outside of the region. A live range within one point of the band can change
//! places with others as a whole (ppcg report, section 3.2.2), and so can a write that nobody reads.
//!
//! A member is *coincident* when those same pairs have distance zero, where conflicts on scalars and local buffers that
//! are no flow are left out, as the report does (section 4.3): whoever runs the member in parallel has to give them
//! private copies, which the `parallel` mark then says and the other steps check.

use super::accesses::accesses_to;
use super::dataflow;
use super::order::Conflicts;
use super::storage::Storage;
use super::violation::{Rule, Violation};
use crate::isl::{self, MultiUnionPwAff, NodeType, ScheduleNode, UnionMap, UnionSet};
use crate::nodes::{band_below, mark_of};
use crate::scop::{AccessKind, ArrayKind, Scop};
use polyrs_model::Mark;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// The pairs on one array, all in the original order.
struct Pairs<'a> {
    scop: &'a Scop,
    alive: &'a UnionSet,
    array: String,
    /// Conflicts `{ I -> I' }`.
    conflicts: UnionMap,
    /// Live ranges changed places on the array.
    moved: bool,
    /// Conflicts that are no flow do not count for coincidence.
    expandable: bool,
    live_ranges: OnceCell<LiveRanges>,
}

/// Computed only where the conflicts do not settle a question.
struct LiveRanges {
    /// From each write to its reads `{ I -> I' }`.
    flow: UnionMap,
    /// What is handed on from the one to the other: `{ [I -> I'] -> A[a] }`.
    elements: UnionMap,
    /// The conflicts with an end of a live range that begins or ends outside of the region: `{ I -> I' }`.
    open: UnionMap,
}

impl Pairs<'_> {
    fn live_ranges(&self) -> isl::Result<&LiveRanges> {
        if let Some(known) = self.live_ranges.get() {
            return Ok(known);
        }
        let elements = dataflow::original_pairs(self.scop, &self.array)?;
        let flow = elements.clone().domain()?.unwrap_map()?;
        let flow = flow.intersect_domain(self.alive.clone())?.intersect_range(self.alive.clone())?;
        let open = self.conflicts_at(dataflow::open_ends(self.scop, &self.array)?)?;
        Ok(self.live_ranges.get_or_init(|| LiveRanges { flow, elements, open }))
    }

    /// The conflicts on elements at which one of both is such an end of a live range, `{ I -> A[a] }`: `{ I -> I' }`. On
    /// other elements the same instances may be parts of live ranges that can change places.
    fn conflicts_at(&self, ends: UnionMap) -> isl::Result<UnionMap> {
        let touched = accesses_to(self.scop, |a, name| name == self.array && a.kind != AccessKind::Kill)?;
        let written = accesses_to(self.scop, |a, name| name == self.array && a.kind.is_write())?;
        let writes = ends.clone().intersect(written.clone())?;
        let pairs = ends.apply_range(written.reverse()?)?.union(writes.apply_range(touched.reverse()?)?)?;
        self.conflicts.clone().intersect(pairs.clone().union(pairs.reverse()?)?)
    }

    /// The pairs that must keep their order whatever is done to the band, live ranges taken as wholes.
    fn ordered(&self, partial: &MultiUnionPwAff) -> isl::Result<UnionMap> {
        let LiveRanges { flow, elements, open } = self.live_ranges()?;
        let spanning = flow.clone().subtract(flow.clone().eq_at(partial.clone())?)?;
        // { I -> [I' -> A[a]] }
        let spanning = elements.clone().intersect_domain(spanning.wrap()?)?.curry()?;
        let ends = spanning.clone().range()?.unwrap_map()?.union(spanning.range_factor_range()?)?;
        self.conflicts_at(ends)?.union(open.clone())?.union(flow.clone())
    }

    /// The pairs that a coincident member has to keep together.
    fn together(&self, partial: &MultiUnionPwAff) -> isl::Result<UnionMap> {
        if self.expandable {
            return Ok(self.live_ranges()?.flow.clone());
        }
        if self.moved { self.ordered(partial) } else { Ok(self.conflicts.clone()) }
    }
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
        let moved = moved.contains(&array);
        all.push(Pairs { scop, alive, array, conflicts: pairs, moved, expandable, live_ranges: OnceCell::new() });
    }
    let mut found = Vec::new();
    let mut band = 0;
    root.for_each_descendant_top_down(&mut |node| {
        match node.node_type()? {
            NodeType::Band => {
                check_band(node, &all, band, &mut found)?;
                band += 1;
            }
            NodeType::Mark if mark_of(node)? == Some(Mark::Vector) => check_vector(scop, node, storage, &mut found)?,
            _ => {}
        }
        Ok(true)
    })?;
    Ok(found)
}

/// A band, and where it is.
struct Band {
    number: usize,
    partial: MultiUnionPwAff,
    prefix: MultiUnionPwAff,
    domain: UnionSet,
}

impl Band {
    /// Those of the pairs that the nodes above leave together.
    fn together(&self, pairs: &UnionMap) -> isl::Result<UnionMap> {
        let pairs = pairs.clone().intersect_domain(self.domain.clone())?.intersect_range(self.domain.clone())?;
        if self.prefix.size()? == 0 { Ok(pairs) } else { pairs.eq_at(self.prefix.clone()) }
    }

    /// The dates that a member gives.
    fn dates(&self, member: usize) -> isl::Result<MultiUnionPwAff> {
        MultiUnionPwAff::from_union_pw_aff(self.partial.at(i32::try_from(member).unwrap_or(0))?)
    }

    fn place(&self, member: usize) -> String {
        format!("band {}, member {member}", self.number)
    }
}

fn check_band(node: &ScheduleNode, all: &[Pairs], number: usize, found: &mut Vec<Violation>) -> isl::Result<()> {
    let coincident = node.band_coincident()?;
    let permutable = node.band_permutable()? && coincident.len() > 1;
    if !permutable && !coincident.contains(&true) {
        return Ok(());
    }
    let band = Band {
        number,
        partial: node.band_partial_schedule()?,
        prefix: node.prefix_schedule()?,
        domain: node.domain()?,
    };
    for pairs in all {
        if permutable {
            check_permutable(&band, pairs, coincident.len(), found)?;
        }
        if coincident.contains(&true) {
            check_coincident(&band, pairs, &coincident, found)?;
        }
    }
    Ok(())
}

fn check_permutable(band: &Band, pairs: &Pairs, members: usize, found: &mut Vec<Violation>) -> isl::Result<()> {
    let mut conflicts: Option<UnionMap> = None;
    let mut ordered: Option<UnionMap> = None;
    for member in 0..members {
        let dates = band.dates(member)?;
        // Members that do not go backwards anywhere, as those of tiles, do not where the nodes above leave pairs together; to
        // find out which pairs these are takes longer.
        if band.prefix.size()? > 0 && pairs.conflicts.clone().lex_gt_at(dates.clone())?.is_empty()? {
            continue;
        }
        let together = match &conflicts {
            Some(known) => known,
            None => conflicts.insert(band.together(&pairs.conflicts)?),
        };
        if together.clone().lex_gt_at(dates.clone())?.is_empty()? {
            continue;
        }
        let known = match ordered.take() {
            Some(known) => known,
            None => band.together(&pairs.ordered(&band.partial)?)?,
        };
        let negative = known.clone().lex_gt_at(dates)?;
        if !negative.is_empty()? {
            let place = band.place(member);
            found.push(Violation::of_pairs(Rule::NotPermutable, pairs.scop, &pairs.array, &negative, &place)?);
        }
        ordered = Some(known);
    }
    Ok(())
}

fn check_coincident(band: &Band, pairs: &Pairs, flags: &[bool], found: &mut Vec<Violation>) -> isl::Result<()> {
    let zero = band.together(&pairs.together(&band.partial)?)?;
    for member in (0..flags.len()).filter(|&member| flags[member]) {
        let apart = zero.clone().subtract(zero.clone().eq_at(band.dates(member)?)?)?;
        if !apart.is_empty()? {
            let place = band.place(member);
            found.push(Violation::of_pairs(Rule::NotCoincident, pairs.scop, &pairs.array, &apart, &place)?);
        }
    }
    Ok(())
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
