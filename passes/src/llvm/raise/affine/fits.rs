//! What the raised function computes with 64 bits is the exact number.
//!
//! Bounds, conditions and subscripts are affine functions of exact integers here, and sums of products of 64 bits in
//! the code. LLVM's facts say that the numbers of the program fit, but a bound or a condition is a difference of two of
//! them: `hi - lo` for `i >= lo`, which may have 65 bits. MLIR computes products that must not wrap around (`nsw`),
//! and sums that may: so each product, and the whole, have to fit wherever they are computed.

use super::assumptions::{Assumptions, Domain};
use super::describe::Description;
use super::polynomial::Polynomial;
use super::range::Range;
use crate::llvm::raise::code::ids::{BlockId, LoopId};
use crate::llvm::raise::refusal::{Reason, Step};

/// The greatest number, and the least one but for its sign.
const GREATEST: i128 = i64::MAX as i128;

/// Something that the raised function computes.
#[derive(Clone, Copy, Debug)]
pub enum Computed {
    /// The condition of a block.
    Condition(BlockId),
    /// The bounds of a loop.
    Bounds(LoopId),
    /// The bounds of a loop that does what it does under the condition of a block, without that condition.
    Unguarded(LoopId, BlockId),
}

impl Description {
    /// What the function computes fits 64 bits, or the original has to run.
    ///
    /// # Errors
    /// As of [`Assumptions::assume`].
    pub fn fits(&mut self, computed: Computed) -> Step<()> {
        let domain = match computed {
            Computed::Condition(block) | Computed::Unguarded(_, block) => self.around_conditions.get(&block),
            Computed::Bounds(number) => self.around_loops.get(&number),
        };
        let domain = domain.ok_or(Reason::NotAffine)?;
        match computed {
            Computed::Condition(block) => {
                let constraints = self.conditions.get(&block).map(|condition| &condition.constraints[..]);
                let mut sides = constraints.unwrap_or_default().iter().map(|constraint| &constraint.polynomial);
                sides.try_for_each(|side| self.assumptions.fits(domain, side))
            }
            Computed::Bounds(number) | Computed::Unguarded(number, _) => {
                let range = self.ranges.get(&number).ok_or(Reason::Bound)?;
                self.assumptions.range_fits(domain, range)
            }
        }
    }
}

impl Assumptions {
    /// A polynomial and its products fit 64 bits wherever a domain runs, or the original has to run.
    ///
    /// # Errors
    /// As of [`Assumptions::assume`].
    pub fn fits(&mut self, domain: &Domain, polynomial: &Polynomial) -> Step<()> {
        self.products_fit(domain, polynomial)?;
        if polynomial.terms().count() > 1 { self.one_fits(domain, polynomial) } else { Ok(()) }
    }

    /// The products of a polynomial fit.
    ///
    /// # Errors
    /// As of [`Assumptions::assume`].
    pub fn products_fit(&mut self, domain: &Domain, polynomial: &Polynomial) -> Step<()> {
        // A variable, or a value from outside, is a number of 64 bits.
        for (monomial, coefficient) in polynomial.terms().filter(|(_, coefficient)| *coefficient != 1) {
            self.one_fits(domain, &Polynomial::product(monomial.clone(), coefficient))?;
        }
        Ok(())
    }

    /// Where a loop goes fits, and so does its variable behind the last iteration.
    ///
    /// # Errors
    /// As of [`Assumptions::assume`].
    fn range_fits(&mut self, domain: &Domain, range: &Range) -> Step<()> {
        range.lower.iter().chain(&range.upper).try_for_each(|bound| self.fits(domain, bound))?;
        if range.step != 1 {
            let more = Polynomial::constant(i128::from(range.step) - 1);
            for upper in &range.upper {
                self.one_fits(domain, &upper.add(&more).ok_or(Reason::NotAffine)?)?;
            }
        }
        Ok(())
    }

    fn one_fits(&mut self, domain: &Domain, number: &Polynomial) -> Step<()> {
        if self.interval(number).is_some_and(|(least, most)| -GREATEST <= least && most <= GREATEST) {
            return Ok(());
        }
        self.assume(domain, number, Some(-GREATEST), Some(GREATEST))
    }
}
