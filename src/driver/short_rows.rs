//! Where rows that are an iteration apart are few or short: each block of rows begins and ends with elements that run one by one,
//! which takes longer there than the code as it is.
//!
//! Measured on a Zen 5, blocks of 8 rows, the alignment of two sequences with 32-bit integers, in times of clang's speed: 0.75 for 40 rows of 40
//! elements, 0.94 for 64 of 64, 1.06 for 100 of 100, 1.7 for 300 of 300; 0.3 for 8 rows of 2,000, 0.45 for 2,000 rows of 12, 0.97 for
//! 500 rows of 40.

use super::partial_tiles::deepest;
use super::realize::Realized;
use super::refusal::Refusal;
use super::steps::Steps;
use super::worth::lengths;
use crate::layout::{SizeCondition, Term};
use crate::schedule_tree::{self, Mark};

/// The least number of rows, and of their elements.
const LEAST: i64 = 96;

/// The sizes that have so many rows, each with so many elements; none where there are no such rows.
///
/// # Errors
/// Those of isl, and where a size cannot be said.
pub(super) fn conditions(steps: &mut Steps<'_>, realized: &Realized) -> Result<Vec<SizeCondition>, Refusal> {
    if !schedule_tree::has_mark(&realized.tree, &Mark::Staggered)? {
        return Ok(Vec::new());
    }
    let deepest = deepest(steps.scop)?;
    let Some(instances) = deepest.first() else { return Ok(Vec::new()) };
    let lengths = lengths(steps.scop, instances)?;
    let condition = |length| SizeCondition { terms: vec![Term { lengths: vec![length], each: 1 }], least: LEAST };
    Ok(lengths.into_iter().rev().take(2).map(condition).collect())
}
