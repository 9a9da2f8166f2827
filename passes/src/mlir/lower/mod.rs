//! From loops to the LLVM dialect, and the facts that LLVM needs on the way.
//!
//! The passes here state what the IR or a stated assumption gives, and nothing else. [`pipelines`]
//! puts them together with upstream's conversions.

pub mod alias;
mod arguments;
pub mod contract;
mod dump;
pub mod facts;
mod flags;
pub mod kernels;
mod listing;
pub mod outline;
pub mod pipelines;
mod pointer;
pub mod scopes;
pub mod stack;
mod symbols;
pub mod threshold;
pub mod uneven;
pub mod vector_width;
