//! How many blocks a multiprocessor runs at a time.

use super::Gpu;
use std::fmt;

/// What a multiprocessor holds of a kernel at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks of a multiprocessor; zero for a kernel that cannot be launched.
    pub blocks: u32,
    /// Warps of a multiprocessor, those of all its blocks.
    pub warps: u32,
    /// What there is too little of for another block; where that is several, the first in the order of [`Resource`].
    pub limit: Resource,
}

/// What blocks on a multiprocessor share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Threads, which come in whole warps.
    Threads,
    /// Places for blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Resource::Threads => "threads",
            Resource::Blocks => "blocks",
            Resource::Registers => "registers",
            Resource::Shared => "shared memory",
        })
    }
}

impl Gpu {
    /// The most warps that a multiprocessor holds at a time.
    pub fn resident_warps(&self) -> u32 {
        self.resident_threads / self.warp.max(1)
    }

    /// The warps of a block with this many threads; the last may have idle lanes.
    pub fn warps_of_block(&self, threads: u32) -> u32 {
        threads.div_ceil(self.warp.max(1))
    }

    /// What a multiprocessor holds of a kernel whose blocks have this many threads, whose threads have this many
    /// registers, and whose blocks ask for this many bytes of shared memory. As many blocks as all of these allow, each
    /// rounded down:
    ///
    /// - threads: the multiprocessor's warps by the block's, which are its threads by the lanes of a warp, rounded up;
    /// - blocks: `resident_blocks`;
    /// - registers: a warp takes `registers * warp`, rounded up to `register_unit`. Each partition holds as many such
    ///   warps as its share of the registers allows, and so all partitions together, by the warps of a block. No block
    ///   at all where the block's warps, rounded up to the same number for each partition, take more than there is;
    /// - shared memory: `shared` by what the block asks for and `shared_reserved`, rounded up to `shared_unit`. All
    ///   that can be shared memory is taken to be: less of it is left to the first cache.
    ///
    /// No block for one without threads, or with more threads, registers or shared memory than a block may have. A
    /// number of registers that is not known yet may be zero, which takes none.
    pub fn occupancy(&self, threads: u32, registers: u32, shared_bytes: u64) -> Occupancy {
        let limits = [
            (self.blocks_by_threads(threads), Resource::Threads),
            (self.resident_blocks, Resource::Blocks),
            (self.blocks_by_registers(threads, registers), Resource::Registers),
            (self.blocks_by_shared(shared_bytes), Resource::Shared),
        ];
        let [first, others @ ..] = limits;
        let (blocks, limit) =
            others.into_iter().fold(first, |least, other| if other.0 < least.0 { other } else { least });
        // No more than the warps of a multiprocessor, so there is no overflow.
        Occupancy { blocks, warps: blocks * self.warps_of_block(threads), limit }
    }

    fn blocks_by_threads(&self, threads: u32) -> u32 {
        if threads > self.block_threads {
            return 0;
        }
        self.resident_warps().checked_div(self.warps_of_block(threads)).unwrap_or(0)
    }

    fn blocks_by_registers(&self, threads: u32, registers: u32) -> u32 {
        if registers > self.thread_registers {
            return 0;
        }
        let taken = self.registers_of_warp(registers);
        let partitions = u64::from(self.partitions.max(1));
        let warps = u64::from(self.warps_of_block(threads)).max(1);
        if taken.saturating_mul(warps.next_multiple_of(partitions)) > self.registers.into() {
            return 0;
        }
        let share = u64::from(self.registers) / partitions;
        share.checked_div(taken).map_or(u32::MAX, |held| at_most_u32(held * partitions / warps))
    }

    fn blocks_by_shared(&self, bytes: u64) -> u32 {
        if bytes > self.shared_most {
            return 0;
        }
        self.shared.checked_div(self.shared_of_block(bytes)).map_or(u32::MAX, at_most_u32)
    }

    /// The registers that a warp takes whose threads have this many.
    pub(super) fn registers_of_warp(&self, registers: u32) -> u64 {
        // Two factors below 2^32, and less than 2^32 more, are below 2^64.
        (u64::from(registers) * u64::from(self.warp)).next_multiple_of(self.register_unit.max(1).into())
    }

    /// The bytes of shared memory that a block takes which asks for this many; the greatest number for what is beyond.
    pub(super) fn shared_of_block(&self, bytes: u64) -> u64 {
        let taken = bytes.checked_add(self.shared_reserved);
        taken.and_then(|taken| taken.checked_next_multiple_of(self.shared_unit.max(1))).unwrap_or(u64::MAX)
    }
}

