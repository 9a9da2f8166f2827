//! Statement clustering: statements that are sure to stay together are scheduled as one, as the work of a scheduler
//! grows with about the fifth power of their number (Baghdadi and Cohen 2020; ppcg report, 7.4).
//!
//! 1. A heuristic decides which statements belong together: [`Clustering::decide`].
//! 2. Whoever decided, only clusters that are convex are left: [`valid`].
//! 3. Constraints and groups of references become those of macro-statements: [`Quotient`] (Algorithm 1).
//! 4. Any scheduler schedules these, and [`Quotient::expand`] makes their tree one of statements.
//!
//! What clusters take from a scheduler is the freedom to shift or distribute some of their statements alone. The
//! constraints on the statements hold all the same, so its tree is legal; the checker knows nothing of clusters.
//!
//! | file | what |
//! |---|---|
//! | `decision.rs` | a clustering decision and its text |
//! | `basic_block.rs`, `chains.rs`, `dense.rs` | the heuristics |
//! | `components.rs` | what no schedule can tear apart |
//! | `validity.rs` | convex clusters (6.1) |
//! | `contraction.rs` | from instances to those of macro-statements, and schedules back (4, 5) |
//! | `quotient.rs` | constraints on macro-statements (4) |
//! | `region.rs` | a region of macro-statements |
//! | `offline.rs` | macro-statements scheduled (5) |

mod basic_block;
mod chains;
mod components;
mod contraction;
mod decision;
mod dense;
mod offline;
mod quotient;
mod region;
#[cfg(test)]
mod tests;
mod validity;

pub use basic_block::basic_blocks;
pub use components::components;
pub use decision::{Decision, DecisionError};
pub use offline::Clusters;
pub use quotient::Quotient;
pub use region::CoarseRegion;
pub use validity::valid;

use crate::isl::{self, ScheduleConstraints};
use crate::schedule_tree::Positions;
use crate::scop::Scop;

/// With so many statements or more their blocks are clusters where nobody says what is ([`Clustering::Auto`]).
pub const MANY_STATEMENTS: usize = 20;

/// Which statements are scheduled as one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Clustering {
    /// Each is scheduled by itself.
    #[default]
    None,
    /// Those in sequence that use what the one before computed (ppcg report, 7.4).
    Chains,
    /// Those of a basic block (6.3).
    BasicBlock,
    /// Those of a block that depend on each other at every depth (6.2).
    Scc,
    /// Those of basic blocks where there are many statements, cut where that costs members or parallel loops.
    Auto,
    /// Those that somebody names.
    Given(Decision),
}

impl Clustering {
    /// The clusters of a region, all of them valid.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn decide(&self, scop: &Scop, constraints: &ScheduleConstraints) -> isl::Result<Clusters> {
        if *self == Clustering::None {
            return Ok(Clusters::default());
        }
        let positions = Positions::of(&scop.schedule)?;
        let decision = valid(self.heuristic(scop, constraints, &positions)?, constraints, &positions)?;
        Ok(Clusters { positions, decision })
    }

    fn heuristic(
        &self,
        scop: &Scop,
        constraints: &ScheduleConstraints,
        positions: &Positions,
    ) -> isl::Result<Decision> {
        Ok(match self {
            Clustering::None => Decision::default(),
            Clustering::Chains => chains::chains(constraints, positions)?,
            Clustering::Auto if scop.statements.len() < MANY_STATEMENTS => Decision::default(),
            Clustering::BasicBlock | Clustering::Auto => basic_block::basic_blocks(scop, positions),
            Clustering::Scc => dense::dense_components(scop, constraints, positions)?,
            Clustering::Given(decision) => decision.clone(),
        })
    }
}
