//! From LLVM's integers, which wrap around, to exact ones.

use std::collections::BTreeMap;

use super::assumptions::{Assumptions, Constraint, Domain};
use super::condition::compare;
use super::congruent::Congruent;
use super::max_start::{MaxStart, distance};
use super::polynomial::{Dim, Polynomial, Symbol};
use super::range::Range;
use crate::llvm::raise::code::function::{Action, Code, Constant, FROZEN, Source, Type};
use crate::llvm::raise::code::ids::{LoopId, ValueId};
use crate::llvm::raise::code::operation::{CastOp, IntOp, Wrapping};
use crate::llvm::raise::code::scev::{Bound, Form, MinMax, Scev, Wrap};
use crate::llvm::raise::refusal::{Reason, Step};

/// The exact integers that SCEVs are in a region.
pub struct NoWrap<'a> {
    /// The function.
    pub code: &'a Code,
    /// The assumptions about the region.
    pub assumptions: &'a mut Assumptions,
    /// The loops of the region that are known.
    pub ranges: &'a BTreeMap<LoopId, Range>,
    /// Whether a value is computed in the region.
    pub inside: &'a dyn Fn(ValueId) -> bool,
    /// PHIs that are known to be affine functions.
    pub affine: &'a BTreeMap<ValueId, Polynomial>,
    /// Variables that stand for the greatest of several numbers, where loops start with these.
    pub starts: Vec<(Dim, Vec<Polynomial>)>,
    /// When values from before the region stand for numbers.
    pub computed: Computed,
    /// What numbers of fewer bits were taken for; nothing where these may not be taken for anything.
    pub congruent: Option<Vec<Congruent>>,
}

/// When a value that is computed before stands for a number, in the place of what it is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computed {
    /// Never.
    Never,
    /// Where what it is computed from makes no polynomial.
    NoNumber,
    /// Where that makes none that is affine.
    NotAffine,
}

/// Numbers that are made of more are not looked at.
const BOUNDS: usize = 4;

/// Longer chains of instructions are not followed.
const DEPTH: usize = 16;

/// The same numbers, if they are affine.
fn affine(all: Vec<Polynomial>) -> Step<Vec<Polynomial>> {
    if all.iter().all(Polynomial::is_affine) { Ok(all) } else { Err(Reason::NotAffine) }
}

/// Which number a SCEV is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// The signed number itself.
    Signed,
    /// Any that is equal to it modulo 2^bits.
    Modular,
}

