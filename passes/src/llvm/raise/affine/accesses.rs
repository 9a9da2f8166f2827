//! Instructions that access memory: where they go, as far as that is an affine function.

use super::assumptions::Domain;
use super::condition::Under;
use super::congruent::Congruent;
use super::describe::{Access, Bulk, Describer, Effect};
use super::polynomial::{Polynomial, Symbol};
use super::rows::{MOST_ROWS, RowLoad, RowTable};
use crate::llvm::raise::code::function::{Action, Pointer, Type};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::refusal::{Reason, Step};

/// An access, but for where it goes.
struct Act {
    value: ValueId,
    effect: Effect,
    kind: Option<Type>,
    bulk: Option<Bulk>,
    exact: bool,
}

impl Describer<'_> {
    pub(super) fn instruction(&mut self, value: ValueId, domain: &Domain, under: Under) -> Step<()> {
        let Some(instruction) = self.code.instruction(value) else { return Ok(()) };
        match &instruction.action {
            Action::Other(what) => Err(Reason::Instruction(what)),
            Action::Load if self.code.kind(value) == Type::Pointer => self.row_load(value, domain, under),
            Action::Load | Action::Store => self.access(value, domain),
            action if action.is_bulk() && under == Under::Data => Err(Reason::LoopUnderData),
            Action::Fill(align) => self.bulk_access(value, Effect::Store, *align, domain),
            Action::Copy { to, from, moves } => {
                let bases = [&self.code.pointers, &self.code.sources].map(|all| all.get(&value).map(|it| it.base));
                if *moves && bases[0] == bases[1] {
                    return Err(Reason::Moves);
                }
                self.bulk_access(value, Effect::Load, *from, domain)?;
                self.bulk_access(value, Effect::Store, *to, domain)
            }
            _ => Ok(()),
        }
    }

    /// The distance from the base of an access, preferably one that is known as it is.
    fn offset(&mut self, pointer: &Pointer, domain: &Domain) -> Step<(Polynomial, Vec<Congruent>)> {
        let before = self.description.assumptions.invalid_context().clone();
        let found = self.offset_of(pointer, None, domain);
        if found.as_ref().err() != Some(&Reason::Subscript) {
            return found;
        }
        self.description.assumptions.restore(before);
        let (offset, congruent) = self.offset_of(pointer, Some(Vec::new()), domain)?;
        // What is asked for elsewhere is not known where the element is.
        let here = congruent.iter().all(|one| one.domain.is_same(domain));
        if here { Ok((offset, congruent)) } else { Err(Reason::Subscript) }
    }

    /// The same, where numbers of few bits may be taken for others. Scalar evolution knows more of loops, instructions tell
    /// more of what does not wrap around.
    fn offset_of(
        &mut self,
        pointer: &Pointer,
        congruent: Option<Vec<Congruent>>,
        domain: &Domain,
    ) -> Step<(Polynomial, Vec<Congruent>)> {
        let before = self.description.assumptions.invalid_context().clone();
        let reason = match self.no_wrap_or(congruent.clone(), |no_wrap| no_wrap.modular(&pointer.offset, domain)) {
            Err(reason @ (Reason::NotAffine | Reason::Wraps)) => reason,
            found => return found,
        };
        self.description.assumptions.restore(before);
        let subscript = if reason == Reason::NotAffine { Reason::Subscript } else { reason };
        let Some((parts, constant)) = &pointer.computed else { return Err(subscript) };
        self.no_wrap_or(congruent, |no_wrap| no_wrap.offset(parts, *constant, domain)).map_err(|_| subscript)
    }

    /// Whether an offset is not only known modulo 2^64: its indices are exact numbers, and what they are multiplied
    /// with and added to keeps within one object. Numbers of few bits may be taken for others where they are anyway.
    fn is_exact(&mut self, pointer: &Pointer, offset: &Polynomial, congruent: &[Congruent], domain: &Domain) -> bool {
        let Some((parts, constant)) = pointer.computed.as_ref().filter(|_| pointer.inbounds) else { return false };
        let taken = (!congruent.is_empty()).then(Vec::new);
        let found =
            self.without_assumption(|this| this.no_wrap_or(taken, |no_wrap| no_wrap.offset(parts, *constant, domain)));
        let is_noted = |one: &Congruent| congruent.iter().any(|known| known.is_same(one));
        found.is_some_and(|(found, taken)| found == *offset && taken.iter().all(is_noted))
    }

    fn access(&mut self, value: ValueId, domain: &Domain) -> Step<()> {
        let Some(instruction) = self.code.instruction(value) else { return Ok(()) };
        let effect = if instruction.action == Action::Store { Effect::Store } else { Effect::Load };
        let kind = self.code.kind(if effect == Effect::Store { instruction.operands[0] } else { value });
        if kind.bytes().is_none() {
            return Err(Reason::Type);
        }
        let pointer = self.code.pointers.get(&value).ok_or(Reason::Base)?;
        self.note(Act { value, effect, kind: Some(kind), bulk: None, exact: true }, pointer, domain)
    }

    /// Describes one place of an instruction that sets or copies memory.
    fn bulk_access(&mut self, value: ValueId, effect: Effect, align: u64, domain: &Domain) -> Step<()> {
        let all = if effect == Effect::Store { &self.code.pointers } else { &self.code.sources };
        let pointer = all.get(&value).ok_or(Reason::Base)?;
        let length = self.code.instruction(value).and_then(|it| it.operands.get(2)).ok_or(Reason::Length)?;
        let scev = self.code.scevs.get(length);
        let exact = self.without_assumption(|this| this.no_wrap(|no_wrap| no_wrap.operand(*length, domain)));
        let (length, is_exact) = match (exact, scev) {
            (Some(length), _) => (length, true),
            (None, Some(scev)) => {
                (self.no_wrap(|no_wrap| no_wrap.modular(scev, domain)).map_err(|_| Reason::Length)?, false)
            }
            (None, None) => return Err(Reason::Length),
        };
        let bulk = Some(Bulk { length, align });
        self.note(Act { value, effect, kind: None, bulk, exact: is_exact }, pointer, domain)
    }

    /// Describes the load of a pointer to a row, which a function will load as well that looks at all rows of the table
    /// before the region: they are in one object, and the loads certain.
    fn row_load(&mut self, value: ValueId, domain: &Domain, under: Under) -> Step<()> {
        let rows = *self.code.rows_behind(value).ok_or(Reason::Base)?;
        let pointer = self.code.pointers.get(&value).ok_or(Reason::Base)?;
        if under == Under::Data || self.description.inside.contains(&rows.table) {
            return Err(Reason::Base);
        }
        let guarded = match self.code.guards.get(&value) {
            Some(guard) => {
                let condition = self.condition(*guard, domain)?.ok_or(Reason::Base)?;
                let assumptions = &self.description.assumptions;
                match condition.negated {
                    true => assumptions.narrow_to_others(domain, &condition.constraints)?,
                    false => assumptions.narrow(domain, &condition.constraints)?,
                }
            }
            None => domain.clone(),
        };
        let domain = &guarded;
        let (offset, congruent) = self.offset(pointer, domain)?;
        if !congruent.is_empty() {
            return Err(Reason::Base);
        }
        let exact = self.is_exact(pointer, &offset, &congruent, domain);
        let all = &mut self.description.rows;
        let number = match all.iter().position(|table| table.rows.table == rows.table) {
            Some(number) => number,
            None => {
                all.push(RowTable::new(rows, &offset)?);
                all.len() - 1
            }
        };
        let row = all[number].row_at(&offset)?;
        let spacing = Polynomial::symbol(Symbol::Value(rows.spacing));
        // Zero says that rows have other distances.
        let everywhere = self.description.assumptions.outside_of_loops()?;
        self.description.assumptions.assume(&everywhere, &spacing, Some(1), Some(i128::from(i32::MAX)))?;
        self.description.assumptions.assume(domain, &row, Some(0), Some(MOST_ROWS))?;
        self.description.rows[number].loads.push(RowLoad { value, row, domain: domain.clone(), exact });
        Ok(())
    }

    /// Adds the place of an access.
    fn note(&mut self, act: Act, pointer: &Pointer, domain: &Domain) -> Step<()> {
        let (mut offset, congruent) = self.offset(pointer, domain)?;
        let Act { value, effect, kind, bulk, exact } = act;
        let mut exact = exact && self.is_exact(pointer, &offset, &congruent, domain);
        let mut base = pointer.base;
        if self.description.inside.contains(&base) {
            // What is behind a pointer to a row is behind the start of all rows.
            let of = self.code.rows_behind(base).ok_or(Reason::Base)?;
            let mut tables = self.description.rows.iter_mut();
            let table = tables.find(|table| table.rows.table == of.table).ok_or(Reason::Base)?;
            let element = kind.and_then(Type::bytes).ok_or(Reason::Base)?;
            offset = table.offset(base, &offset, element)?;
            (base, exact) = (of.start, false);
        }
        if self.code.kind(base) != Type::Pointer {
            return Err(Reason::Base);
        }
        let domain = domain.clone();
        let access = Access { value, effect, kind, base, offset, domain, exact, congruent, bulk };
        self.description.accesses.push(access);
        Ok(())
    }
}
