//! The GPUs that have a name.
//!
//! Limits, sizes and the units in which registers and shared memory are handed out are those that the CUDA programming
//! guide lists for the compute capability. Multiprocessors, clocks (the highest), caches and memory are those of data
//! sheets. What a launch costs is assumed, what a transfer costs was measured on one host: both depend on the host as well,
//! and on the driver.

use super::Gpu;

/// What a launch costs, in nanoseconds: assumed. Usual measurements are from 2 microseconds, where many launches are
/// under way, to 10, where the host waits for each.
const LAUNCH: u32 = 5_000;

/// The start of a transfer in nanoseconds, with the memory of the device that it needs: about what each buffer of small regions
/// takes on the host of an H100 (docs/gpu.md).
const TRANSFER_START: u32 = 100_000;

/// GB of a transfer in a second. The memory of programs is not locked, so the host copies it once more: 9.5 to an H100,
/// and 4 back, as results wait until all are there. A bus that is faster does not show.
const TRANSFER_RATE: u32 = 6;

impl Gpu {
    /// The names of presets, by architecture.
    pub const PRESETS: [&'static str; 3] = ["sm_70", "sm_80", "sm_90"];

    /// A GPU by the name of its architecture: `sm_70` is a V100, `sm_80` an A100, `sm_90` an H100 (SXM).
    pub fn preset(name: &str) -> Option<Gpu> {
        match name {
            "sm_70" => Some(Gpu::v100()),
            "sm_80" => Some(Gpu::a100()),
            "sm_90" => Some(Gpu::h100()),
            _ => None,
        }
    }

    /// A V100-SXM2 with 16 GiB.
    fn v100() -> Gpu {
        Gpu {
            name: "V100-SXM2-16GB".to_owned(),
            architecture: 70,
            multiprocessors: 80,
            warp: 32,
            block_threads: 1024,
            block: [1024, 1024, 64],
            grid: [i32::MAX.unsigned_abs(), 65_535, 65_535],
            resident_threads: 2048,
            resident_blocks: 32,
            partitions: 4,
            registers: 65_536,
            thread_registers: 255,
            register_unit: 256,
            shared: 96 << 10,
            shared_default: 48 << 10,
            shared_most: 96 << 10,
            shared_reserved: 0,
            shared_unit: 256,
            banks: 32,
            bank_bytes: 4,
            l1: 128 << 10,
            l2: 6 << 20,
            line_bytes: 128,
            sector_bytes: 32,
            memory: 16 << 30,
            bandwidth: 900,
            clock: 1530,
            f32_operations: 64,
            f64_operations: 32,
            launch: LAUNCH,
            transfer_start: TRANSFER_START,
            transfer_rate: TRANSFER_RATE,
        }
    }

    /// An A100-SXM4 with 40 GB.
    pub(super) fn a100() -> Gpu {
        Gpu {
            name: "A100-SXM4-40GB".to_owned(),
            architecture: 80,
            multiprocessors: 108,
            shared: 164 << 10,
            shared_most: 163 << 10,
            shared_reserved: 1 << 10,
            shared_unit: 128,
            l1: 192 << 10,
            l2: 40 << 20,
            memory: 40 << 30,
            bandwidth: 1555,
            clock: 1410,
            ..Gpu::v100()
        }
    }

    /// An H100-SXM5 with 80 GB.
    fn h100() -> Gpu {
        Gpu {
            name: "H100-SXM5-80GB".to_owned(),
            architecture: 90,
            multiprocessors: 132,
            shared: 228 << 10,
            shared_most: 227 << 10,
            l1: 256 << 10,
            l2: 50 << 20,
            memory: 80 << 30,
            bandwidth: 3350,
            clock: 1980,
            f32_operations: 128,
            f64_operations: 64,
            ..Gpu::a100()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_architectures() {
        for name in Gpu::PRESETS {
            let gpu = Gpu::preset(name).unwrap();
            assert_eq!(format!("sm_{}", gpu.architecture), name);
        }
        assert!(Gpu::PRESETS.is_sorted());
        assert_eq!((Gpu::preset("sm_75"), Gpu::preset("SM_80"), Gpu::preset("")), (None, None, None));
    }

    /// The rates of data sheets in GFLOPS, where a fused multiplication and addition counts twice, to the last digit
    /// that they give.
    #[test]
    fn arithmetic_is_as_fast_as_data_sheets_say() {
        let rates = |name: &str| {
            let gpu = Gpu::preset(name).unwrap();
            [gpu.f32_operations, gpu.f64_operations].map(|each| 2 * gpu.multiprocessors * each * gpu.clock / 1000)
        };
        let near = |found: [u32; 2], sheet: [u32; 2], digit: u32| {
            found.iter().zip(sheet).all(|(found, sheet)| found.abs_diff(sheet) <= digit)
        };
        assert!(near(rates("sm_70"), [15_700, 7_800], 50), "{:?}", rates("sm_70"));
        assert!(near(rates("sm_80"), [19_500, 9_700], 50), "{:?}", rates("sm_80"));
        assert!(near(rates("sm_90"), [67_000, 34_000], 600), "{:?}", rates("sm_90"));
    }
}
