//! How large tiles of a loop over time are: few steps, and long parts of rows.
//!
//! A stencil that is repeated comes back to all of its data in each step, and a tile of several steps brings that back sooner. What one
//! step has of a tile, its *slab*, is what the next step finds near. Slabs in a core's own cache come along rows as fast as vectors take
//! them, so that nothing is gained from smaller ones, and much is lost with short rows: each part of a row begins and ends with less
//! than a vector. Measured on a Zen 5 with 1 MiB a core (five points in two dimensions, 1300 by 1300 doubles, in times of the tiles of 32
//! by 32 by 32): rows of 256 in tiles of 16 or 32 steps and 16 or 32 rows, 1.23 to 1.28 on one thread and 1.30 on two; in three
//! dimensions, 16 by 8 by 8 by 256, 1.02 and 1.25. Slabs of half of the cache lose what they gain.
//!
//! Rows that are known to be no longer than a tile's stay whole: a skewed tile's ends move along with time, and cut each of them in two.
//! Measured on a Xeon with 2 MiB a core (a seven-point stencil of 120 by 120 by 120 doubles, in times of tiles of 16 by 8 by 8 by 256):
//! 1.13 with whole rows, 1.28 times clang's speed. In two dimensions rows of 1300 lose, as whole ones leave room for fewer side by side.
//!
//! In one dimension a tile has so much of its row as half of the nearest cache holds, and as many steps with threads as without
//! ([`TimeTiles::in_fronts`]). Measured on that Xeon (three points, doubles, between two rows, one thread, times clang's speed): 1.1 with
//! rows of 100,000, which the core's own cache holds, 3.6 with 1,000,000, and 1.6, 2.7 and 3.8 with 4,000,000 and 4, 12 and 100 steps.
//!
//! Threads start on a wavefront of tiles one after the other, which takes as many steps as there are tiles over time before all of them
//! work: half as many steps a tile, where loops run in parallel. Diamonds, where a stencil has some, all start at the same time.

use super::reuse::Uses;
use super::step::Locality;
use crate::isl::{NodeType, Result, Schedule, ScheduleNode};
use crate::machine::Machine;
use crate::schedule_tree::TileSizes;
use crate::schedule_tree::band::{Band, leaves_below, point_members_above};
use crate::scop::Scop;
use std::collections::BTreeMap;

/// The part of a core's own cache that a slab may take.
const SLAB: u64 = 4;

/// Rows of a tile across which data comes back: more bring nothing.
const MOST_ROWS: u32 = 32;

/// With fewer, what is at the edges of a slab is more than what is inside.
const LEAST_ROWS: u32 = 8;

/// So many times as long as rows are tiles that leave them whole, of which few cut a row as they move along with time.
const WHOLE: u32 = 16;

/// The shortest rows that are worth it, as a part of the longest.
const SHORTEST: u32 = 4;

/// Tiles of a loop over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeTiles {
    /// Their sizes.
    pub sizes: TileSizes,
    /// Those of diamonds ([`crate::transform::diamonds`]), in the order of their members. A diamond is half as wide on average as it is
    /// in the middle.
    pub diamonds: TileSizes,
    /// They may run in wavefronts. In one dimension they are so long beside the steps that a front has few of them, and what a front
    /// is takes too long to find out.
    pub in_fronts: bool,
}

/// The sizes of tiles for a tree that has a band of a loop over time, and none that gains from tiles of another shape; `None` where
/// there is no such band. `parallel` is whether loops may run in parallel.
///
/// # Errors
/// Those of isl.
pub fn time_tiles(scop: &Scop, tree: &Schedule, machine: &Machine, parallel: bool) -> Result<Option<TimeTiles>> {
    let mut shape: Option<Shape> = None;
    let mut is_open = true;
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        if !is_open || node.node_type()? != NodeType::Band {
            return Ok(is_open);
        }
        let band = Band::read(node)?;
        if !band.permutable || band.members.len() < 2 {
            return Ok(true);
        }
        match Shape::of(scop, node, &band, machine)? {
            Some(found) => is_open = shape.replace(found).is_none_or(|before| before == found),
            None => is_open = !super::gains(scop, node, machine)?,
        }
        Ok(is_open)
    })?;
    Ok(shape.filter(|_| is_open).and_then(|shape| shape.sizes(machine, parallel)))
}

/// What a band of a loop over time has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    /// Its members, the outermost of which is time.
    members: usize,
    /// The member that walks along rows.
    row: usize,
    /// The bytes that one point has of all arrays.
    bytes: u64,
    /// The bytes of the largest element.
    element: u32,
    /// The elements of the longest row, if that is known of all arrays.
    longest: Option<u32>,
}

