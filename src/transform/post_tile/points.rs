//! The points of tiles, scheduled anew.

use super::graft::graft;
use super::within::Within;
use crate::isl::{Aff, DimType, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode};
use crate::proximity::ReferenceGroup;
use crate::schedule::{self, Error, Observer, Strategy, schedule_or_serialize_below};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, is_over_tiles, mark, position};

/// What the scheduler is given.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The constraints on all instances.
    pub constraints: &'a ScheduleConstraints,
    /// The groups of references, if the strategy looks at them.
    pub groups: &'a [ReferenceGroup],
    /// The aims. Whether outermost members have to be coincident is decided here.
    pub strategy: &'a Strategy,
}

/// Schedules the points of every innermost tile anew. None: nothing is tiled, or no points could be scheduled.
///
/// Loops over tiles have what parallelism there is outside, and so the aim is vectors: where no member of a band of
/// points is coincident, steps of Feautrier's algorithm carry what is in the way, and loops inside of them run over
/// what is left.
///
/// # Errors
/// Those of isl. A scheduler that finds nothing leaves the points as they are.
pub fn points(tree: &Schedule, request: Request<'_>, observer: Observer<'_>) -> Result<Option<Schedule>> {
    let mut found = false;
    let mut rewrite = |node: ScheduleNode| {
        if !is_over_innermost_tiles(&node)? {
            return Ok(node);
        }
        let points = node.clone().first_child()?;
        match reschedule(&points, request, observer) {
            Ok(tree) if needs_divisions(&tree)? => {
                tracing::debug!("points stay as they are: loops over others would have divisions and conditions");
                Ok(node)
            }
            Ok(tree) => {
                found = true;
                graft(points.cut()?, &tree.root()?)?.parent()
            }
            Err(Error::Isl(error)) => Err(error),
            Err(error) => {
                tracing::debug!(%error, "points stay as they are");
                Ok(node)
            }
        }
    };
    let tree = tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok(found.then_some(tree))
}

/// The greatest factor of an iterator in a member. With larger ones loops go over values that are few and far between, and
/// each instance pays for finding out which: a factorization of a band matrix, with ten, took twenty times as long.
const LARGEST_FACTOR: i64 = 2;

/// Some member has an iterator with a large factor.
fn needs_divisions(tree: &Schedule) -> Result<bool> {
    let mut found = false;
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == NodeType::Band {
            for member in Band::read(node)?.members {
                for part in member.pw_aff_list()?.to_vec()? {
                    found |= part.isa_aff()? && has_large_factor(&part.as_aff()?)?;
                }
            }
        }
        Ok(!found)
    })?;
    Ok(found)
}

fn has_large_factor(function: &Aff) -> Result<bool> {
    for i in 0..function.dim(DimType::In)? {
        let factor = function.coefficient(DimType::In, position(i)?)?.as_i64()?;
        if factor.is_none_or(|factor| factor.abs() > LARGEST_FACTOR) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A band over tiles without tiles inside.
fn is_over_innermost_tiles(node: &ScheduleNode) -> Result<bool> {
    if node.node_type()? != NodeType::Band || !is_over_tiles(node)? {
        return Ok(false);
    }
    let mut innermost = true;
    node.for_each_descendant_top_down(&mut |below| {
        innermost &= !matches!(mark(below)?, Some(Mark::Tile { .. }));
        Ok(innermost)
    })?;
    Ok(innermost)
}

/// The tree for what is in tiles.
fn reschedule(points: &ScheduleNode, request: Request<'_>, observer: Observer<'_>) -> schedule::Result<Schedule> {
    let within = Within::tiles(points)?;
    let constraints = within.constraints(request.constraints)?;
    let groups = within.groups(request.groups)?;
    let strategy = Strategy {
        outer_coincidence: !have_coincident_members(points)?,
        register_limit: None,
        // It is of the region's outermost members.
        prefix: Vec::new(),
        ..request.strategy.clone().without_inner_relaxation()
    };
    schedule_or_serialize_below(&within.outside, &constraints, &groups, &strategy, observer)
}

/// Every outermost band of points has a coincident member.
fn have_coincident_members(points: &ScheduleNode) -> Result<bool> {
    let mut coincident = true;
    points.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? != NodeType::Band {
            return Ok(true);
        }
        coincident &= Band::read(node)?.coincident.contains(&true);
        Ok(false)
    })?;
    Ok(coincident)
}
