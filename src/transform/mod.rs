//! Transformations of schedule trees: each takes a tree and hands a new one back, and none decides whether it is worth
//! taking ([`crate::driver`] does, by [`crate::cost`]).
//!
//! | file | what |
//! |---|---|
//! | `tile.rs` | tiles at several levels |
//! | `strip_mine.rs` | one member cut in two |
//! | `diamond.rs` | tiles along a grid that start at the same time |
//! | `wavefront.rs` | pipelined parallelism of several degrees (Pluto paper, section 5) |
//! | `interchange.rs` | another order of the members of a permutable band |
//! | `skew.rs` | points that do not wait for each other |
//! | `stagger.rs` | blocks whose rows are an iteration apart |
//! | `apart.rs` | tiles of one statement apart from those that several share |
//! | `ahead.rs` | updates that need finished tiles alone ahead of the rest of a tile |
//! | `parts.rs` | points of tiles in parts, one after the other |
//! | `register_tile.rs` | blocks of points whose accumulators stay in registers |
//! | `panels.rs` | tiles for products whose operands are packed |
//! | `pack.rs` | tiles of what is read across rows, packed to buffers of their own |
//! | `post_tile/` | the points of tiles scheduled anew (unified report, section 7) |
//! | `parallelize.rs` | which members run in parallel and as vectors, and which arrays are private for that |
//! | `distribute.rs` | an innermost loop over the parts of its body, one after the other |
//! | `gpu/` | kernels for GPUs |
//! | `independent.rs` | which loops carry no conflict, and marks for vectors in trees that are otherwise done |
//! | `conflicts.rs`, `work.rs` | what conflicts on memory; how much work loops have |

mod ahead;
mod apart;
mod conflicts;
mod diamond;
mod distribute;
pub mod gpu;
mod independent;
mod interchange;
mod pack;
mod panels;
mod parallelize;
mod parts;
pub mod post_tile;
mod register_tile;
mod skew;
mod stagger;
mod strip_mine;
#[cfg(test)]
mod tests;
mod tile;
mod wavefront;
mod work;

pub use ahead::ahead;
pub use apart::apart;
pub use conflicts::Conflicts;
pub use diamond::diamonds;
pub use independent::{independent, with_vectors};
pub use interchange::{interchange, interchange_by, interchange_for_rows};
pub use pack::{Packing, pack};
pub use parallelize::{Mapped, Options as CpuOptions, cpu, cpu_with};
pub use register_tile::{LongTiles, register_tile};
pub use skew::skew;
pub use stagger::{stagger, staggered_tiles};
pub use strip_mine::{StripPoints, strip_mine};
pub use tile::{TileAims, tile, tile_gaining};
pub use wavefront::{Fronts, wavefront, wavefront_of_points};
