//! Numbers for tests that make thousands of inputs: the same in each run.

/// A small generator (splitmix), so that a test needs no crate and repeats itself.
pub struct Numbers(pub u64);

impl Numbers {
    /// A number from 0 on, below a bound; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((number ^ (number >> 31)) % bound.max(1) as u64).unwrap_or(0)
    }
}
