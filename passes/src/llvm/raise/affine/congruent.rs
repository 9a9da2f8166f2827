//! Subscripts of fewer bits than an address has, which may wrap around: `A[i * n + j]` with `unsigned` numbers.
//!
//! Such a subscript is a polynomial modulo 2^bits. It is that polynomial itself where that is neither negative nor
//! 2^bits or more. Products of values make no affine condition, so this is not assumed like other things
//! ([`Assumptions`](super::assumptions::Assumptions)) but handed to who asks: the polynomial tells how far behind the start
//! of the array the element is, and how far behind the elements of a region are is known where its footprint is.

use super::assumptions::Domain;
use super::polynomial::Polynomial;

/// A number that was taken for one of fewer bits than an address has, or its sign extended, since it is congruent to that:
/// it is that one wherever it is at least 0 and at most `most`.
#[derive(Clone, Debug)]
pub struct Congruent {
    /// The number.
    pub number: Polynomial,
    /// The greatest one that does not wrap around.
    pub most: i128,
    /// Where it is asked for.
    pub domain: Domain,
}

impl Congruent {
    /// The number is the same as another one, asked for in the same iterations.
    pub fn is_same(&self, other: &Congruent) -> bool {
        self.number == other.number && self.most == other.most && self.domain.is_same(&other.domain)
    }

    /// The greatest offset of an array for which the number does not wrap around: the offset is a multiple of it, with a
    /// rest. Where an offset is not negative, the number is not negative either. Nothing if the offset is no such number.
    pub fn reach(&self, offset: &Polynomial) -> Option<i128> {
        let (monomial, coefficient) = self.number.terms().find(|(monomial, _)| !monomial.is_empty())?;
        let (_, whole) = offset.terms().find(|(known, _)| *known == monomial)?;
        let factor = whole / coefficient;
        let rest = offset.sub(&self.number.scale(factor)?)?.as_constant()?;
        // offset = factor * number + rest >= 0, so number > -1.
        if factor <= 0 || rest >= factor {
            return None;
        }
        self.most.checked_mul(factor)?.checked_add(rest)
    }
}
