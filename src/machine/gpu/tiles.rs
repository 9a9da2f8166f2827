//! How long a multiprocessor takes for the tiles of a kernel.

use super::Gpu;

/// What a block of a kernel does for one of its tiles, and what it takes on a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileWork {
    /// The threads of the block.
    pub threads: u32,
    /// The registers of a thread.
    pub registers: u32,
    /// The shared memory of the block, in bytes.
    pub shared_bytes: u64,
    /// The operations on floating-point numbers; a fused multiplication and addition is one.
    pub operations: u64,
    /// They are on numbers of 64 bits.
    pub is_f64: bool,
    /// The cycles that loads from shared memory take.
    pub shared_cycles: u64,
    /// The bytes that are copied to shared memory.
    pub copied: u64,
}

/// The cycles from the start of a copy to shared memory until all threads have what they copied, if there is nothing
/// else to do: the way to memory, and two barriers. Assumed; descriptions of devices do not say it.
const COPY_CYCLES: f64 = 800.0;

/// The cycles that a block takes for a tile beside that: what it executes once for each. Assumed.
const TILE_CYCLES: f64 = 100.0;

/// The part of the shorter of arithmetic and loads that does not go on at the same time as the longer. Assumed.
const NOT_HIDDEN: f64 = 0.5;

/// How much faster than from memory copies are, since several blocks at a time need the same tiles, which are in the
/// second cache then. Assumed.
const FROM_CACHE: f64 = 3.0;

impl Gpu {
    /// The cycles that a device takes for `blocks` blocks, for one tile of each; `None` where a multiprocessor has no
    /// place for any.
    ///
    /// A multiprocessor with `r` blocks takes for a tile of each
    ///
    /// `max(r * busy, busy + COPY_CYCLES)`, where
    /// `busy = max(longer + NOT_HIDDEN * shorter, copied / bandwidth) + TILE_CYCLES`, of `operations / rate` and
    /// `shared_cycles` the longer and the shorter:
    ///
    /// while one block waits for its copy others work. Blocks are spread evenly; the last ones run with fewer beside
    /// them. `registers` may be a guess.
    pub fn tile_cycles(&self, work: &TileWork, blocks: u64) -> Option<f64> {
        let held = u64::from(self.occupancy(work.threads, work.registers, work.shared_bytes).blocks);
        let rate = if work.is_f64 { self.f64_operations } else { self.f32_operations };
        let multiprocessors = u64::from(self.multiprocessors.max(1));
        // Bytes a nanosecond by cycles a nanosecond.
        let bytes = f64::from(self.bandwidth) * FROM_CACHE * 1000.0 / (f64::from(self.clock) * multiprocessors as f64);
        let (arithmetic, loads) = (work.operations as f64 / f64::from(rate), work.shared_cycles as f64);
        let busy = arithmetic.max(loads) + NOT_HIDDEN * arithmetic.min(loads);
        let busy = busy.max(work.copied as f64 / bytes) + TILE_CYCLES;
        if held == 0 || !busy.is_finite() {
            return None;
        }
        let step = |blocks: u64| match blocks {
            0 => 0.0,
            _ => (blocks as f64 * busy).max(busy + COPY_CYCLES),
        };
        let at_once = held.saturating_mul(multiprocessors);
        let rest = (blocks % at_once).div_ceil(multiprocessors);
        Some((blocks / at_once) as f64 * step(held) + step(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product of f64 matrices with 16 points for each of 256 threads, in tiles of 64 by 64 by 32.
    const PRODUCT: TileWork = TileWork {
        threads: 256,
        registers: 128,
        shared_bytes: 33536,
        operations: 131_072,
        is_f64: true,
        shared_cycles: 2048,
        copied: 32768,
    };

    #[test]
    fn blocks_work_while_others_wait() {
        let gpu = Gpu::preset("sm_80").unwrap();
        let cycles = |blocks: u64| gpu.tile_cycles(&PRODUCT, blocks).unwrap();
        assert_eq!(gpu.occupancy(256, 128, 33536).blocks, 2);
        // 131072 operations, 32 in a cycle, half of the loads, and what is assumed for a tile and its copy.
        assert_eq!((cycles(1), cycles(108)), (6020.0, 6020.0));
        assert_eq!((cycles(109), cycles(216)), (10440.0, 10440.0));
        assert_eq!((cycles(217), cycles(0)), (10440.0 + 6020.0, 0.0));
    }

    #[test]
    fn shared_memory_and_copies_may_take_longer_than_operations() {
        let gpu = Gpu::preset("sm_80").unwrap();
        let one = |work: TileWork| gpu.tile_cycles(&work, 1).unwrap() - COPY_CYCLES - TILE_CYCLES;
        assert_eq!(one(TileWork { shared_cycles: 5000, ..PRODUCT }), 5000.0 + 2048.0);
        assert_eq!(one(TileWork { is_f64: false, ..PRODUCT }), 2048.0 + 1024.0);
        // 3 * 1555 bytes a nanosecond for 108 multiprocessors at 1.41 cycles a nanosecond: 30.6 in a cycle.
        let copied = one(TileWork { copied: 306_300, ..PRODUCT });
        assert!((9990.0..10010.0).contains(&copied), "{copied}");
        assert_eq!(gpu.tile_cycles(&TileWork { threads: 2048, ..PRODUCT }, 1), None);
        assert_eq!(Gpu { f64_operations: 0, ..gpu }.tile_cycles(&PRODUCT, 1), None);
    }
}
