//! What is done to a schedule tree after scheduling: tile, wavefront, reorder, mark.

pub(crate) mod band;
mod compare;
pub(crate) mod contiguity;
mod cost;
mod interchange;
mod lower_bound;
mod mark;
mod operation_cost;
mod register_tile;
mod reuse;
pub(crate) mod sink;
mod sizes;
mod statistics;
mod strip_mine;
#[cfg(test)]
mod tests;
mod tile;
mod wavefront;

pub use band::{has_mark, is_rewritten};
pub use compare::{Closeness, difference, lack_of_members};
pub use contiguity::{Contiguity, contiguity};
pub use cost::{cost, cost_unmapped};
pub use interchange::{Formula, interchange, interchange_by};
pub use lower_bound::cost_lower_bound;
pub use mark::Mark;
pub use register_tile::register_tile;
pub use sizes::TileSizes;
pub use statistics::Statistics;
pub use strip_mine::strip_mine;
pub use tile::{tile, tile_gaining};
pub use wavefront::{wavefront, wavefront_of_points};
