//! What is done to a schedule tree after scheduling: tile, wavefront, reorder, mark.

pub(crate) mod band;
mod compare;
pub(crate) mod contiguity;
mod cost;
mod least;
mod mark;
mod prices;
mod register;
mod reorder;
mod reuse;
pub(crate) mod sink;
mod sizes;
mod statistics;
mod strip;
#[cfg(test)]
mod tests;
mod tile;
mod wavefront;

pub use band::{has_mark, is_rewritten};
pub use compare::{Closeness, difference, lack_of_members};
pub use contiguity::{Contiguity, contiguity};
pub use cost::{cost, cost_unmapped};
pub use least::least_cost;
pub use mark::Mark;
pub use register::register;
pub use reorder::{Formula, reorder, reorder_by};
pub use sizes::TileSizes;
pub use statistics::Statistics;
pub use strip::strip;
pub use tile::{tile, tile_gaining};
pub use wavefront::{wavefront, wavefront_of_points};
