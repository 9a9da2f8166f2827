//! Schedule trees: their bands and marks, sizes of tiles, what a tree has, and how two compare.

pub(crate) mod band;
mod compare;
mod sizes;
mod statistics;

pub use band::{has_mark, is_rewritten};
pub use compare::{Closeness, difference, lack_of_members};
pub use polyrs_model::Mark;
pub use sizes::TileSizes;
pub use statistics::Statistics;