impl Shape {
    /// Of a permutable band; `None` where it is over no loop over time: where a member is coincident, nothing comes back along the first
    /// one, or no other one walks along the rows of all large arrays. Products, where some operand stays in place, gain from tiles of
    /// another shape.
    fn of(scop: &Scop, node: &ScheduleNode, band: &Band, machine: &Machine) -> Result<Option<Shape>> {
        let members = band.members.len();
        if members < 2 || band.coincident.contains(&true) {
            return Ok(None);
        }
        let above = point_members_above(node)?;
        let (mut arrays, mut longest) = (BTreeMap::new(), Some(0));
        let mut rows: Vec<usize> = (1..members).collect();
        let mut comes_back = false;
        for (leaf, below) in leaves_below(node)? {
            let loops: Vec<_> = above.iter().chain(&band.members).chain(&below).cloned().collect();
            let first = above.len();
            for statement in &scop.statements {
                let Some(uses) = Uses::new(scop, statement, &leaf, &loops, machine)? else { continue };
                // Rows that loops inside walk along are none of the band's.
                if (first + members..loops.len()).any(|inside| uses.iterates(inside)) {
                    return Ok(None);
                }
                for used in &uses.accesses {
                    rows.retain(|row| match used.along[first + row] {
                        Some(Locality::Spatial) => true,
                        None | Some(Locality::Temporal) => !used.is_large(0),
                        Some(Locality::Strided(_) | Locality::None) => false,
                    });
                    if used.is_large(first + 1) {
                        arrays.insert(&used.array.name, used.array.element.bytes());
                        let last = used.array.rank().checked_sub(1);
                        let extent = last.map_or(Ok(None), |last| used.array.known_extent(last))?;
                        let extent = extent.and_then(|extent| u32::try_from(extent).ok());
                        longest = longest.zip(extent).map(|(longest, extent): (u32, u32)| longest.max(extent));
                        comes_back |= uses.comes_back(used, &(first..first + 1))?;
                    }
                }
            }
        }
        let Some(row) = rows.last().copied().filter(|_| comes_back) else { return Ok(None) };
        let bytes = arrays.values().copied().map(u64::from).sum();
        let element = arrays.values().copied().max().unwrap_or(1).max(1);
        Ok(Some(Shape { members, row, bytes, element, longest }))
    }

    /// The elements of a row alone, as a power of two, of which the nearest cache holds as much again: 1024 of two rows of doubles in 32 KiB.
    fn longest_row(&self, machine: &Machine) -> u32 {
        let fits = |length: &u32| u64::from(*length).saturating_mul(self.bytes) <= machine.nearest_cache() / 2;
        let lengths = (0..20).map_while(|power| machine.tile_size().checked_mul(1 << power));
        lengths.take_while(fits).last().unwrap_or_else(|| machine.tile_size())
    }

    /// The sizes of its tiles; `None` where a core's own cache holds no slab with rows that are long enough.
    fn sizes(&self, machine: &Machine, parallel: bool) -> Option<TimeTiles> {
        let others = u32::try_from(self.members - 2).ok()?;
        if others == 0 {
            let length = self.longest_row(machine);
            let (sizes, diamonds) = (TileSizes::new(&[machine.tile_size(), length]), TileSizes::new(&[length]));
            return Some(TimeTiles { sizes, diamonds, in_fronts: false });
        }
        let steps = if parallel { machine.tile_size() / 2 } else { machine.tile_size() };
        // Of 8 bytes; of smaller elements a row has more.
        let most = machine.strip_length() / 2 * 8 / self.element.min(8);
        let whole = self.longest.filter(|longest| (1..=most).contains(longest));
        let slab = |rows: u32, length: u32| u64::from(rows).saturating_pow(others) * u64::from(length) * self.bytes;
        let fits = |rows: u32, length: u32| slab(rows, length) <= machine.own_cache() / SLAB;
        let lengths = whole.into_iter().chain((0..=SHORTEST.ilog2()).map(|halved| most >> halved));
        let rows = |length| {
            (0..)
                .map(|halved| MOST_ROWS >> halved)
                .take_while(|rows| *rows >= LEAST_ROWS)
                .find(|rows| fits(*rows, length))
        };
        let (length, rows) = lengths.filter_map(|length| Some((length, rows(length)?))).next()?;
        let length = if Some(length) == whole { length.next_power_of_two().saturating_mul(WHOLE) } else { length };
        let size = |member: usize| match member {
            0 => steps,
            member if member == self.row => length,
            _ => rows,
        };
        let sizes = TileSizes::new(&(0..self.members).map(size).collect::<Vec<_>>());
        let wide = if self.row == 1 { length } else { 2 * rows };
        let diamonds: Vec<u32> = [wide, wide].into_iter().chain((2..self.members).map(size)).collect();
        Some(TimeTiles { sizes, diamonds: TileSizes::new(&diamonds), in_fronts: true })
    }
}
