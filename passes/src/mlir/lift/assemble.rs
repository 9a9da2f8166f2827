//! The model and its ties to the IR, from what was read and planned.

use melior::ir::operation::OperationLike;
use melior::ir::{Location, OperationRef, Value, ValueLike};
use polyrs_core::isl::{
    self, Aff, DimType, Id, LocalSpace, MultiUnionPwAff, PwAff, Schedule, Set, Space, UnionPwAff, UnionSet,
};
use polyrs_core::scop::{Access, AccessKind, Array, ArrayKind, Scop, Statement};
use std::collections::BTreeMap;

use super::blocks::joined;
use super::delay::Delays;
use super::discover::Granularity;
use super::reader::Reader;
use super::refusal::{Reason, Step, Stop};
use super::statements::{Draft, DraftAccess, Drafts, Item};
use super::tree::BodyId;
use super::types;
use crate::mlir::ir::operation::{is, name, operands, results};
use crate::mlir::ir::value::uses;
use crate::mlir::region::{ArrayBinding, LiftedRegion, LiveOut};

/// The statements that a region may have.
const STATEMENTS: usize = 200;

impl<'c, 'a> Reader<'_, 'c, 'a> {
    /// The region that was read, as a model.
    pub(super) fn assemble(mut self, function: &str, granularity: Granularity) -> Step<'c, 'a, LiftedRegion<'c, 'a>> {
        let plan = self.plan(granularity)?;
        self.check_scalars()?;
        let live_out = plan.live_out.iter().filter_map(|value| {
            let definition = self.tree.definition(*value)?;
            let storage = plan.materialized.get(*value).or_else(|| plan.storages.of(definition))?;
            storage.place.scalar().map(|scalar| LiveOut { value: *value, scalar })
        });
        let live_out: Vec<LiveOut<'c, 'a>> = live_out.collect();
        let operations = self.frame.operations.clone();
        let (Some(first), Some(anchor)) = (operations.first().copied(), operations.last().copied()) else {
            return Err(Stop::Isl(isl::Error::invalid("a region without operations")));
        };
        let (mut items, mut drafts) = self.drafts(&plan, first)?;
        if granularity == Granularity::Block {
            let is_needed = |scalar| live_out.iter().any(|live| live.scalar == scalar);
            let name_of = |scalar: usize| self.memory.arrays[scalar].name.clone();
            (items, drafts) = joined((items, drafts), is_needed, name_of)?;
        }
        if drafts.len() > STATEMENTS {
            return Err(Stop::Refused(first, Reason::TooLarge(STATEMENTS, "statements")));
        }
        self.fill_extents()?;
        let (limits, context) = self.contexts()?;
        let space = self.parameters.space(&self.isl)?;
        let arrays = self.arrays(&space)?;
        let statements = self.statements(&drafts, &space)?;
        let schedule = match self.schedule(&items, &statements)? {
            Some((schedule, _)) => schedule,
            None => Schedule::from_domain(UnionSet::empty(space.clone())?)?,
        };
        let name = match line(first.location()) {
            Some(line) => format!("{function}:{line}"),
            None => function.to_owned(),
        };
        let live_elements = self.live_elements(&live_out, &space)?;
        let (limits, context) = (limits.align_params(space.clone())?, context.align_params(space)?);
        let mut scop = Scop { name, context, arrays, statements, schedule, live_out: live_elements };
        scop.note_used()?;
        let deallocation = |operation: &OperationRef<'c, 'a>| is(*operation, "memref.dealloc");
        Ok(LiftedRegion {
            scop,
            limits,
            location: first.location(),
            anchor,
            replaced: operations.iter().copied().filter(|operation| !self.frame.is_kept(*operation)).collect(),
            hoisted: self.parameters.hoisted,
            deferred: operations.iter().copied().filter(deallocation).collect(),
            parameters: self.parameters.values,
            arrays: self.memory.arrays.into_iter().map(|array| array.binding).collect(),
            statements: drafts.into_iter().map(|draft| draft.body).collect(),
            live_out,
            conditions: Vec::new(),
            settled: false,
            sizes: Vec::new(),
        })
    }

    /// Refuses values of a type that no buffer can hold.
    fn check_scalars(&self) -> Step<'c, 'a, ()> {
        let storable = self.memory.arrays.iter().all(|array| match array.binding {
            ArrayBinding::Scalar { element } => types::is_number(element),
            _ => true,
        });
        match self.frame.operations.iter().find(|operation| !self.frame.is_kept(**operation)) {
            Some(first) if !storable => Err(Stop::Refused(*first, Reason::ValueType)),
            _ => Ok(()),
        }
    }

    /// The statements and their nest. Buffers of the region that are not made in a loop start without a content.
    fn drafts(
        &mut self,
        plan: &super::plan::Plan<'c, 'a>,
        first: OperationRef<'c, 'a>,
    ) -> Step<'c, 'a, (Vec<Item>, Vec<Draft<'c, 'a>>)> {
        let unnested = |binding: &ArrayBinding<'c, 'a>| matches!(binding, ArrayBinding::Local { nested: false, .. });
        let fresh = self.memory.arrays.iter().enumerate().filter(|(_, array)| unnested(&array.binding));
        let fresh: Vec<usize> = fresh.map(|(position, _)| position).collect();
        let mut drafts = Drafts::new(self, plan);
        let mut items = Vec::new();
        for array in fresh {
            items.push(drafts.kill(BodyId(0), first.location(), array)?);
        }
        items.extend(drafts.block(BodyId(0))?);
        Ok((items, drafts.drafts))
    }

    fn arrays(&self, space: &Space) -> isl::Result<Vec<Array>> {
        let mut arrays = Vec::new();
        for array in &self.memory.arrays {
            let mut extent = Vec::new();
            for function in &array.extent {
                let on_parameters = |function: &PwAff| function.clone().project_domain_on_params();
                let function = function.as_ref().map(on_parameters).transpose()?;
                extent.push(function.map(|function| function.align_params(space.clone())).transpose()?);
            }
            let kind = match array.binding {
                ArrayBinding::Memory { .. } => ArrayKind::Memory,
                ArrayBinding::Local { .. } | ArrayBinding::Field { .. } => ArrayKind::Local,
                ArrayBinding::Scalar { .. } => ArrayKind::Scalar,
            };
            arrays.push(Array::new(array.name.clone(), extent, array.element, kind));
        }
        Ok(arrays)
    }

    /// The only use of a value is arithmetic with values from outside that gives one of its type, and that may be done with
    /// elements that nothing reads, which a division may not.
    fn is_scaled(&self, value: Value<'c, 'a>) -> bool {
        let [(user, number)] = uses(value)[..] else { return false };
        let mut others = operands(user).into_iter().enumerate().filter(|(at, _)| *at != number).peekable();
        let fits = matches!(&results(user)[..], [one] if one.r#type() == value.r#type());
        let name = name(user);
        let is_simple = name.starts_with("arith.") && !["div", "rem"].iter().any(|word| name.contains(word));
        is_simple && fits && others.peek().is_some() && others.all(|(_, value)| self.frame.is_outside(value))
    }

    fn statements(&self, drafts: &[Draft<'c, 'a>], space: &Space) -> isl::Result<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut references = 0;
        let blocks = shared_blocks(drafts);
        for (number, draft) in drafts.iter().enumerate() {
            let name = format!("S{number}");
            let id = Id::new(&self.isl, &name)?;
            let domain = self.tree.block(draft.block).domain.clone().align_params(space.clone())?;
            let domain = domain.set_tuple_id(id.clone())?;
            let mut accesses = Vec::new();
            let delays = Delays::of(&draft.body);
            for DraftAccess { kind, relation, values } in &draft.accesses {
                let relation = relation.clone().align_params(space.clone())?.set_tuple_id(DimType::In, id.clone())?;
                let access = Access::new(format!("R{references}"), *kind, relation);
                let is_waited_for = *kind == AccessKind::Read && draft.writes(&access.array()?)?;
                let delay = if is_waited_for { delays.longest(values) } else { 1 };
                let scaled = *kind == AccessKind::Read
                    && !values.is_empty()
                    && values.iter().all(|value| self.is_scaled(*value));
                accesses.push(Access { delay, scaled, ..access });
                references += 1;
            }
            let text = match line(draft.body.location) {
                Some(line) => format!("{} at line {line}", draft.text),
                None => draft.text.clone(),
            };
            statements.push(Statement {
                name,
                domain,
                accesses,
                side_effect: false,
                may_trap: draft.may_trap,
                copy: false,
                reduction: None,
                block: blocks.get(&draft.basic_block).copied(),
                parts: 1,
                text,
            });
        }
        Ok(statements)
    }

    /// The original order of items, with the positions of the statements in it; nothing if there are none.
    fn schedule(&self, items: &[Item], statements: &[Statement]) -> isl::Result<Option<(Schedule, Vec<usize>)>> {
        let mut whole: Option<(Schedule, Vec<usize>)> = None;
        for item in items {
            let part = match item {
                Item::Statement(number) => {
                    let domain = statements[*number].domain.clone().to_union_set()?;
                    Some((Schedule::from_domain(domain)?, vec![*number]))
                }
                Item::Loop(first, count, inside) => match self.schedule(inside, statements)? {
                    Some((schedule, members)) => {
                        let mut schedule = schedule;
                        for dimension in (*first..first + count).rev() {
                            let band = band(statements, &members, dimension)?;
                            schedule = schedule.insert_partial_schedule(band)?;
                        }
                        Some((schedule, members))
                    }
                    None => None,
                },
            };
            whole = match (whole, part) {
                (Some((before, mut members)), Some((schedule, more))) => {
                    members.extend(more);
                    Some((before.sequence(schedule)?, members))
                }
                (before, part) => before.or(part),
            };
        }
        Ok(whole)
    }

    /// The elements that may be looked at after the region: `{ A[a] }`.
    fn live_elements(&self, live_out: &[LiveOut<'c, 'a>], space: &Space) -> isl::Result<UnionSet> {
        let mut live = UnionSet::empty(space.clone())?;
        for (position, array) in self.memory.arrays.iter().enumerate() {
            let outlives = match array.binding {
                ArrayBinding::Memory { buffer } => !self.dies(buffer),
                ArrayBinding::Local { .. } | ArrayBinding::Field { .. } => false,
                ArrayBinding::Scalar { .. } => live_out.iter().any(|value| value.scalar == position),
            };
            if outlives {
                let elements = Set::universe(self.array_space(position)?)?.align_params(space.clone())?;
                live = live.union(elements.to_union_set()?)?;
            }
        }
        Ok(live)
    }
}

