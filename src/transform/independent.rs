//! Loops whose iterations do not conflict, in a tree whose order is settled.

use super::conflicts::{Conflicts, Loop};
use crate::isl::{NodeType, Result, Schedule, ScheduleNode};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, has_band_below, insert_mark, marks_above};

/// For each member of each band, in the order of the tree, whether its iterations touch no memory in common that one of
/// them writes, where all loops around are in one iteration.
///
/// # Errors
/// Those of isl.
pub fn independent(conflicts: &Conflicts, tree: &Schedule) -> Result<Vec<bool>> {
    let mut found = Vec::new();
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == NodeType::Band {
            let members = Band::read(node)?.members;
            for member in 0..members.len() {
                found.push(conflicts.carried(&Loop::new(node, &members, member)?)?.is_empty());
            }
        }
        Ok(true)
    })?;
    Ok(found)
}

/// Marks the last members of innermost bands as vectors where their iterations do not conflict. Nothing else changes, where
/// [`super::cpu()`] distributes loops to get such.
///
/// # Errors
/// Those of isl.
pub fn with_vectors(conflicts: &Conflicts, tree: &Schedule) -> Result<Schedule> {
    let mut rewrite = |node: ScheduleNode| {
        if node.node_type()? != NodeType::Band || node.band_n_member()? == 0 || has_band_below(&node)? {
            return Ok(node);
        }
        let members = Band::read(&node)?.members;
        let innermost = Loop::new(&node, &members, members.len() - 1)?;
        if marks_above(&node)?.contains(&Mark::Vector) || !conflicts.inside(&innermost)?.forwards()?.is_empty()? {
            return Ok(node);
        }
        insert_mark(node, &Mark::Vector)
    };
    tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}
