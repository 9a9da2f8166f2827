//! What all steps speak of: the model of a region, the marks in schedule trees, and the AST that code is.
//!
//! The checker knows these and isl only, so that it shares no code with what it checks.

#![forbid(unsafe_code)]

pub mod ast;
mod mark;
pub mod scop;
pub mod spelling;

pub use mark::{Mark, PackedArray};

// `crate::isl` in all files, as in the core.
use polyrs_isl as isl;
