//! What is done to a schedule tree after scheduling: tile, wavefront, reorder, mark.

mod mark;

pub use mark::Mark;
