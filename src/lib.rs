//! polyrs: the polyhedral core.
//!
//! This crate knows neither MLIR nor LLVM. A front end hands it a [`scop::Scop`] and gets a [`codegen::Ast`] back.

#![forbid(unsafe_code)]

pub mod clustering;
pub mod codegen;
pub mod cost;
pub mod dependence;
pub mod driver;
pub mod footprint;
pub mod layout;
mod linear;
pub mod log_filter;
pub mod machine;
pub mod proximity;
pub mod schedule;
pub mod schedule_tree;
pub mod script;
pub mod text_file;
pub mod transform;
pub mod tuning;

pub use polyrs_check as check;
pub use polyrs_ilp as ilp;
pub use polyrs_isl as isl;
pub use polyrs_model::{scop, spelling};

#[cfg(test)]
#[path = "../tests/core/regions/mod.rs"]
mod regions;
