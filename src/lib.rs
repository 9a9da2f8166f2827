//! polyrs: the polyhedral core.
//!
//! This crate knows neither MLIR nor LLVM. A front end hands it a [`scop::Scop`] and gets a [`codegen::Ast`] back.

pub mod check;
pub mod codegen;
pub mod cost;
pub mod dependence;
pub mod driver;
pub mod ilp;
pub mod isl;
mod linear;
pub mod machine;
pub mod proximity;
pub mod report;
pub mod schedule;
pub mod schedule_tree;
pub mod scop;
pub mod transform;

#[cfg(test)]
#[path = "../tests/core/regions/mod.rs"]
mod regions;
