//! Vectors of one length in one buffer, counted by use.
//!
//! A vector never changes after it was made: a pivot writes new ones. A snapshot therefore only names the vectors it needs, and
//! a pivot that overflows half-way leaves everything as it was.

use super::number::{Number, Overflow, Scaled};

/// The place of a vector.
pub(super) type Slot = u32;

/// The vectors.
#[derive(Debug)]
pub(super) struct Arena<N> {
    length: usize,
    data: Vec<N>,
    bits: Vec<u32>,
    uses: Vec<u32>,
    free: Vec<Slot>,
}

impl<N: Number> Arena<N> {
    /// No vectors yet, of `length` entries each.
    pub(super) fn new(length: usize) -> Arena<N> {
        Arena { length, data: Vec::new(), bits: Vec::new(), uses: Vec::new(), free: Vec::new() }
    }

    fn range(&self, slot: Slot) -> std::ops::Range<usize> {
        let start = slot as usize * self.length;
        start..start + self.length
    }

    /// The entries.
    pub(super) fn vector(&self, slot: Slot) -> &[N] {
        &self.data[self.range(slot)]
    }

    /// The bits.
    pub(super) fn bits(&self, slot: Slot) -> u32 {
        self.bits[slot as usize]
    }

    fn allocate(&mut self) -> Slot {
        if let Some(slot) = self.free.pop() {
            self.uses[slot as usize] = 1;
            return slot;
        }
        let slot = self.uses.len() as Slot;
        self.data.resize(self.data.len() + self.length, N::zero());
        self.bits.push(0);
        self.uses.push(1);
        slot
    }

    /// A vector with these entries, used once.
    pub(super) fn insert(&mut self, entries: impl Iterator<Item = N>) -> Slot {
        let slot = self.allocate();
        let range = self.range(slot);
        for (place, entry) in self.data[range.clone()].iter_mut().zip(entries) {
            *place = entry;
        }
        self.bits[slot as usize] = N::bits(&self.data[range]);
        slot
    }

    /// A new vector, a positive multiple of `p·x − c·y`.
    pub(super) fn subtract(&mut self, p: &N, x: Slot, c: &N, y: Slot) -> Result<Slot, Overflow> {
        let slot = self.allocate();
        let ranges = [self.range(slot), self.range(x), self.range(y)];
        let [out, first, second] = self.data.get_disjoint_mut(ranges).expect("different slots");
        let x = Scaled { factor: p, vector: first, bits: self.bits[x as usize] };
        let y = Scaled { factor: c, vector: second, bits: self.bits[y as usize] };
        match N::subtract(out, x, y) {
            Ok(bits) => {
                self.bits[slot as usize] = bits;
                Ok(slot)
            }
            Err(overflow) => {
                self.release(slot);
                Err(overflow)
            }
        }
    }

    /// One more use.
    pub(super) fn retain(&mut self, slot: Slot) {
        self.uses[slot as usize] += 1;
    }

    /// One use less; after the last the place is free.
    pub(super) fn release(&mut self, slot: Slot) {
        let uses = &mut self.uses[slot as usize];
        *uses -= 1;
        if *uses == 0 {
            self.free.push(slot);
        }
    }
}
