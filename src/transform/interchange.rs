//! The order of the members of a band that suits caches and vectors best: intra-tile reordering (Pluto paper, section
//! 5.4; unified report, section 2.3). Which member is innermost is [`crate::cost`]'s choice.

use crate::cost::{Formula, best_innermost};
use crate::isl::{NodeType, Result, Schedule, ScheduleNode};
use crate::machine::Machine;
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, has_band_below, is_over_tiles, marks_above};
use crate::scop::Scop;

/// [`interchange_by`] memory and latency.
pub fn interchange(scop: &Scop, schedule: &Schedule, machine: &Machine) -> Result<Schedule> {
    interchange_by(scop, schedule, Formula::of(machine))
}

/// Puts the member with the most locality innermost in every permutable band of points, and in every permutable band
/// that is not tiled and has no band below it. In a band of points those members come next that leave in place what is
/// updated.
///
/// A band that is not tiled is left alone when the change would cost it its outermost coincident member.
pub fn interchange_by(scop: &Scop, schedule: &Schedule, formula: Formula) -> Result<Schedule> {
    reorder(scop, schedule, formula, Loss::None)
}

/// [`interchange`], whether or not an outermost coincident member is lost to it.
pub fn interchange_for_rows(scop: &Scop, schedule: &Schedule, machine: &Machine) -> Result<Schedule> {
    reorder(scop, schedule, Formula::of(machine), Loss::Parallelism)
}

/// What a change may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    None,
    Parallelism,
}

fn reorder(scop: &Scop, schedule: &Schedule, formula: Formula, loss: Loss) -> Result<Schedule> {
    let mut rewrite = |node: ScheduleNode| {
        if node.node_type()? == NodeType::Band { reorder_band(scop, node, formula, loss) } else { Ok(node) }
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

fn reorder_band(scop: &Scop, node: ScheduleNode, formula: Formula, loss: Loss) -> Result<ScheduleNode> {
    let band = Band::read(&node)?;
    let marks = marks_above(&node)?;
    let is_point = marks.contains(&Mark::Point);
    if !band.permutable || band.members.len() < 2 || is_over_tiles(&node)? || !is_point && has_band_below(&node)? {
        return Ok(node);
    }
    let innermost = best_innermost(scop, &node, &band, formula)?;
    let last = band.members.len() - 1;
    let mut order: Vec<usize> = (0..=last).filter(|i| *i != innermost.member).collect();
    if is_point {
        // A tile's accumulators stay in registers while the next loop updates them.
        order.sort_by_key(|i| innermost.updating.contains(i));
    }
    order.push(innermost.member);
    let loses_parallelism = band.coincident[0] && !band.coincident[order[0]];
    if order.is_sorted() || loss == Loss::None && !is_point && loses_parallelism {
        return Ok(node);
    }
    Band {
        members: order.iter().map(|i| band.members[*i].clone()).collect(),
        coincident: order.iter().map(|i| band.coincident[*i]).collect(),
        permutable: true,
    }
    .replace(node)
}
