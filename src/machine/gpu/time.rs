//! Bounds for the time of kernels and transfers.

use super::Gpu;

/// What kernels do, all launches together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// The bytes that come from the device's memory or go there.
    pub bytes: u64,
    /// The operations on 32-bit floating-point numbers, of all threads; a fused multiplication and addition is one.
    pub f32_operations: u64,
    /// The same for 64 bits.
    pub f64_operations: u64,
    /// The launches, one after the other.
    pub launches: u64,
}

impl Gpu {
    /// The nanoseconds, rounded up, that a transfer of this many bytes between host and device takes in one direction:
    ///
    /// `transfer_start + bytes / transfer_rate`, or nothing where there are no bytes.
    ///
    /// Other work of host and device may go on meanwhile; that is not taken off.
    pub fn transfer_ns(&self, bytes: u64) -> u64 {
        if bytes == 0 {
            return 0;
        }
        u64::from(self.transfer_start).saturating_add(quotient(bytes.into(), self.transfer_rate.into()))
    }

    /// The nanoseconds, rounded up, that kernels take at least where each is launched when the one before has ended
    /// (the roofline model, and launches):
    ///
    /// `launches * launch + max(bytes / bandwidth, f32 operations / f32 rate, f64 operations / f64 rate)`
    ///
    /// where a rate is `multiprocessors * operations a cycle * clock`. The units for 32 and for 64 bits work at the
    /// same time. Real kernels are slower: few threads, accesses that do not coalesce and chains of operations are not
    /// seen here. A host that launches ahead hides launches behind kernels, or kernels behind launches: at most half of
    /// the time.
    pub fn roofline_ns(&self, work: &Work) -> u64 {
        let arithmetic = |operations: u64, each: u32| {
            // Operations a microsecond, since MHz are cycles a microsecond: below 2^96.
            let rate = [self.multiprocessors, each, self.clock].map(u128::from).iter().product();
            quotient(u128::from(operations) * 1000, rate)
        };
        let memory = quotient(work.bytes.into(), self.bandwidth.into());
        let longest = memory
            .max(arithmetic(work.f32_operations, self.f32_operations))
            .max(arithmetic(work.f64_operations, self.f64_operations));
        work.launches.saturating_mul(self.launch.into()).saturating_add(longest)
    }
}

/// A quotient, rounded up. The greatest number for what is beyond it, and for anything by zero, which is never done.
fn quotient(amount: u128, rate: u128) -> u64 {
    match (amount, rate) {
        (0, _) => 0,
        (_, 0) => u64::MAX,
        _ => u64::try_from(amount.div_ceil(rate)).unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_have_a_start_and_a_rate() {
        let gpu = Gpu::preset("sm_80").unwrap();
        assert_eq!([0, 1, 6, 7].map(|bytes| gpu.transfer_ns(bytes)), [0, 100_001, 100_001, 100_002]);
        assert_eq!(gpu.transfer_ns(6_000_000_000), 1_000_100_000, "6 GB in a second");
        assert_eq!(Gpu { transfer_rate: 1, ..gpu }.transfer_ns(u64::MAX), u64::MAX);
    }

    #[test]
    fn the_scarcest_resource_decides() {
        let gpu = Gpu::preset("sm_80").unwrap();
        let ns = |work: Work| gpu.roofline_ns(&work);
        assert_eq!(ns(Work::default()), 0);
        assert_eq!(ns(Work { launches: 2048, ..Work::default() }), 10_240_000);
        assert_eq!(ns(Work { bytes: 1_555_000_000_000, ..Work::default() }), 1_000_000_000);
        // 108 multiprocessors, 32 operations each, 1410 MHz: 4.873 in a picosecond.
        assert_eq!(ns(Work { f64_operations: 4_872_960_000_000, ..Work::default() }), 1_000_000_000);
        assert_eq!(ns(Work { f32_operations: 4_872_960_000_000, ..Work::default() }), 500_000_000);
        let product =
            Work { bytes: 1_555_000, f32_operations: 4_872_960_000, f64_operations: 4_872_960_000, launches: 1 };
        assert_eq!(ns(product), 1_005_000, "1000 of memory and 500000 of f32 are hidden by 1000000 of f64");
        assert_eq!(ns(Work { bytes: 1, launches: 1, ..Work::default() }), 5_001);
    }

    #[test]
    fn no_product_overflows() {
        let most = u64::MAX;
        let all = Work { bytes: most, f32_operations: most, f64_operations: most, launches: most };
        let gpu = Gpu::preset("sm_90").unwrap();
        assert_eq!(gpu.roofline_ns(&all), u64::MAX);
        let fast = Gpu {
            multiprocessors: u32::MAX,
            f32_operations: u32::MAX,
            f64_operations: u32::MAX,
            clock: u32::MAX,
            bandwidth: u32::MAX,
            ..gpu.clone()
        };
        assert_eq!(fast.roofline_ns(&Work { launches: 0, ..all }), most.div_ceil(u32::MAX.into()));
        let nothing = Gpu { clock: 0, bandwidth: 0, transfer_rate: 0, ..gpu };
        assert_eq!(nothing.roofline_ns(&Work::default()), 0);
        assert_eq!(nothing.roofline_ns(&Work { f32_operations: 1, ..Work::default() }), u64::MAX);
        assert_eq!(nothing.transfer_ns(1), u64::MAX);
    }
}
