//! A run of nodes described exactly: where loops go, when conditions hold, and what is accessed.

use std::collections::{BTreeMap, BTreeSet};

use super::assumptions::{Assumptions, Domain};
use super::condition::{Condition, Under};
use super::congruent::Congruent;
use super::limit::{Limit, parts};
use super::max_start::MaxStart;
use super::no_wrap::{Computed, NoWrap};
use super::origin::excess;
use super::polynomial::{Dim, Polynomial, Symbol};
use super::range::Range;
use super::rows::RowTable;
use crate::llvm::raise::code::function::{Code, Type};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::code::scev::{Bound, Form, Scev, Wrap};
use crate::llvm::raise::refusal::{Obstacle, Reason, Step};
use crate::llvm::raise::structure::members::{is_phi, members};
use crate::llvm::raise::structure::nodes::{ControlNode, loop_location, uncounted};

/// How much memory is set or copied.
#[derive(Clone, Debug)]
pub struct Bulk {
    /// The bytes, modulo 2^64.
    pub length: Polynomial,
    /// How the place is aligned.
    pub align: u64,
}

/// Whether memory is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It is read.
    Load,
    /// It is written.
    Store,
}

/// A load, a store, or what is done to one of the places of an instruction that sets or copies memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// The instruction.
    pub value: ValueId,
    /// Whether it loads or stores.
    pub effect: Effect,
    /// The type of the element; nothing where it is only bytes.
    pub kind: Option<Type>,
    /// Where the array starts.
    pub base: ValueId,
    /// The distance from there in bytes, modulo 2^64.
    pub offset: Polynomial,
    /// When it runs.
    pub domain: Domain,
    /// The offset is that number, not only modulo 2^64, wherever the access is defined.
    pub exact: bool,
    /// What is known only if numbers of the offset do not wrap around.
    pub congruent: Vec<Congruent>,
    /// It is of many elements.
    pub bulk: Option<Bulk>,
}

/// The description of a run of nodes.
pub struct Description {
    /// The instructions.
    pub inside: BTreeSet<ValueId>,
    /// The loops.
    pub ranges: BTreeMap<LoopId, Range>,
    /// The conditions that are affine, by the block that branches.
    pub conditions: BTreeMap<BlockId, Condition>,
    /// Where the conditions are computed.
    pub around_conditions: BTreeMap<BlockId, Domain>,
    /// Where the bounds of loops are computed.
    pub around_loops: BTreeMap<LoopId, Domain>,
    /// The accesses, in textual order.
    pub accesses: Vec<Access>,
    /// The tables of pointers to rows.
    pub rows: Vec<RowTable>,
    /// The numbers that have to be within limits, or the program ends with an error.
    pub limits: Vec<Limit>,
    /// PHIs that are affine.
    pub affine: BTreeMap<ValueId, Polynomial>,
    /// The assumptions.
    pub assumptions: Assumptions,
}

/// Describes a run of nodes.
///
/// # Errors
/// The obstacle.
pub fn describe(code: &Code, nodes: &[ControlNode], isl: polyrs_core::isl::Ctx) -> Result<Description, Obstacle> {
    let (inside, _) = members(code, nodes);
    let here = |reason| Obstacle {
        reason,
        location: nodes.first().and_then(|node| node.location(code)),
        block: nodes.first().map_or(BlockId(0), |node| node.block(code)),
    };
    let mut ranges = BTreeMap::new();
    for (number, value) in code.values.iter().enumerate() {
        if let Some(range) = value.range {
            ranges.insert(ValueId(number), range);
        }
    }
    let assumptions = Assumptions::new(isl, ranges).map_err(here)?;
    let top = assumptions.outside_of_loops().map_err(here)?;
    let description = Description {
        inside,
        ranges: BTreeMap::new(),
        conditions: BTreeMap::new(),
        around_conditions: BTreeMap::new(),
        around_loops: BTreeMap::new(),
        accesses: Vec::new(),
        rows: Vec::new(),
        limits: Vec::new(),
        affine: BTreeMap::new(),
        assumptions,
    };
    let mut describer = Describer { code, description };
    describer.nodes(nodes, &top, Under::Affine)?;
    Ok(describer.description)
}

