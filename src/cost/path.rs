//! The loops on the way to a statement, and what the mapper made of them.

use super::reuse::{Use, Uses};
use super::step::Locality;
use crate::isl::{self, NodeType, Result, ScheduleNode, UnionPwAff};
use crate::schedule_tree::band::{Band, is_over_tiles, mark, marks_above, point_members_above, tile_length};
use crate::schedule_tree::{Mark, PackedArray};
use std::ops::Range;

/// The loops on the way to a leaf, those over tiles aside.
#[derive(Debug, Clone, Default)]
pub(super) struct Path {
    pub loops: Vec<UnionPwAff>,
    /// Which of them are coincident.
    pub coincident_loops: Vec<bool>,
    /// The loops over the points of the innermost tile.
    pub points: Range<usize>,
    /// The members over those tiles.
    pub over: usize,
    /// The least size of such a tile in iterations, where one is known.
    pub size: Option<u64>,
    /// The size of such a tile along the last member over them, where it is known.
    pub last_size: Option<u64>,
    /// The innermost tiles that several nests share.
    pub common: Option<Common>,
    /// The tiles right around a loop that is not over their points.
    pub around: Option<Around>,
    /// The loops, blocks aside, if several statements share all of them.
    pub fused: Option<Common>,
    /// The most iterations of each loop in one of these, where they bound it and that is asked for.
    pub within: Vec<Option<u64>>,
    /// The last loop carries nothing.
    pub vector: bool,
    /// A loop runs in parallel.
    pub parallel: bool,
    /// They are tiles in a wavefront.
    pub wavefront: bool,
    /// A member is coincident, be it over tiles.
    pub coincident: bool,
    /// What is packed.
    pub packed: Vec<PackedArray>,
    /// The members over blocks for registers.
    pub origins: Vec<UnionPwAff>,
    /// In tiles that several statements share, where most have tiles of their own.
    pub rest: bool,
    /// The last loop, or the last two, are over the points of such a block.
    pub block: Option<BlockedRows>,
    /// The last loop goes along rows of a block that are an iteration apart, as many as there are here; the one before goes over them.
    pub staggered: Option<u64>,
}

/// Tiles, or loops, right around a sequence.
#[derive(Debug, Clone)]
pub(super) struct Common {
    /// The first of the nests in them, counted as [`collect`] does.
    pub first: usize,
    /// How deep they are in the tree.
    pub depth: usize,
    /// `{ S[i] -> [(t)] }` each.
    pub members: Vec<UnionPwAff>,
}

/// Tiles right around a loop that goes through all of them.
#[derive(Debug, Clone)]
pub(super) struct Around {
    /// The first of the nests in them, counted as [`collect`] does.
    pub first: usize,
    /// The number of the loop.
    pub at: usize,
    /// `{ S[i] -> [(t)] }` each.
    pub members: Vec<UnionPwAff>,
}

/// A block for registers.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockedRows {
    /// The place of the loop right around it, among all.
    pub around: usize,
    /// How many rows it has, along the first of its two loops; one if it has points along one loop only.
    pub rows: u64,
    /// How many points it has along its last loop.
    pub columns: u64,
}

impl BlockedRows {
    /// How many rows use what an access comes to together: all of them if it is the same in each.
    pub fn sharing(self, used: &Use<'_>) -> u64 {
        if used.along[self.around + 1] == Some(Locality::Temporal) { self.rows } else { 1 }
    }
}

/// The leaves below a node whose last loop makes vectors, with all loops around, those over tiles aside: the ones below
/// the node last, in order.
pub(super) fn vector_nests(node: &ScheduleNode) -> Result<Vec<(ScheduleNode, Path)>> {
    let mut nests = Vec::new();
    let loops = point_members_above(node)?;
    let (coincident_loops, within) = (vec![false; loops.len()], vec![None; loops.len()]);
    let above = Path { coincident_loops, within, loops, ..Path::default() };
    collect(node, &above, &mut nests)?;
    nests.retain(|(_, path)| path.vector);
    Ok(nests)
}

pub(super) fn collect(node: &ScheduleNode, path: &Path, nests: &mut Vec<(ScheduleNode, Path)>) -> Result<()> {
    let mut path = path.clone();
    match node.node_type()? {
        NodeType::Leaf => {
            nests.push((node.clone(), path));
            return Ok(());
        }
        NodeType::Band if node.band_n_member()? > 0 => {
            let marks = marks_above(node)?;
            let members = Band::read(node)?.members;
            let below = node.clone().first_child()?.node_type()?;
            let is_common = matches!(below, NodeType::Sequence | NodeType::Set);
            if marks.contains(&Mark::TILE) {
                if below == NodeType::Band {
                    path.around = Some(Around { first: nests.len(), at: path.loops.len(), members: members.clone() });
                }
                path.common = is_common.then(|| Common {
                    first: nests.len(),
                    depth: path.loops.len() + path.over,
                    members: members.clone(),
                });
                for member in members {
                    path.over += 1;
                    path.last_size = tile_length(&member)?;
                    path.size = [path.size, path.last_size].into_iter().flatten().min();
                }
            } else if marks.contains(&Mark::Register) {
                path.origins.extend(members);
            } else if marks.contains(&Mark::Staggered) {
                path.stagger(members)?;
            } else if !is_over_tiles(node)? {
                let first = path.loops.len();
                if marks.contains(&Mark::Block) {
                    path.block = block(first, &path.origins, &members)?;
                }
                for member in &members {
                    path.within.push(most_within(path.common.as_ref(), member)?);
                }
                path.loops.extend(members);
                if is_common || !marks.contains(&Mark::Block) {
                    let (first, depth, members) = (nests.len(), path.loops.len(), path.loops.clone());
                    path.fused = is_common.then_some(Common { first, depth, members });
                }
                path.coincident_loops.extend(node.band_coincident()?);
                if !path.points.is_empty() {
                    path.points.end = path.loops.len();
                } else if marks.contains(&Mark::Point) {
                    path.points = first..path.loops.len();
                }
            }
            path.coincident |= node.band_coincident()?.contains(&true);
            path.vector = marks.contains(&Mark::Vector);
        }
        NodeType::Mark => match mark(node)? {
            Some(Mark::Tile { .. }) => path.points = 0..0,
            Some(Mark::Parallel { .. }) => path.parallel = true,
            Some(Mark::Wavefront) => path.wavefront = true,
            Some(Mark::Rest) => path.rest = true,
            Some(Mark::Packed { arrays }) => path.packed.extend(arrays),
            _ => {}
        },
        _ => {}
    }
    for child in node.children()? {
        collect(&child, &path, nests)?;
    }
    Ok(())
}

