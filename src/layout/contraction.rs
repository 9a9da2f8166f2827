//! Contraction: arrays of which a window is enough (section 3.2.2).
//!
//! In an order, elements that are alive at the same time ([`Lifetimes`]) need places of their own; others may share one.
//! A window along a dimension is one longer than the greatest distance of such elements along it, among those that are
//! at the same position of all dimensions before, in some order of dimensions: then the remainders of their subscripts
//! differ (successive modulo functions, Lefebvre and Feautrier 1998). A dimension whose window is 1 goes; one whose
//! window is not a number, or not much shorter than the array, stays whole.
//!
//! What is seen after the region keeps its elements apart, and so does what it needs from before, so that there is no
//! window. Where one is taken, the region's order becomes the one that it is right for ([`Layout::order`]), as what comes
//! of a region with a layout has to compute the same in its own order, and is scheduled from there.

use super::any_order;
use super::clause::{Clause, Contract};
use super::legality::{Moved, universe};
use super::lifetime::Lifetimes;
use super::map::{Layout, LayoutMap, Pad, Transfer, subscript_names};
use super::sizes::{restricted, size_bounds};
use super::token::Place;
use super::{Error, legality};
use crate::codegen::{Expr, IteratorId};
use crate::isl::{self, DimType, Schedule, Set};
use crate::scop::{AccessKind, Array, ArrayKind, ElementKind, Scop};

/// Longer windows are none.
const LONGEST: i64 = 4096;

/// A length that is not known.
const UNKNOWN: i64 = 10_000;

/// Arrays of so many dimensions have their windows in any order of these.
const MOST_REORDERED: usize = 4;

/// Why an array is not contracted, to be read behind its name.
pub(super) type Reason = &'static str;

/// For each dimension how many positions are kept; `None`: all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Windows(pub Vec<Option<i64>>);

impl Windows {
    /// Along no dimension.
    pub fn is_whole(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// How many elements are kept, with a guess for lengths that are not known.
    fn elements(&self, lengths: &[Option<i64>]) -> i64 {
        let kept = self.0.iter().zip(lengths).map(|(window, length)| window.or(*length).unwrap_or(UNKNOWN).max(1));
        kept.fold(1, i64::saturating_mul)
    }

    /// The positions of an element: without dimensions of which one position is kept.
    fn address(&self) -> Vec<Expr> {
        let subscript = |dimension: usize| Expr::Iterator(IteratorId(dimension));
        let kept = self.0.iter().enumerate().filter_map(|(dimension, window)| match window {
            None => Some(subscript(dimension)),
            Some(1) => None,
            Some(window) => Some(Expr::Mod(Box::new(subscript(dimension)), *window)),
        });
        kept.collect()
    }
}

/// The maps of a text, with what is moved of their arrays, and those that it asks to find for an order.
///
/// # Errors
/// Why there is none, at the place where it is asked for; failures of isl.
pub(super) fn asked(
    scop: &Scop,
    parameters: &[String],
    wanted: &[Contract],
    order: &Schedule,
    (mut maps, moved): (Vec<LayoutMap>, Moved),
) -> Result<(Vec<LayoutMap>, Moved), Error> {
    if wanted.is_empty() {
        return Ok((maps, moved));
    }
    let mut positions = Vec::new();
    for Contract { array: name, place, .. } in wanted {
        let refuse = |reason: &str| Error::Directive(place.error(format!("`{name}` {reason}")));
        let position = scop.arrays.iter().position(|array| array.name == *name);
        let position = position.ok_or_else(|| refuse("is no array of the region"))?;
        if let Some(reason) = obstacle(scop, &scop.arrays[position])? {
            return Err(refuse(reason));
        }
        if maps.iter().any(|map| map.array == position) || positions.contains(&position) {
            return Err(refuse("has a map already"));
        }
        positions.push(position);
    }
    let own = Moved::of(scop, positions.iter().copied())?;
    let lifetimes = Lifetimes::of(scop, order, positions.iter().copied(), &own)?;
    for (Contract { array: name, any_order, place }, position) in wanted.iter().zip(positions) {
        let windows = match any_order {
            true => any_order::windows(scop, position, &own)?,
            false => windows(scop, position, &lifetimes, Wanted::Small)?,
        };
        if windows.is_whole() {
            let which = if *any_order { "all orders" } else { "this order" };
            let text = format!(
                "`{name}` has no window in {which}: along no dimension does a number of positions that is known and \
                 short hold what is alive at the same time{}",
                seen(scop, position, &own)?
            );
            return Err(Error::Alive(place.error(text)));
        }
        let number = maps.iter().filter_map(|map| map.address.first()?.as_constant()).max().map_or(0, |most| most + 1);
        maps.push(map(scop, parameters, (position, number), &windows, *place)?);
        let last = maps.len() - 1;
        maps[last].transfer = own.needed(scop, &maps[last])?;
        legality::accesses(scop, &maps[last], None)?;
    }
    Ok((maps, moved.and(&own)?))
}

/// What outside of the region keeps elements apart, to be read behind another reason.
fn seen(scop: &Scop, position: usize, moved: &Moved) -> isl::Result<&'static str> {
    let (exposed, seen) = moved.outside(scop, &universe(scop, &scop.arrays[position])?.to_union_set()?)?;
    Ok(match (exposed.is_empty()?, seen.is_empty()?) {
        (_, false) => "; it is seen after the region",
        (false, true) => "; it is read before it is written",
        (true, true) => "",
    })
}

