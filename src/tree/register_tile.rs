//! Blocks of points whose accumulators stay in registers.
//!
//! In a tile whose points update elements again and again, as `C[i][j] += A[i][k] * B[k][j]` does along `k`, the loop
//! along the updates goes inside of a block of elements, and around the block's points: `i, k, j` becomes `blocks of i,
//! blocks of j, k, points of i, points of j`. Code generation keeps the elements of a whole block in a buffer of its
//! own while `k` runs, which a compiler turns into registers.
//!
//! Where only one loop moves what is updated, as in `x[i] += A[i][j] * y[j]`, a block has points along that loop alone:
//! several rows of the matrix, each with a chain of updates of its own, so that no operation waits for the one before.
//! And where the updates lead across the rows of a large matrix, as in `x[j] += A[i][j] * y[i]`, only a few rows are
//! passed at a time: `few i, blocks of j, points of i, points of j` reads a few rows side by side, and not a column of
//! lines that are far from each other.

use super::band::{Band, has_band_below, insert_mark, is_inside, mark, origin, point_members_above};
use super::interchange::{Formula, Locality, best_innermost, leaves_below};
use super::reuse::Uses;
use super::tile::spread;
use super::{Mark, TileSizes};
use crate::isl::{NodeType, Result, Schedule, ScheduleNode, UnionPwAff};
use crate::machine::Machine;
use crate::scop::Scop;
use std::collections::BTreeSet;

/// The extent of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    /// Along the member that is not a vector; 1 where there is none.
    rows: u32,
    /// Along the innermost member.
    columns: u32,
}

/// A block that takes half of the vector registers for accumulators: two vectors by as many rows as that leaves, for so
/// many accumulators of so many bits at each point. `None` where it would have one row only, unless there is but one.
fn block_for(machine: &Machine, accumulators: u32, bits: u32, has_rows: bool) -> Option<Block> {
    const VECTORS: u32 = 2;
    let lanes = machine.vector_bits.checked_div(bits).filter(|lanes| *lanes > 1)?;
    let rows = (machine.vector_registers / 2).checked_div(accumulators * VECTORS)?;
    let columns = VECTORS * lanes;
    match has_rows {
        // A power of two, so that blocks fit into tiles.
        true => (rows > 1).then(|| Block { rows: 1 << rows.ilog2(), columns }),
        false => (rows > 0).then_some(Block { rows: 1, columns }),
    }
}

/// The most rows that a block has.
pub(super) fn most_rows(machine: &Machine) -> u32 {
    block_for(machine, 1, machine.vector_bits / 2, true).map_or(1, |block| block.rows)
}

