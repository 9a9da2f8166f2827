//! Where a value of one bit is true.

use super::assumptions::Domain;
use super::condition::{Condition, compare, ordered};
use super::no_wrap::NoWrap;
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
        let instruction = match &self.code.values[value.0].source {
            Source::Constant(constant) => return known(*constant),
            Source::Given => return Err(Reason::NotAffine),
            Source::Computed(instruction) => instruction.clone(),
        };
        match (&instruction.action, &instruction.operands[..]) {
            (Action::Compare(predicate), [left, right]) => {
                let before = self.assumptions.invalid_context().clone();
                match self.operand(*left, domain).and_then(|left| Ok((left, self.operand(*right, domain)?))) {
                    Ok((left, right)) => compare(self.assumptions, *predicate, &left, &right, domain),
                    Err(Reason::NotAffine) => {
                        self.assumptions.restore(before);
                        self.compare_bounds(*predicate, *left, *right, domain)
                    }
                    Err(other) => Err(other),
                }
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
    /// all of the smaller side's. The opposite order may be of that kind as well.
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
            Predicate::Eq | Predicate::Ne => return Err(Reason::NotAffine),
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
