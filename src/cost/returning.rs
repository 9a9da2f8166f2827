//! What each iteration of a loop finds in a cache, as the one before has used it in the same tile: of tiles that are around a loop whose
//! iterations wait for each other ([`crate::transform::post_tile::left_looking`]).

use super::brought::{OWN_CACHE, boxes, elements_in_rows};
use super::path::{Around, Path};
use crate::isl::{Result, ScheduleNode, UnionMap};
use crate::machine::Machine;
use crate::schedule_tree::band::tuple;
use crate::scop::{Array, Scop};

/// A line from the last cache takes this part of the time that one from memory takes. Measured: modified Gram-Schmidt of 2,000 by
/// 2,600 doubles takes 1.6 times as long without tiles of 64 columns, which take 1 MiB (written by hand in C; a Cascade Lake).
const LAST_CACHE: u64 = 2;

/// What comes back in each iteration of a loop.
#[derive(Clone, Copy)]
pub(super) struct Returning {
    /// The number of the loop.
    pub at: usize,
    /// It comes in this part of the time.
    pub part: u64,
    /// An array that is no larger, or may be, stays where it is said to be without tiles: these take 1.5 times as long as none for 30
    /// rows of 2,600 columns.
    pub kept: u64,
}

/// For each of all nests what comes back to it; `None` where no tiles are around such a loop, or caches do not hold what an iteration
/// of it uses in one of them, or the nearest one does: then tiles are too small to be begun so often.
pub(super) fn returning(
    scop: &Scop,
    nests: &[(ScheduleNode, Path)],
    machine: &Machine,
) -> Result<Vec<Option<Returning>>> {
    let mut found: Vec<Option<Returning>> = nests.iter().map(|_| None).collect();
    let first_of = |number: usize| nests[number].1.around.as_ref().map(|around| around.first);
    for first in 0..nests.len() {
        let Some(around) = nests[first].1.around.as_ref().filter(|around| around.first == first) else { continue };
        let inside: Vec<usize> = (first..nests.len()).filter(|number| first_of(*number) == Some(first)).collect();
        let bytes = bytes_in_iteration(scop, nests, (around, &inside), machine)?;
        let (part, kept) = if bytes <= machine.nearest_cache() {
            continue;
        } else if bytes <= machine.own_cache() {
            (OWN_CACHE, machine.own_cache())
        } else if machine.fits_last_cache(bytes) {
            (LAST_CACHE, machine.last_cache_share())
        } else {
            continue;
        };
        for number in inside {
            found[number] = Some(Returning { at: around.at, part, kept });
        }
    }
    Ok(found)
}

/// How much memory an iteration of the loop uses in a tile: of each array the least box around its elements, in whole lines.
fn bytes_in_iteration(
    scop: &Scop,
    nests: &[(ScheduleNode, Path)],
    (around, inside): (&Around, &[usize]),
    machine: &Machine,
) -> Result<u64> {
    let rows = elements_in_rows(scop)?;
    let mut elements = UnionMap::empty(scop.context.space()?)?;
    for number in inside {
        let (leaf, path) = &nests[*number];
        let members: Vec<_> = around.members.iter().chain(&path.loops[around.at..=around.at]).cloned().collect();
        // { S[i] -> [t] }, the tile and the iteration
        let times =
            UnionMap::from_multi_union_pw_aff(tuple(scop.ctx(), &members)?)?.intersect_domain(leaf.domain()?)?;
        elements = elements.union(times.reverse()?.apply_range(rows.clone())?)?;
    }
    let boxes = boxes(scop, &elements)?;
    Ok(boxes.iter().fold(0, |bytes: u64, (array, lengths)| bytes.saturating_add(in_lines(array, lengths, machine))))
}

/// The bytes of a box of so many elements, each row of it in whole lines.
fn in_lines(array: &Array, lengths: &[u64], machine: &Machine) -> u64 {
    let Some((row, others)) = lengths.split_last() else { return 0 };
    let row = row.saturating_mul(array.element.bytes().into()).next_multiple_of(machine.line_bytes.into());
    others.iter().copied().fold(row, u64::saturating_mul)
}
