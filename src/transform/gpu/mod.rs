//! Kernels for GPUs (ppcg report, section 5; unified report, sections 4.8 and 5.1). `docs/gpu.md` has the plan of all
//! that is to come.
//!
//! | file | what |
//! |---|---|
//! | `select.rs` | which subtrees become kernels, and what stays on the host (5, steps 1 and 2) |
//! | `map.rs` | which members of a kernel's band run over blocks and threads (5.1) |
//! | `sizes.rs` | how large tiles, blocks and grids are that users chose, or may be |
//! | `choose.rs` | which of these a model of the device takes |
//! | `kernel.rs` | the kernels of a tree, and how often each is launched |

mod choose;
mod kernel;
mod map;
mod select;
mod sizes;
#[cfg(test)]
mod tests;

pub use kernel::{Kernel, kernels};
pub use map::map;
pub use select::{has_parallel, select};
pub use sizes::{AxisSizes, KernelSizes, OwnSizes};
