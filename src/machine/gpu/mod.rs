//! What is known of a GPU, as far as mapping and prediction need it.
//!
//! A [`Gpu`] is a value like the [`Machine`](super::Machine) that it is a part of: what follows from it is computed
//! from it alone. Legality never depends on it. The words are those of the CUDA programming guide, but for *f32 and f64
//! operations*: instructions of a thread, where a fused multiplication and addition counts once.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the description |
//! | `presets.rs` | the GPUs that have a name |
//! | `text.rs` | the lines of the file form that are about a GPU |
//! | `contradiction.rs` | values that cannot be true together |
//! | `occupancy.rs` | how many blocks a multiprocessor runs at a time |
//! | `launch.rs` | which grids and blocks are possible at all |
//! | `time.rs` | bounds for the time of kernels and transfers |
//! | `tiles.rs` | how long a multiprocessor takes for the tiles of a kernel |
//! | `offload.rs` | whether a region is worth the way to the device and back |

mod contradiction;
mod launch;
mod occupancy;
mod offload;
mod presets;
pub(super) mod text;
mod tiles;
mod time;

pub use launch::{Launch, LaunchError};
pub use occupancy::{Occupancy, Resource};
pub use offload::{Offload, RegionWork};
pub use tiles::TileWork;
pub use time::Work;

/// What is known of a GPU. What the file form reads has no contradictions, and no zero but where it is said here; what
/// is computed from a value that a program made otherwise is of no use, but no panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu {
    /// For people.
    pub name: String,
    /// The compute capability, ten times the major version and the minor: 80 is `sm_80`.
    pub architecture: u32,
    /// Multiprocessors that run blocks.
    pub multiprocessors: u32,
    /// The lanes of a warp, a power of two.
    pub warp: u32,
    /// The most threads of a block.
    pub block_threads: u32,
    /// The most threads along x, y and z of a block.
    pub block: [u32; 3],
    /// The most blocks along x, y and z of a grid.
    pub grid: [u32; 3],
    /// The most threads that a multiprocessor holds at a time, whole warps.
    pub resident_threads: u32,
    /// The most blocks that a multiprocessor holds at a time.
    pub resident_blocks: u32,
    /// The parts of a multiprocessor, each with its scheduler and its share of the registers; warps are dealt out to
    /// them in turn.
    pub partitions: u32,
    /// The registers of a multiprocessor, of 32 bits each.
    pub registers: u32,
    /// The most registers of a thread.
    pub thread_registers: u32,
    /// The registers that are handed out at once, to a warp.
    pub register_unit: u32,
    /// The most shared memory of a multiprocessor, in bytes.
    pub shared: u64,
    /// The shared memory in bytes that a block has without asking for more before it is launched.
    pub shared_default: u64,
    /// The shared memory in bytes that a block has at most, having asked.
    pub shared_most: u64,
    /// The shared memory in bytes that the system takes for each block beside what the block asks for; may be zero.
    pub shared_reserved: u64,
    /// The bytes of shared memory that are handed out at once.
    pub shared_unit: u64,
    /// The banks of shared memory, which work at the same time; a power of two.
    pub banks: u32,
    /// The width of a bank in bytes, a power of two.
    pub bank_bytes: u32,
    /// The bytes of a multiprocessor's first cache, with the shared memory that is cut out of it.
    pub l1: u64,
    /// The bytes of the cache that all multiprocessors share.
    pub l2: u64,
    /// The bytes of a line of the caches, a power of two.
    pub line_bytes: u32,
    /// The bytes of a part of a line that is fetched for itself, a power of two.
    pub sector_bytes: u32,
    /// The bytes of the device's memory.
    pub memory: u64,
    /// What the device's memory hands over, in bytes a nanosecond, which are GB/s.
    pub bandwidth: u32,
    /// The clock of the multiprocessors in MHz.
    pub clock: u32,
    /// The operations on 32-bit floating-point numbers that a multiprocessor starts in a cycle.
    pub f32_operations: u32,
    /// The same for 64 bits, without matrix units.
    pub f64_operations: u32,
    /// The nanoseconds that a launch of a kernel costs; may be zero.
    pub launch: u32,
    /// The nanoseconds until the first byte of a transfer between host and device arrives; may be zero.
    pub transfer_start: u32,
    /// What is transferred between host and device in one direction, in bytes a nanosecond, which are GB/s.
    pub transfer_rate: u32,
}
