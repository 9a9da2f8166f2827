//! Checked subscripts that are sums of products.
//!
//! `v.at(i * n + j)` throws where the subscript is not below the size. That is no affine condition, but a sum of products is
//! what the place of an element is, and its least and greatest value are found as those of places are
//! ([`crate::llvm::raise::delinearize::limits`]): the new code runs where the least is not negative and the greatest is below
//! the limit, so that nothing is thrown in any iteration.

use super::assumptions::Domain;
use super::no_wrap::NoWrap;
use super::polynomial::{Polynomial, Symbol};
use crate::llvm::raise::code::function::{Action, Code, Constant, Source};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::code::operation::{IntOp, Predicate};
use crate::llvm::raise::code::scev::Bound;
use crate::llvm::raise::refusal::{Reason, Step};

/// What is not to be negative is kept below this as well.
const LARGE: i128 = 1 << 60;

/// A number that has to be from 0 up to below a limit, or the original has to run.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The number, modulo 2^64.
    pub number: Polynomial,
    /// The limit, as a signed number: an affine polynomial over values.
    pub limit: Polynomial,
    /// Where they are compared.
    pub domain: Domain,
}

/// The conditions that a condition is made of, each with a truth value: one of them has that if the condition has its own.
pub fn parts(code: &Code, condition: ValueId, when: bool) -> Option<Vec<(ValueId, bool)>> {
    let constant = |value: ValueId| match code.values[value.0].source {
        Source::Constant(Constant::Int(number)) => Some(number != 0),
        _ => None,
    };
    let instruction = code.instruction(condition)?;
    let found = match (&instruction.action, &instruction.operands[..]) {
        (Action::Int(IntOp::Or, _), &[left, right]) if when => vec![left, right],
        (Action::Int(IntOp::And, _), &[left, right]) if !when => vec![left, right],
        (Action::Select, &[left, then, right]) if when && constant(then) == Some(true) => vec![left, right],
        (Action::Select, &[left, right, otherwise]) if !when && constant(otherwise) == Some(false) => vec![left, right],
        (Action::Int(IntOp::Xor, _), &[inner, flip]) if constant(flip) == Some(true) => {
            return Some(vec![(inner, !when)]);
        }
        _ => return None,
    };
    Some(found.into_iter().map(|part| (part, when)).collect())
}

impl NoWrap<'_> {
    /// What has to be within a limit for a comparison not to have some truth value in a domain. All numbers are small then,
    /// so that it is the same whether they are compared with sign or without, and modulo 2^64.
    ///
    /// # Errors
    /// [`Reason::NotAffine`] if it is no such comparison; those of [`super::assumptions::Assumptions::assume`].
    pub fn limit(&mut self, condition: ValueId, when: bool, domain: &Domain) -> Step<Limit> {
        let instruction = self.code.instruction(condition).ok_or(Reason::NotAffine)?;
        let (Action::Compare(predicate), &[left, right]) = (&instruction.action, &instruction.operands[..]) else {
            return Err(Reason::NotAffine);
        };
        // Good is what is less than the other side and some more.
        let (less, side, more) = match (predicate, when) {
            (Predicate::Uge | Predicate::Sge, true) | (Predicate::Ult | Predicate::Slt, false) => (left, right, 0),
            (Predicate::Ugt | Predicate::Sgt, true) | (Predicate::Ule | Predicate::Sle, false) => (left, right, 1),
            (Predicate::Ule | Predicate::Sle, true) | (Predicate::Ugt | Predicate::Sgt, false) => (right, left, 0),
            (Predicate::Ult | Predicate::Slt, true) | (Predicate::Uge | Predicate::Sge, false) => (right, left, 1),
            (Predicate::Eq | Predicate::Ne, _) => return Err(Reason::NotAffine),
        };
        let signed = matches!(predicate, Predicate::Sge | Predicate::Sgt | Predicate::Sle | Predicate::Slt);
        self.either(|it| it.below(less, (side, more), domain), |it| it.above(side, (less, more), signed, domain))
    }

    /// A number that has to be less than another one, which does not change, and some more.
    fn below(&mut self, number: ValueId, (limit, more): (ValueId, i128), domain: &Domain) -> Step<Limit> {
        let limit = self.bounds_of(limit, Bound::Upper, domain)?;
        let [limit] = &limit[..] else { return Err(Reason::NotAffine) };
        let changes = limit.symbols().any(|symbol| !matches!(symbol, Symbol::Value(_)));
        let limit = limit.add(&Polynomial::constant(more)).filter(|_| !changes).ok_or(Reason::NotAffine)?;
        Ok(Limit { number: self.modular_operand(number, domain)?, limit, domain: domain.clone() })
    }

    /// A number that, with some more, has to be greater than a constant, as it is if it is not negative.
    fn above(&mut self, number: ValueId, (than, more): (ValueId, i128), signed: bool, domain: &Domain) -> Step<Limit> {
        match self.code.values[than.0].source {
            Source::Constant(Constant::Int(than)) if signed && i128::from(than) < more => {}
            _ => return Err(Reason::NotAffine),
        }
        let number = self.modular_operand(number, domain)?;
        Ok(Limit { number, limit: Polynomial::constant(LARGE), domain: domain.clone() })
    }

    /// The number that an operand is, or one that is equal to it modulo 2^64.
    fn modular_operand(&mut self, value: ValueId, domain: &Domain) -> Step<Polynomial> {
        let scev = self.code.scevs.get(&value).filter(|scev| scev.bits == 64);
        self.either(|it| it.operand(value, domain), |it| it.modular(scev.ok_or(Reason::NotAffine)?, domain))
    }
}
