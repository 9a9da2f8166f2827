//! The independent checker of schedules.
//!
//! It shares no code with `schedule/`, `dependence/`, `tree/`'s rewrites or `mapping/`: it knows the model of the
//! region and the final tree (with its marks) only. [`legality`] proves a tree right or refuses it; [`interpret`] runs
//! it at given parameter values; [`translation_validation`] compares code that was read back with the tree that it was made for.

pub mod interpret;
pub mod legality;
pub mod translation_validation;
