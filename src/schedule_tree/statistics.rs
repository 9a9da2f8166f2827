//! What a schedule tree amounts to, in numbers for remarks and tests.

use super::Mark;
use super::band::{mark, marks_above};
use crate::isl::{NodeType, Result, Schedule, ScheduleNode};
use std::collections::BTreeSet;
use std::fmt;

/// Numbers about a schedule tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Bands that the scheduler made.
    pub bands: usize,
    /// Their members.
    pub members: usize,
    /// Those members that are coincident.
    pub coincident: usize,
    /// Bands that were tiled.
    pub tiled: usize,
    /// The most levels of tiles that a band has.
    pub levels: usize,
    /// Bands that were skewed into wavefronts.
    pub wavefronts: usize,
    /// Loops that run in parallel; those of which threads share all iterations together count once.
    pub parallel: usize,
    /// Loops that carry no dependence and are innermost.
    pub vector: usize,
    /// Parts that run on a GPU.
    pub kernels: usize,
    /// Tiles that are packed: not a number of the tree, but of its code.
    pub packed: usize,
}

impl Statistics {
    /// Counts bands in the tree as the scheduler made it, and decisions in the final tree, where tiling and mapping
    /// have split bands.
    pub fn new(scheduled: &Schedule, mapped: &Schedule) -> Result<Self> {
        let mut statistics = Statistics::default();
        scheduled.root()?.for_each_descendant_top_down(&mut |node| {
            if node.node_type()? == NodeType::Band && node.band_n_member()? > 0 {
                let coincident = node.band_coincident()?;
                statistics.bands += 1;
                statistics.members += coincident.len();
                statistics.coincident += coincident.iter().filter(|c| **c).count();
            }
            Ok(true)
        })?;
        mapped.root()?.for_each_descendant_top_down(&mut |node| {
            match mark(node)? {
                Some(Mark::Point) => statistics.tiled += usize::from(is_under_tiles(node)?),
                Some(Mark::Wavefront) => statistics.wavefronts += 1,
                Some(Mark::Parallel { .. }) => statistics.parallel += usize::from(!is_in_parallel(node)?),
                Some(Mark::Vector) => statistics.vector += 1,
                Some(Mark::Tile { level }) => statistics.levels = statistics.levels.max(levels_above(node, level)?),
                Some(Mark::Kernel) => statistics.kernels += 1,
                Some(
                    Mark::Register
                    | Mark::Block
                    | Mark::Staggered
                    | Mark::Rest
                    | Mark::Grid { .. }
                    | Mark::Threads { .. }
                    | Mark::Shared
                    | Mark::Packed { .. }
                    | Mark::ThreadX { .. },
                )
                | None => {}
            }
            Ok(true)
        })?;
        Ok(statistics)
    }
}

/// A node is in a parallel loop.
fn is_in_parallel(node: &ScheduleNode) -> Result<bool> {
    let mut node = node.clone();
    while node.has_parent()? {
        node = node.parent()?;
        if matches!(mark(&node)?, Some(Mark::Parallel { .. })) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How many levels of tiles there are from the outermost around a tile mark to the mark's own.
fn levels_above(tile: &ScheduleNode, level: u32) -> Result<usize> {
    let mut levels = BTreeSet::from([level]);
    let mut node = tile.clone();
    while node.has_parent()? {
        node = node.parent()?;
        match mark(&node)? {
            Some(Mark::Tile { level }) => _ = levels.insert(level),
            Some(Mark::Point) => break,
            _ => {}
        }
    }
    Ok(levels.len())
}

/// A point mark is right inside of tiles, perhaps of those of several nests, and not one that splitting has repeated.
fn is_under_tiles(point: &ScheduleNode) -> Result<bool> {
    let mut node = point.clone();
    while node.has_parent()? {
        node = node.parent()?;
        if node.node_type()? == NodeType::Band {
            return Ok(marks_above(&node)?.iter().any(|mark| matches!(mark, Mark::Tile { .. } | Mark::Register)));
        }
    }
    Ok(false)
}

impl Statistics {
    /// The numbers with their names, without the levels of tiles, which go with their sizes. Kernels and packed arrays
    /// are left out where there are none.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let Statistics { bands, members, coincident, tiled, levels: _, wavefronts, parallel, vector, kernels, packed } =
            *self;
        let always = [
            ("bands", bands),
            ("members", members),
            ("coincident", coincident),
            ("tiled", tiled),
            ("wavefronts", wavefronts),
            ("parallel", parallel),
            ("vector", vector),
        ];
        let some = [("kernels", kernels), ("packed", packed)];
        always.into_iter().chain(some.into_iter().filter(|(_, count)| *count > 0))
    }
}

/// `bands=1 members=3 ...`: one `key=value` word for each number.
impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, count)) in self.named().enumerate() {
            let blank = if place > 0 { " " } else { "" };
            write!(f, "{blank}{name}={count}")?;
        }
        Ok(())
    }
}
