//! Blocks whose rows are an iteration apart, so that no row waits for another.
//!
//! Where each element needs its neighbours to the left, above and between these, as in an alignment of two sequences, no loop
//! carries nothing, and each iteration of the innermost one waits for the one before. Rows can run side by side all the same if
//! each is an element behind the one above: of the last two members `a, b` of a band `blocks of a, a + b, points of a` runs as
//! many elements at a time as a block has rows, which do not depend on each other (the Pluto paper's Algorithm 2 for the points of
//! a block). Unlike other wavefronts of points ([`super::skew()`]) this one walks along rows, a few of them, and what one iteration
//! hands on to the next stays in registers ([`crate::codegen::Window`]). Measured: the alignment of two sequences of 800 letters takes
//! a third of the time (a Zen 5).

use super::skew::{waiting, wavefront};
use crate::cost::{Formula, best_innermost};
use crate::isl::{NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, UnionPwAff};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, has_band_below, insert_mark, is_tiled, marks_above, origin};
use crate::schedule_tree::{Mark, TileSizes};
use crate::scop::{AccessKind, Scop};

/// The rows of a block. Measured with four as well, in the same time, and with 16, which take half as long again.
const STAGGERED_ROWS: u32 = 8;

/// The rows of a tile, in blocks.
const BLOCKS_OF_A_TILE: u32 = 8;

/// The sizes of tiles for such blocks, in bands of two loops: tiles are for threads alone, as nothing comes back but one row, and each
/// row of blocks begins and ends with blocks that are cut. `None` where a tree has larger permutable bands as well.
///
/// # Errors
/// Those of isl.
pub fn staggered_tiles(tree: &Schedule, machine: &Machine, parallel: bool) -> Result<Option<TileSizes>> {
    let mut is_open = true;
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        is_open &= node.node_type()? != NodeType::Band || node.band_n_member()? <= 2 || !Band::read(node)?.permutable;
        Ok(is_open)
    })?;
    let length = if parallel { machine.strip_length() / 2 } else { machine.strip_length() };
    Ok(is_open.then(|| TileSizes::new(&[BLOCKS_OF_A_TILE * STAGGERED_ROWS, length])))
}

/// Cuts permutable innermost bands without a coincident member into such blocks, of which the last member walks along rows, and waits.
/// `None` where there are none.
///
/// The result is `[other members] > register > [blocks of a] > point > [a + b] > staggered > [a]`.
///
/// # Errors
/// Those of isl.
pub fn stagger(
    scop: &Scop,
    schedule: &Schedule,
    constraints: &ScheduleConstraints,
    machine: &Machine,
) -> Result<Option<Schedule>> {
    let coincidence = constraints.coincidence()?;
    let mut changed = false;
    let mut rewrite = |node: ScheduleNode| {
        if node.node_type()? != NodeType::Band || has_band_below(&node)? {
            return Ok(node);
        }
        let marks = marks_above(&node)?;
        let is_open = if marks.is_empty() { !is_tiled(&node)? } else { marks == [Mark::Point] };
        let band = Band::read(&node)?;
        let Some(last) = band.members.len().checked_sub(1).filter(|last| *last > 0 && is_open) else { return Ok(node) };
        if band.coincident.contains(&true) || !waiting(scop, &node, &band, machine)?.contains(&last) {
            return Ok(node);
        }
        let best = best_innermost(scop, &node, &band, Formula::Memory)?;
        if best.member != last || !best.is_along_rows || may_be_skipped(scop, &node)? {
            return Ok(node);
        }
        let Some([sum, _, before]) = wavefront(&node, &band, &coincidence)? else { return Ok(node) };
        changed = true;
        blocks(node, band, sum, &before)
    };
    let staggered = schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok(changed.then_some(staggered))
}

/// Some store below a node is under a condition: what it would hand on may not be there.
fn may_be_skipped(scop: &Scop, node: &ScheduleNode) -> Result<bool> {
    let domain = node.domain()?;
    for statement in &scop.statements {
        let is_open = statement.accesses.iter().any(|access| access.kind == AccessKind::MayWrite);
        if is_open && !statement.domain.clone().to_union_set()?.intersect(domain.clone())?.is_empty()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Blocks in the place of a band's last two members, of the one before the last, along the sum of both.
fn blocks(node: ScheduleNode, band: Band, sum: UnionPwAff, before: &UnionPwAff) -> Result<ScheduleNode> {
    let Band { mut members, .. } = band;
    members.truncate(members.len().saturating_sub(2));
    let one = |member, coincident| Band { members: vec![member], coincident: vec![coincident], permutable: true };
    // Coincident, but too short for threads.
    let points = insert_mark(one(before.clone(), false).replace(node)?, &Mark::Staggered)?;
    let along = insert_mark(one(sum, false).insert(points)?, &Mark::Point)?;
    let over = insert_mark(one(origin(before, STAGGERED_ROWS)?, false).insert(along)?, &Mark::Register)?;
    if members.is_empty() {
        return Ok(over);
    }
    let coincident = vec![false; members.len()];
    Band { members, coincident, permutable: true }.insert(over)
}
