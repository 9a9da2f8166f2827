//! What accesses cost in memory, for the loops around them and the sizes that are known.

use super::block_size::Values;
use super::operation_cost::OperationCosts;
use super::path::{BlockedRows, Path, Place, trips};
use super::reuse::{Use, Uses};
use super::step::Locality;
use super::width::MOST_UNROLLED;
use crate::isl::{Result, UnionSet};
use crate::machine::Machine;
use crate::scop::{Array, Scop};
use std::collections::BTreeSet;
use std::ops::Range;

/// Vectors that walk across rows take so many times as long as in a tile that walks along them as well. Measured: matrices of 800
/// by 800 doubles are transposed 1.4 to 1.7 times as fast in tiles of 32 by 32 (a Zen 4).
pub(super) const COLUMN_IN_TILE: u64 = 2;

/// What is waited for less long takes no longer than going across rows does: a sum of doubles along a row takes two cycles, and so do
/// its wavefronts (measured on a Xeon, 2,000 by 2,000; on two threads wavefronts as vectors take 1.3 times as long as one thread in rows).
pub const LEAST_WAIT: u32 = 2;

/// Processors fetch lines ahead of so many walks through memory. Measured: a vector times a matrix of 768 by 3,072 floats takes 1.6
/// times as long with 32 rows side by side as with 16 (a Zen 4).
pub(crate) const MOST_STREAMS: u32 = 16;

/// A line takes so many times as long where a block reads pieces of rows one after the other, though caches have them: nothing
/// fetches those ahead. Measured: the greatest of 1,000 rows of 768 floats, 32 columns and 16 or 32 rows at a time, takes 1.8 times
/// as long as row by row, with fewer instructions (a Zen 4). What comes from memory takes longer than that anyway.
const PIECE_OF_ROW: u64 = 2;

/// The arrays with rows, by name, unless all arrays of the region together are known to stay in the last cache: their lines come from
/// memory.
///
/// # Errors
/// Those of isl.
pub fn from_memory(scop: &Scop, machine: &Machine) -> Result<BTreeSet<String>> {
    let mut bytes = 0u64;
    for array in &scop.arrays {
        bytes = bytes.saturating_add(array.used_bytes()?.unwrap_or(u64::MAX));
    }
    let has_rows = |array: &&Array| array.rank() >= 2 && !machine.fits_last_cache(bytes);
    Ok(scop.arrays.iter().filter(has_rows).map(|array| array.name.clone()).collect())
}

