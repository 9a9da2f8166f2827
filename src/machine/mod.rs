//! The machine that code is made for, as far as choices depend on it: what is near, what a vector holds, what a thread
//! costs.
//!
//! A [`Machine`] is a value: the steps that use it look at nothing else, so that the same region and the same machine
//! give the same code on any machine. Legality never depends on it.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the description, and what is assumed of machines that nothing is known of |
//! | `text.rs`, `values.rs` | its file form; how numbers and sizes are written in it |
//! | `host.rs` | what can be found out of the machine that this runs on |
//! | `choice.rs` | `host`, `generic`, these with a GPU, or a file |
//! | `derived.rs` | what follows: sizes of tiles and strips, limits, lanes |
//! | `gpu` | a GPU that belongs to the machine: its description, and what follows from that |

mod choice;
mod derived;
mod gpu;
mod host;
mod text;
mod values;

pub use choice::{Choice, ENVIRONMENT, LoadError};
pub use gpu::{Gpu, Launch, LaunchError, Occupancy, Offload, RegionWork, Resource, TileWork, Work};
pub use host::Host;
pub use text::ParseError;

/// A data cache, or one of data and instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of cores that share it, at least one.
    pub cores: u32,
}

/// What is known of a machine. Times are in *operations*: as long as a simple operation on one number takes when many
/// are under way, which is about a cycle of today's processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// For people.
    pub name: String,
    /// Threads that run at the same time, at least one.
    pub cores: u32,
    /// The bytes that memory hands over at once, a power of two.
    pub line_bytes: u32,
    /// The caches that hold data, the nearest first and smallest; at least one.
    pub caches: Vec<Cache>,
    /// The width of a vector register in bits, a power of two; 64 where there are no vectors.
    pub vector_bits: u32,
    /// The vector registers that code can name. They hold single floating-point numbers, too.
    pub vector_registers: u32,
    /// The registers for integers and addresses that code can name.
    pub scalar_registers: u32,
    /// The operations in the time until a floating-point sum can be used: what each link of a chain of updates waits.
    pub latency: u32,
    /// The operations in the time that a line takes from memory when many are on their way.
    pub line_cost: u32,
    /// The same for a line from the last cache; 0 where it comes along rows as fast as vectors take it. At most what memory takes.
    pub last_line_cost: u32,
    /// The operations in the time until the first line of a row is there that nothing has fetched ahead.
    pub row_start: u32,
    /// The operations in the time until a line can be used of memory that was just allocated: the system finds the
    /// pages, and clears them.
    pub fresh_line: u32,
    /// The operations in the time that an innermost loop takes to begin and to end: its bounds, the last jump that
    /// nobody foresees.
    pub loop_start: u32,
    /// The operations in the time that threads take to start on a parallel loop and to wait for each other at its end.
    pub parallel_start: u64,
    /// The GPU that kernels are made for; none, where nobody named one.
    pub gpu: Option<Gpu>,
}

impl Machine {
    /// A modest machine of today: what is said where nothing is known, and what tests use. No detail is a promise about
    /// any real machine; x86-64 with AVX2 has these vectors, and hardly any processor has a smaller first-level cache.
    pub fn generic() -> Machine {
        let own = |bytes| Cache { bytes, cores: 1 };
        Machine {
            name: "generic".to_owned(),
            cores: 2,
            line_bytes: 64,
            caches: vec![own(32 << 10), own(1 << 20)],
            vector_bits: 256,
            vector_registers: 16,
            scalar_registers: 16,
            latency: 4,
            line_cost: 4,
            last_line_cost: 0,
            // Measured on tiles of 32 integers in the rows of a matrix of 31 MiB: 33 nanoseconds for each row, where
            // rows of 2,800 take none.
            row_start: 100,
            // Measured on transposes of matrices of 10 MB to new ones: 36 nanoseconds for each line more than to old
            // ones, at 4 GHz.
            fresh_line: 140,
            // Measured on a 1-d stencil in tiles of 32, vectors of 512 bits: 20 cycles for each run of a loop.
            loop_start: 16,
            // 1.5 microseconds, as measured for two threads of OpenMP that wait actively, at 4 GHz.
            parallel_start: 6_000,
            gpu: None,
        }
    }
}

impl Default for Machine {
    /// [`Machine::generic`].
    fn default() -> Self {
        Machine::generic()
    }
}