impl Path {
    /// The rows of a block that are an iteration of the last loop so far apart: these are done together, and that loop says what an
    /// instance costs.
    fn stagger(&mut self, members: Vec<UnionPwAff>) -> Result<()> {
        let place = self.loops.len().saturating_sub(1);
        let length = block(self.loops.len(), &self.origins, &members)?.map(|block| block.columns);
        for member in members {
            self.within.insert(place, length);
            self.loops.insert(place, member);
            self.coincident_loops.insert(place, false);
        }
        if !self.points.is_empty() {
            self.points.end = self.loops.len();
        }
        self.staggered = length;
        Ok(())
    }
}

/// The block whose points are two members, where those before it are the first ones.
fn block(first: usize, origins: &[UnionPwAff], members: &[UnionPwAff]) -> Result<Option<BlockedRows>> {
    let Some(around) = first.checked_sub(1) else { return Ok(None) };
    let length = |origin: &UnionPwAff, point: &UnionPwAff| {
        let last = point.clone().sub(origin.clone())?.max_val()?;
        let last = if last.is_int()? { last.as_i64()? } else { None };
        Ok::<_, isl::Error>(last.and_then(|last| u64::try_from(last + 1).ok()).map(|length| length.max(1)))
    };
    let (rows, columns) = match (origins, members) {
        ([origin], [point]) => (Some(1), length(origin, point)?),
        ([first, second], [row, column]) => (length(first, row)?, length(second, column)?),
        _ => return Ok(None),
    };
    Ok(rows.zip(columns).map(|(rows, columns)| BlockedRows { around, rows, columns }))
}

/// The most values that a member has in one of some tiles, as far as one of their members bounds it.
fn most_within(tiles: Option<&Common>, member: &UnionPwAff) -> Result<Option<u64>> {
    let Some(tiles) = tiles else { return Ok(None) };
    let mut most = None;
    for origin in &tiles.members {
        let inside = member.clone().sub(origin.clone())?;
        let (least, greatest) = (inside.clone().min_val()?, inside.max_val()?);
        if least.is_int()? && greatest.is_int()? {
            let length = u64::try_from(greatest.to_i128()? - least.to_i128()? + 1).ok();
            most = most.into_iter().chain(length).min();
        }
    }
    Ok(most)
}

/// The most iterations of a loop over points before the next tile begins; `None` where tiles may not bound it.
///
/// Where there are no more loops over points than members over tiles, each step of such a loop moves one of those
/// members, which changes by a multiple of the tile's size.
pub(super) fn trips(path: &Path, point: usize) -> Option<u64> {
    let is_bounded = path.points.contains(&point) && path.points.len() <= path.over;
    if path.staggered.is_some() && point + 1 == path.loops.len() {
        return path.last_size.filter(|_| is_bounded);
    }
    path.within[point].or(path.size.filter(|_| is_bounded))
}

/// How often each element of a packed tile is read, by the loops over its points that leave it in place.
pub(super) fn reads(used: &Use<'_>, path: &Path) -> u64 {
    let stays = path.points.clone().filter(|point| used.along[*point] == Some(Locality::Temporal));
    stays.fold(1, |all: u64, _| all.saturating_mul(path.size.unwrap_or(1)))
}

/// The last loop that runs more than once for a statement.
pub(super) fn innermost(uses: &Uses<'_>, path: &Path) -> Option<usize> {
    (0..path.loops.len()).rev().find(|j| uses.iterates(*j))
}

/// The loop that says what is done at a time.
#[derive(Clone, Copy)]
pub(super) struct Place<'c> {
    pub inner: Option<usize>,
    /// It makes vectors.
    pub vector: bool,
    /// How often the loop around a block runs, or those inside that are unrolled: what these leave in place is moved once
    /// for all of them.
    pub rounds: u64,
    /// How often the loops around a block run, outermost first.
    pub around: &'c [u64],
    /// How often the loops run that are unrolled inside, outermost first.
    pub unrolled: &'c [u64],
}

impl Place<'_> {
    /// How often the loops right around a block run that leave an access in place: it is moved once for all of them.
    pub fn held(self, used: &Use<'_>) -> u64 {
        let stays = |at: &usize| matches!(used.along[*at], None | Some(Locality::Temporal));
        let held = (0..self.around.len()).rev().take_while(stays);
        held.fold(1, |all, at| all.saturating_mul(if used.along[at].is_some() { self.around[at] } else { 1 }))
    }
}
