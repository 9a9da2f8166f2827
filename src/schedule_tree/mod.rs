//! Schedule trees: their parts, bands and marks, sizes of tiles, what a tree has, and how two compare.

mod among;
pub(crate) mod band;
mod parts;
mod positions;
mod sizes;
mod statistics;

pub use among::among;
pub use band::{
    Band, has_copies, has_mark, has_scalar_points, is_over_tiles, is_rewritten, point_members, without_copies,
};
pub use parts::{Part, parts};
pub use polyrs_model::{Mark, PackedArray};
pub use positions::Positions;
pub(crate) use positions::names;
pub use sizes::TileSizes;
pub use statistics::Statistics;
