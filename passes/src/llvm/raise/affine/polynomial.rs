//! Polynomials with integer coefficients over dimensions and values.

use std::collections::BTreeMap;

use crate::llvm::raise::code::ids::{LoopId, ValueId};

/// A dimension of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dim {
    /// The variable of a loop of the region.
    Loop(LoopId),
    /// A variable over the elements that one instruction sets or copies.
    Bulk {
        /// The first access of the instruction, by position.
        access: usize,
        /// How many of its variables are further out.
        level: usize,
    },
    /// The greatest of the numbers that a loop starts with.
    Max(LoopId),
    /// A subscript of an array.
    Subscript(usize),
    /// The greatest of several numbers, while it is looked for.
    Greatest,
}

/// Something that a polynomial is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// A dimension of the domain that it is looked at in.
    Dim(Dim),
    /// An integer from outside of the region, as a signed number.
    Value(ValueId),
    /// That and a number: what the extents of arrays are products of.
    Sum(ValueId, i64),
}

/// A product of symbols, in order.
pub type Monomial = Vec<Symbol>;

/// A polynomial. No coefficient is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Polynomial {
    terms: BTreeMap<Monomial, i128>,
}

/// More symbols in one product are not looked at.
const DEGREE: usize = 6;
/// More products are not looked at.
const TERMS: usize = 64;

impl Polynomial {
    /// A number.
    pub fn constant(value: i128) -> Self {
        Self::product(Vec::new(), value)
    }

    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Self {
        Self::product(vec![symbol], 1)
    }

    /// A product of symbols with a coefficient.
    pub fn product(mut monomial: Monomial, coefficient: i128) -> Self {
        monomial.sort_unstable();
        let mut result = Self::default();
        if coefficient != 0 {
            result.terms.insert(monomial, coefficient);
        }
        result
    }

    /// The products with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The sum; nothing if it is too large.
    pub fn add(&self, other: &Self) -> Option<Self> {
        let mut result = self.clone();
        for (monomial, coefficient) in &other.terms {
            let entry = result.terms.entry(monomial.clone()).or_insert(0);
            *entry = entry.checked_add(*coefficient)?;
            if *entry == 0 {
                result.terms.remove(monomial);
            }
        }
        (result.terms.len() <= TERMS).then_some(result)
    }

    /// The difference; nothing if it is too large.
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.add(&other.scale(-1)?)
    }

    /// A multiple; nothing if it is too large.
    pub fn scale(&self, factor: i128) -> Option<Self> {
        self.mul(&Self::constant(factor))
    }

    /// The product; nothing if it is too large.
    pub fn mul(&self, other: &Self) -> Option<Self> {
        let mut result = Self::default();
        for (left, one) in &self.terms {
            for (right, two) in &other.terms {
                let monomial: Monomial = left.iter().chain(right).copied().collect();
                if monomial.len() > DEGREE {
                    return None;
                }
                result = result.add(&Self::product(monomial, one.checked_mul(*two)?))?;
            }
        }
        Some(result)
    }

    /// The quotient by a number; nothing if there is a rest.
    pub fn divide(&self, divisor: i128) -> Option<Self> {
        let mut result = Self::default();
        for (monomial, coefficient) in &self.terms {
            if coefficient % divisor != 0 {
                return None;
            }
            result.terms.insert(monomial.clone(), coefficient / divisor);
        }
        Some(result)
    }

    /// With polynomials in the place of symbols; nothing if one has none, or if that is too large.
    pub fn replaced(&self, by: impl Fn(Symbol) -> Option<Polynomial>) -> Option<Self> {
        let mut result = Self::default();
        for (monomial, coefficient) in &self.terms {
            let mut product = Self::constant(*coefficient);
            for symbol in monomial {
                product = product.mul(&by(*symbol)?)?;
            }
            result = result.add(&product)?;
        }
        Some(result)
    }

    /// With values in the place of sums; nothing if that is too large.
    pub fn without_sums(&self) -> Option<Self> {
        self.replaced(|symbol| match symbol {
            Symbol::Sum(value, more) => Self::symbol(Symbol::Value(value)).add(&Self::constant(i128::from(more))),
            other => Some(Self::symbol(other)),
        })
    }

    /// With the sum of a value and a number in the place of that value; nothing if that is too large.
    pub fn with_sum(&self, value: ValueId, more: i64) -> Option<Self> {
        self.replaced(|symbol| {
            if symbol != Symbol::Value(value) {
                return Some(Self::symbol(symbol));
            }
            Self::symbol(Symbol::Sum(value, more)).sub(&Self::constant(i128::from(more)))
        })
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The least and the greatest number that it may be, given those of symbols; nothing if it is not affine or that is
    /// too large.
    pub fn interval(&self, of: impl Fn(Symbol) -> Option<(i128, i128)>) -> Option<(i128, i128)> {
        let (mut least, mut most) = (0_i128, 0_i128);
        for (monomial, coefficient) in self.terms() {
            let (low, high) = match monomial[..] {
                [] => (1, 1),
                [symbol] => of(symbol)?,
                _ => return None,
            };
            let ends = [low.checked_mul(coefficient)?, high.checked_mul(coefficient)?];
            least = least.checked_add(ends[0].min(ends[1]))?;
            most = most.checked_add(ends[0].max(ends[1]))?;
        }
        Some((least, most))
    }

    /// No product of symbols.
    pub fn is_affine(&self) -> bool {
        self.terms.keys().all(|monomial| monomial.len() <= 1)
    }

    /// The symbols that occur.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.terms.keys().flatten().copied()
    }

    /// The integers from outside that it is over.
    pub fn values(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.symbols().filter_map(|symbol| match symbol {
            Symbol::Value(value) | Symbol::Sum(value, _) => Some(value),
            Symbol::Dim(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Polynomial {
        Polynomial::symbol(Symbol::Value(ValueId(0)))
    }

    fn i() -> Polynomial {
        Polynomial::symbol(Symbol::Dim(Dim::Loop(LoopId(0))))
    }

    #[test]
    fn sums_cancel() {
        let twice = n().add(&n()).and_then(|sum| sum.sub(&n().scale(2)?));
        assert_eq!(twice, Some(Polynomial::default()));
        assert_eq!(twice.and_then(|zero| zero.as_constant()), Some(0));
    }

    #[test]
    fn products_are_distributed() {
        let one = Polynomial::constant(1);
        let left = n().add(&one).unwrap().mul(&i()).unwrap();
        let right = n().mul(&i()).unwrap().add(&i()).unwrap();
        assert_eq!(left, right);
        assert!(!left.is_affine());
    }

    #[test]
    fn what_is_too_large_is_nothing() {
        let large = Polynomial::constant(i128::MAX);
        assert_eq!(large.add(&large), None);
        let mut power = n();
        for _ in 1..DEGREE {
            power = power.mul(&n()).unwrap();
        }
        assert_eq!(power.mul(&n()), None);
    }
}
