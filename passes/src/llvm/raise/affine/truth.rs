//! Where a value of one bit is true.

use super::assumptions::{Constraint, Domain};
use super::condition::{Condition, compare, ordered};
use super::no_wrap::{Computed, NoWrap};
use super::polynomial::{Polynomial, Symbol};
use crate::llvm::raise::code::function::{Action, Constant, Source, Type};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::code::operation::{IntOp, Predicate};
use crate::llvm::raise::code::scev::Bound;
use crate::llvm::raise::refusal::{Reason, Step};

impl NoWrap<'_> {
    /// Where a value of one bit is true, within a domain.
    ///
    /// # Errors
    /// [`Reason::NotAffine`] if it depends on anything else; those of [`super::assumptions::Assumptions::assume`].
    pub fn condition(&mut self, value: ValueId, domain: &Domain) -> Step<Condition> {
        if self.code.kind(value) != Type::Int(1) {
            return Err(Reason::NotAffine);
        }
        self.either(|it| it.computed_condition(value, domain), |it| it.given_condition(value))
    }

    /// Where a value from outside is true, whatever it depends on. As a signed number it is 0 or -1.
    fn given_condition(&self, value: ValueId) -> Step<Condition> {
        let is_outside = match &self.code.values[value.0].source {
            Source::Constant(_) => false,
            Source::Given => true,
            Source::Computed(_) => !(self.inside)(value),
        };
        if !is_outside || self.computed == Computed::Never {
            return Err(Reason::NotAffine);
        }
        let less = Polynomial::symbol(Symbol::Value(value)).add(&Polynomial::constant(1));
        let holds = less.and_then(|less| less.scale(-1)).ok_or(Reason::NotAffine)?;
        Ok(Condition::all(vec![Constraint::at_least_zero(holds)]))
    }

    /// Where a value is true by what it is computed from.
    fn computed_condition(&mut self, value: ValueId, domain: &Domain) -> Step<Condition> {
        let instruction = match &self.code.values[value.0].source {
            Source::Constant(constant) => return known(*constant),
            Source::Given => return Err(Reason::NotAffine),
            Source::Computed(instruction) => instruction.clone(),
        };
        match (&instruction.action, &instruction.operands[..]) {
            (Action::Compare(predicate), [left, right]) => {
                let numbers = |it: &mut Self| {
                    let (left, right) = (it.operand(*left, domain)?, it.operand(*right, domain)?);
                    compare(it.assumptions, *predicate, &left, &right, domain)
                };
                self.either(numbers, |it| it.compare_bounds(*predicate, *left, *right, domain))
            }
            (Action::ComparePointers(predicate @ (Predicate::Eq | Predicate::Ne)), _) => {
                let distance = self.code.distances.get(&value).ok_or(Reason::NotAffine)?;
                let found = self.bounds(distance, Bound::Upper, domain)?;
                let [distance] = &found[..] else { return Err(Reason::NotAffine) };
                compare(self.assumptions, *predicate, distance, &Polynomial::default(), domain)
            }
            (Action::Int(IntOp::And, _), [left, right]) => {
                self.condition(*left, domain)?.and(self.condition(*right, domain)?)
            }
            (Action::Int(IntOp::Or, _), [left, right]) => {
                let left = self.condition(*left, domain)?.not()?;
                left.and(self.condition(*right, domain)?.not()?)?.not()
            }
            (Action::Int(IntOp::Xor, _), [inner, flip]) if self.is_true(*flip) => self.condition(*inner, domain)?.not(),
            (Action::Select, [choice, then, otherwise]) if self.is_false(*otherwise) => {
                self.condition(*choice, domain)?.and(self.condition(*then, domain)?)
            }
            (Action::Select, [choice, then, otherwise]) if self.is_true(*then) => {
                let choice = self.condition(*choice, domain)?.not()?;
                choice.and(self.condition(*otherwise, domain)?.not()?)?.not()
            }
            _ => Err(Reason::NotAffine),
        }
    }

    fn is_true(&self, value: ValueId) -> bool {
        matches!(self.code.values[value.0].source, Source::Constant(Constant::Int(number)) if number != 0)
    }

    fn is_false(&self, value: ValueId) -> bool {
        matches!(self.code.values[value.0].source, Source::Constant(Constant::Int(0)))
    }

    /// An order where one side is the least or greatest of several numbers: all of the greater side's are greater than
    /// all of the smaller side's. The opposite order may be of that kind as well. Numbers are equal or not.
    fn compare_bounds(
        &mut self,
        predicate: Predicate,
        left: ValueId,
        right: ValueId,
        domain: &Domain,
    ) -> Step<Condition> {
        let (less, greater, gap) = match predicate {
            Predicate::Slt | Predicate::Ult => (left, right, 1),
            Predicate::Sle | Predicate::Ule => (left, right, 0),
            Predicate::Sgt | Predicate::Ugt => (right, left, 1),
            Predicate::Sge | Predicate::Uge => (right, left, 0),
            Predicate::Eq | Predicate::Ne => {
                let (left, right) =
                    (self.bounds_of(left, Bound::Upper, domain)?, self.bounds_of(right, Bound::Upper, domain)?);
                let ([left], [right]) = (&left[..], &right[..]) else { return Err(Reason::NotAffine) };
                return compare(self.assumptions, predicate, left, right, domain);
            }
        };
        let unsigned = matches!(predicate, Predicate::Ult | Predicate::Ule | Predicate::Ugt | Predicate::Uge);
        self.either(
            |it| it.all_ordered(less, greater, gap, unsigned, domain),
            |it| it.all_ordered(greater, less, 1 - gap, unsigned, domain)?.not(),
        )
    }

    /// A value is less than another one by a gap at least. Of numbers without sign none is negative, or the original
    /// has to run.
    fn all_ordered(
        &mut self,
        less: ValueId,
        greater: ValueId,
        gap: i128,
        unsigned: bool,
        domain: &Domain,
    ) -> Step<Condition> {
        let greater = self.bounds_of(greater, Bound::Upper, domain)?;
        let less = self.bounds_of(less, Bound::Lower, domain)?;
        if unsigned {
            self.assume_of(domain, &greater, Bound::Upper, Some(0), None)?;
            self.assume_of(domain, &less, Bound::Lower, Some(0), None)?;
        }
        let mut constraints = Vec::new();
        for greater in &greater {
            for less in &less {
                constraints.push(ordered(less, greater, gap)?);
            }
        }
        Ok(Condition::all(constraints))
    }
}

fn known(constant: Constant) -> Step<Condition> {
    match constant {
        Constant::Int(number) => Ok(Condition { constraints: Vec::new(), negated: number == 0 }),
        Constant::Float(_) | Constant::Any => Err(Reason::NotAffine),
    }
}
