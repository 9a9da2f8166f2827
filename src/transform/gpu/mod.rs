//! Kernels for GPUs (ppcg report, section 5; unified report, sections 4.8 and 5.1). `docs/gpu.md` has the plan of all
//! that is to come.
//!
//! | file | what |
//! |---|---|
//! | `select.rs` | which subtrees become kernels, and what stays on the host (5, steps 1 and 2) |
//! | `kernel.rs` | the kernels of a tree, and how often each is launched |

mod kernel;
mod select;
#[cfg(test)]
mod tests;

pub use kernel::{Kernel, kernels};
pub use select::select;
