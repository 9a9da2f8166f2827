//! How large the tiles, blocks and grids of kernels are.

use crate::schedule_tree::TileSizes;
use std::fmt;
use std::str::FromStr;

/// The most axes along which members of a band run over blocks.
pub(super) const MOST_BLOCK_AXES: usize = 2;
/// The most axes along which members of a band run over threads.
pub(super) const MOST_THREAD_AXES: usize = 3;
/// The most threads that a block of any GPU can have.
const MOST_THREADS: u64 = 1024;
/// The most threads along z.
const MOST_THREADS_Z: u32 = 64;

/// The sizes of a kernel: what users chose, and else defaults that depend only on how many members run over threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelSizes {
    /// Extents of tiles, for the members in the order in which they are mapped.
    pub tiles: Option<TileSizes>,
    /// Threads of a block, x last.
    pub block: Option<AxisSizes>,
    /// The most blocks, x last.
    pub grid: Option<AxisSizes>,
    /// No tiles go to shared memory.
    pub no_shared_memory: bool,
}

impl KernelSizes {
    /// A user chose some of the numbers.
    pub fn are_given(&self) -> bool {
        self.tiles.is_some() || self.block.is_some() || self.grid.is_some()
    }

    /// The extents of tiles along the members of a band, of which the first `threads` run over threads; by default of
    /// these alone.
    pub(super) fn tile(&self, threads: usize, members: usize) -> Vec<u32> {
        if let Some(tiles) = &self.tiles {
            return (0..members).map(|member| tiles.at(1, member)).collect();
        }
        // Without another axis a tile is a row of what a block does at once; with one it has several points for each
        // thread, which may share what they load.
        match threads {
            1 => vec![256],
            2 => vec![32, 32],
            _ => vec![4, 4, 32],
        }
    }

    /// The shapes to try: that of [`KernelSizes::tile`] first, then such as may be worth it where a block shares tiles
    /// along other members, too: the one with the most reuse first.
    pub(super) fn shapes(&self, threads: usize, members: usize) -> Vec<Shape> {
        let (least, block) = (self.tile(threads, members), self.block(threads));
        let mut all = vec![Shape { tile: least.clone(), block: block.clone() }];
        if self.tiles.is_none() && !self.no_shared_memory && least.len() < members {
            all.extend(self.larger(threads, members).into_iter().take(1));
            let with = |size: u32| [&least[..], &vec![size; members - least.len()]].concat();
            all.extend([32, 16, 8].map(|size| Shape { tile: with(size), block: block.clone() }));
        }
        all
    }

    /// Shapes with more points for each thread, which load once what they share; none where users chose sizes. The
    /// first is one in the middle.
    pub(super) fn larger(&self, threads: usize, members: usize) -> Vec<Shape> {
        if self.tiles.is_some() || self.block.is_some() || threads < 2 {
            return Vec::new();
        }
        let ones = vec![1; threads - 2];
        let block = [&ones[..], &[16, 16]].concat();
        let of = |(sides, inner): ([u32; 2], u32)| Shape {
            tile: [&ones[..], &sides, &vec![inner; members - threads]].concat(),
            block: block.clone(),
        };
        let sides = [[64, 64], [32, 32], [128, 64], [128, 128]];
        sides.into_iter().flat_map(|sides| [(sides, 32), (sides, 16)]).map(of).collect()
    }

    /// The threads of a block along so many axes.
    pub(super) fn block(&self, axes: usize) -> Vec<u32> {
        match (&self.block, axes) {
            (Some(chosen), _) => chosen.along(axes),
            (None, 1) => vec![256],
            (None, 2) => vec![8, 32],
            (None, _) => vec![4, 4, 32],
        }
    }

    /// The most blocks along so many axes, 0 where there are as many as tiles.
    pub(super) fn grid(&self, axes: usize) -> Vec<u32> {
        match &self.grid {
            Some(chosen) => chosen.along(axes),
            // A block for each tile.
            None => vec![0; axes],
        }
    }
}

