//! What the joint search hands back.

use super::optimized::Optimized;
#[cfg(doc)]
use super::options::{LayoutSearch, Options};
use crate::layout::{Applied, Layout, SizeCondition};

/// What was chosen for a region.
#[derive(Debug)]
pub struct Joint {
    /// What became of the region, or of the region with its layout.
    pub optimized: Optimized,
    /// The region with another layout; `None` if all stays as it is.
    pub relaid: Option<Relaid>,
    /// The layouts that were scheduled, best first, and the region's own among them. Empty where nothing was searched.
    pub considered: Vec<Considered>,
    /// What was not expanded, as it would take more than [`Options::expansion_bytes`].
    pub too_large: Vec<String>,
}

/// A region with a layout that was chosen.
#[derive(Debug)]
pub struct Relaid {
    /// The layout.
    pub layout: Layout,
    /// The region.
    pub applied: Applied,
    /// The sizes that it is for: those for which it pays, but for [`LayoutSearch::Any`], and
    /// its arrays are not too large ([`Options::expansion_bytes`], [`Options::layout_bytes`]).
    pub conditions: Vec<SizeCondition>,
    /// For other sizes the code as it is is the best that was found: nothing is to be done for these.
    pub settled: bool,
}

/// A layout that was scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Considered {
    /// Its maps, as [`Layout::parse`] reads them; empty for the layout that the region has.
    pub maps: String,
    /// What the region seems to cost with it, in the units of [`crate::cost::cost`].
    pub cost: u64,
    /// It was taken.
    pub is_chosen: bool,
    /// Why it was not, though it costs less than what was.
    pub refused: Option<String>,
}

impl Joint {
    /// Of a region whose layout stays as it is.
    pub(super) fn without(optimized: Optimized) -> Self {
        Joint { optimized, relaid: None, considered: Vec::new(), too_large: Vec::new() }
    }
}