impl NoWrap<'_> {
    /// The signed number that a SCEV is wherever a domain runs. For other values from outside than those that
    /// [`Assumptions::invalid_context`] tells, it is just that.
    ///
    /// # Errors
    /// [`Reason::NotAffine`] if it is no polynomial; those of [`Assumptions::assume`].
    pub fn signed(&mut self, scev: &Scev, domain: &Domain) -> Step<Polynomial> {
        self.number(scev, domain, Meaning::Signed)
    }

    /// A number that is equal to a SCEV of 64 bits modulo 2^64.
    ///
    /// # Errors
    /// As of [`NoWrap::signed`].
    pub fn modular(&mut self, scev: &Scev, domain: &Domain) -> Step<Polynomial> {
        self.number(scev, domain, if scev.bits == 64 { Meaning::Modular } else { Meaning::Signed })
    }

    fn number(&mut self, scev: &Scev, domain: &Domain, meaning: Meaning) -> Step<Polynomial> {
        match scev.computed {
            Some(computed) if self.computed != Computed::Never && scev.is_low_bits() => self.value(computed),
            Some(computed) if self.computed != Computed::Never => {
                let wanted = self.computed;
                let composed = |it: &mut Self| {
                    let found = it.composed(scev, domain, meaning)?;
                    let good = wanted == Computed::NoNumber || found.is_affine();
                    good.then_some(found).ok_or(Reason::NotAffine)
                };
                self.either(composed, |it| it.value(computed))
            }
            _ => self.composed(scev, domain, meaning),
        }
    }

    /// The number that a SCEV is by what it is made of.
    fn composed(&mut self, scev: &Scev, domain: &Domain, meaning: Meaning) -> Step<Polynomial> {
        let (result, wrap) = match &scev.form {
            Form::Constant(value) => return Ok(Polynomial::constant(i128::from(*value))),
            Form::Value(value) if self.is_rest_of_bound(*value) => {
                let rest = self.value(*value)?;
                self.assumptions.assume(domain, &rest, Some(0), Some(0))?;
                return Ok(Polynomial::default());
            }
            Form::Value(value) => {
                let known = self.value(*value).or_else(|_| self.at_start(scev, domain));
                return known.or_else(|_| self.rest_of_stride(*value, domain));
            }
            Form::Add(all, wrap) => {
                let mut sum = Polynomial::default();
                for part in all {
                    sum = sum.add(&self.number(part, domain, meaning)?).ok_or(Reason::NotAffine)?;
                }
                (sum, *wrap)
            }
            Form::Mul(all, wrap) => {
                let mut product = Polynomial::constant(1);
                for part in all {
                    product = product.mul(&self.number(part, domain, meaning)?).ok_or(Reason::NotAffine)?;
                }
                (product, *wrap)
            }
            Form::AddRec(start, step, number, wrap) => {
                (self.recurrence((start, step), *number, domain, meaning)?, *wrap)
            }
            Form::SignExtend(inner) => {
                let bits = inner.bits.saturating_sub(1);
                return self.either(|it| it.signed(inner, domain), |it| it.congruent(scev, inner, bits, domain));
            }
            Form::ZeroExtend(inner) => {
                return self
                    .either(|it| it.unsigned(inner, domain), |it| it.congruent(scev, inner, inner.bits, domain));
            }
            Form::Truncate(inner) => (self.number(inner, domain, meaning)?, Wrap::May),
            Form::MinMax(which, all) => {
                return self.either(|it| it.min_max(*which, all, domain), |it| it.at_start(scev, domain));
            }
            Form::Divide(..) | Form::Other => return Err(Reason::NotAffine),
        };
        if wrap == Wrap::May && meaning == Meaning::Signed {
            self.assume_fits(scev.bits, domain, std::slice::from_ref(&result), Bound::Upper)?;
        }
        Ok(result)
    }

    /// The same of a number that must not be negative.
    fn unsigned(&mut self, scev: &Scev, domain: &Domain) -> Step<Polynomial> {
        let number = self.signed(scev, domain)?;
        self.assumptions.assume(domain, &number, Some(0), None)?;
        Ok(number)
    }

    /// A number that an extended SCEV is if it is not negative and has so few bits before, which is noted.
    fn congruent(&mut self, extended: &Scev, scev: &Scev, bits: u32, domain: &Domain) -> Step<Polynomial> {
        if self.congruent.is_none() || !(1..64).contains(&bits) {
            return Err(Reason::NotAffine);
        }
        if let Some(known) = extended.computed.and_then(|computed| self.value(computed).ok()) {
            return Ok(known);
        }
        let number = self.number(scev, domain, Meaning::Modular)?;
        let noted = Congruent { number: number.clone(), most: (1 << bits) - 1, domain: domain.clone() };
        self.congruent.as_mut().ok_or(Reason::NotAffine)?.push(noted);
        Ok(number)
    }

    /// The first answer, or if that is not affine, the second: without the assumptions of the first.
    pub(super) fn either<T>(
        &mut self,
        first: impl FnOnce(&mut Self) -> Step<T>,
        then: impl FnOnce(&mut Self) -> Step<T>,
    ) -> Step<T> {
        let before = self.assumptions.invalid_context().clone();
        let congruent = self.congruent.clone();
        match first(self) {
            Err(Reason::NotAffine) => {
                self.assumptions.restore(before);
                self.congruent = congruent;
                then(self)
            }
            found => found,
        }
    }

    /// Numbers of which a SCEV is the least or the greatest, wherever a domain runs: one, if it is known which.
    ///
    /// # Errors
    /// As of [`NoWrap::signed`].
    pub fn bounds(&mut self, scev: &Scev, bound: Bound, domain: &Domain) -> Step<Vec<Polynomial>> {
        let one_or_several =
            |it: &mut Self| it.either(|it| Ok(vec![it.signed(scev, domain)?]), |it| it.several(scev, bound, domain));
        if self.computed == Computed::Never {
            return one_or_several(self);
        }
        let Some(computed) = scev.computed else { return self.taking(Computed::NotAffine, one_or_several) };
        // What is known of the parts is more than what is known of the whole.
        self.either(
            |it| it.taking(Computed::Never, one_or_several).and_then(affine),
            |it| Ok(vec![it.value(computed)?]),
        )
    }

    /// Asks with other values in the place of what they are computed from.
    fn taking<T>(&mut self, computed: Computed, ask: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.computed, computed);
        let answer = ask(self);
        self.computed = before;
        answer
    }

    /// The same of a SCEV that is not one number.
    fn several(&mut self, scev: &Scev, bound: Bound, domain: &Domain) -> Step<Vec<Polynomial>> {
        let (results, wrap) = match &scev.form {
            Form::MinMax(which, all) if which.bound() == bound => {
                let mut parts = Vec::new();
                for part in all {
                    parts.extend(self.bounds(part, bound, domain)?);
                }
                // Of numbers without sign, none may be negative.
                if which.is_unsigned() {
                    parts.iter().try_for_each(|part| self.assumptions.assume(domain, part, Some(0), None))?;
                }
                (parts, Wrap::Never)
            }
            Form::MinMax(which, all) => (self.winner(*which, all, bound, domain)?, Wrap::Never),
            Form::Add(all, wrap) => {
                let mut sums = vec![Polynomial::default()];
                for part in all {
                    let parts = self.bounds(part, bound, domain)?;
                    let pairs = sums.iter().flat_map(|sum| parts.iter().map(move |part| sum.add(part)));
                    sums = pairs
                        .collect::<Option<_>>()
                        .filter(|sums: &Vec<_>| sums.len() <= BOUNDS)
                        .ok_or(Reason::NotAffine)?;
                }
                (sums, *wrap)
            }
            Form::Mul(all, wrap) => {
                let [Scev { form: Form::Constant(factor), .. }, part] = &all[..] else { return Err(Reason::NotAffine) };
                let parts = self.bounds(part, if *factor < 0 { bound.opposite() } else { bound }, domain)?;
                let products = parts.iter().map(|part| part.scale(i128::from(*factor)));
                (products.collect::<Option<_>>().ok_or(Reason::NotAffine)?, *wrap)
            }
            Form::Value(value) => (self.chosen(*value, bound, domain)?, Wrap::Never),
            Form::SignExtend(inner) => (self.bounds(inner, bound, domain)?, Wrap::Never),
            Form::ZeroExtend(inner) => {
                let inner = self.bounds(inner, bound, domain)?;
                self.assume_of(domain, &inner, bound, Some(0), None)?;
                (inner, Wrap::Never)
            }
            _ => return Err(Reason::NotAffine),
        };
        if results.len() > BOUNDS {
            return Err(Reason::NotAffine);
        }
        if wrap == Wrap::May {
            self.assume_fits(scev.bits, domain, &results, bound)?;
        }
        Ok(results)
    }

    /// The one of several SCEVs that is always the least, or the greatest, which is of a bound itself: as
    /// `max(t + 1, min(t + 32, n))` is `min(t + 32, n)` where `t < n`.
    fn winner(&mut self, which: MinMax, all: &[Scev], bound: Bound, domain: &Domain) -> Step<Vec<Polynomial>> {
        let before = self.assumptions.invalid_context().clone();
        for (number, candidate) in all.iter().enumerate() {
            self.assumptions.restore(before.clone());
            let Ok(found) = self.bounds(candidate, bound, domain) else { continue };
            let mut wins = true;
            for (_, other) in all.iter().enumerate().filter(|(other, _)| *other != number) {
                let Ok(other) = self.signed(other, domain) else {
                    wins = false;
                    break;
                };
                for one in &found {
                    let distance = if which.bound() == Bound::Lower { one.sub(&other) } else { other.sub(one) };
                    wins &= self.assumptions.is_at_least_zero(domain, &distance.ok_or(Reason::NotAffine)?)?;
                    // Of numbers without sign, none may be negative.
                    wins &= !which.is_unsigned() || self.assumptions.is_at_least_zero(domain, one)?;
                    wins &= !which.is_unsigned() || self.assumptions.is_at_least_zero(domain, &other)?;
                }
            }
            if wins {
                return Ok(found);
            }
        }
        Err(Reason::NotAffine)
    }

    /// The numbers of which a `select` takes the least or the greatest; scalar evolution does not see that where they
    /// are compared with more bits than are taken.
    fn chosen(&mut self, value: ValueId, bound: Bound, domain: &Domain) -> Step<Vec<Polynomial>> {
        let Source::Computed(choice) = &self.code.values[value.0].source else { return Err(Reason::NotAffine) };
        let (Action::Select, &[condition, then, otherwise]) = (&choice.action, &choice.operands[..]) else {
            return Err(Reason::NotAffine);
        };
        // It is a comparison of two numbers: nothing that could be a choice again, so this ends.
        let Some((Action::Compare(predicate), &[left, right])) =
            self.code.instruction(condition).map(|it| (&it.action, &it.operands[..]))
        else {
            return Err(Reason::NotAffine);
        };
        let (left, right) = (self.operand(left, domain)?, self.operand(right, domain)?);
        let holds = compare(self.assumptions, *predicate, &left, &right, domain)?;
        let [Constraint { polynomial: holds, equal: false }] = &holds.constraints[..] else {
            return Err(Reason::NotAffine);
        };
        let (then, otherwise) = (self.operand(then, domain)?, self.operand(otherwise, domain)?);
        // `then` is taken where otherwise - then - gap >= 0, so that it is the smaller one; or the other way round.
        let distance = match bound {
            Bound::Upper => otherwise.sub(&then),
            Bound::Lower => then.sub(&otherwise),
        };
        match distance.and_then(|distance| distance.sub(holds)).and_then(|gap| gap.as_constant()) {
            Some(0 | 1) => Ok(vec![then, otherwise]),
            _ => Err(Reason::NotAffine),
        }
    }

    /// The least or the greatest of several numbers is a signed number of so many bits, or the original has to run.
    fn assume_fits(&mut self, bits: u32, domain: &Domain, all: &[Polynomial], bound: Bound) -> Step<()> {
        let half = 1_i128.checked_shl(bits.saturating_sub(1)).filter(|_| bits <= 64).ok_or(Reason::NotAffine)?;
        self.assume_of(domain, all, bound, Some(-half), Some(half - 1))
    }

    /// The least or the greatest of several numbers is within constant bounds in a domain, or the original has to run.
    ///
    /// # Errors
    /// Those of [`Assumptions::assume`].
    pub(super) fn assume_of(
        &mut self,
        domain: &Domain,
        all: &[Polynomial],
        bound: Bound,
        least: Option<i128>,
        most: Option<i128>,
    ) -> Step<()> {
        if let [one] = all {
            return self.assumptions.assume(domain, one, least, most);
        }
        // The least of several is the greatest of what is opposite to them.
        let sign = if bound == Bound::Lower { 1 } else { -1 };
        let all: Option<Vec<_>> = all.iter().map(|one| one.scale(sign)).collect();
        let domain = self.assumptions.with_greatest(domain, Dim::Greatest, &all.ok_or(Reason::NotAffine)?)?;
        let number = Polynomial::product(vec![Symbol::Dim(Dim::Greatest)], sign);
        self.assumptions.assume(&domain, &number, least, most)
    }

    /// The same of an operand of an instruction.
    ///
    /// # Errors
    /// As of [`NoWrap::signed`].
    pub fn bounds_of(&mut self, value: ValueId, bound: Bound, domain: &Domain) -> Step<Vec<Polynomial>> {
        let scev = self.code.scevs.get(&value).ok_or(Reason::NotAffine);
        let operand = |it: &mut Self| affine(vec![it.taking(Computed::Never, |it| it.operand(value, domain))?]);
        let bounds =
            |it: &mut Self| it.either(|it| affine(it.bounds(scev?, bound, domain)?), |it| Ok(vec![it.value(value)?]));
        self.either(operand, bounds)
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

    /// Products with what is left of strides that are divided, shifted: nothing where the strides are multiples, which is
    /// assumed (`plugin/host/strides.cpp`).
    fn rest_of_stride(&mut self, value: ValueId, domain: &Domain) -> Step<Polynomial> {
        let shifted = match self.code.instruction(value).map(|it| (&it.action, &it.operands[..])) {
            Some((Action::Int(IntOp::AShr, _), &[shifted, _])) => shifted,
            _ => return Err(Reason::NotAffine),
        };
        let scev = self.code.scevs.get(&shifted).ok_or(Reason::NotAffine)?.clone();
        for (product, _) in self.modular(&scev, domain)?.terms() {
            let rest = product.iter().find_map(|symbol| match symbol {
                Symbol::Value(value) => Some(*value).filter(|value| self.is_rest(*value)),
                _ => None,
            });
            let rest = Polynomial::symbol(Symbol::Value(rest.ok_or(Reason::NotAffine)?));
            self.assumptions.assume(domain, &rest, Some(0), Some(0))?;
        }
        Ok(Polynomial::default())
    }

    /// The low bits of a number from outside.
    fn is_rest(&self, value: ValueId) -> bool {
        let mask = self.code.instruction(value).filter(|it| matches!(it.action, Action::Int(IntOp::And, _)));
        mask.and_then(|mask| mask.operands.get(1)).is_some_and(
            |mask| matches!(self.code.values[mask.0].source, Source::Constant(Constant::Int(mask)) if mask > 0),
        )
    }

    /// What is left of the lower bound of an array without the one that it nearly always is (`plugin/host/strides.cpp`).
    fn is_rest_of_bound(&self, value: ValueId) -> bool {
        let operand = |value: ValueId, action: &dyn Fn(&Action) -> bool, number: usize| {
            let instruction = self.code.instruction(value).filter(|it| action(&it.action))?;
            instruction.operands.get(number).copied()
        };
        let less = operand(value, &|action| *action == Action::Other(FROZEN), 0);
        let one = less.and_then(|less| operand(less, &|action| matches!(action, Action::Int(IntOp::Sub, _)), 1));
        one.is_some_and(|one| matches!(self.code.values[one.0].source, Source::Constant(Constant::Int(1))))
    }

    /// A number that goes up by a step in each iteration of a loop, from where it starts.
    fn recurrence(
        &mut self,
        (start, step): (&Scev, &Scev),
        number: LoopId,
        domain: &Domain,
        meaning: Meaning,
    ) -> Step<Polynomial> {
        // Of what is wanted modulo 2^bits, the distance may be as well.
        let bits = if meaning == Meaning::Modular && start.bits > 0 { start.bits } else { u32::MAX };
        let step = self.number(step, domain, meaning)?;
        let Some(range) = self.ranges.get(&number) else {
            let start = self.number(start, domain, meaning)?;
            let distance = self.distance_around(number, bits, domain)?;
            return step.mul(&distance).and_then(|distance| distance.add(&start)).ok_or(Reason::NotAffine);
        };
        let step = step.divide(i128::from(range.step)).ok_or(Reason::NotAffine)?;
        let from = MaxStart::of(number, &range.lower, domain, self.assumptions)?;
        let start = self.after(&from, |it| it.number(start, &from.domain, meaning))?;
        let distance = Polynomial::symbol(Symbol::Dim(Dim::Loop(number))).sub(&from.first).ok_or(Reason::NotAffine)?;
        let sum = step.mul(&distance).and_then(|distance| distance.add(&start)).ok_or(Reason::NotAffine)?;
        if from.is_in(&sum) { Err(Reason::NotAffine) } else { Ok(sum) }
    }

    /// How often a loop around the region went on before the current iteration, modulo 2^bits: so counters that have as many
    /// bits tell, though they may wrap around.
    fn distance_around(&mut self, number: LoopId, bits: u32, domain: &Domain) -> Step<Polynomial> {
        // A value of it that goes up by one tells.
        let header = self.code.loops[number.0].header;
        for value in self.code.blocks[header.0].instructions.clone() {
            let phi = matches!(self.code.instruction(value).map(|phi| &phi.action), Some(Action::Phi(_)));
            let Some(scev) = self.code.scevs.get(&value).filter(|_| phi) else { continue };
            let Form::AddRec(start, step, around, wrap) = &scev.form else { continue };
            let is_exact = *wrap == Wrap::Never;
            if *around == number && step.form == Form::Constant(1) && (is_exact || scev.bits >= bits) {
                let meaning = if is_exact { Meaning::Signed } else { Meaning::Modular };
                let start = self.number(&start.clone(), domain, meaning)?;
                return self.value(value)?.sub(&start).ok_or(Reason::NotAffine);
            }
        }
        Err(Reason::NotAffine)
    }

    /// The least or greatest of several, if it is always the same one.
    fn min_max(&mut self, which: MinMax, all: &[Scev], domain: &Domain) -> Step<Polynomial> {
        let mut numbers = Vec::new();
        for scev in all {
            let number = self.signed(scev, domain)?;
            if which.is_unsigned() {
                self.assumptions.assume(domain, &number, Some(0), None)?;
            }
            numbers.push(number);
        }
        let greatest = which.bound() == Bound::Lower;
        for candidate in &numbers {
            let mut wins = true;
            for other in &numbers {
                let distance = if greatest { candidate.sub(other) } else { other.sub(candidate) };
                wins &= self.assumptions.is_at_least_zero(domain, &distance.ok_or(Reason::NotAffine)?)?;
            }
            if wins {
                return Ok(candidate.clone());
            }
        }
        Err(Reason::NotAffine)
    }

    /// The number that an integer operand is. If it is poison, any number would do: so what instructions promise not to
    /// do is not done.
    ///
    /// # Errors
    /// As of [`NoWrap::signed`].
    pub fn operand(&mut self, value: ValueId, domain: &Domain) -> Step<Polynomial> {
        self.operand_within(value, domain, 0)
    }

    /// The offset from a base: multiples of values and a constant, modulo 2^64.
    ///
    /// # Errors
    /// As of [`NoWrap::signed`].
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
            && let (Action::Int(operation, Wrapping { nsw: true, .. }), [left, right]) =
                (&instruction.action, &instruction.operands[..])
        {
            let left = self.operand_within(*left, domain, depth + 1)?;
            let right = self.operand_within(*right, domain, depth + 1)?;
            let result = match operation {
                IntOp::Add => left.add(&right),
                IntOp::Sub => left.sub(&right),
                IntOp::Mul => left.mul(&right),
                _ => return self.value(value),
            };
            return result.ok_or(Reason::NotAffine);
        }
        if depth < DEPTH
            && let (Action::Cast(CastOp::SExt), [inner]) = (&instruction.action, &instruction.operands[..])
            && self.code.kind(*inner) != Type::Int(1)
        {
            return self.operand_within(*inner, domain, depth + 1);
        }
        match self.code.scevs.get(&value) {
            Some(scev) => self.signed(&scev.clone(), domain),
            None => self.value(value),
        }
    }

    /// Asks where the variable of a start is known.
    pub(super) fn after<T>(&mut self, start: &MaxStart, ask: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.starts.len();
        self.starts.extend(start.greatest.clone());
        let answer = ask(self);
        self.starts.truncate(known);
        answer
    }

    /// A SCEV that is the first value of a loop and a constant distance, where that value is the greatest of several
    /// numbers.
    ///
    /// # Errors
    /// [`Reason::NotAffine`] if it is no such SCEV; those of [`Assumptions::assume`].
    fn at_start(&mut self, scev: &Scev, domain: &Domain) -> Step<Polynomial> {
        // What the SCEV is made of is looked at for itself.
        let starts = std::mem::take(&mut self.starts);
        let parts = if starts.is_empty() { Err(Reason::NotAffine) } else { self.bounds(scev, Bound::Lower, domain) };
        self.starts = starts;
        let parts = parts?;
        let found = self.starts.iter().find_map(|(dim, lower)| {
            let distance = distance(&parts, lower)?;
            Polynomial::symbol(Symbol::Dim(*dim)).add(&distance)
        });
        found.ok_or(Reason::NotAffine)
    }
}
