//! The statements of a region, in textual order, and the nest that they are in.

use melior::ir::operation::OperationLike;
use melior::ir::{Location, OperationRef, Value};
use polyrs_core::isl::{self, DimType, Map, Set};
use polyrs_core::scop::AccessKind;

use super::carried::Storage;
use super::kind::{is_effect_free, needs};
use super::plan::Plan;
use super::reader::Reader;
use super::refusal::Step;
use super::slice::Slice;
use super::tree::{BodyId, Leaf, LoopId, MemoryAccess, Role, TreeNode};
use crate::mlir::ir::operation::{name, nested, results};
use crate::mlir::region::{StatementBody, ValueStorage};

/// A statement before it has a name.
pub(super) struct Draft<'c, 'a> {
    /// Where it is.
    pub block: BodyId,
    /// The basic block: those with the same number have no loop or branch between them.
    pub basic_block: usize,
    /// The accesses, in the order of execution.
    pub accesses: Vec<DraftAccess<'c, 'a>>,
    /// The operations.
    pub body: StatementBody<'c, 'a>,
    /// It may trap.
    pub may_trap: bool,
    /// A line for people.
    pub text: String,
}

impl Draft<'_, '_> {
    /// All that it does is to end the life of what is in an array.
    pub fn is_kill(&self) -> bool {
        !self.accesses.is_empty() && self.accesses.iter().all(|access| access.kind == AccessKind::Kill)
    }