/// The basic blocks in which several statements do something, numbered as they come.
fn shared_blocks(drafts: &[Draft<'_, '_>]) -> BTreeMap<usize, usize> {
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    for draft in drafts.iter().filter(|draft| !draft.is_kill()) {
        *count.entry(draft.basic_block).or_default() += 1;
    }
    let shared = count.into_iter().filter(|(_, statements)| *statements > 1);
    shared.enumerate().map(|(number, (block, _))| (block, number)).collect()
}

/// One member of a band: a dimension of each statement's instances.
fn band(statements: &[Statement], members: &[usize], dimension: usize) -> isl::Result<MultiUnionPwAff> {
    let mut sum: Option<UnionPwAff> = None;
    for number in members {
        let space = LocalSpace::from_space(statements[*number].domain.space()?)?;
        let function = PwAff::from_aff(Aff::var_on_domain(space, DimType::SET, dimension)?)?;
        let function = UnionPwAff::from_pw_aff(function)?;
        sum = Some(match sum {
            Some(sum) => sum.union_add(function)?,
            None => function,
        });
    }
    let sum = sum.ok_or_else(|| isl::Error::invalid("a band without statements"))?;
    MultiUnionPwAff::from_union_pw_aff(sum)
}

/// The line of a location, if it says one.
fn line(location: Location<'_>) -> Option<usize> {
    location.is_file_line_col_range().then(|| location.file_line_col_range_start_line())
}
