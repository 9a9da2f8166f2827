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

#[cfg(test)]
mod tests {
    use polyrs_core::isl;

    use super::*;
    use crate::llvm::raise::affine::assumptions::Assumptions;
    use crate::llvm::raise::affine::polynomial::Symbol;
    use crate::llvm::raise::code::ids::ValueId;

    #[test]
    fn how_far_offsets_reach_where_they_tell_of_the_number() {
        let assumptions = Assumptions::new(isl::Ctx::new(), std::collections::BTreeMap::new()).unwrap();
        let domain = assumptions.outside_of_loops().unwrap();
        let symbol = |id| Polynomial::symbol(Symbol::Value(ValueId(id)));
        // n * m - 3, below 2^32
        let number = symbol(0).mul(&symbol(1)).and_then(|product| product.sub(&Polynomial::constant(3))).unwrap();
        let congruent = Congruent { number: number.clone(), most: (1 << 32) - 1, domain };
        let offset = |factor, rest| number.scale(factor).and_then(|it| it.add(&Polynomial::constant(rest))).unwrap();
        assert_eq!(congruent.reach(&offset(8, 0)), Some(8 * ((1 << 32) - 1)));
        assert_eq!(congruent.reach(&offset(16, 8)), Some(16 * ((1 << 32) - 1) + 8));
        assert_eq!(congruent.reach(&offset(8, -80)), Some(8 * ((1 << 32) - 1) - 80));
        // The number may be -1 where the offset is 0.
        assert_eq!(congruent.reach(&offset(8, 8)), None);
        assert_eq!(congruent.reach(&offset(-8, 0)), None);
        assert_eq!(congruent.reach(&offset(8, 0).add(&symbol(1)).unwrap()), None);
        assert_eq!(congruent.reach(&symbol(0)), None);
    }
}
