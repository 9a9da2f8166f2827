//! polyrs: the polyhedral core.
//!
//! This crate knows neither MLIR nor LLVM. A front end hands it a `Scop` and gets an AST back.

pub mod isl;
