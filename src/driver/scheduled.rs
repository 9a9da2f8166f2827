//! What schedulers find, and what is made of it before it is mapped.

use super::candidate::Candidate;
use crate::cost::TimeTiles;
use crate::isl::Schedule;

/// A tree of a scheduler.
#[derive(Clone)]
pub(super) struct Scheduled {
    pub tree: Schedule,
    /// Our scheduler was not forced to have coincident outermost members, and would have found the same tree if it had
    /// been.
    pub any_coincidence: bool,
    /// The sizes that suit its tiles, where a loop over time has tiles and nobody asked for others.
    pub time_tiles: Option<TimeTiles>,
}

impl Scheduled {
    /// Whose tiles have the sizes that suit all trees.
    pub fn of_tree(tree: Schedule) -> Scheduled {
        Scheduled { tree, any_coincidence: false, time_tiles: None }
    }
}

/// A candidate's tree before it is mapped.
#[derive(Clone)]
pub(super) struct Arranged {
    pub candidate: Candidate,
    pub scheduled: Scheduled,
    /// Tiled.
    pub tiled: Schedule,
    /// Points in order, with blocks for registers.
    pub ordered: Schedule,
}