impl Layout {
    /// The layout that contracts all arrays that have a window in an order, the region's own if it is not said. Rows are
    /// kept whole, so that loops can walk along them as vectors; one element that all iterations write has none.
    ///
    /// # Errors
    /// Those of isl; sizes that cannot be said.
    pub fn contracting(scop: &Scop, order: Option<&Schedule>) -> Result<Option<Self>, Error> {
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let mut positions = Vec::new();
        for (position, array) in scop.arrays.iter().enumerate() {
            if array.rank() > 0 && !scop.is_seen_after(array)? && obstacle(scop, array)?.is_none() {
                positions.push(position);
            }
        }
        if positions.is_empty() {
            return Ok(None);
        }
        let sizes = size_bounds(scop, &positions)?;
        let scop = &restricted(scop, &sizes)?;
        let order = order.map(|tree| complete(scop, tree)).transpose()?;
        let moved = Moved::of(scop, positions.iter().copied())?;
        // What the region needs from before has no window, as all of it is alive there.
        let mut open = Vec::new();
        for position in positions {
            if seen(scop, position, &moved)?.is_empty() {
                open.push(position);
            }
        }
        if open.is_empty() {
            return Ok(None);
        }
        let in_order = order.as_ref().unwrap_or(&scop.schedule);
        let lifetimes = Lifetimes::of(scop, in_order, open.iter().copied(), &moved)?;
        let mut maps = Vec::new();
        for position in open {
            let windows = windows(scop, position, &lifetimes, Wanted::Rows)?;
            if windows.is_whole() {
                continue;
            }
            let number = i64::try_from(position).unwrap_or(i64::MAX);
            let nowhere = Place { text: 0, line: 1, column: 1 };
            let map = map(scop, &parameters, (position, number), &windows, nowhere)?;
            match legality::accesses(scop, &map, None) {
                Ok(()) => maps.push(map),
                Err(Error::Isl(error)) => return Err(error.into()),
                // Some access has no place in it.
                Err(_) => {}
            }
        }
        let layout = Layout { order, sizes, ..Layout::of_maps(maps, moved) };
        Ok((!layout.is_empty()).then_some(layout))
    }
}

/// An order of all of a region's instances that has those of a tree in its order. What the tree leaves out nobody reads:
/// it comes first.
pub(super) fn complete(scop: &Scop, tree: &Schedule) -> isl::Result<Schedule> {
    let rest = scop.schedule.domain()?.subtract(tree.domain()?)?;
    if rest.is_empty()? {
        return Ok(tree.clone());
    }
    scop.schedule.clone().intersect_domain(rest)?.sequence(tree.clone())
}

/// Why an array has no window, whatever the order.
fn obstacle(scop: &Scop, array: &Array) -> isl::Result<Option<Reason>> {
    if array.kind == ArrayKind::Scalar {
        return Ok(Some("is a value, and has no place"));
    }
    if array.element.kind == ElementKind::Other {
        return Ok(Some("has elements whose size is not known"));
    }
    let mut is_written = false;
    for statement in &scop.statements {
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            if access.array()? != array.name {
                continue;
            }
            let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
            let relation = relation.intersect_params(scop.context.clone())?;
            if access.kind == AccessKind::MayWrite {
                return Ok(Some("is written under conditions on data"));
            }
            if !relation.is_single_valued()? {
                return Ok(Some("is accessed at subscripts that are not known"));
            }
            is_written |= access.kind == AccessKind::MustWrite;
        }
    }
    Ok((!is_written).then_some("is never written"))
}

/// What windows are to be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The fewest elements.
    Small,
    /// Whole rows, and enough of them for loops that change places.
    Rows,
}