fn at_most_u32(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Resource::{Blocks, Registers, Shared, Threads};

    /// Blocks, warps and what limits them, on each of the presets.
    fn on_all(threads: u32, registers: u32, shared_bytes: u64) -> [(u32, u32, Resource); 3] {
        Gpu::PRESETS.map(|name| {
            let Occupancy { blocks, warps, limit } =
                Gpu::preset(name).unwrap().occupancy(threads, registers, shared_bytes);
            (blocks, warps, limit)
        })
    }

    // The numbers of these tests are those of CUDA's occupancy calculator.

    #[test]
    fn threads_and_blocks_limit() {
        assert_eq!(on_all(256, 32, 0), [(8, 64, Threads); 3]);
        assert_eq!(on_all(1024, 32, 0), [(2, 64, Threads); 3]);
        assert_eq!(on_all(768, 32, 0), [(2, 48, Threads); 3]);
        assert_eq!(on_all(32, 32, 0), [(32, 32, Blocks); 3]);
        assert_eq!(on_all(33, 16, 0), [(32, 64, Threads); 3], "a warp with one thread is a warp");
        assert_eq!(on_all(96, 32, 0), [(21, 63, Threads); 3]);
    }

    #[test]
    fn registers_limit() {
        assert_eq!(on_all(1024, 64, 0), [(1, 32, Registers); 3]);
        assert_eq!(on_all(1024, 65, 0), [(0, 0, Registers); 3]);
        assert_eq!(on_all(256, 33, 0), [(6, 48, Registers); 3], "handed out as 40");
        assert_eq!(on_all(256, 40, 0), [(6, 48, Registers); 3]);
        assert_eq!(on_all(128, 64, 0), [(8, 32, Registers); 3]);
        assert_eq!(on_all(256, 128, 0), [(2, 16, Registers); 3]);
        assert_eq!(on_all(256, 255, 0), [(1, 8, Registers); 3]);
        // A partition's 16384 registers hold two warps of 6400 registers, so that eight warps fit, not ten.
        assert_eq!(on_all(64, 200, 0), [(4, 8, Registers); 3]);
        assert_eq!(on_all(64, 168, 0), [(6, 12, Registers); 3]);
        // Nine warps of 7168 are fewer than 65536, but one partition would have to hold three of them.
        assert_eq!(on_all(288, 224, 0), [(0, 0, Registers); 3]);
        assert_eq!(on_all(32, 256, 0), [(0, 0, Registers); 3]);
    }

    #[test]
    fn shared_memory_limits() {
        assert_eq!(on_all(256, 32, 48 << 10), [(2, 16, Shared), (3, 24, Shared), (4, 32, Shared)]);
        assert_eq!(on_all(256, 32, 16 << 10), [(6, 48, Shared), (8, 64, Threads), (8, 64, Threads)]);
        assert_eq!(on_all(128, 32, 96 << 10), [(1, 4, Shared), (1, 4, Shared), (2, 8, Shared)]);
        assert_eq!(on_all(128, 32, 163 << 10), [(0, 0, Shared), (1, 4, Shared), (1, 4, Shared)]);
        assert_eq!(on_all(128, 32, 227 << 10), [(0, 0, Shared), (0, 0, Shared), (1, 4, Shared)]);
        assert_eq!(on_all(128, 32, (227 << 10) + 1), [(0, 0, Shared); 3]);
        // 31 KiB and the system's 1 KiB: five times 32 in 164, and seven times in 228.
        assert_eq!(on_all(64, 32, 31 << 10), [(3, 6, Shared), (5, 10, Shared), (7, 14, Shared)]);
    }

    #[test]
    fn kernels_that_cannot_be_launched_have_no_blocks() {
        assert_eq!(on_all(0, 32, 0), [(0, 0, Threads); 3]);
        assert_eq!(on_all(1025, 32, 0), [(0, 0, Threads); 3]);
        assert_eq!(on_all(u32::MAX, u32::MAX, u64::MAX), [(0, 0, Threads); 3]);
        assert_eq!(on_all(256, 0, 0), [(8, 64, Threads); 3], "registers that nobody knows yet");
    }

    #[test]
    fn descriptions_that_make_no_sense_end_well() {
        let good = Gpu::preset("sm_80").unwrap();
        let zero = Gpu {
            warp: 0,
            partitions: 0,
            register_unit: 0,
            shared_unit: 0,
            shared_reserved: 0,
            resident_threads: 0,
            ..good.clone()
        };
        let most = Gpu {
            warp: u32::MAX,
            block_threads: u32::MAX,
            resident_threads: u32::MAX,
            resident_blocks: u32::MAX,
            partitions: u32::MAX,
            registers: u32::MAX,
            thread_registers: u32::MAX,
            register_unit: u32::MAX,
            shared: u64::MAX,
            shared_most: u64::MAX,
            shared_reserved: u64::MAX,
            shared_unit: u64::MAX,
            ..good.clone()
        };
        let narrow = Gpu { warp: 1, ..most.clone() };
        for gpu in [zero, most, narrow] {
            for number in [0, 1, 32, u32::MAX] {
                let Occupancy { blocks, warps, .. } = gpu.occupancy(number, number, number.into());
                assert!(blocks == 0 || warps >= blocks);
                let _ = gpu.occupancy(number, number, u64::MAX);
            }
        }
    }
}
