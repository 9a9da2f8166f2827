//! The independent checker of schedules.
//!
//! It shares no code with what it checks: this crate knows the model of the region and the final tree (with its marks)
//! only. [`legality`] proves a tree right or refuses it; [`interpret`] runs
//! it at given parameter values; [`coverage`] proves that code with kernels executes each instance once; [`layout`] that a region with another layout
//! computes the same; [`translation_validation`] compares code that was read back with the tree that it was
//! made for.

#![forbid(unsafe_code)]

mod after;
pub mod coverage;
pub mod interpret;
pub mod layout;
pub mod legality;
mod nodes;
mod thread;
pub mod translation_validation;

// As in the core.
use polyrs_isl as isl;
use polyrs_model::{ast, scop};
