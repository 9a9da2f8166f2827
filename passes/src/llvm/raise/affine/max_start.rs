//! Loops that start with the greatest of several numbers.
//!
//! A lower bound `max(a, b)` gets a fresh symbol `m` with all that is known of it, [`Dim::Max`]; add-recurrences that
//! start from there become `m + k`, where `k` counts iterations; rewriting `m + k` as the variable `j` eliminates `m`.

use super::assumptions::{Assumptions, Domain};
use super::polynomial::{Dim, Polynomial, Symbol};
use crate::llvm::raise::code::ids::LoopId;
use crate::llvm::raise::refusal::Step;

/// The first value of a loop's variable.
pub struct MaxStart {
    /// The number.
    pub first: Polynomial,
    /// The variable that stands for it and these, if it is the greatest of several.
    pub greatest: Option<(Dim, Vec<Polynomial>)>,
    /// The domain around the loop, with that variable.
    pub domain: Domain,
}

impl MaxStart {
    /// The greatest of some numbers, as the first value of a loop in a domain.
    ///
    /// # Errors
    /// As of [`Assumptions::set`].
    pub fn of(number: LoopId, lower: &[Polynomial], domain: &Domain, assumptions: &Assumptions) -> Step<Self> {
        if let [one] = lower {
            return Ok(Self { first: one.clone(), greatest: None, domain: domain.clone() });
        }
        let dim = Dim::Max(number);
        let domain = assumptions.with_greatest(domain, dim, lower)?;
        let first = Polynomial::symbol(Symbol::Dim(dim));
        Ok(Self { first, greatest: Some((dim, lower.to_vec())), domain })
    }

    /// Whether a polynomial is over the variable that stands for the number.
    pub fn is_in(&self, polynomial: &Polynomial) -> bool {
        let Some((dim, _)) = &self.greatest else { return false };
        polynomial.symbols().any(|symbol| symbol == Symbol::Dim(*dim))
    }
}

/// How far some numbers are above others, if it is the same for all.
pub fn distance(numbers: &[Polynomial], above: &[Polynomial]) -> Option<Polynomial> {
    let first = numbers.first()?;
    above.iter().filter_map(|one| first.sub(one)).find(|distance| {
        let moved: Option<Vec<_>> = above.iter().map(|one| one.add(distance)).collect();
        moved.is_some_and(|moved| {
            moved.iter().all(|one| numbers.contains(one)) && numbers.iter().all(|one| moved.contains(one))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::raise::code::ids::ValueId;

    fn n() -> Polynomial {
        Polynomial::symbol(Symbol::Value(ValueId(0)))
    }

    #[test]
    fn a_distance_is_the_same_for_all_numbers() {
        let number = Polynomial::constant;
        let above = |by: i128| [n().add(&number(by)).unwrap(), number(by)];
        assert_eq!(distance(&above(5), &above(2)), Some(number(3)));
        assert_eq!(distance(&[number(5), n()], &above(0)), None);
        assert_eq!(distance(&[n()], &above(0)), None);
        assert_eq!(distance(&[n(), n()], &above(0)), None);
    }
}