/// Cuts the points of tiles into blocks for registers: in each innermost permutable band of points where some members
/// leave in place what is updated and one or two others move it, one of them along a row.
///
/// Tiles of a wavefront are left alone.
///
/// The order of the other members is that of [`super::interchange()`]. Tiles of `sizes` must hold whole blocks.
///
/// The result is `register > [blocks] > point > [other members, those that update] > block > [points of a block]`,
/// perhaps in `tile > [a few of those that update]`.
pub fn register_tile(scop: &Scop, schedule: &Schedule, sizes: &TileSizes, machine: &Machine) -> Result<Schedule> {
    let mut rewrite = |node: ScheduleNode| match mark(&node)? {
        Some(Mark::Point) => block_points(scop, node, sizes, machine),
        _ => Ok(node),
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

/// The member along which several points at a time make as many chains of updates, in a band of two where the other one
/// makes one chain; `None` where there is no such member, or no block for it.
pub(super) fn rows_of_chains(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    machine: &Machine,
) -> Result<Option<usize>> {
    let members = Members::of(scop, node, band, machine)?.filter(|members| members.jam.is_none());
    let Some(members) = members else { return Ok(None) };
    let found = accumulators(scop, node, band, members, machine)?;
    let block = found.and_then(|(accumulators, bits)| block_for(machine, accumulators, bits, false));
    Ok(block.map(|_| members.vector))
}

/// The subtree at a point mark.
fn block_points(scop: &Scop, point: ScheduleNode, sizes: &TileSizes, machine: &Machine) -> Result<ScheduleNode> {
    let node = point.clone().first_child()?;
    // Tiles of a wavefront are skewed, and cut in so many ways that code for blocks in them takes seconds to generate,
    // and minutes to be proved right when it is read back.
    if node.node_type()? != NodeType::Band || has_band_below(&node)? || is_inside(&point, &Mark::Wavefront)? {
        return Ok(point);
    }
    let band = Band::read(&node)?;
    let Some(members) = Members::of(scop, &node, &band, machine)? else { return Ok(point) };
    let Some((accumulators, bits)) = accumulators(scop, &node, &band, members, machine)? else { return Ok(point) };
    let Some(block) = block_for(machine, accumulators, bits, members.jam.is_some()) else { return Ok(point) };
    let fit =
        (0..band.members.len()).all(|i| [block.rows, block.columns].iter().all(|n| sizes.at(1, i).is_multiple_of(*n)));
    let domain = node.domain()?;
    let is_short = |(member, size): (usize, u32)| spread(&band.members[member], &domain)?.is_shorter(size);
    let mut short = is_short((members.vector, block.columns))?;
    if let Some(jam) = members.jam {
        short |= is_short((jam, block.rows))?;
    }
    if !fit || short {
        return Ok(point);
    }
    // Tiles with as many members as there are loops over points have few rows.
    let tiles = point.clone().parent()?;
    let is_strip = tiles.node_type()? == NodeType::Band && tiles.band_n_member()? < band.members.len();
    let is_across_rows = is_strip && members.jam.is_none() && is_across_rows(scop, &node, &band, members, machine)?;
    let blocks = members.cut(&band, block, point.delete()?)?;
    if !is_across_rows {
        return Ok(blocks);
    }
    // As many rows as a block is wide: each is a stream of its own.
    let few_rows = Band {
        members: vec![origin(&band.members[members.chain], block.columns)?],
        coincident: vec![band.coincident[members.chain]],
        permutable: true,
    };
    insert_mark(few_rows.insert(blocks)?, &Mark::TILE)
}

/// Which members of a band do what for a block.
#[derive(Debug, Clone, Copy)]
struct Members {
    /// The one that suits the innermost place best of those that move what is updated: what a loop along updates saves
    /// elsewhere does not make up for its operations waiting for each other.
    vector: usize,
    /// The one that a block has several rows along; none where there are two members only.
    jam: Option<usize>,
    /// One that leaves in place what is updated.
    chain: usize,
}

impl Members {
    fn of(scop: &Scop, node: &ScheduleNode, band: &Band, machine: &Machine) -> Result<Option<Self>> {
        if !band.permutable || band.members.len() < 2 {
            return Ok(None);
        }
        let best = best_innermost(scop, node, band, Formula::of(machine))?;
        let moves = |i: &usize| !best.updating.contains(i);
        let Some(vector) = best.ranking.iter().copied().find(moves) else { return Ok(None) };
        let jam = (0..band.members.len()).rev().find(|i| *i != vector && moves(i));
        let chain = best.updating.last().copied();
        // A block of one loop is for bands of two members; longer ones without a second loop for it stay as they are.
        let enough = jam.is_some() || band.members.len() == 2;
        Ok(chain.filter(|_| enough).map(|chain| Members { vector, jam, chain }))
    }

    /// The members that a block has points along, outermost first.
    fn in_block(self) -> Vec<usize> {
        self.jam.into_iter().chain([self.vector]).collect()
    }

    /// Puts bands for blocks in place of the band at a node; the result is at the outermost mark.
    fn cut(self, band: &Band, block: Block, node: ScheduleNode) -> Result<ScheduleNode> {
        let picked = |picked: &[usize]| Band {
            members: picked.iter().map(|i| band.members[*i].clone()).collect(),
            coincident: picked.iter().map(|i| band.coincident[*i]).collect(),
            permutable: true,
        };
        let inside = self.in_block();
        let mut blocks = picked(&inside);
        for (member, number) in blocks.members.iter_mut().zip(&inside) {
            *member = origin(member, if *number == self.vector { block.columns } else { block.rows })?;
        }
        let others: Vec<usize> = (0..band.members.len()).filter(|i| !inside.contains(i)).collect();
        let points = insert_mark(picked(&inside).replace(node)?, &Mark::Block)?;
        let outer = insert_mark(picked(&others).insert(points)?, &Mark::Point)?;
        insert_mark(blocks.insert(outer)?, &Mark::Register)
    }
}

/// How many arrays have an element that a point of a block updates, and how many bits the largest element has; `None`
/// where nothing is updated that the chain leaves in place and both members of the block move, one of them along a row.
fn accumulators(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    members: Members,
    machine: &Machine,
) -> Result<Option<(u32, u32)>> {
    let above = point_members_above(node)?;
    let (mut arrays, mut bits) = (BTreeSet::new(), 0);
    for uses in uses_below(scop, node, band, &above, machine)? {
        for used in uses.accesses.iter().filter(|used| used.is_update) {
            let along = |member: usize| used.along[above.len() + member];
            let moves = |jam| matches!(along(jam), Some(Locality::Spatial | Locality::None));
            let is_block = along(members.vector) == Some(Locality::Spatial) && members.jam.is_none_or(moves);
            if is_block && along(members.chain) == Some(Locality::Temporal) {
                let array = used.access.array()?;
                bits = scop.array_by_name(&array).map_or(bits, |array| bits.max(array.element.bits));
                arrays.insert(array);
            }
        }
    }
    let count = u32::try_from(arrays.len()).unwrap_or(u32::MAX);
    Ok((count > 0).then_some((count, bits)))
}

/// The loop along the updates goes from row to row in an array that is larger than one, whose rows the block walks
/// along, and that the points of the band do not come back to.
fn is_across_rows(scop: &Scop, node: &ScheduleNode, band: &Band, members: Members, machine: &Machine) -> Result<bool> {
    let above = point_members_above(node)?;
    let points = above.len()..above.len() + band.members.len();
    for uses in uses_below(scop, node, band, &above, machine)? {
        for used in uses.accesses.iter().filter(|used| used.is_large(0)) {
            let along = |member: usize| used.along[above.len() + member];
            let crosses = along(members.chain) == Some(Locality::None);
            if crosses && along(members.vector) == Some(Locality::Spatial) && !uses.comes_back(used, &points)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What the members `above` a band, its own, and those below do to the accesses of each statement.
fn uses_below<'s>(
    scop: &'s Scop,
    node: &ScheduleNode,
    band: &Band,
    above: &[UnionPwAff],
    machine: &Machine,
) -> Result<Vec<Uses<'s>>> {
    let mut all = Vec::new();
    for (leaf, below) in leaves_below(node)? {
        let loops: Vec<UnionPwAff> = above.iter().chain(&band.members).chain(&below).cloned().collect();
        for statement in &scop.statements {
            all.extend(Uses::new(scop, statement, &leaf, &loops, machine)?);
        }
    }
    Ok(all)
}
