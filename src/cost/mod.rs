//! The cost model: what trees, orders and blocks cost on a machine, to choose between them. Legality never depends on
//! it.
//!
//! # The cost of an instance
//! For a statement `S` at a leaf of a tree, with its loops from the outermost to the innermost one that iterates
//! (`inner`), and the accesses `a` of `S`:
//!
//! `cost(S) = (operation + start + Σ_a (access(a) + memory(a)) + threads) · cores`, without the factor `cores` where a
//! loop around `S` runs in parallel; `cost(tree) = Σ_S cost(S)` over the statements with as many loops as any, and over
//! the copies of a layout, times their instances for each of those.
//!
//! In 64ths of a scalar operation, with `lanes` the elements of a vector register, and `delay` the operations that lead
//! from a read to what the statement writes:
//!
//! | term | depth | value |
//! |---|---|---|
//! | operation | innermost | `64 / lanes` in a vector loop (also a long one that gathers integers, or others in any order, and a coincident one outside of tiles around loops that compilers unroll, of up to 300 instructions together), else `64`, times the longest `delay` |
//! | start | innermost loop over points of a tile | `64 · loop-start / trips`; nothing in a block for registers |
//! | access, temporal | innermost | `0`; `64 · latency · delay` where it is updated and the loop is no vector |
//! | what the iteration before has written elsewhere | innermost, no vector | `64 · latency · delay` for all such reads together, the longest |
//! | the same in a block whose rows are an iteration apart | innermost | divided by the rows |
//! | access, moved, in such a block | innermost | `32`; for a read of what is written there divided by the rows |
//! | access, spatial | innermost | `64 / lanes` |
//! | access around unrolled loops | innermost | divided by how often these run, where they leave it in place; `64 / lanes` for what is updated in memory, which no other statement writes, and for one of more than 32 values that are the same in each iteration, which are not in registers then |
//! | access, through structures of `s` elements | innermost | `64 · s / lanes`, at most `64` |
//! | access, else | innermost | `64` |
//! | the same, in a block for registers | block | divided by the iterations of the loops right around the block that leave it in place, or else by the rows of the block if all rows use it |
//! | a column, in a block of one row around which a loop walks along the array's rows | block | `64 / lanes · (1 + log2 lanes)`, at most `64`: squares are transposed |
//! | a packed tile | point | an access there is one along the tile's rows, and `64 / lanes` is added for the copy, or `64` where dimensions change places, divided by how often an element is read |
//! | scaled | innermost | `64 / lanes` for a read that is scaled before it is used and is not packed, `64` in no vector; where the innermost loop leaves it in place, `128` by the columns of a block, else nothing |
//! | threads | each front of a wavefront | `64 · parallel-start · cores / (instances of an average front)` |
//!
//! # Levels of memory
//! Two levels are told apart: what is *near* (the nearest cache and registers) and what is in memory. An access is far
//! if its array is not known to fit the nearest cache, nor up to 16 rows that are made in the region, two loops at least move it, and the points of the tile around it
//! do not come back to the element. Nor is it far if the innermost loop leaves it in place, or walks along the same row in each iteration of the
//! loop right around it, unless the row is known to be too long:
//!
//! | term | level | value |
//! |---|---|---|
//! | memory(a), near | nearest cache | `0` |
//! | memory(a), far, walking along a row | memory | `64 · line-cost · bytes / line-bytes` |
//! | the same, where loops inside are unrolled | memory | times the rows that they walk along together, by how often they run: one element of a row is new in each iteration; times one, where the loop around comes back to elements and so many rows are not known to be longer than a core's own cache |
//! | memory(a), far, through structures of `s` elements that `u` accesses use | memory | `s / u` times that |
//! | memory(a), far, else | memory | `64 · line-cost`, at least `128`; along a diagonal as along a row where the points of the tile around it use the row's next element as well |
//! | the same, in a block for registers all of whose rows use it | memory | divided by the rows |
//! | the same, along a row, where the loop around the block goes from row to row of an array known to fit half of the last cache | memory | twice that |
//! | the same, for vectors across rows in a tile that walks along them as well | memory | half of that |
//! | the first to use memory of a layout, or of what is made in the region | memory | `+ 64 · fresh-line · bytes / line-bytes`, for as many instances as there are elements |
//! | memory(a), far, all of it used by an earlier nest in the same tile of whole rows | own cache | a quarter of that, for trees with loops over rows that nests share (`brought.rs`) |
//! | memory(a), far, used in each iteration of a loop that a tile is around, of an array that is known to be larger | own cache | a quarter of that, for trees in left-looking order (`returning.rs`); half of it where an iteration's data only fits half of the last cache |
//! | the first line of a row, read in a tile's row | memory | `+ 64 · row-start / trips` |
//!
//! A tile brings data back if no more than one of the loops over its points leads out of it. So do, tiles or not, as many of the
//! innermost loops as are known to use no more data together than the nearest cache holds (`memory.rs`): for each access the
//! iterations of the loops that move it, times its element where one of them walks along rows, or else a line; no more than the region
//! uses of the array. The machine's numbers are those of [`crate::machine::Machine`].
//!
//! # Files
//! | file | what |
//! |---|---|
//! | `model.rs` | the cost of a tree |
//! | `path.rs` | the loops on the way to a statement, and what the mapper made of them |
//! | `memory.rs` | what accesses cost in memory |
//! | `returning.rs` | what an iteration finds in a cache, as the one before has used it in the same tile |
//! | `brought.rs` | what a nest finds in a core's own cache, as others have brought it there in the same tile |
//! | `counted.rs` | which statements count, and how much |
//! | `lower_bound.rs` | a lower bound on that over all orders of loops |
//! | `operation_cost.rs` | the costs of single operations, accesses and starts |
//! | `reuse.rs` | what loops bring back, and what tiles would bring back sooner |
//! | `long_rows.rs` | rows that a loop over time comes back to |
//! | `time_tiles.rs` | how large tiles of a loop over time are |
//! | `width.rs` | how much is done at a time |
//! | `step.rs` | the effect of one step of a loop on an access |
//! | `direction.rs` | the same by coefficients, where they tell |
//! | `innermost.rs` | the member that suits the innermost place best |
//! | `registers.rs` | blocks whose accumulators fit into registers |
//! | `block_size.rs` | how large these are |
//! | `packing.rs` | what packed tiles are for |
//! | `contiguity.rs` | accesses along rows, and recurrences, for tables and strategies |

pub(crate) mod block_size;
mod brought;
pub(crate) mod contiguity;
mod counted;
mod direction;
mod innermost;
mod long_rows;
mod lower_bound;
mod memory;
mod model;
mod operation_cost;
pub(crate) mod packing;
mod path;
pub(crate) mod registers;
mod returning;
mod reuse;
mod step;
mod time_tiles;
mod width;

pub use contiguity::{Contiguity, along, contiguity, directions, next_along};
pub use innermost::Formula;
pub(crate) use innermost::best_innermost;
pub use lower_bound::{Freedom, LastDimensions, cost_lower_bound, has_short_rows};
pub(crate) use memory::MOST_STREAMS;
pub use memory::{LEAST_WAIT, from_memory};
pub use model::{
    Reuse, Threads, cost, cost_of_large_copy, cost_of_one_thread, cost_parts, cost_unmapped, cost_with, kept_near,
    waits,
};
pub(crate) use reuse::gains;
pub use time_tiles::{TimeTiles, time_tiles};