/// What an access costs in memory, for the innermost loop and the block that it is in; nothing where it is near.
pub(super) fn memory(
    uses: &Uses<'_>,
    used: &Use<'_>,
    path: &Path,
    (Place { inner, vector, rounds, .. }, block): (Place<'_>, Option<BlockedRows>),
    near: &Range<usize>,
    costs: &OperationCosts,
    machine: &Machine,
) -> Result<u64> {
    let locality = inner.and_then(|j| used.along[j]);
    // What stays in place is moved once for all of the innermost loop.
    let is_near = match (block, inner) {
        (None, Some(inner)) => locality == Some(Locality::Temporal) || walks_row_again(used, inner, machine)?,
        _ => false,
    };
    if !used.is_large(0) || is_near || uses.comes_back(used, near)? {
        return Ok(0);
    }
    let walk = match (block, inner) {
        (Some(block), _) => walk(used, path, (block, rounds), locality)?,
        (None, Some(inner)) if is_row_near(uses, used, inner, near)? => Some(Locality::Spatial),
        _ => locality,
    };
    let same = uses.accesses.iter().filter(|other| other.array.name == used.array.name).count();
    let line = costs.memory(used.array, walk, u32::try_from(same).unwrap_or(u32::MAX));
    // What walks across rows in a tile finds most lines in the nearest cache.
    let column = inner.filter(|_| block.is_none() && vector && walk == Some(Locality::None));
    let is_near =
        column.map_or(Ok(false), |inner| Ok(!uses.is_diagonal(used, inner)? && uses.comes_back_to_row(used, near)?))?;
    let line = if is_near { line / COLUMN_IN_TILE } else { line };
    let is_piece = match block.filter(|block| used.along[block.around] == Some(Locality::None)) {
        Some(_) => used.array.used_bytes()?.is_some_and(|bytes| machine.fits_last_cache(bytes)),
        None => false,
    };
    let line = if is_piece && walk == Some(Locality::Spatial) { line * PIECE_OF_ROW } else { line };
    let trips = inner.and_then(|inner| trips(path, inner));
    Ok(match (block, trips, locality) {
        (None, Some(trips), Some(Locality::Spatial)) if !used.writes() => line + costs.row(trips),
        _ => line,
    })
}

/// How many of the rounds that are unrolled in an iteration of the innermost loop, all together, walk along a row of their own; the
/// others find what one of these has brought, a few iterations ago. Where iterations of the loop around go through the same rows, it
/// is one row that is new, unless so many rows are known to be too long for a core's own cache. Measured: in clang's code a pixel of
/// 2,000 by 2,000 doubles takes 1.8 ns under 5 by 5, one of 224 by 224, which all stay near, 1.4 ns (a Xeon).
pub(super) fn walks(uses: &Uses<'_>, used: &Use<'_>, at: Place<'_>, machine: &Machine) -> Result<u64> {
    let Some(inner) = at.inner.filter(|_| !at.unrolled.is_empty()) else { return Ok(1) };
    let inside = || used.along[inner + 1..].iter().zip(at.unrolled);
    if inside().all(|(along, _)| matches!(along, None | Some(Locality::Temporal))) {
        return Ok(1);
    }
    if !matches!(used.along[inner], Some(Locality::Spatial | Locality::Strided(_))) {
        return Ok(at.rounds);
    }
    let across = inside().filter(|(along, _)| **along == Some(Locality::None));
    let rows = across.fold(1, |rows: u64, (_, count)| rows.saturating_mul(*count));
    let Some(around) = (0..inner).rev().find(|place| uses.iterates(*place)) else { return Ok(rows) };
    let length = used.array.rank().checked_sub(1).map_or(Ok(None), |last| used.array.known_extent(last))?;
    let bytes = length.map(|length| rows.saturating_mul(length).saturating_mul(used.array.element.bytes().into()));
    let stays = bytes.is_none_or(|bytes| bytes <= machine.own_cache());
    Ok(if stays && uses.comes_back_beside(used, around, inner)? { 1 } else { rows })
}

/// The loops over points of a tile that brings something back while it is still near: no more than one of them leads out of
/// the tile.
pub(super) fn tile(uses: &Uses<'_>, path: &Path) -> Range<usize> {
    let iterated = path.points.clone().filter(|j| uses.iterates(*j)).count();
    if iterated <= path.over + 1 { path.points.clone() } else { 0..0 }
}

/// The loops inside of which what comes back is still near: those over the points of a [`tile`], or, as far as it is known how often
/// loops run, those that use no more data together than the nearest cache holds.
pub(super) fn near_loops(uses: &Uses<'_>, path: &Path, domain: &UnionSet, machine: &Machine) -> Result<Range<usize>> {
    let tile = tile(uses, path);
    if !uses.accesses.iter().any(|used| used.is_large(0)) {
        return Ok(tile);
    }
    let all = path.loops.len();
    let mut counts = vec![1; all];
    let mut first = all;
    for at in (0..all).rev() {
        if uses.iterates(at) {
            let known = Values::of(&path.loops[at], domain)?.map(Values::count);
            let Some(count) = known.into_iter().chain(trips(path, at)).min() else { break };
            counts[at] = count;
            if used_bytes(uses, at, &counts, machine)? > machine.nearest_cache() {
                break;
            }
        }
        first = at;
    }
    Ok(if tile.is_empty() || first < tile.start { first..all } else { tile })
}

/// The bytes that a statement uses in all iterations of its loops from one on, in whole lines where no loop walks along rows; at most,
/// since several loops may come to the same element.
fn used_bytes(uses: &Uses<'_>, from: usize, counts: &[u64], machine: &Machine) -> Result<u64> {
    let mut bytes = 0u64;
    for (number, used) in uses.accesses.iter().enumerate() {
        let same = |other: &Use<'_>| other.array.name == used.array.name && other.along == used.along;
        if uses.accesses[..number].iter().any(same) {
            continue;
        }
        let moves = |at: &usize| !matches!(used.along[*at], None | Some(Locality::Temporal));
        let elements = (from..counts.len()).filter(moves).fold(1, |all: u64, at| all.saturating_mul(counts[at]));
        let element = used.array.element.bytes().min(machine.line_bytes);
        let each = used.along[from..].iter().flatten().fold(machine.line_bytes, |least, locality| match locality {
            Locality::Spatial => element,
            Locality::Strided(step) => least.min(element.saturating_mul(*step)),
            Locality::Temporal | Locality::None => least,
        });
        let all = elements.saturating_mul(each.into());
        bytes = bytes.saturating_add(used.array.used_bytes()?.map_or(all, |most| most.min(all)));
    }
    Ok(bytes)
}

/// A loop along a diagonal finds lines that its neighbours in the tile have brought. (So does one along a column; but what that
/// costs is as it was measured, gathers and pages included. What is near saves nothing where there is little to wait for.)
fn is_row_near(uses: &Uses<'_>, used: &Use<'_>, inner: usize, tile: &Range<usize>) -> Result<bool> {
    Ok(used.along[inner] == Some(Locality::None)
        && uses.operations() >= LEAST_WAIT
        && uses.is_diagonal(used, inner)?
        && uses.comes_back_to_row(used, tile)?)
}

/// The innermost loop walks along the same row in each iteration of the loop right around it, and the row is not known
/// to be too long to stay near, nor one that a loop over time comes back to.
fn walks_row_again(used: &Use<'_>, inner: usize, machine: &Machine) -> Result<bool> {
    let walks = matches!(used.along[inner], Some(Locality::Spatial | Locality::Strided(_)));
    let around = used.along[..inner].iter().rev().find_map(|along| *along);
    if !walks || around != Some(Locality::Temporal) || used.long_row {
        return Ok(false);
    }
    let Some(last) = used.array.rank().checked_sub(1) else { return Ok(false) };
    let longest = machine.near_row(used.array.element.bytes());
    Ok(used.array.known_extent(last)?.is_none_or(|length| length <= longest))
}

/// The points of a block read a column, and the loop around it walks along the rows: then these are read a line at a time, and
/// transposed.
pub(super) fn is_column(used: &Use<'_>, block: BlockedRows, innermost: Option<Locality>) -> bool {
    let walks = used.along[block.around] == Some(Locality::Spatial);
    block.rows == 1 && innermost == Some(Locality::None) && walks && !used.writes()
}

/// How an access walks through memory in a block: along rows, a few at a time, if the loop around the block does; line
/// by line, each in another row, if that loop goes through many rows, however the block lies in them.
fn walk(
    used: &Use<'_>,
    path: &Path,
    (block, rounds): (BlockedRows, u64),
    innermost: Option<Locality>,
) -> Result<Option<Locality>> {
    if is_column(used, block, innermost) {
        return Ok(Some(Locality::Spatial));
    }
    let crosses = |locality| locality == Some(Locality::None);
    let crossed = match (crosses(innermost), crosses(used.along[block.around])) {
        (true, _) => block.columns,
        // As long as nobody knows how many.
        (false, true) => u64::MAX,
        (false, false) => 0,
    };
    if rows_share_sets(used.array, crossed)? {
        return Ok(Some(Locality::None));
    }
    Ok(match used.along[block.around] {
        Some(Locality::Spatial) => Some(Locality::Spatial),
        Some(Locality::None) if rounds > MOST_UNROLLED && trips(path, block.around).is_none() => Some(Locality::None),
        _ => innermost,
    })
}

/// So many lines of an array that are above each other are known to go to so few sets of the nearest cache that these
/// do not hold them. What is crossed in any number does only if all are in one set.
fn rows_share_sets(array: &Array, crossed: u64) -> Result<bool> {
    const WAY: u64 = 64 * 64;
    const WAYS: u64 = 8;
    let Some(last) = array.rank().checked_sub(1).filter(|last| *last > 0) else { return Ok(false) };
    let Some(length) = array.known_extent(last)? else { return Ok(false) };
    let bytes = length.saturating_mul(array.element.bytes().into());
    // The sets that multiples of a row's length come to.
    let sets = (WAY >> bytes.trailing_zeros().min(WAY.trailing_zeros())).min(64);
    Ok(crossed > 0 && (sets == 1 || crossed < u64::MAX && crossed > sets * WAYS))
}
