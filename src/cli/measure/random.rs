//! Numbers without an order that a processor could foresee, the same each time.

/// A generator: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), SplitMix.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// One that begins where all begin.
    pub fn new() -> Random {
        Random(0)
    }

    /// A number below `end`, which is small beside 2^32, so that none is noticeably more frequent.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 32) * end) >> 32
    }

    /// Changes the order of all elements.
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            elements.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_below_the_end_and_orders_are_permutations() {
        let mut random = Random::new();
        let numbers: Vec<u64> = (0..1000).map(|_| random.below(10)).collect();
        assert!((0..10).all(|digit| numbers.contains(&digit)) && numbers.iter().all(|number| *number < 10));
        let mut elements: Vec<u32> = (0..100).collect();
        random.shuffle(&mut elements);
        assert!(!elements.is_sorted());
        elements.sort_unstable();
        assert_eq!(elements, (0..100).collect::<Vec<_>>());
    }
}
