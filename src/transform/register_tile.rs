//! Blocks of points whose accumulators stay in registers.
//!
//! In a tile whose points update elements again and again, as `C[i][j] += A[i][k] * B[k][j]` does along `k`, the loop
//! along the updates goes inside of a block of elements, and around the block's points: `i, k, j` becomes `blocks of i,
//! blocks of j, k, points of i, points of j`. Code generation keeps the elements of a whole block in a buffer of its
//! own while `k` runs, which a compiler turns into registers.
//!
//! Where only one loop moves what is updated, as in `x[i] += A[i][j] * y[j]`, a block has points along that loop alone:
//! several rows of the matrix, each with a recurrence of updates of its own, so that no operation waits for the one
//! before. And where the updates lead across the rows of a large matrix, as in `x[j] += A[i][j] * y[i]`, only a few
//! rows are passed at a time: `few i, blocks of j, points of i, points of j` reads a few rows side by side, and not a
//! column of lines that are far from each other.

use super::tile::spread;
use crate::cost::registers::{Members, RegisterBlock, accumulators, block_for, is_across_rows};
use crate::isl::{NodeType, Result, Schedule, ScheduleNode};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, has_band_below, insert_mark, is_inside, mark, origin};
use crate::schedule_tree::{Mark, TileSizes};
use crate::scop::Scop;

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
    let blocks = cut(members, &band, block, point.delete()?)?;
    if !is_across_rows {
        return Ok(blocks);
    }
    // As many rows as a block is wide: each is a stream of its own.
    let few_rows = Band {
        members: vec![origin(&band.members[members.recurrence], block.columns)?],
        coincident: vec![band.coincident[members.recurrence]],
        permutable: true,
    };
    insert_mark(few_rows.insert(blocks)?, &Mark::TILE)
}

/// Puts bands for blocks in place of the band at a node; the result is at the outermost mark.
fn cut(members: Members, band: &Band, block: RegisterBlock, node: ScheduleNode) -> Result<ScheduleNode> {
    let picked = |picked: &[usize]| Band {
        members: picked.iter().map(|i| band.members[*i].clone()).collect(),
        coincident: picked.iter().map(|i| band.coincident[*i]).collect(),
        permutable: true,
    };
    let inside = members.in_block();
    let mut blocks = picked(&inside);
    for (member, number) in blocks.members.iter_mut().zip(&inside) {
        *member = origin(member, if *number == members.vector { block.columns } else { block.rows })?;
    }
    let others: Vec<usize> = (0..band.members.len()).filter(|i| !inside.contains(i)).collect();
    let points = insert_mark(picked(&inside).replace(node)?, &Mark::Block)?;
    let outer = insert_mark(picked(&others).insert(points)?, &Mark::Point)?;
    insert_mark(blocks.insert(outer)?, &Mark::Register)
}
