//! How large the tiles, blocks and grids of kernels are.

use crate::schedule_tree::TileSizes;
use std::collections::BTreeMap;
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
    /// What users chose for single kernels.
    pub own: OwnSizes,
}

impl KernelSizes {
    /// A user chose some of the numbers.
    pub fn are_given(&self) -> bool {
        self.tiles.is_some() || self.block.is_some() || self.grid.is_some() || !self.own.0.is_empty()
    }

    /// Those of one kernel of a region; they are counted from 0 in the order of the tree.
    pub(super) fn of(&self, kernel: usize) -> Self {
        let OneKernel { tiles, block, grid } = self.own.0.get(&kernel).cloned().unwrap_or_default();
        KernelSizes {
            tiles: tiles.or_else(|| self.tiles.clone()),
            block: block.or_else(|| self.block.clone()),
            grid: grid.or_else(|| self.grid.clone()),
            no_shared_memory: self.no_shared_memory,
            own: OwnSizes::default(),
        }
    }

    /// The extents of tiles along the members of a band, of which the first `threads` run over threads; by default of
    /// these alone. `loops` says that each thread goes through further loops.
    pub(super) fn tile(&self, threads: usize, members: usize, loops: bool) -> Vec<u32> {
        if let Some(tiles) = &self.tiles {
            return (0..members).map(|member| tiles.at(1, member)).collect();
        }
        // Without another axis a tile is a row of what a block does at once; with one it has several points for each
        // thread, which may share what they load. Threads with loops of their own are few, and wait for memory: blocks
        // of one warp put them on as many multiprocessors as there are. On an H100 sums along 8,192 columns took half of
        // the time of blocks of 64, and along rows nine tenths. Many threads with short loops were not measured.
        match threads {
            // A block that users chose has a point for each of its threads.
            1 if loops => vec![self.block.as_ref().map_or(32, |block| block.along(1)[0].max(32))],
            1 => vec![256],
            2 => vec![32, 32],
            _ => vec![4, 4, 32],
        }
    }