/// What describes a run of nodes; its methods for instructions that access memory are in `accesses.rs`.
pub(super) struct Describer<'a> {
    pub(super) code: &'a Code,
    pub(super) description: Description,
}

impl<'a> Describer<'a> {
    /// Asks for exact integers.
    pub(super) fn no_wrap<T>(&mut self, ask: impl FnOnce(&mut NoWrap<'_>) -> Step<T>) -> Step<T> {
        Ok(self.no_wrap_or(None, ask)?.0)
    }

    /// The same, with what is taken for numbers of few bits, if some may be.
    pub(super) fn no_wrap_or<T>(
        &mut self,
        congruent: Option<Vec<Congruent>>,
        ask: impl FnOnce(&mut NoWrap<'_>) -> Step<T>,
    ) -> Step<(T, Vec<Congruent>)> {
        let Description { assumptions, inside, affine, ranges, .. } = &mut self.description;
        let is_inside = |value: ValueId| inside.contains(&value);
        let inside = &is_inside;
        let mut no_wrap = NoWrap {
            code: self.code,
            assumptions,
            ranges,
            inside,
            affine,
            starts: Vec::new(),
            computed: Computed::NoNumber,
            congruent,
        };
        let found = ask(&mut no_wrap)?;
        Ok((found, no_wrap.congruent.unwrap_or_default()))
    }

    fn nodes(&mut self, nodes: &[ControlNode], domain: &Domain, under: Under) -> Result<(), Obstacle> {
        nodes.iter().try_for_each(|node| self.node(node, domain, under))
    }

    /// Describes a node that runs under such conditions.
    fn node(&mut self, node: &ControlNode, domain: &Domain, under: Under) -> Result<(), Obstacle> {
        let code = self.code;
        let here = |reason| Obstacle { reason, location: node.location(code), block: node.block(code) };
        match node {
            ControlNode::Straight { block, first, end, .. } => {
                for value in &code.blocks[block.0].instructions[*first..*end] {
                    self.instruction(*value, domain, under).map_err(|reason| {
                        let location = code.instruction(*value).and_then(|instruction| instruction.location.clone());
                        Obstacle { reason, location: location.or_else(|| node.location(code)), block: *block }
                    })?;
                }
                Ok(())
            }
            ControlNode::If { block, condition, then, otherwise, join } => {
                let condition = match under {
                    Under::Affine => self.condition(*condition, domain).map_err(here)?,
                    Under::Data => None,
                };
                match condition {
                    Some(condition) => {
                        let assumptions = &self.description.assumptions;
                        let holds = assumptions.narrow(domain, &condition.constraints).map_err(here)?;
                        let fails = assumptions.narrow_to_others(domain, &condition.constraints).map_err(here)?;
                        let (yes, no) = if condition.negated { (fails, holds) } else { (holds, fails) };
                        self.description.conditions.insert(*block, condition);
                        self.description.around_conditions.insert(*block, domain.clone());
                        self.nodes(&then.nodes, &yes, Under::Affine)?;
                        self.nodes(&otherwise.nodes, &no, Under::Affine)?;
                    }
                    None => {
                        self.nodes(&then.nodes, domain, Under::Data)?;
                        self.nodes(&otherwise.nodes, domain, Under::Data)?;
                    }
                }
                self.phis(*join, domain);
                Ok(())
            }
            ControlNode::Version { branch, join } => {
                self.nodes(&branch.nodes, domain, under)?;
                self.phis(*join, domain);
                Ok(())
            }
            ControlNode::Loop { number, .. } if under == Under::Data => {
                Err(Obstacle { location: loop_location(code, *number), ..here(Reason::LoopUnderData) })
            }
            ControlNode::Loop { number, body, exit } => {
                let range = self.range(*number, domain).map_err(here)?;
                let assumptions = &self.description.assumptions;
                let inside = assumptions.enter(domain, Dim::Loop(*number), &range).map_err(here)?;
                self.description.ranges.insert(*number, range);
                self.description.around_loops.insert(*number, domain.clone());
                self.phis(code.loops[number.0].header, &inside);
                self.nodes(body, &inside, Under::Affine)?;
                self.phis(*exit, domain);
                Ok(())
            }
            ControlNode::Failure { condition, when, .. } => self.failure(*condition, *when, domain, 0).map_err(here),
            ControlNode::Opaque { obstacle, .. } => Err(obstacle.clone()),
        }
    }

    /// The original runs where the program may end with an error, as it does if a condition has some truth value.
    fn failure(&mut self, condition: ValueId, when: bool, domain: &Domain, depth: usize) -> Step<()> {
        /// Deeper conditions are not taken apart.
        const DEPTH: usize = 16;
        let before = self.description.assumptions.invalid_context().clone();
        match self.no_wrap(|no_wrap| no_wrap.condition(condition, domain)) {
            Ok(found) => return self.affine_failure(&found, when, domain),
            Err(Reason::NotAffine) => self.description.assumptions.restore(before),
            Err(other) => return Err(other),
        }
        if let Some(parts) = parts(self.code, condition, when).filter(|_| depth < DEPTH) {
            return parts.into_iter().try_for_each(|(part, when)| self.failure(part, when, domain, depth + 1));
        }
        let limit = self.no_wrap(|no_wrap| no_wrap.limit(condition, when, domain));
        self.description.limits.push(limit.map_err(|reason| match reason {
            Reason::NotAffine => Reason::Failure,
            other => other,
        })?);
        Ok(())
    }

    /// The same of a condition that is affine.
    fn affine_failure(&mut self, condition: &Condition, when: bool, domain: &Domain) -> Step<()> {
        let assumptions = &mut self.description.assumptions;
        let failing = if condition.negated == when {
            assumptions.narrow_to_others(domain, &condition.constraints)?
        } else {
            assumptions.narrow(domain, &condition.constraints)?
        };
        let values = failing.set.params()?.remove_divs()?;
        assumptions
            .add_invalid(domain, values)
            .map_err(|reason| if reason == Reason::Wraps { Reason::Failure } else { reason })
    }

    /// The condition, or nothing if it is not affine.
    pub(super) fn condition(&mut self, value: ValueId, domain: &Domain) -> Step<Option<Condition>> {
        let before = self.description.assumptions.invalid_context().clone();
        match self.no_wrap(|no_wrap| no_wrap.condition(value, domain)) {
            Ok(condition) => Ok(Some(condition)),
            Err(error @ Reason::Exhausted(_)) => Err(error),
            Err(_) => {
                self.description.assumptions.restore(before);
                Ok(None)
            }
        }
    }

    fn range(&mut self, number: LoopId, domain: &Domain) -> Step<Range> {
        if let Some(reason) = uncounted(self.code, number) {
            return Err(reason);
        }
        let backedges = self.code.loops[number.0].backedges.clone().ok_or(Reason::Count)?;
        let (room, by) = match &backedges.form {
            Form::Divide(room, by) => match by.form {
                Form::Constant(by) if by > 0 => ((**room).clone(), by),
                _ => return Err(Reason::Bound),
            },
            _ => return self.range_of(number, (&backedges, 1), 1, domain),
        };
        let before = self.description.assumptions.invalid_context().clone();
        let mut found = Err(Reason::Bound);
        // Elements are counted where there is a whole number of them, as along pointers. Or how often it goes on is known from
        // before, though not by what. A loop with steps goes on while there is room for one more step.
        let other = if backedges.computed.is_some() { ((&backedges, 1), 1) } else { ((&room, 1), by) };
        for (counted, step) in [((&room, by), 1), other] {
            self.description.assumptions.restore(before.clone());
            found = self.range_of(number, counted, step, domain);
            if !matches!(found, Err(Reason::Bound | Reason::NotAffine)) {
                break;
            }
        }
        found
    }

    /// The same, given how far a loop goes on by such steps, as a multiple of a number.
    fn range_of(&mut self, number: LoopId, room: (&Scev, i64), step: i64, domain: &Domain) -> Step<Range> {
        let before = self.description.assumptions.invalid_context().clone();
        let mut lower = self.start(number, step, domain);
        if lower.len() > 1 {
            match self.upper(number, room, &lower, domain) {
                Ok(upper) => return Ok(Range { lower, upper, step }),
                Err(error @ Reason::Exhausted(_)) => return Err(error),
                // Its end has nothing to do with where it starts; iterations can still be counted.
                Err(_) => self.description.assumptions.restore(before),
            }
            lower = vec![Polynomial::default()];
        }
        let upper = self.upper(number, room, &lower, domain)?;
        Ok(Range { lower, upper, step })
    }

    /// The number behind the last value of a loop's variable, which starts with the greatest of several numbers: that
    /// and how far it goes.
    fn upper(
        &mut self,
        number: LoopId,
        (room, of): (&Scev, i64),
        lower: &[Polynomial],
        domain: &Domain,
    ) -> Step<Vec<Polynomial>> {
        let start = MaxStart::of(number, lower, domain, &self.description.assumptions)?;
        let counts =
            self.no_wrap(|no_wrap| no_wrap.after(&start, |no_wrap| no_wrap.bounds(room, Bound::Upper, &start.domain)));
        let counts = counts.map_err(|reason| match reason {
            Reason::NotAffine => Reason::Bound,
            other => other,
        })?;
        let mut upper = Vec::new();
        for count in counts {
            let count = count.divide(i128::from(of)).ok_or(Reason::Bound)?;
            let behind = count.add(&Polynomial::constant(1)).and_then(|behind| start.first.add(&behind));
            let behind = behind.filter(|behind| behind.is_affine() && !start.is_in(behind)).ok_or(Reason::Bound)?;
            self.description.assumptions.assume(&start.domain, &count, Some(0), None)?;
            upper.push(behind);
        }
        if start.greatest.is_some() {
            // No number of the original may be as large as the variable.
            self.no_wrap(|no_wrap| no_wrap.assume_of(domain, &upper, Bound::Upper, None, Some(i128::from(i64::MAX))))?;
        }
        Ok(upper)
    }

    /// The first value of an integer that goes up by a step in each iteration, as the greatest of several numbers; zero
    /// if there is no such integer.
    fn start(&mut self, number: LoopId, step: i64, domain: &Domain) -> Vec<Polynomial> {
        let scevs = self.starts(number, step);
        let affine = |all: &Vec<Polynomial>| all.iter().all(Polynomial::is_affine);
        let known = scevs.iter().filter(|(_, wrap)| *wrap == Wrap::Never).find_map(|(start, _)| {
            let found =
                self.without_assumption(|this| this.no_wrap(|no_wrap| no_wrap.bounds(start, Bound::Lower, domain)));
            let found = found.filter(|all| affine(all) && (all.len() == 1 || step == 1))?;
            if step == 1 { self.moved(number, start, found) } else { Some(found) }
        });
        // One number is not worth an assumption, since iterations can be counted without it.
        let assumed = || {
            scevs.iter().filter(|_| step == 1).find_map(|(start, _)| {
                let before = self.description.assumptions.invalid_context().clone();
                let found = self.no_wrap(|no_wrap| no_wrap.bounds(start, Bound::Lower, domain)).ok();
                let found = found.filter(|all| affine(all) && all.len() > 1);
                if found.is_none() {
                    self.description.assumptions.restore(before);
                }
                found
            })
        };
        known.or_else(assumed).unwrap_or_else(|| vec![Polynomial::default()])
    }

    /// The first value of a loop's variable, if that is to be the subscript that it is in.
    fn moved(&self, number: LoopId, start: &Scev, lower: Vec<Polynomial>) -> Option<Vec<Polynomial>> {
        match (&lower[..], excess(self.code, number, start)) {
            ([_], 0) | ([] | [_, _, ..], _) => Some(lower),
            ([one], by) => Some(vec![one.sub(&Polynomial::constant(by))?]),
        }
    }

    /// Where integers start that go up by a step in each iteration, and whether that does not wrap around; the widest
    /// first.
    fn starts(&self, number: LoopId, step: i64) -> Vec<(&'a Scev, Wrap)> {
        let code = self.code;
        let header = code.loops[number.0].header;
        let recurrences = code.blocks[header.0].instructions.iter().filter(|value| is_phi(code, **value));
        let starts = recurrences.filter_map(|value| match &code.scevs.get(value)?.form {
            Form::AddRec(start, each, around, wrap) => {
                (*around == number && each.form == Form::Constant(step)).then_some((&**start, *wrap))
            }
            _ => None,
        });
        let mut starts: Vec<_> = starts.collect();
        starts.sort_by_key(|(start, _)| std::cmp::Reverse(start.bits));
        starts
    }

    /// Describes the integer PHIs of a block, as far as that needs no assumption.
    fn phis(&mut self, block: BlockId, domain: &Domain) {
        for value in &self.code.blocks[block.0].instructions {
            if !is_phi(self.code, *value) {
                break;
            }
            let Some(scev) = self.code.scevs.get(value) else { continue };
            let itself = scev.form == Form::Value(*value);
            let header = self.code.loop_at(block).is_some();
            let known = if header { None } else { self.without_assumption(|this| this.same_value(*value, domain)) };
            let known = match known {
                None if !itself => self.without_assumption(|this| this.no_wrap(|no_wrap| no_wrap.signed(scev, domain))),
                known => known,
            };
            let known = known.and_then(|polynomial| self.behind_loops(polynomial, block));
            if let Some(polynomial) = known.filter(Polynomial::is_affine) {
                self.description.affine.insert(*value, polynomial);
            }
        }
    }

    /// The value of a polynomial at a block, where loops that are over have done their last iteration: they run once at
    /// least.
    fn behind_loops(&self, mut polynomial: Polynomial, block: BlockId) -> Option<Polynomial> {
        let around = self.code.blocks[block.0].around;
        let is_over = |symbol: Symbol| match symbol {
            Symbol::Dim(Dim::Loop(number)) if self.code.is_within(around, number) => None,
            Symbol::Dim(dim) => Some(dim),
            Symbol::Value(_) | Symbol::Sum(..) => None,
        };
        // The bounds of a loop may be over variables of loops around it that are over, too.
        while polynomial.symbols().any(|symbol| is_over(symbol).is_some()) {
            polynomial = polynomial.replaced(|symbol| match is_over(symbol) {
                Some(Dim::Loop(number)) => self.description.ranges.get(&number)?.last(),
                Some(_) => None,
                None => Some(Polynomial::symbol(symbol)),
            })?;
        }
        Some(polynomial)
    }

    /// The answer, if that needs no assumption.
    pub(super) fn without_assumption<T>(&mut self, find: impl FnOnce(&mut Self) -> Step<T>) -> Option<T> {
        let before = self.description.assumptions.invalid_context().clone();
        let found = find(self).ok();
        let same = before.is_equal(self.description.assumptions.invalid_context()).unwrap_or(false);
        if found.is_none() || !same {
            self.description.assumptions.restore(before);
            return None;
        }
        found
    }

    /// A PHI that is the same wherever control comes from.
    fn same_value(&mut self, phi: ValueId, domain: &Domain) -> Step<Polynomial> {
        let operands = self.code.instruction(phi).map(|phi| phi.operands.clone()).unwrap_or_default();
        let mut known = None;
        for operand in operands {
            let polynomial = self.no_wrap(|no_wrap| no_wrap.operand(operand, domain))?;
            if known.as_ref().is_some_and(|known| *known != polynomial) {
                return Err(Reason::NotAffine);
            }
            known = Some(polynomial);
        }
        known.ok_or(Reason::NotAffine)
    }
}
