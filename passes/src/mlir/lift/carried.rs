//! Where the values are kept that loops carry and conditions yield.
//!
//! Each gets a scalar, with two exceptions. An inner loop that only continues what an outer one carries shares the
//! outer one's place. And an accumulator that ends in one element of a buffer, stored right after the loop, is kept in
//! that element all along, where nothing else looks at it in the meantime: then the loop is a plain reduction in
//! memory, whose iterations a scheduler can move about.

use melior::ir::{Value, ValueLike};
use polyrs_core::isl;
use polyrs_core::scop::AccessKind;

use super::reader::Reader;
use super::refusal::Step;
use super::tree::{ArrayInfo, BodyId, Definition, Leaf, LoopId, MemoryAccess, Point, Role, TreeNode};
use super::types;
use crate::mlir::ir::affine;
use crate::mlir::ir::value::{id, uses};
use crate::mlir::region::{ArrayBinding, ValueStorage};

/// Where a value is kept.
#[derive(Clone)]
pub(super) struct Storage<'c, 'a> {
    /// The place.
    pub place: ValueStorage<'c, 'a>,
    /// The array.
    pub array: usize,
    /// For an element: what is touched, as an access of the block that holds the loop.
    pub element: Option<(MemoryAccess, BodyId)>,
}

/// How a loop's carried value gets its storage and its first value.
#[derive(Clone)]
pub(super) struct CarriedStorage<'c, 'a> {
    /// Where it is kept.
    pub storage: Storage<'c, 'a>,
    /// The storage holds the first value already.
    pub initialized: bool,
}

/// The storages of a region.
#[derive(Default)]
pub(super) struct Storages<'c, 'a> {
    /// For each loop, those of its carried values.
    pub loops: Vec<Vec<CarriedStorage<'c, 'a>>>,
    /// Those of conditions' results: the node, the result's number, the storage.
    pub branches: Vec<(Point, usize, Storage<'c, 'a>)>,
}

impl<'c, 'a> Storages<'c, 'a> {
    /// Where a carried value or the result of a loop or condition is kept.
    pub fn of(&self, definition: Definition) -> Option<&Storage<'c, 'a>> {
        match definition {
            Definition::Carried(number, position) | Definition::LoopResult(number, position) => {
                self.loops.get(number.0)?.get(position).map(|carried| &carried.storage)
            }
            Definition::IfResult(point, position) => self
                .branches
                .iter()
                .find(|(node, number, _)| *node == point && *number == position)
                .map(|(_, _, storage)| storage),
            _ => None,
        }
    }
}

