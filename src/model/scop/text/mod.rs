//! The text form of a region (`.scop`): YAML that holds isl notation. [`Scop::parse`] and [`Scop::to_text`] are
//! inverse.
//!
//! ```yaml
//! scop: scale
//! parameters: [n]
//! context: "{ : n >= 1 }"
//! arrays:
//!   A: { kind: memory, element: f64, extent: [n] }
//! statements:
//!   S:
//!     text: "A[i] *= 2"
//!     domain: "{ S[i] : 0 <= i < n }"
//!     accesses:
//!       - read R0: "{ S[i] -> A[i] }"
//!       - must_write R1: "{ S[i] -> A[i] }"
//! schedule:
//!   domain: "{ S[i] : 0 <= i < n }"
//!   child:
//!     schedule: "[{ S[i] -> [(i)] }]"
//! live_out: "{ A[i] : 0 <= i < n }"
//! ```
//!
//! # Meaning
//! - isl texts leave out the parameters: `[n] -> ` is put in front of each that does not bring its own, so `n` may be
//!   used everywhere. Parameters keep the order of `parameters`.
//! - The order of arrays, statements and accesses counts.
//! - An extent is an affine expression of the parameters, a piecewise one as `{ [(n)] : n > 5; [(5)] : n <= 5 }`, or
//!   `"?"` where it is not known.
//! - An access is `KIND REFERENCE: RELATION`, with the kinds `read`, `may_write`, `must_write`, `kill`.
//! - `read R0 delay 6` says that six operations, one waiting for the other, lead from what is read to what the statement
//!   writes; it is one where nothing is said. `read R0 scaled` says that what is read is first multiplied, or the like, with
//!   what is the same for all instances.
//! - `side_effect: true` and `may_trap: true` may be set in a statement, and `copy: true` in one that writes the element
//!   that it reads.
//! - `reduction: add update` says that a statement gathers values in one element, in any order: with `add`, `mul`, `and`,
//!   `or`, `xor`, `min` or `max`, and as `update` (of what it computes), `neutral` (the neutral element) or `combine` (what
//!   it reads, which comes last).
//! - `block: 3` says which basic block a statement is in: those with the same number follow each other in the same
//!   iterations of the same loops. A statement without a number has a block of its own.
//! - `parts: 4` says that a statement is one of four parts of one of the program, which cost as much together as that.
//! - The schedule is isl's schedule tree, kills included; its keys are isl's.
//! - `context` and `parameters` may be left out when there is nothing to say.
//!
//! Schedule constraints (`.sc`) are read by [`parse_constraints`].
//!
//! A tree alone, as in a `--schedule` file, is read by [`parse_schedule`] and written by [`schedule_to_text`]; what is
//! written can be read by isl itself.

mod constraints;
mod diagnose;
mod error;
mod fields;
mod layout;
mod limits;
mod notation;
mod parse;
mod print;
#[cfg(test)]
mod tests;
mod tree;
mod yaml;

pub use constraints::{ConstraintsText, OptionWord, parse_constraints};
pub use error::ParseError;
pub use print::relations_to_text;
pub use tree::{parse_schedule, schedule_to_text};

use super::Scop;
use crate::isl;

impl Scop {
    /// Reads the text form.
    ///
    /// # Errors
    /// The first thing wrong, with its place.
    pub fn parse(ctx: &isl::Ctx, text: &str) -> Result<Scop, ParseError> {
        parse::scop(ctx, text)
    }

    /// The text form. Every set and relation is written with the parameters of the whole region, those of the context
    /// first.
    ///
    /// # Errors
    /// Only those of isl.
    pub fn to_text(&self) -> isl::Result<String> {
        print::scop(self)
    }
}
