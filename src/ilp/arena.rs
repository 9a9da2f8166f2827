//! Vectors of one length in one buffer, counted by use.
//!
//! A vector never changes after it was made: a pivot writes new ones. A snapshot therefore only names the vectors it
//! needs, and a pivot that overflows half-way leaves everything as it was.

use super::number::{Number, Overflow, RowRef, Scaled, Support, support};

/// The place of a vector.
pub(super) type Slot = u32;

/// The vectors.
#[derive(Debug)]
pub(super) struct Arena<N> {
    length: usize,
    data: Vec<N>,
    bits: Vec<u32>,
    supports: Vec<Support>,
    uses: Vec<u32>,
    free: Vec<Slot>,
}

impl<N: Number> Arena<N> {
    /// No vectors yet, of `length` entries each. There is room for twice as many as a cone has.
    pub(super) fn new(length: usize) -> Arena<N> {
        let count = 2 * length;
        Arena {
            length,
            data: Vec::with_capacity(count * length),
            bits: Vec::with_capacity(count),
            supports: Vec::with_capacity(count),
            uses: Vec::with_capacity(count),
            free: Vec::with_capacity(count),
        }
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

    /// The support: exact for vectors from [`Arena::insert`], a superset for others.
    pub(super) fn support(&self, slot: Slot) -> Support {
        self.supports[slot as usize]
    }

    /// The value of a row at a vector.
    #[inline]
    pub(super) fn value(&self, row: RowRef<'_, N>, slot: Slot) -> Result<N, Overflow> {
        if row.support & self.support(slot) == 0 {
            return Ok(N::zero());
        }
        N::dot(row, self.vector(slot), self.bits(slot))
    }

    fn allocate(&mut self) -> Slot {
        if let Some(slot) = self.free.pop() {
            self.uses[slot as usize] = 1;
            return slot;
        }
        let slot = self.uses.len() as Slot;
        self.data.resize(self.data.len() + self.length, N::zero());
        self.bits.push(0);
        self.supports.push(0);
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
        let vector = &self.data[range];
        self.bits[slot as usize] = N::bits(vector);
        self.supports[slot as usize] = exact_support(vector);
        slot
    }

    /// A vector with a 1 and zeros, used once.
    pub(super) fn insert_unit(&mut self, position: usize) -> Slot {
        let slot = self.allocate();
        let range = self.range(slot);
        let vector = &mut self.data[range];
        vector.fill(N::zero());
        vector[position] = N::one();
        self.bits[slot as usize] = N::bits(&vector[position..=position]);
        self.supports[slot as usize] = support(std::iter::once((position, true)));
        slot
    }

    /// All vectors with a 1 and zeros, the 1 further back in each, used once. There must not be any vectors yet.
    pub(super) fn insert_units(&mut self) -> Vec<Slot> {
        debug_assert!(self.uses.is_empty(), "the first vectors");
        let length = self.length;
        self.data.resize(length * length, N::zero());
        (0..length).for_each(|i| self.data[i * length + i] = N::one());
        self.bits.resize(length, N::bits(&[N::one()]));
        self.supports.extend((0..length).map(|i| support(std::iter::once((i, true)))));
        self.uses.resize(length, 1);
        (0..length as Slot).collect()
    }

    /// A new vector, the opposite of one that is no longer used.
    pub(super) fn negate(&mut self, slot: Slot) -> Result<Slot, Overflow> {
        let opposite = self.allocate();
        let ranges = [self.range(opposite), self.range(slot)];
        let [out, vector] = self.data.get_disjoint_mut(ranges).expect("different slots");
        for (place, entry) in out.iter_mut().zip(vector) {
            *place = entry.negated()?;
        }
        self.bits[opposite as usize] = self.bits[slot as usize];
        self.supports[opposite as usize] = self.supports[slot as usize];
        self.release(slot);
        Ok(opposite)
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
                self.supports[slot as usize] = exact_support(out);
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

fn exact_support<N: Number>(vector: &[N]) -> Support {
    support(vector.iter().enumerate().map(|(i, x)| (i, !x.is_zero())))
}
