//! The post-tile phase: the full scheduler under fixed tile loops (unified report, section 7, "Post-Tile Reordering";
//! 4.7, "Parallelism/Locality Trade-off"; 5.3, last paragraph).
//!
//! The first phase makes bands as wide as it can, because what is in one band can be tiled. The order that makes good
//! tiles is seldom the one that is good inside of them: members that are legal in any order may have long strides, and
//! statements that share tiles need not share loops. So, after tiling, the instances of one tile are scheduled anew,
//! from the constraints alone, and what is found takes the place of everything below the loops over tiles, which stay.
//!
//! | file | what |
//! |---|---|
//! | `within.rs` | the constraints and the relations of groups among instances of a tile |
//! | `points.rs` | the scheduler, once for each innermost band over tiles |
//! | `share.rs` | loops over tiles around several nests |
//! | `left_looking.rs` | loops over tiles around a loop whose iterations wait for each other |
//! | `right_looking.rs` | strips of a loop whose iterations wait for each other, what nobody waits for behind the rest |
//! | `rows.rs` | the rows of matrices that several statements pass through |
//! | `graft.rs` | a tree put below a node of another |
//!
//! What is found is legal as far as the constraints go: two instances of the same iteration of all loops above are
//! ordered by the new tree, all others by loops that have not changed. Relations that are too large do no harm: each
//! pair only asks for more.

mod graft;
mod left_looking;
mod points;
mod right_looking;
mod rows;
mod share;
mod within;

pub use left_looking::left_looking;
pub use points::{Request, points};
pub use right_looking::{right_looking, strip};
pub use rows::rows_passed;
pub use share::{Common, share};