    /// It writes elements of an array.
    pub fn writes(&self, array: &str) -> isl::Result<bool> {
        for access in self.accesses.iter().filter(|access| access.kind.is_write()) {
            if access.relation.tuple_name(DimType::Out)?.is_some_and(|name| name == array) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// An access before it has a name.
pub(super) struct DraftAccess<'c, 'a> {
    /// What it does.
    pub kind: AccessKind,
    /// Which elements: `{ [i] -> A[a] }`.
    pub relation: Map,
    /// What operations know it as, if it is a read.
    pub values: Vec<Value<'c, 'a>>,
}

/// Where a value is to be written, the value, and what it is computed from.
type Copy<'c, 'a> = (Storage<'c, 'a>, Value<'c, 'a>, Slice<'c, 'a>);

/// Statements and loops, in textual order.
pub(super) enum Item {
    /// A statement, by its position.
    Statement(usize),
    /// A loop: its first dimension, how many it has, and what is in it.
    Loop(usize, usize, Vec<Item>),
}

/// Makes the statements.
pub(super) struct Drafts<'r, 'f, 'c, 'a> {
    reader: &'r mut Reader<'f, 'c, 'a>,
    plan: &'r Plan<'c, 'a>,
    /// The basic block that statements are in now.
    basic_block: usize,
    /// The statements so far.
    pub drafts: Vec<Draft<'c, 'a>>,
}

impl<'r, 'f, 'c, 'a> Drafts<'r, 'f, 'c, 'a> {
    /// No statement yet.
    pub fn new(reader: &'r mut Reader<'f, 'c, 'a>, plan: &'r Plan<'c, 'a>) -> Self {
        Self { reader, plan, basic_block: 0, drafts: Vec::new() }
    }

    /// The statements of a block and what is nested in it.
    pub fn block(&mut self, block: BodyId) -> Step<'c, 'a, Vec<Item>> {
        let mut items = Vec::new();
        self.basic_block += 1;
        for number in 0..self.reader.tree.block(block).nodes.len() {
            match &self.reader.tree.block(block).nodes[number] {
                TreeNode::Leaf(leaf) => match leaf.role {
                    Role::Allocation(array) => items.push(self.kill(block, leaf.operation.location(), array)?),
                    Role::Nothing => {}
                    role => items.extend(self.leaf(block, number, role)?),
                },
                TreeNode::Loop(inner) => {
                    let inner = *inner;
                    self.enter_loop(block, inner, &mut items)?;
                    self.basic_block += 1;
                }
                TreeNode::If(branch) => {
                    let location = branch.operation.location();
                    let stored = (0..branch.results.len()).filter_map(|position| {
                        let point = super::tree::Point { block, node: number };
                        let definition = super::tree::Definition::IfResult(point, position);
                        self.plan.storages.of(definition).cloned()
                    });
                    let stored: Vec<Storage<'c, 'a>> = stored.collect();
                    let branches: Vec<_> = std::iter::once(&branch.then).chain(&branch.otherwise).cloned().collect();
                    for (inner, yields) in branches {
                        items.extend(self.block(inner)?);
                        let copies = stored.iter().cloned().zip(yields).collect();
                        self.copy(inner, location, copies, &mut items)?;
                    }
                    self.basic_block += 1;
                }
            }
        }
        Ok(items)
    }

    fn enter_loop(&mut self, block: BodyId, number: LoopId, items: &mut Vec<Item>) -> Step<'c, 'a, ()> {
        let this = self.reader.tree.get_loop(number);
        let (location, body, dimensions) = (this.operation.location(), this.body, this.dimensions);
        let carried = this.carried.clone();
        let storages = &self.plan.storages.loops[number.0];
        let starts = carried.iter().zip(storages).filter(|(_, storage)| !storage.initialized);
        let starts: Vec<_> = starts.map(|(carried, storage)| (storage.storage.clone(), carried.init)).collect();
        let ends = carried.iter().zip(storages).enumerate();
        let ends = ends.filter(|(position, _)| !self.plan.is_kept(self.reader, number, *position));
        let ends: Vec<_> = ends.map(|(_, (carried, storage))| (storage.storage.clone(), carried.next)).collect();
        self.copy(block, location, starts, items)?;
        let mut inside = self.block(body)?;
        self.copy(body, location, ends, &mut inside)?;
        let depth = self.reader.tree.depth(block);
        items.push(Item::Loop(depth, dimensions, inside));
        Ok(())
    }

    /// Writes values to storages as if all at once: none is overwritten before the last value is computed from it.
    fn copy(
        &mut self,
        block: BodyId,
        location: Location<'c>,
        copies: Vec<(Storage<'c, 'a>, Value<'c, 'a>)>,
        items: &mut Vec<Item>,
    ) -> Step<'c, 'a, ()> {
        let mut rest: Vec<Copy<'c, 'a>> = Vec::new();
        // Scalars first: what they are computed from may be loaded from an element that is written here.
        let (scalars, elements): (Vec<_>, Vec<_>) =
            copies.into_iter().partition(|(storage, _)| storage.element.is_none());
        for (storage, value) in scalars.into_iter().chain(elements) {
            let slice = self.plan.slice(self.reader, [value]);
            rest.push((storage, value, slice));
        }
        // So many of the first ones have a place of their own already.
        let mut moved = 0;
        while !rest.is_empty() {
            if let Some(position) = self.free(block, &rest)? {
                let (storage, value, slice) = rest.remove(position);
                moved -= usize::from(position < moved);
                items.push(self.statement(block, location, slice, None, vec![(storage, value)])?);
                continue;
            }
            // All that is left goes round in circles: compute one value into a place of its own, where it is in nobody's
            // way any more.
            let (_, value, slice) = &mut rest[moved];
            let slice = std::mem::take(slice);
            let value = *value;
            let temporary = self.reader.new_scalar("swap", value);
            items.push(self.statement(block, location, slice, None, vec![(temporary.clone(), value)])?);
            rest[moved].2.inputs.push((value, temporary));
            moved += 1;
        }
        Ok(())
    }

    /// The first of some copies whose target no other one reads.
    fn free(&self, block: BodyId, copies: &[Copy<'c, 'a>]) -> Step<'c, 'a, Option<usize>> {
        for (candidate, (storage, _, _)) in copies.iter().enumerate() {
            let others = copies.iter().enumerate().filter(|(other, _)| *other != candidate);
            let mut is_read = false;
            for (_, input) in others.flat_map(|(_, (_, _, slice))| &slice.inputs) {
                is_read = is_read || self.may_be_same(block, storage, input)?;
            }
            if !is_read {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    /// Two storages may be the same in some iteration of a block.
    fn may_be_same(&self, block: BodyId, one: &Storage<'c, 'a>, other: &Storage<'c, 'a>) -> Step<'c, 'a, bool> {
        match (&one.place, &other.place) {
            (ValueStorage::Scalar(one), ValueStorage::Scalar(other)) => Ok(one == other),
            (ValueStorage::Element { .. }, ValueStorage::Element { .. }) if one.array == other.array => {
                let relations = (self.storage_relation(block, one)?, self.storage_relation(block, other)?);
                Ok(!relations.0.is_disjoint(&relations.1)?)
            }
            _ => Ok(false),
        }
    }

    /// The statement of an operation with effects, or of one whose result is kept; nothing for other operations.
    fn leaf(&mut self, block: BodyId, number: usize, role: Role) -> Step<'c, 'a, Option<Item>> {
        let TreeNode::Leaf(Leaf { operation, accesses, .. }) = &self.reader.tree.block(block).nodes[number] else {
            return Ok(None);
        };
        let (operation, accesses) = (*operation, accesses.clone());
        let kept = results(operation).into_iter().filter_map(|value| Some((self.plan.materialized.get(value)?, value)));
        let kept: Vec<_> = kept.map(|(storage, value)| (storage.clone(), value)).collect();
        if role != Role::Effect && kept.is_empty() {
            return Ok(None);
        }
        let slice = self.plan.slice(self.reader, needs(operation));
        self.statement(block, operation.location(), slice, Some((operation, accesses)), kept).map(Some)
    }

    /// A statement: it computes a slice, runs one more operation, and writes values to storages.
    fn statement(
        &mut self,
        block: BodyId,
        location: Location<'c>,
        slice: Slice<'c, 'a>,
        last: Option<(OperationRef<'c, 'a>, Vec<MemoryAccess>)>,
        outputs: Vec<(Storage<'c, 'a>, Value<'c, 'a>)>,
    ) -> Step<'c, 'a, Item> {
        let tree = &self.reader.tree;
        let mut accesses = Vec::new();
        for (value, storage) in &slice.inputs {
            let relation = self.storage_relation(block, storage)?;
            add(&mut accesses, DraftAccess { kind: AccessKind::Read, relation, values: vec![*value] })?;
        }
        for load in &slice.loads {
            let Some(leaf) = tree.leaf(*load) else { continue };
            for access in &leaf.accesses {
                let relation = tree.relation_in(&access.relation, load.block, block)?;
                add(&mut accesses, DraftAccess { kind: access.kind, relation, values: results(leaf.operation) })?;
            }
        }
        let mut operations = slice.operations;
        let mut text = None;
        if let Some((operation, own)) = last {
            for access in own {
                let MemoryAccess { kind, relation, .. } = access;
                add(&mut accesses, DraftAccess { kind, relation, values: results(operation) })?;
            }
            operations.push(operation);
            text = Some(name(operation));
        }
        for (storage, _) in &outputs {
            let relation = self.storage_relation(block, storage)?;
            accesses.push(DraftAccess { kind: AccessKind::MustWrite, relation, values: Vec::new() });
        }
        let body = StatementBody {
            location,
            iterators: tree.block(block).iterators.clone(),
            inputs: slice.inputs.into_iter().map(|(value, storage)| (value, storage.place)).collect(),
            outputs: outputs.into_iter().map(|(storage, value)| (storage.place, value)).collect(),
            operations,
        };
        let may_trap = body
            .operations
            .iter()
            .flat_map(|operation| nested(*operation))
            .any(|inner| is_effect_free(inner) && !polyrs_host::is_speculatable(inner.to_raw()));
        let text = text.unwrap_or_else(|| "copy".to_owned());
        let basic_block = self.basic_block;
        self.drafts.push(Draft { block, basic_block, accesses, body, may_trap, text });
        Ok(Item::Statement(self.drafts.len() - 1))
    }

    /// The access to a storage, as a relation of a body.
    fn storage_relation(&self, block: BodyId, storage: &Storage<'c, 'a>) -> isl::Result<Map> {
        if let Some((access, outer)) = &storage.element {
            return self.reader.tree.relation_in(&access.relation, *outer, block);
        }
        self.everything(block, storage.array)
    }

    /// `{ [i] -> A[a] }` for all elements of an array.
    fn everything(&self, block: BodyId, array: usize) -> isl::Result<Map> {
        let domain = self.reader.space(self.reader.tree.depth(block))?;
        Map::from_domain_and_range(Set::universe(domain)?, Set::universe(self.reader.array_space(array)?)?)
    }

    /// The statement that ends the former life of a buffer.
    pub fn kill(&mut self, block: BodyId, location: Location<'c>, array: usize) -> Step<'c, 'a, Item> {
        let relation = self.everything(block, array)?;
        let accesses = vec![DraftAccess { kind: AccessKind::Kill, relation, values: Vec::new() }];
        let body = StatementBody {
            location,
            iterators: self.reader.tree.block(block).iterators.clone(),
            inputs: Vec::new(),
            operations: Vec::new(),
            outputs: Vec::new(),
        };
        let (basic_block, text) = (self.basic_block, "allocation".to_owned());
        self.drafts.push(Draft { block, basic_block, accesses, body, may_trap: false, text });
        Ok(Item::Statement(self.drafts.len() - 1))
    }
}

/// Adds an access, unless there is the same one already.
pub(super) fn add<'c, 'a>(accesses: &mut Vec<DraftAccess<'c, 'a>>, access: DraftAccess<'c, 'a>) -> isl::Result<()> {
    let array = access.relation.tuple_name(DimType::Out)?;
    for known in accesses.iter_mut().filter(|known| known.kind == access.kind) {
        let other = &known.relation;
        if other.tuple_name(DimType::Out)? == array && other.is_equal(&access.relation)? {
            known.values.extend(access.values);
            return Ok(());
        }
    }
    accesses.push(access);
    Ok(())
}
