//! Whether a region is worth the way to a GPU and back.

use super::Gpu;
use crate::machine::Machine;

/// What a region does, as far as it is known when it is about to run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RegionWork {
    /// Its operations on single elements, accesses included.
    pub operations: f64,
    /// The bytes of the elements from the first to the last that it accesses, of all arrays.
    pub bytes: f64,
    /// The launches of its kernels.
    pub launches: f64,
    /// The operations of kernels that run in one thread, as what cannot run in parallel does between others.
    pub lone: f64,
    /// The copies between host and device.
    pub copies: f64,
    /// Their bytes.
    pub copied: f64,
}

/// What things cost, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offload {
    /// An operation of the CPU's code.
    pub cpu_operation: f64,
    /// A byte that comes from the host's memory.
    pub cpu_byte: f64,
    /// An operation of a kernel.
    pub gpu_operation: f64,
    /// A byte that comes from the device's memory.
    pub gpu_byte: f64,
    /// A launch.
    pub launch: f64,
    /// An operation of a thread that is alone.
    pub lone_operation: f64,
    /// The start of a copy.
    pub copy: f64,
    /// A byte of a copy.
    pub copied_byte: f64,
}

/// The nanoseconds of an operation of the host's; its clock is not a part of a description. Assumed.
const CYCLE: f64 = 1.0 / 3.0;

/// The part of the device's rates that kernels reach. Assumed: a product of f64 matrices with 1,000 rows reached three
/// times of it on an H100, and few kernels do.
const SHARE: f64 = 1.0 / 8.0;

/// The nanoseconds of an operation of a thread that is alone on the device, which waits for each. A kernel of deriche took
/// 44 for an iteration of five or six on an H100.
const LONE_OPERATION: f64 = 8.0;

impl Machine {
    /// The GPU that is meant: an A100 where nobody named one.
    pub fn gpu_or_default(&self) -> Gpu {
        self.gpu.clone().unwrap_or_else(Gpu::a100)
    }

    /// The costs. With `threads` the CPU's code runs on all cores.
    ///
    /// The CPU is taken to do vectors of doubles at full rate, so that what goes to the device is more likely too little
    /// than too much: an operation for `vector_bits / 64` of them in a cycle and core, and a line in `line_cost` cycles.
    pub fn offload(&self, threads: bool) -> Offload {
        let gpu = self.gpu_or_default();
        let cores = if threads { f64::from(self.cores.max(1)) } else { 1.0 };
        let rate = [gpu.multiprocessors, gpu.f64_operations, gpu.clock].map(f64::from).iter().product::<f64>() / 1000.0;
        Offload {
            cpu_operation: CYCLE / (f64::from(self.lanes(8).max(1)) * cores),
            cpu_byte: CYCLE * f64::from(self.line_cost) / f64::from(self.line_bytes),
            gpu_operation: 1.0 / (rate * SHARE),
            gpu_byte: 1.0 / (f64::from(gpu.bandwidth) * SHARE),
            launch: f64::from(gpu.launch),
            lone_operation: LONE_OPERATION,
            copy: f64::from(gpu.transfer_start),
            copied_byte: 1.0 / f64::from(gpu.transfer_rate),
        }
    }
}

impl Offload {
    /// The nanoseconds that the CPU takes.
    pub fn cpu_ns(&self, work: &RegionWork) -> f64 {
        (work.operations * self.cpu_operation).max(work.bytes * self.cpu_byte)
    }

    /// The nanoseconds that the device takes, copies included.
    pub fn gpu_ns(&self, work: &RegionWork) -> f64 {
        let kernels = (work.operations * self.gpu_operation).max(work.bytes * self.gpu_byte);
        let kernels = kernels + work.lone * self.lone_operation;
        kernels + work.launches * self.launch + work.copies * self.copy + work.copied * self.copied_byte
    }

    /// Whether the device is expected to be faster.
    pub fn pays(&self, work: &RegionWork) -> bool {
        self.cpu_ns(work) > self.gpu_ns(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offload(preset: &str) -> Offload {
        Machine { gpu: Gpu::preset(preset), ..Machine::generic() }.offload(false)
    }

    /// A product of square matrices of doubles: five operations in the innermost loop, three arrays in, one out.
    fn product(n: f64) -> RegionWork {
        let array = 8.0 * n * n;
        let (operations, bytes) = (5.0 * n * n * n, 3.0 * array);
        RegionWork { operations, bytes, launches: 1.0, copies: 4.0, copied: 4.0 * array, ..RegionWork::default() }
    }

    #[test]
    fn large_products_pay_and_small_ones_do_not() {
        for preset in Gpu::PRESETS {
            assert!(!offload(preset).pays(&product(20.0)), "{preset}");
            assert!(offload(preset).pays(&product(500.0)), "{preset}");
        }
    }

    #[test]
    fn many_launches_with_little_work_do_not_pay() {
        // Sweeps over 100 rows of 100 elements, each row a kernel of its own.
        let sweep = |launches: f64| RegionWork {
            operations: launches * 500.0,
            bytes: 80_000.0,
            launches,
            copies: 2.0,
            copied: 160_000.0,
            ..RegionWork::default()
        };
        assert!(!offload("sm_80").pays(&sweep(100.0)) && !offload("sm_80").pays(&sweep(1e6)));
    }

    #[test]
    fn a_thread_that_is_alone_takes_long() {
        // A recurrence over 4 million elements, between sweeps that the device does at once.
        let work =
            |lone: f64| RegionWork { lone, operations: 1e9, bytes: 6.4e7, launches: 3.0, ..RegionWork::default() };
        assert!(offload("sm_90").pays(&work(0.0)) && !offload("sm_90").pays(&work(2.4e7)));
    }

    #[test]
    fn a_sum_of_vectors_does_not_pay_for_copies_but_for_resident_data() {
        let n = 1e7;
        let resident = RegionWork { operations: 4.0 * n, bytes: 24.0 * n, launches: 1.0, ..RegionWork::default() };
        assert!(offload("sm_80").pays(&resident));
        let fast = Machine { gpu: Gpu::preset("sm_80"), cores: 64, ..Machine::generic() };
        assert_eq!(fast.offload(true).cpu_operation * 64.0, fast.offload(false).cpu_operation);
        assert_eq!(Machine::generic().offload(true), Machine { cores: 2, ..fast }.offload(true));
    }
}
