//! The choices about code.

/// The choices about code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// An innermost loop over a tile that may be cut off by the domain is made twice: for whole tiles with a constant
    /// trip count, which a vectorizer and an unroller make the most of, and for cut tiles.
    pub separate_full_tiles: bool,
    /// Whole blocks for registers are told from cut ones, and keep what they update in buffers of their own.
    pub promote: bool,
    /// Outside of kernels, cut blocks hold what exists of them as well, where what they read is packed.
    pub cut_blocks: bool,
    /// The greatest constant trip count for which a loop is made twice.
    pub max_separated_trip: i64,
    /// The greatest number of nodes, expressions included.
    pub max_nodes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            separate_full_tiles: true,
            promote: true,
            cut_blocks: true,
            max_separated_trip: 1024,
            max_nodes: 200_000,
        }
    }
}
