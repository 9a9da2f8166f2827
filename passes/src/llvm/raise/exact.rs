//! From LLVM's integers, which wrap around, to exact ones.

use std::collections::BTreeMap;

use super::code::{Action, Code, Constant, LoopId, Source, Type, ValueId};
use super::describe::Range;
use super::facts::{Domain, Facts};
use super::polynomial::{Polynomial, Symbol};
use super::refusal::{Reason, Step};
use super::term::{Extreme, Form, Term};

/// What a term means: exact integers in a region.
pub struct Exact<'a> {
    /// The function.
    pub code: &'a Code,
    /// What holds in the region.
    pub facts: &'a mut Facts,
    /// The loops of the region that are known.
    pub ranges: &'a BTreeMap<LoopId, Range>,
    /// Whether a value is computed in the region.
    pub inside: &'a dyn Fn(ValueId) -> bool,
    /// PHIs that are known to be affine functions.
    pub affine: &'a BTreeMap<ValueId, Polynomial>,
}

/// Longer chains of instructions are not followed.
const DEPTH: usize = 16;

impl Exact<'_> {
    /// The signed number that a term is wherever a domain runs. For other values from outside than those that
    /// [`Facts::bad`] tells, it is just that.
    ///
    /// # Errors
    /// [`Reason::NotAffine`] if it is no polynomial; those of [`Facts::require`].
    pub fn signed(&mut self, term: &Term, domain: &Domain) -> Step<Polynomial> {
        self.number(term, domain, false)
    }

    /// A number that is equal to a term of 64 bits modulo 2^64.
    ///
    /// # Errors
    /// As of [`Exact::signed`].
    pub fn modular(&mut self, term: &Term, domain: &Domain) -> Step<Polynomial> {
        self.number(term, domain, term.bits == 64)
    }

    fn number(&mut self, term: &Term, domain: &Domain, modular: bool) -> Step<Polynomial> {
        let (result, wraps) = match &term.form {
            Form::Constant(value) => return Ok(Polynomial::constant(i128::from(*value))),
            Form::Value(value) => return self.value(*value),
            Form::Add(all, nsw) => {
                let mut sum = Polynomial::default();
                for part in all {
                    sum = sum.add(&self.number(part, domain, modular)?).ok_or(Reason::NotAffine)?;
                }
                (sum, !nsw)
            }
            Form::Mul(all, nsw) => {
                let mut product = Polynomial::constant(1);
                for part in all {
                    product = product.mul(&self.number(part, domain, modular)?).ok_or(Reason::NotAffine)?;
                }
                (product, !nsw)
            }
            Form::Recurrence(start, step, number, nsw) => {
                let start = self.number(start, domain, modular)?;
                let step = self.number(step, domain, modular)?;
                let (distance, per) = self.distance(*number, domain)?;
                let step = step.divide(i128::from(per)).ok_or(Reason::NotAffine)?;
                let sum = step.mul(&distance).and_then(|distance| distance.add(&start)).ok_or(Reason::NotAffine)?;
                (sum, !nsw)
            }
            Form::SignExtend(inner) => return self.signed(inner, domain),
            Form::ZeroExtend(inner) => {
                let inner = self.signed(inner, domain)?;
                self.facts.require(domain, &inner, Some(0), None)?;
                return Ok(inner);
            }
            Form::Truncate(inner) => (self.signed(inner, domain)?, true),
            Form::Extreme(which, all) => return self.extreme(*which, all, domain),
            Form::Divide(..) | Form::Other => return Err(Reason::NotAffine),
        };
        if wraps && !modular {
            let half = 1_i128.checked_shl(term.bits.saturating_sub(1)).filter(|_| term.bits <= 64);
            let half = half.ok_or(Reason::NotAffine)?;
            self.facts.require(domain, &result, Some(-half), Some(half - 1))?;
        }
        Ok(result)
    }

    fn value(&self, value: ValueId) -> Step<Polynomial> {
        if let Some(known) = self.affine.get(&value) {
            return Ok(known.clone());
        }
        match (self.code.kind(value), &self.code.values[value.0].source) {
            (Type::Int(2..=64), Source::Given) => {}
            (Type::Int(2..=64), Source::Computed(_)) if !(self.inside)(value) => {}
            _ => return Err(Reason::NotAffine),
        }
        Ok(Polynomial::symbol(Symbol::Value(value)))
    }

    /// How far a variable of a loop went before the current iteration, and how far it goes in each.
    fn distance(&mut self, number: LoopId, domain: &Domain) -> Step<(Polynomial, i64)> {
        if let Some(range) = self.ranges.get(&number) {
            let distance = Polynomial::symbol(Symbol::Loop(number)).sub(&range.lower);
            return Ok((distance.ok_or(Reason::NotAffine)?, range.step));
        }
        // A loop around the region: a value of it that goes up by one tells.
        let header = self.code.loops[number.0].header;
        for value in self.code.blocks[header.0].instructions.clone() {
            let phi = matches!(self.code.instruction(value).map(|phi| &phi.action), Some(Action::Phi(_)));
            let Some(Form::Recurrence(start, step, around, true)) =
                self.code.terms.get(&value).map(|term| &term.form).filter(|_| phi)
            else {
                continue;
            };
            if *around == number && step.form == Form::Constant(1) {
                let start = self.signed(&start.clone(), domain)?;
                return Ok((self.value(value)?.sub(&start).ok_or(Reason::NotAffine)?, 1));
            }
        }
        Err(Reason::NotAffine)
    }

    /// The least or greatest of several, if it is always the same one.
    fn extreme(&mut self, which: Extreme, all: &[Term], domain: &Domain) -> Step<Polynomial> {
        let mut numbers = Vec::new();
        for term in all {
            let number = self.signed(term, domain)?;
            if matches!(which, Extreme::UMax | Extreme::UMin) {
                self.facts.require(domain, &number, Some(0), None)?;
            }
            numbers.push(number);
        }
        let greatest = matches!(which, Extreme::SMax | Extreme::UMax);
        for candidate in &numbers {
            let mut wins = true;
            for other in &numbers {
                let distance = if greatest { candidate.sub(other) } else { other.sub(candidate) };
                wins &= self.facts.is_at_least_zero(domain, &distance.ok_or(Reason::NotAffine)?)?;
            }
            if wins {
                return Ok(candidate.clone());
            }
        }
        Err(Reason::NotAffine)
    }

    /// What an integer operand is. If it is poison, any number would do: so what instructions promise not to do is not done.
    ///
    /// # Errors
    /// As of [`Exact::signed`].
    pub fn operand(&mut self, value: ValueId, domain: &Domain) -> Step<Polynomial> {
        self.operand_within(value, domain, 0)
    }

    /// What is added to a base: multiples of values and a constant, modulo 2^64.
    ///
    /// # Errors
    /// As of [`Exact::signed`].
    pub fn offset(&mut self, parts: &[(ValueId, i64)], constant: i64, domain: &Domain) -> Step<Polynomial> {
        let mut sum = Polynomial::constant(i128::from(constant));
        for (value, scale) in parts {
            let part = self.operand(*value, domain)?.scale(i128::from(*scale));
            sum = part.and_then(|part| sum.add(&part)).ok_or(Reason::NotAffine)?;
        }
        Ok(sum)
    }

    fn operand_within(&mut self, value: ValueId, domain: &Domain, depth: usize) -> Step<Polynomial> {
        if let Some(known) = self.affine.get(&value) {
            return Ok(known.clone());
        }
        let instruction = match &self.code.values[value.0].source {
            Source::Constant(Constant::Int(number)) => return Ok(Polynomial::constant(i128::from(*number))),
            Source::Constant(_) => return Err(Reason::NotAffine),
            Source::Given => return self.value(value),
            Source::Computed(instruction) => instruction,
        };
        if depth < DEPTH
            && let (Action::Plain(name, flags), [left, right]) = (&instruction.action, &instruction.operands[..])
            && flags.contains("nsw")
        {
            let left = self.operand_within(*left, domain, depth + 1)?;
            let right = self.operand_within(*right, domain, depth + 1)?;
            let result = match *name {
                "arith.addi" => left.add(&right),
                "arith.subi" => left.sub(&right),
                "arith.muli" => left.mul(&right),
                _ => return self.value(value),
            };
            return result.ok_or(Reason::NotAffine);
        }
        if depth < DEPTH
            && let (Action::Cast("arith.extsi"), [inner]) = (&instruction.action, &instruction.operands[..])
            && self.code.kind(*inner) != Type::Int(1)
        {
            return self.operand_within(*inner, domain, depth + 1);
        }
        match self.code.terms.get(&value) {
            Some(term) => self.signed(&term.clone(), domain),
            None => self.value(value),
        }
    }
}
