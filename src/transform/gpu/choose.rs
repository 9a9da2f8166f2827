//! How large the tiles and blocks of a kernel with tiles in shared memory are, by a model of the device.
//!
//! A thread with several points loads once what they share, and has more sums under way; larger tiles are copied less
//! often; but there are fewer blocks, which take more of a multiprocessor. What it costs follows from the loops that
//! what is read goes along ([`Reuse`]) and from the device ([`Gpu::tile_cycles`]). Where a loop's extent is not known,
//! it is taken to be [`UNKNOWN`].

use super::sizes::{MOST_BLOCK_AXES, Shape};
use crate::footprint::{Footprint, along};
use crate::isl::{Result, UnionPwAff};
use crate::machine::{Gpu, TileWork};
use crate::scop::Scop;

/// What a loop is taken to have where that is not known: where it is much less the CPU is faster.
const UNKNOWN: u64 = 2048;

/// The registers of a thread beside its sums, and the elements that it copies to shared memory with their addresses. By
/// what ptxas gives for products and updates of f32 and f64, within 10; a fifth of the registers is left for more.
const REGISTERS: u64 = 50;

/// The registers of an address.
const ADDRESS: u64 = 2;

/// The most elements that a thread has on their way to shared memory at once, by what ptxas makes of longer copies: 64
/// elements of f64 take 128 registers with all else, 128 take 170.
const ON_THE_WAY: u64 = 32;

/// What a kernel reads from shared memory.
pub(super) struct Reuse {
    /// For each tile whether what is read differs along each member, and the bytes of an element.
    reads: Vec<(Vec<bool>, u64)>,
    /// How many values the members have that run over blocks, if that is known.
    extents: Vec<Option<u64>>,
}

impl Reuse {
    /// That of the footprints of a kernel whose members are in the order in which they are mapped.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of(
        scop: &Scop,
        footprints: &[Footprint],
        members: &[UnionPwAff],
        extents: Vec<Option<u64>>,
    ) -> Result<Self> {
        let mut reads = Vec::new();
        for footprint in footprints {
            let bytes = u64::from(scop.arrays[footprint.array].element.bytes());
            reads.push((along(scop, footprint, members)?, bytes));
        }
        Ok(Self { reads, extents })
    }

    /// The shape that takes the least time on a device, the first of equals, for a kernel with so many members over
    /// threads.
    pub fn fastest<'s>(&self, gpu: &Gpu, shapes: &'s [Shape], threads: usize, most_shared: u64) -> Option<&'s Shape> {
        let costs = shapes.iter().filter_map(|shape| Some((self.cost(gpu, shape, threads, most_shared)?, shape)));
        costs.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, shape)| shape)
    }

    /// The cycles that the device takes, by the iterations of the members that run over neither blocks nor threads.
    fn cost(&self, gpu: &Gpu, shape: &Shape, threads: usize, most_shared: u64) -> Option<f64> {
        let product = |sizes: &[u32]| sizes.iter().map(|&size| u64::from(size)).product::<u64>();
        let points: Vec<u32> = shape.tile.iter().zip(&shape.block).map(|(tile, block)| tile / block).collect();
        let inner = product(&shape.tile[threads..]);
        let count = u32::try_from(product(&shape.block)).ok()?;
        let (mut bytes, mut copied, mut cycles, mut widest) = (0, 0, 0, 4);
        for (along, element) in &self.reads {
            let of = |sizes: &[u32]| -> u64 {
                let sizes = sizes.iter().zip(along).filter(|(_, along)| **along);
                sizes.map(|(size, _)| u64::from(*size)).product()
            };
            bytes += of(&shape.tile) * element;
            copied += of(&shape.tile).div_ceil(count.into()) * (element.div_ceil(4) + ADDRESS);
            widest = widest.max(*element);
            let lanes = if along[threads - 1] { shape.block[threads - 1].min(gpu.warp) } else { 1 };
            let width = u64::from(gpu.banks) * u64::from(gpu.bank_bytes);
            cycles += of(&points) * (u64::from(lanes) * element).div_ceil(width.max(1));
        }
        let copied = copied.min(ON_THE_WAY * (widest.div_ceil(4) + ADDRESS));
        let registers = REGISTERS + widest.div_ceil(4) * product(&points) + copied;
        if bytes > most_shared || registers * 5 > u64::from(gpu.thread_registers) * 4 {
            return None;
        }
        let work = TileWork {
            threads: count,
            registers: u32::try_from(registers).ok()?,
            shared_bytes: bytes,
            operations: product(&shape.tile),
            is_f64: widest >= 8,
            shared_cycles: u64::from(gpu.warps_of_block(count)) * inner * cycles,
            copied: bytes,
        };
        let tiles = |member: usize| {
            let extent = self.extents.get(member).copied().flatten().unwrap_or(UNKNOWN);
            extent.div_ceil(shape.tile[member].into())
        };
        // Tiles along further axes come one after the other.
        let over_blocks = (0..threads.min(MOST_BLOCK_AXES)).map(tiles).product();
        let in_turn: u64 = (threads.min(MOST_BLOCK_AXES)..threads).map(tiles).product();
        Some(gpu.tile_cycles(&work, over_blocks)? * in_turn as f64 / inner as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::SHARED_BYTES;
    use crate::transform::gpu::KernelSizes;

    /// The tile that is taken for a product of so many rows and columns.
    fn product(gpu: &str, bytes: u64, extent: Option<u64>) -> (Vec<u32>, Vec<u32>) {
        let reuse = Reuse {
            reads: vec![(vec![true, false, true], bytes), (vec![false, true, true], bytes)],
            extents: vec![extent; 2],
        };
        let base = Shape { tile: vec![32, 32, 32], block: vec![8, 32] };
        let shapes = [vec![base], KernelSizes::default().larger(2, 3)].concat();
        let shape = reuse.fastest(&Gpu::preset(gpu).unwrap(), &shapes, 2, SHARED_BYTES.unsigned_abs()).unwrap();
        (shape.tile.clone(), shape.block.clone())
    }

    #[test]
    fn a_device_with_more_arithmetic_gets_more_points_for_each_thread() {
        assert_eq!(product("sm_80", 8, None), (vec![64, 64, 16], vec![16, 16]));
        // Twice the operations of f32 for each load.
        assert_eq!(product("sm_90", 4, None), (vec![128, 128, 16], vec![16, 16]));
        // Sums of f64 take twice the registers.
        assert_eq!(product("sm_90", 8, None), (vec![64, 64, 16], vec![16, 16]));
    }

    #[test]
    fn small_products_get_small_tiles_for_more_blocks() {
        assert_eq!(product("sm_80", 8, Some(256)), (vec![32, 32, 32], vec![16, 16]));
        assert_eq!(product("sm_80", 8, Some(4096)).0, [64, 64, 16]);
        assert_eq!(product("sm_90", 4, Some(1024)).0, [128, 64, 32]);
    }
}
