//! What an optimized region is.

use super::{Candidate, Phases, Unprofitable};
use crate::codegen::Ast;
use crate::isl::Schedule;
use crate::schedule_tree::Statistics;
use std::fmt;

/// What [`super::optimize`] found.
#[derive(Debug, Clone)]
pub struct Optimized {
    /// The final tree, tiles and marks included.
    pub tree: Schedule,
    /// The code for it.
    pub ast: Ast,
    /// What the tree has: bands, members, coincident members, tiles, parallel loops.
    pub statistics: Statistics,
    /// The candidate that was taken, which finds the same tree again as [`super::Options::candidate`].
    pub candidate: Candidate,
    /// All candidates that were realized, best first, with their costs in the units of [`crate::cost::cost`].
    pub considered: Vec<(Candidate, u64)>,
    /// The code is that of the original order: there is nothing to rewrite.
    pub same_as_original: bool,
    /// Why, if it is, unless the tree was loaded.
    pub unprofitable: Option<Unprofitable>,
    /// Some loop could run in parallel, but has too little work to pay for starting threads.
    pub too_little_work: bool,
    /// What the change is expected to bring. Unknown for a loaded tree and for code that stays as it is.
    pub prediction: Option<Prediction>,
    /// How long each step took.
    pub phases: Phases,
}

/// What a change is expected to bring, in the units of [`crate::cost::cost`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// The cost of the original code.
    pub before: u64,
    /// The cost of the new code.
    pub after: u64,
}

impl fmt::Display for Prediction {
    /// As a factor: `6.1x` is code that takes less than a sixth of the time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.before.saturating_mul(10) / self.after.max(1);
        write!(f, "{}.{}x", tenths / 10, tenths % 10)
    }
}