    /// The shapes to try: that of [`KernelSizes::tile`] first, then such as may be worth it where a block shares tiles
    /// along other members, too: the one with the most reuse first.
    pub(super) fn shapes(&self, threads: usize, members: usize, loops: bool) -> Vec<Shape> {
        let least = self.tile(threads, members, loops);
        let block = self.block(threads, &least);
        let mut all = vec![Shape { tile: least.clone(), block: block.clone() }];
        if self.tiles.is_none() && !self.no_shared_memory && least.len() < members {
            all.extend(self.larger(threads, members).into_iter().take(1));
            let with = |size: u32| [&least[..], &vec![size; members - least.len()]].concat();
            // A warp of its own can take more of a row at once than 256 threads.
            let longest = if threads == 1 { &[64][..] } else { &[] };
            let sizes = longest.iter().chain(&[32, 16, 8]);
            all.extend(sizes.map(|&size| Shape { tile: with(size), block: block.clone() }));
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

    /// The threads of a block along so many axes, for a tile; by default no more than it has points.
    pub(super) fn block(&self, axes: usize, tile: &[u32]) -> Vec<u32> {
        let usual: &[u32] = match (&self.block, axes) {
            (Some(chosen), _) => return chosen.along(axes),
            (None, 1) => &[256],
            (None, 2) => &[8, 32],
            (None, _) => &[4, 4, 32],
        };
        usual.iter().zip(tile).map(|(&threads, &points)| threads.min(points)).collect()
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

/// Sizes of single kernels, by their numbers: `0:64,64,16:16,16+2::8,32:64` has tiles and blocks of the first kernel,
/// and blocks and the most blocks of the third.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnSizes(BTreeMap<usize, OneKernel>);

/// What a user chose for one kernel; what is missing is as for all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct OneKernel {
    tiles: Option<TileSizes>,
    block: Option<AxisSizes>,
    grid: Option<AxisSizes>,
}

impl FromStr for OwnSizes {
    type Err = String;

    /// Reads what is displayed.
    ///
    /// # Errors
    /// What is wanted instead.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = BTreeMap::new();
        for entry in text.split('+') {
            let (number, sizes) = OneKernel::parse(entry)?;
            if all.insert(number, sizes).is_some() {
                return Err(format!("a list that has kernel {number} once"));
            }
        }
        Ok(OwnSizes(all))
    }
}

impl OneKernel {
    /// Reads `NUMBER:TILE:BLOCK:GRID`, of which all but the number may be empty, and the last ones left out.
    fn parse(text: &str) -> Result<(usize, Self), String> {
        let fields: Vec<&str> = text.split(':').map(str::trim).collect();
        let [number, sizes @ ..] = &fields[..] else { unreachable!("a text has a first field") };
        let number = number.parse().ok().filter(|_| sizes.len() <= 3 && sizes.iter().any(|size| !size.is_empty()));
        let number: usize = number.ok_or_else(|| "a list of NUMBER:TILE:BLOCK:GRID, joined by +".to_owned())?;
        let size = |position: usize| sizes.get(position).copied().filter(|size| !size.is_empty());
        let wanted = |what: &str, error: String| format!("{error} ({what} of kernel {number})");
        Ok((
            number,
            OneKernel {
                tiles: size(0).map(str::parse).transpose().map_err(|error| wanted("tile", error))?,
                block: size(1).map(AxisSizes::of_threads).transpose().map_err(|error| wanted("block", error))?,
                grid: size(2).map(AxisSizes::of_blocks).transpose().map_err(|error| wanted("grid", error))?,
            },
        ))
    }
}

impl fmt::Display for OwnSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.0.iter().map(|(number, OneKernel { tiles, block, grid })| {
            let tiles = tiles.as_ref().map(TileSizes::to_string).unwrap_or_default();
            let [block, grid] = [block, grid].map(|axes| axes.as_ref().map(AxisSizes::to_string).unwrap_or_default());
            format!("{number}:{tiles}:{block}:{grid}").trim_end_matches(':').to_owned()
        });
        f.write_str(&entries.collect::<Vec<_>>().join("+"))
    }
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
    fn a_kernel_has_sizes_of_its_own() {
        let text = "0:64,64,16:16,16+2::8,32:64+3:8";
        let own: OwnSizes = text.parse().unwrap();
        assert_eq!(own.to_string(), text);
        let all = KernelSizes { tiles: Some(TileSizes::new(&[32])), own, ..KernelSizes::default() };
        assert_eq!((all.of(0).tile(2, 3, true), all.of(0).block(2, &[64, 64])), (vec![64, 64, 16], vec![16, 16]));
        assert_eq!((all.of(1).tile(2, 3, true), all.of(1).block(2, &[32, 4])), (vec![32, 32, 32], vec![8, 4]));
        assert_eq!((all.of(2).tile(2, 3, true), all.of(2).grid(2)), (vec![32, 32, 32], vec![1, 64]));
        assert!(all.are_given() && all.of(3).own.0.is_empty());
        let wanted = |text: &str| text.parse::<OwnSizes>().unwrap_err();
        for text in ["", "0", "0:", "x:8", "0:8:8:8:8", "0:8+", "-1:8"] {
            assert!(wanted(text).contains("NUMBER:TILE:BLOCK:GRID"), "{text}");
        }
        assert!(wanted("1:0").ends_with("(tile of kernel 1)") && wanted("1::64,32").ends_with("(block of kernel 1)"));
        assert!(wanted("1:8+1:9").contains("kernel 1 once"));
    }

    #[test]
    fn threads_with_loops_come_in_blocks_of_a_warp() {
        let sizes = KernelSizes::default();
        let shapes = |members, loops| sizes.shapes(1, members, loops);
        let pair = |shape: &Shape| (shape.tile.clone(), shape.block.clone());
        assert_eq!(shapes(1, false).iter().map(pair).collect::<Vec<_>>(), [(vec![256], vec![256])]);
        assert_eq!(shapes(1, true).iter().map(pair).collect::<Vec<_>>(), [(vec![32], vec![32])]);
        assert_eq!(pair(&shapes(2, true)[1]), (vec![32, 64], vec![32]));
        // Whoever chose a tile gets it, and whoever chose a block one that gives all its threads something to do.
        let block = KernelSizes { block: Some(AxisSizes::of_threads("128").unwrap()), ..KernelSizes::default() };
        let shapes: Vec<_> = block.shapes(1, 1, true).iter().map(pair).collect();
        assert_eq!(shapes, [(vec![128], vec![128])]);
        let chosen = KernelSizes { tiles: Some("128".parse().unwrap()), ..KernelSizes::default() };
        assert_eq!(chosen.tile(1, 1, true), [128]);
    }

    #[test]
    fn a_block_is_never_larger_than_its_tile() {
        let sizes = KernelSizes::default();
        for axes in 1..=3 {
            let tile = sizes.tile(axes, axes, false);
            let pairs = sizes.block(axes, &tile).into_iter().zip(tile.clone());
            assert!(pairs.into_iter().all(|(threads, tile)| tile % threads == 0), "{axes}");
            assert!(sizes.block(axes, &tile).iter().product::<u32>() >= 128, "{axes}");
        }
    }
}