/// The windows of an array.
fn windows(scop: &Scop, position: usize, lifetimes: &Lifetimes, wanted: Wanted) -> isl::Result<Windows> {
    let array = &scop.arrays[position];
    let all = universe(scop, array)?;
    let lengths = lengths(scop, array)?;
    // { [a' - a] }
    let distances = lifetimes.between(&all, &all)?.deltas()?.reset_tuple_id()?;
    let outermost_first: Vec<usize> = (0..array.rank()).collect();
    if wanted == Wanted::Rows {
        return windows_in(&lengths, distances, &outermost_first, wanted);
    }
    let mut best: Option<(i64, Windows)> = None;
    for order in orders(array.rank()) {
        let found = windows_in(&lengths, distances.clone(), &order, wanted)?;
        let elements = found.elements(&lengths);
        best = best.filter(|(least, _)| *least <= elements).or(Some((elements, found)));
    }
    Ok(best.map_or(Windows(vec![None; array.rank()]), |(_, found)| found))
}

/// How long the dimensions of an array are, or what is accessed of them, where that is a number.
fn lengths(scop: &Scop, array: &Array) -> isl::Result<Vec<Option<i64>>> {
    let all = universe(scop, array)?;
    let accessed = scop.reads()?.union(scop.may_writes()?)?.range()?.extract_set(all.space()?)?;
    let accessed = accessed.intersect_params(scop.context.clone())?;
    let mut lengths = Vec::new();
    for dimension in 0..array.rank() {
        let known = array.known_extent(dimension)?.and_then(|extent| i64::try_from(extent).ok());
        let most = accessed.clone().dim_max_val(i32::try_from(dimension).unwrap_or(i32::MAX))?;
        let most = if most.is_int()? { i64::try_from(most.to_i128()?).ok() } else { None };
        let reached = most.and_then(|most| most.checked_add(1));
        lengths.push(known.into_iter().chain(reached).min());
    }
    Ok(lengths)
}

/// The windows that come of one dimension after the other: a distance counts only where those before are 0.
fn windows_in(lengths: &[Option<i64>], mut distances: Set, order: &[usize], wanted: Wanted) -> isl::Result<Windows> {
    let mut windows = vec![None; lengths.len()];
    for &dimension in order {
        let window = greatest(&distances, dimension)?.and_then(|most| most.checked_add(1));
        let length = lengths[dimension];
        let is_short =
            |window: &i64| *window == 1 || *window <= LONGEST && length.is_none_or(|length| *window <= length / 2);
        let is_row = wanted == Wanted::Rows && dimension + 1 == lengths.len();
        windows[dimension] = window.filter(is_short).filter(|_| !is_row);
        distances = distances.fix_si(DimType::SET, dimension, 0)?;
    }
    Ok(Windows(windows))
}

/// The orders of dimensions that are tried: all of few dimensions.
fn orders(rank: usize) -> Vec<Vec<usize>> {
    if rank > MOST_REORDERED {
        return vec![(0..rank).collect(), (0..rank).rev().collect()];
    }
    let mut all = vec![Vec::new()];
    for _ in 0..rank {
        let longer = |order: Vec<usize>| {
            let others = (0..rank).filter(|next| !order.contains(next)).collect::<Vec<_>>();
            others.into_iter().map(move |next| [&order[..], &[next]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// The greatest value in a dimension, at least 0; `None` where there is none.
fn greatest(distances: &Set, dimension: usize) -> isl::Result<Option<i64>> {
    if distances.is_empty()? {
        return Ok(Some(0));
    }
    let most = distances.clone().dim_max_val(i32::try_from(dimension).unwrap_or(i32::MAX))?;
    if !most.is_int()? {
        return Ok(None);
    }
    Ok(i64::try_from(most.to_i128()?).ok().map(|most| most.max(0)))
}

/// The map of an array to its windows, in a field of its own, with the copies that it needs left open.
fn map(
    scop: &Scop,
    parameters: &[String],
    (position, number): (usize, i64),
    windows: &Windows,
    place: Place,
) -> Result<LayoutMap, Error> {
    let array = &scop.arrays[position];
    let address: Vec<Expr> = [Expr::Const(number)].into_iter().chain(windows.address()).collect();
    let clause = Clause {
        transfer: Transfer::None,
        array: array.name.clone(),
        subscripts: subscript_names(array.rank(), parameters),
        pads: vec![Pad::By(0); address.len()],
        address,
        domain: None,
        contraction: true,
        place,
    };
    LayoutMap::of(scop, parameters, clause)
}
