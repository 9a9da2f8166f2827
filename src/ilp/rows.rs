//! Sparse rows in flat buffers.

use super::number::{Number, RowRef};

/// Rows of coefficients; position 0 is the constant, position `1 + i` the variable `i`.
#[derive(Debug)]
pub(super) struct Rows<N> {
    ends: Vec<u32>,
    norms: Vec<u32>,
    index: Vec<u32>,
    coefficient: Vec<N>,
}

impl<N: Number> Rows<N> {
    pub(super) fn new() -> Rows<N> {
        Rows { ends: Vec::new(), norms: Vec::new(), index: Vec::new(), coefficient: Vec::new() }
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
        self.norms.push(N::norm(&self.coefficient[start..]));
        self.ends.push(self.index.len() as u32);
    }

    /// A row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> RowRef<'_, N> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        let end = self.ends[row] as usize;
        RowRef { index: &self.index[start..end], coefficient: &self.coefficient[start..end], norm: self.norms[row] }
    }

    /// Keeps the first rows only.
    pub(super) fn truncate(&mut self, len: usize) {
        let entries = if len == 0 { 0 } else { self.ends[len - 1] as usize };
        self.ends.truncate(len);
        self.norms.truncate(len);
        self.index.truncate(entries);
        self.coefficient.truncate(entries);
    }

    /// The same rows of another width.
    pub(super) fn widened<M: Number>(&self) -> Rows<M> {
        Rows {
            ends: self.ends.clone(),
            // Norms depend on the width's way to count.
            norms: (0..self.len()).map(|row| M::norm(&widened(self.row(row).coefficient))).collect(),
            index: self.index.clone(),
            coefficient: widened(&self.coefficient),
        }
    }
}

/// The same numbers in a type that holds them.
pub(super) fn widened<N: Number, M: Number>(numbers: &[N]) -> Vec<M> {
    numbers.iter().map(|x| M::from_big(&x.to_big()).expect("the wider type holds what the narrower held")).collect()
}
