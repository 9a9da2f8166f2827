//! The numbers of a tableau: one trait, three widths.
//!
//! A tableau holds one type of number throughout ([`i64`], then [`i128`], then [`BigInt`]). The trait has whole kernels
//! over vectors and not only single operations, so that each width checks for overflow once for a vector wherever it
//! can.
//!
//! # Bits
//! `bits` of a vector is a number `b` with `|x| ≤ 2^b` for each entry `x`, `norm` of a row one with `Σ|a| ≤ 2^norm`.
//! Products that cannot overflow are known from these before they are computed. [`BigInt`] has no use for them and says
//! 0.

mod big;
mod machine;

use num_bigint::BigInt;
use std::cmp::Ordering;
use std::fmt::Debug;

/// A result, or something needed for it, is too wide for this type of number. Nothing has been changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overflow;

/// A vector and what it is multiplied by.
pub(super) struct Scaled<'a, N> {
    /// The factor.
    pub(super) factor: &'a N,
    /// The vector.
    pub(super) vector: &'a [N],
    /// The bits of the vector.
    pub(super) bits: u32,
}

/// A sparse row: `Σ coefficient[i] · v[index[i]]`.
pub(super) struct RowRef<'a, N> {
    /// Positions, ascending.
    pub(super) index: &'a [u32],
    /// Coefficients, none of them zero.
    pub(super) coefficient: &'a [N],
    /// The norm.
    pub(super) norm: u32,
    /// The support: where coefficients may be other than zero.
    pub(super) support: Support,
}

impl<N> Clone for RowRef<'_, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for RowRef<'_, N> {}

/// Positions modulo 64 as bits of a word: a superset of those that matter. Two vectors whose supports have nothing in
/// common have the product 0.
pub(super) type Support = u64;

/// The support of the positions with a mark.
#[inline]
pub(super) fn support(marks: impl Iterator<Item = (usize, bool)>) -> Support {
    marks.fold(0, |all, (position, mark)| all | Support::from(mark) << (position % Support::BITS as usize))
}

/// An integer type with the kernels of the tableau.
pub(super) trait Number: Clone + Debug + Ord {
    /// How many entries of 64 bits are computed in the time of one that is about as long as this.
    fn weight(&self) -> u64;
    /// 0.
    fn zero() -> Self;
    /// 1.
    fn one() -> Self;
    /// The number; every type holds 64 bits.
    fn from_i64(value: i64) -> Self;
    /// The number, if this type holds it.
    fn from_big(value: &BigInt) -> Option<Self>;
    /// The number as one of arbitrary precision.
    fn to_big(&self) -> BigInt;
    /// The number, if it fits 64 bits.
    fn to_i64(&self) -> Option<i64>;
    /// The sign, as a comparison with 0.
    fn sign(&self) -> Ordering;
    /// The bits of a vector.
    fn bits(vector: &[Self]) -> u32;
    /// The norm of a row.
    fn norm(coefficients: &[Self]) -> u32;
    /// The value of a row at a vector with these bits.
    fn dot(row: RowRef<'_, Self>, vector: &[Self], bits: u32) -> Result<Self, Overflow>;
    /// Sets `out` to a positive multiple of `x − y`, in lowest terms when it would be wide otherwise; returns its bits.
    fn subtract(out: &mut [Self], x: Scaled<'_, Self>, y: Scaled<'_, Self>) -> Result<u32, Overflow>;
    /// Compares `a·b` with `c·d`.
    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Result<Ordering, Overflow>;
    /// Both divided by their greatest common divisor; the first is positive.
    fn lowest_terms(a: &Self, b: &Self) -> Result<(Self, Self), Overflow>;
    /// The negated number.
    fn negated(&self) -> Result<Self, Overflow>;
    /// `self − a·b`.
    fn minus_product(&self, a: &Self, b: &Self) -> Result<Self, Overflow>;
    /// The quotient by a positive number, rounded down.
    fn div_floor(&self, divisor: &Self) -> Self;
    /// Divisible by a positive number.
    fn is_multiple_of(&self, divisor: &Self) -> bool;

    /// The sign is negative.
    fn is_negative(&self) -> bool {
        self.sign() == Ordering::Less
    }
    /// The sign is positive.
    fn is_positive(&self) -> bool {
        self.sign() == Ordering::Greater
    }
    /// The number is 0.
    fn is_zero(&self) -> bool {
        self.sign() == Ordering::Equal
    }
}
