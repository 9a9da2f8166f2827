//! What is done to a schedule tree after scheduling: tile, wavefront, reorder, mark.

pub(crate) mod band;
mod mark;
mod reorder;
pub(crate) mod sink;
mod statistics;
#[cfg(test)]
mod tests;
mod tile;
mod wavefront;

pub use mark::Mark;
pub use reorder::reorder;
pub use statistics::Statistics;
pub use tile::{TileSizes, tile};
pub use wavefront::wavefront;
