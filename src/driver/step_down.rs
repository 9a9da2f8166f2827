//! What was done with less than was wanted, for a region that did not get all it asked for.
//!
//! The ladder: macro-statements, each statement by itself, strongly connected components by themselves, fewer orders, the
//! original order in tiles; and what comes next where a tree is not proved. Each step down is in the remark about the
//! region, so that a user sees that less was tried, and why.

use super::candidate::Order;
use std::fmt;

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepDown {
    to: Rung,
    why: String,
}

/// What there is instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rung {
    /// Each statement is scheduled by itself, though clusters were wanted.
    Statements,
    /// Clusters stay as they are, though loops may be parallel without them.
    UncutClusters,
    /// Live ranges keep their order.
    OrderedLiveRanges,
    /// Each strongly connected component is scheduled by itself.
    Components,
    /// This order is not among the candidates.
    Without(Order),
    /// The tree that costs next.
    NextTree,
}

impl StepDown {
    /// A step down with a reason.
    pub(super) fn new(to: Rung, why: String) -> StepDown {
        StepDown { to, why }
    }

    /// Steps down as a part of a remark; nothing if there are none.
    pub fn list(steps: &[StepDown]) -> String {
        let steps: Vec<String> = steps.iter().map(StepDown::to_string).collect();
        if steps.is_empty() { String::new() } else { format!("; stepped down: {}", steps.join(", ")) }
    }
}

impl fmt::Display for StepDown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.to {
            Rung::Statements => f.write_str("each statement by itself")?,
            Rung::UncutClusters => f.write_str("clusters as they are")?,
            Rung::OrderedLiveRanges => f.write_str("live ranges in order")?,
            Rung::Components => f.write_str("components by themselves")?,
            Rung::Without(order) => write!(f, "without order={order}")?,
            Rung::NextTree => f.write_str("the next tree")?,
        }
        write!(f, " ({})", self.why)
    }
}