impl<'c, 'a> Reader<'_, 'c, 'a> {
    /// Gives every carried value and every condition's result a place.
    pub(super) fn assign_storages(&mut self) -> Step<'c, 'a, Storages<'c, 'a>> {
        let mut storages = Storages::default();
        for number in (0..self.tree.loops.len()).map(LoopId) {
            storages.loops.push(Vec::new());
            for position in 0..self.tree.get_loop(number).carried.len() {
                let carried = match self.continued(&storages, number, position) {
                    Some(storage) => CarriedStorage { storage, initialized: true },
                    None => match self.expand(number, position)? {
                        Some(expanded) => expanded,
                        None => {
                            let value = self.tree.get_loop(number).carried[position].argument;
                            CarriedStorage { storage: self.new_scalar("acc", value), initialized: false }
                        }
                    },
                };
                storages.loops[number.0].push(carried);
            }
        }
        for block in (0..self.tree.blocks.len()).map(BodyId) {
            for node in 0..self.tree.block(block).nodes.len() {
                let point = Point { block, node };
                let TreeNode::If(branch) = self.tree.node(point) else { continue };
                for (position, result) in branch.results.clone().into_iter().enumerate() {
                    let storage = self.new_scalar("choice", result);
                    storages.branches.push((point, position, storage));
                }
            }
        }
        Ok(storages)
    }

    /// A new array for an SSA value.
    pub(super) fn new_scalar(&mut self, prefix: &str, value: Value<'c, 'a>) -> Storage<'c, 'a> {
        let element_type = value.r#type();
        let number = self.memory.arrays.iter().filter(|array| array.name.starts_with(prefix)).count();
        let array = self.memory.add(ArrayInfo {
            name: format!("{prefix}{number}"),
            binding: ArrayBinding::Scalar { element: element_type },
            extent: Vec::new(),
            element: types::element_type(element_type),
        });
        Storage { place: ValueStorage::Scalar(array), array, element: None }
    }

    /// The storage of the value that the surrounding loop carries, if this one does nothing but continue it.
    fn continued(&self, storages: &Storages<'c, 'a>, number: LoopId, position: usize) -> Option<Storage<'c, 'a>> {
        let this = self.tree.get_loop(number);
        let carried = this.carried[position];
        let Definition::Carried(outer, outer_position) = self.tree.definition(carried.init)? else { return None };
        let around = self.tree.get_loop(outer);
        let same_block = around.body == this.point.block;
        let only_start = uses(carried.init).len() == 1;
        let only_end = uses(carried.result).len() == 1;
        let next = around.carried.get(outer_position)?.next;
        if !(same_block && only_start && only_end && id(next) == id(carried.result)) {
            return None;
        }
        storages.loops.get(outer.0)?.get(outer_position).map(|carried| carried.storage.clone())
    }

    /// Keeps an accumulator in the element that it ends in, where that changes nothing else.
    fn expand(&mut self, number: LoopId, position: usize) -> Step<'c, 'a, Option<CarriedStorage<'c, 'a>>> {
        let this = self.tree.get_loop(number);
        let (block, carried, several) = (this.point.block, this.carried[position], !this.expanded.is_empty());
        let start = this.point.node;
        let Some((store, view)) = self.final_store(number, position) else { return Ok(None) };
        let Some(access) = self.tree.leaf(store).and_then(|leaf| leaf.accesses.first()).cloned() else {
            return Ok(None);
        };
        if self.tree.any_between(block, start, store.node, &access, false)? {
            return Ok(None);
        }
        let initialized = self.holds_init(start, carried.init, &access, block)?;
        if several && !initialized && self.tree.definition(carried.init).is_some() {
            // The first values would have to be read before either is written.
            return Ok(None);
        }
        let place = ValueStorage::Element { memref: view.memref, subscripts: view.subscripts };
        self.tree.loops[number.0].expanded.push(access.clone());
        if let TreeNode::Leaf(leaf) = &mut self.tree.blocks[block.0].nodes[store.node] {
            leaf.role = Role::Nothing;
            leaf.accesses.clear();
        }
        let storage = Storage { place, array: access.array, element: Some((access, block)) };
        Ok(Some(CarriedStorage { storage, initialized }))
    }

    /// The store behind the loop, in the same block, that is the only use of a result, if its element can be named
    /// inside the loop as well.
    fn final_store(&self, number: LoopId, position: usize) -> Option<(Point, affine::Access<'c, 'a>)> {
        let this = self.tree.get_loop(number);
        let [(user, 0)] = uses(this.carried[position].result)[..] else { return None };
        let nodes = &self.tree.block(this.point.block).nodes;
        let node = nodes.iter().position(|node| matches!(node, TreeNode::Leaf(leaf) if leaf.operation == user))?;
        let view = affine::Access::new(user)?;
        let exact = |leaf: &Leaf<'c, 'a>| match &leaf.accesses[..] {
            [access] => access.exact && access.kind == AccessKind::MustWrite,
            _ => false,
        };
        let point = Point { block: this.point.block, node };
        let simple = view.kind == affine::AccessKind::Store
            && !view.vector
            && node > this.point.node
            && self.tree.leaf(point).is_some_and(exact)
            && self.is_nameable(view.memref, number)
            && view.subscripts.operands.iter().all(|operand| self.is_nameable(*operand, number));
        simple.then_some((point, view))
    }

    /// A value that every statement of a loop, and one right before it, can use: an iterator, something from outside,
    /// or a buffer that is there already.
    fn is_nameable(&self, value: Value<'c, 'a>, number: LoopId) -> bool {
        match self.tree.definition(value) {
            Some(Definition::Iterator(_)) => true,
            Some(Definition::Leaf(point)) => {
                let buffer = |leaf: &Leaf<'c, 'a>| matches!(leaf.role, Role::Allocation(_));
                let start = self.tree.ancestor(self.tree.get_loop(number).point, point.block);
                self.tree.leaf(point).is_some_and(buffer) && start.is_some_and(|start| point.node < start.node)
            }
            Some(_) => false,
            None => self.frame.is_outside(value),
        }
    }

    /// Whether an element holds a value already when a node is reached: the value was loaded from there.
    fn holds_init(
        &self,
        start: usize,
        init: Value<'c, 'a>,
        element: &MemoryAccess,
        block: BodyId,
    ) -> isl::Result<bool> {
        let Some(Definition::Leaf(load)) = self.tree.definition(init) else { return Ok(false) };
        let Some(leaf) = self.tree.leaf(load).filter(|leaf| leaf.role == Role::Load && load.block == block) else {
            return Ok(false);
        };
        let [access] = &leaf.accesses[..] else { return Ok(false) };
        if access.array != element.array || !access.exact || !leaf_is_scalar(leaf, init) {
            return Ok(false);
        }
        let domain = &self.tree.block(block).domain;
        let here = access.relation.clone().intersect_domain(domain.clone())?;
        let there = element.relation.clone().intersect_domain(domain.clone())?;
        Ok(here.is_equal(&there)? && self.tree.can_load_at(load, Point { block, node: start })?)
    }
}

/// Whether a load's value is one element and no vector of several.
fn leaf_is_scalar(leaf: &Leaf<'_, '_>, value: Value<'_, '_>) -> bool {
    affine::Access::new(leaf.operation).is_none_or(|view| !view.vector) && !types::is_vector(value.r#type())
}