/// How large the tiles and the blocks of a kernel are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// The extents of tiles, for the members in the order in which they are mapped.
    pub tile: Vec<u32>,
    /// Threads of a block, x last.
    pub block: Vec<u32>,
}

/// Numbers of blocks or of threads along up to three axes, x last: `16,32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AxisSizes(Vec<u32>);

impl AxisSizes {
    /// The numbers for so many axes: the last ones, with 1 in front where there are not enough.
    fn along(&self, axes: usize) -> Vec<u32> {
        let known = self.0.len().min(axes);
        let ones = std::iter::repeat_n(1, axes - known);
        ones.chain(self.0[self.0.len() - known..].iter().copied()).collect()
    }

    /// Numbers of threads that a block of any GPU can have.
    ///
    /// # Errors
    /// What is wanted instead.
    pub fn of_threads(text: &str) -> Result<Self, String> {
        let sizes: AxisSizes = text.parse()?;
        let all: u64 = sizes.0.iter().map(|&size| u64::from(size)).product();
        let z = if sizes.0.len() == 3 { sizes.0[0] } else { 1 };
        if all > MOST_THREADS || z > MOST_THREADS_Z {
            return Err(format!("at most {MOST_THREADS} threads in a block, {MOST_THREADS_Z} of them along z"));
        }
        Ok(sizes)
    }

    /// Numbers of blocks that the grid of any GPU can have.
    ///
    /// # Errors
    /// What is wanted instead.
    pub fn of_blocks(text: &str) -> Result<Self, String> {
        let sizes: AxisSizes = text.parse()?;
        let y = if sizes.0.len() == 2 { sizes.0[0] } else { 1 };
        if sizes.0.len() > MOST_BLOCK_AXES || y > 65535 || sizes.0.iter().any(|&size| size > 1 << 30) {
            return Err(format!("at most 65535 blocks along y and {} along x", 1 << 30));
        }
        Ok(sizes)
    }
}

impl fmt::Display for AxisSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for AxisSizes {
    type Err = String;

    /// Reads what is displayed.
    ///
    /// # Errors
    /// What is wanted instead.
    fn from_str(text: &str) -> Result<Self, String> {
        let sizes: Option<Vec<u32>> = text.split(',').map(|size| size.trim().parse().ok()).collect();
        sizes
            .filter(|sizes| sizes.len() <= MOST_THREAD_AXES && !sizes.contains(&0))
            .map(AxisSizes)
            .ok_or_else(|| "one to three positive numbers, x last".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_counts_from_x() {
        let sizes: AxisSizes = "4,8,32".parse().unwrap();
        assert_eq!((sizes.along(1), sizes.along(3)), (vec![32], vec![4, 8, 32]));
        let sizes: AxisSizes = "64".parse().unwrap();
        assert_eq!((sizes.along(1), sizes.along(2)), (vec![64], vec![1, 64]));
        assert_eq!(sizes.to_string(), "64");
    }

    #[test]
    fn what_no_gpu_can_launch_is_refused() {
        for text in ["", "0", "1,2,3,4", "32,64", "65,1,1", "x", "-1"] {
            assert!(AxisSizes::of_threads(text).is_err(), "{text}");
        }
        for text in ["1,2,3", "65536,1", "2000000000"] {
            assert!(AxisSizes::of_blocks(text).is_err(), "{text}");
        }
        assert!(AxisSizes::of_threads("32,32").is_ok() && AxisSizes::of_blocks("256,256").is_ok());
    }

    #[test]
    fn a_block_is_never_larger_than_its_tile() {
        let sizes = KernelSizes::default();
        for axes in 1..=3 {
            let pairs = sizes.block(axes).into_iter().zip(sizes.tile(axes, axes));
            assert!(pairs.into_iter().all(|(threads, tile)| tile % threads == 0), "{axes}");
            assert!(sizes.block(axes).iter().product::<u32>() >= 128, "{axes}");
        }
    }
}
