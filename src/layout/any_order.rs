//! Windows that are right whatever the order, as long as values reach their readers (schedule-independent storage: Strout,
//! Carter, Ferrante and Simon 1998; Thies and others 2001).
//!
//! Elements that are a window apart may share a place in any order if the flow of values alone, directly or through
//! other instances, has all that use the one come before the write of the other. Where each element is written once, and
//! none is left out between others, this goes on from window to window, so that neighbours are all that has to be looked
//! at. The order that the flow of values gives is followed for a few steps, which gives too little of it rather than too
//! much.

use super::contraction::Windows;
use super::legality::{Moved, universe};
use crate::dependence::{Dependences, Mode};
use crate::isl::{self, Map, UnionMap, UnionSet};
use crate::scop::Scop;

/// Windows that are tried.
const LONGEST: i64 = 8;

/// So many values are followed from one instance to another.
const MOST_STEPS: usize = 3;

/// The window of an array along one dimension, the first that has one.
pub(super) fn windows(scop: &Scop, position: usize, moved: &Moved) -> isl::Result<Windows> {
    let array = &scop.arrays[position];
    let whole = Windows(vec![None; array.rank()]);
    let elements = universe(scop, array)?.to_union_set()?;
    let of = |accesses: UnionMap| accesses.intersect_range(elements.clone());
    // { S[i] -> A[a] }
    let (writes, reads) = (of(scop.may_writes()?)?, of(scop.reads()?)?);
    let (exposed, seen) = moved.outside(scop, &elements)?;
    if !writes.is_injective()? || !exposed.is_empty()? || !seen.is_empty()? {
        return Ok(whole);
    }
    let uses = Uses { reach: reach(scop)?, written: writes.clone().range()?, writes, reads };
    for dimension in 0..array.rank() {
        let extent = array.known_extent(dimension)?.and_then(|extent| i64::try_from(extent).ok());
        for window in (1..=LONGEST).filter(|window| *window == 1 || extent.is_none_or(|extent| *window <= extent / 2)) {
            let apart = |least: i64, most: Option<i64>| apart(scop, position, dimension, window, (least, most));
            if uses.are_in_order(&apart(1, Some(1))?, &apart(2, None)?)? {
                let mut windows = whole;
                windows.0[dimension] = Some(window);
                return Ok(windows);
            }
        }
    }
    Ok(whole)
}

/// Pairs of instances that any order has in this order: those between which values flow, in a few steps.
fn reach(scop: &Scop) -> isl::Result<UnionMap> {
    let flow = Dependences::compute(scop, Mode { live_range_reordering: false, ..Mode::default() })?.flow.coalesce()?;
    let (mut reach, mut last) = (flow.clone(), flow.clone());
    for _ in 1..MOST_STEPS {
        last = last.apply_range(flow.clone())?.coalesce()?;
        reach = reach.union(last.clone())?;
    }
    reach.coalesce()
}

/// `{ A[a] -> A[a'] }`: `a'` is so many windows further along a dimension.
fn apart(
    scop: &Scop,
    position: usize,
    dimension: usize,
    window: i64,
    (least, most): (i64, Option<i64>),
) -> isl::Result<UnionMap> {
    let array = &scop.arrays[position];
    let names: Vec<String> = (0..array.rank()).map(|dimension| format!("e{dimension}")).collect();
    let mut further = names.clone();
    further[dimension] = format!("e{dimension} + {window} * k");
    let most = most.map_or(String::new(), |most| format!(" and k <= {most}"));
    let (name, from, to) = (&array.name, names.join(", "), further.join(", "));
    let text = format!("{{ {name}[{from}] -> {name}[{to}] : k >= {least}{most} }}");
    // `k` is a parameter of the text, which is then any number.
    let text = format!("[k] -> {text}");
    let map = Map::parse(scop.ctx(), &text)?;
    let map = map.project_out(isl::DimType::Param, 0, 1)?;
    map.align_params(scop.context.space()?)?.to_union_map()
}

/// How a region uses an array, each element of which it writes once.
struct Uses {
    /// `{ S[i] -> A[a] }`
    writes: UnionMap,
    reads: UnionMap,
    written: UnionSet,
    /// `{ S[i] -> T[j] }`
    reach: UnionMap,
}

impl Uses {
    /// Any order has all uses of elements before those of their neighbours, or all of them behind, and there are no gaps
    /// between elements that are further apart.
    fn are_in_order(&self, neighbours: &UnionMap, further: &UnionMap) -> isl::Result<bool> {
        let of_written = |pairs: &UnionMap| {
            pairs.clone().intersect_domain(self.written.clone())?.intersect_range(self.written.clone())
        };
        let neighbours = of_written(neighbours)?;
        let gaps = of_written(further)?.domain()?.subtract(neighbours.clone().domain()?)?;
        if !gaps.is_empty()? {
            return Ok(false);
        }
        Ok(self.come_first(&neighbours)? || self.come_first(&neighbours.reverse()?)?)
    }

    /// Any order has all uses of one element before the write of the other: for `{ A[a] -> A[a'] }`.
    fn come_first(&self, pairs: &UnionMap) -> isl::Result<bool> {
        let wanted =
            |uses: &UnionMap| uses.clone().apply_range(pairs.clone())?.apply_range(self.writes.clone().reverse()?);
        let reads = wanted(&self.reads)?;
        // An instance reads before it writes.
        let itself = reads.clone().domain()?.identity()?;
        Ok(reads.is_subset(&self.reach.clone().union(itself)?)? && wanted(&self.writes)?.is_subset(&self.reach)?)
    }
}
