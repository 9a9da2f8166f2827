//! Sparse rows in flat buffers.

use super::number::{Number, RowRef, Support, support};

/// Rows of coefficients; position 0 is the constant, position `1 + i` the variable `i`.
#[derive(Debug)]
pub(super) struct Rows<N> {
    ends: Vec<u32>,
    norms: Vec<u32>,
    supports: Vec<Support>,
    /// The supports of the negative coefficients.
    falls: Vec<Support>,
    index: Vec<u32>,
    coefficient: Vec<N>,
}

impl<N: Number> Rows<N> {
    /// No rows, with room for some.
    pub(super) fn new(rows: usize) -> Rows<N> {
        let entries = 8 * rows;
        Rows {
            ends: Vec::with_capacity(rows),
            norms: Vec::with_capacity(rows),
            supports: Vec::with_capacity(rows),
            falls: Vec::with_capacity(rows),
            index: Vec::with_capacity(entries),
            coefficient: Vec::with_capacity(entries),
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a row from its entries in ascending order of position; zeros are left out.
    pub(super) fn push(&mut self, entries: impl Iterator<Item = (u32, N)>) {
        let start = self.index.len();
        for (index, coefficient) in entries {
            if !coefficient.is_zero() {
                self.index.push(index);
                self.coefficient.push(coefficient);
            }
        }
        let (index, coefficient) = (&self.index[start..], &self.coefficient[start..]);
        let entries = index.iter().map(|&i| i as usize).zip(coefficient);
        self.falls.push(support(entries.clone().map(|(i, a)| (i, a.is_negative()))));
        self.supports.push(support(entries.map(|(i, _)| (i, true))));
        self.norms.push(N::norm(coefficient));
        self.ends.push(self.index.len() as u32);
    }

    /// A row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> RowRef<'_, N> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        let end = self.ends[row] as usize;
        RowRef {
            index: &self.index[start..end],
            coefficient: &self.coefficient[start..end],
            norm: self.norms[row],
            support: self.supports[row],
        }
    }

    /// The row's value may be negative at a vector without negative entries that has this support.
    #[inline]
    pub(super) fn may_fall(&self, row: usize, support: Support) -> bool {
        self.falls[row] & support != 0
    }

    /// Keeps the first rows only.
    pub(super) fn truncate(&mut self, len: usize) {
        let entries = if len == 0 { 0 } else { self.ends[len - 1] as usize };
        self.ends.truncate(len);
        self.norms.truncate(len);
        self.supports.truncate(len);
        self.falls.truncate(len);
        self.index.truncate(entries);
        self.coefficient.truncate(entries);
    }

    /// The same rows of another width.
    pub(super) fn widened<M: Number>(&self) -> Rows<M> {
        Rows {
            ends: self.ends.clone(),
            // Norms depend on the width's way to count.
            norms: (0..self.len()).map(|row| M::norm(&widened(self.row(row).coefficient))).collect(),
            supports: self.supports.clone(),
            falls: self.falls.clone(),
            index: self.index.clone(),
            coefficient: widened(&self.coefficient),
        }
    }
}

/// The same numbers in a type that holds them.
pub(super) fn widened<N: Number, M: Number>(numbers: &[N]) -> Vec<M> {
    numbers.iter().map(|x| M::from_big(&x.to_big()).expect("the wider type holds what the narrower held")).collect()
}
