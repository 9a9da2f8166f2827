//! The operations of one statement that a value is computed from.

use std::collections::{HashMap, HashSet};

use melior::ir::{OperationRef, Value};

use super::carried::{Storage, Storages};
use super::kind::needs;
use super::tree::{Definition, Point, Role, Tree};
use crate::mlir::ir::value::{ValueId, id};

/// Everything that one statement does to get some values.
#[derive(Default)]
pub(super) struct Slice<'c, 'a> {
    /// The operations to repeat, each after those that it needs.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// Where they are.
    pub points: Vec<Point>,
    /// The values to read from storages first.
    pub inputs: Vec<(Value<'c, 'a>, Storage<'c, 'a>)>,
    /// The loads among the operations.
    pub loads: Vec<Point>,
    seen: HashSet<ValueId>,
    seen_points: HashSet<(usize, usize)>,
}

/// Which values are computed once, by a statement of their own.
#[derive(Default)]
pub(super) struct Materialized<'c, 'a> {
    storages: HashMap<ValueId, Storage<'c, 'a>>,
}

impl<'c, 'a> Materialized<'c, 'a> {
    /// Keeps a value in a storage.
    pub fn insert(&mut self, value: Value<'c, 'a>, storage: Storage<'c, 'a>) {
        self.storages.insert(id(value), storage);
    }

    /// Where a value is kept.
    pub fn get(&self, value: Value<'c, 'a>) -> Option<&Storage<'c, 'a>> {
        self.storages.get(&id(value))
    }
}

impl<'c, 'a> Slice<'c, 'a> {
    /// Adds what values are computed from.
    pub fn add(
        &mut self,
        tree: &Tree<'c, 'a>,
        storages: &Storages<'c, 'a>,
        materialized: &Materialized<'c, 'a>,
        values: impl IntoIterator<Item = Value<'c, 'a>>,
    ) {
        for value in values {
            if !self.seen.insert(id(value)) {
                continue;
            }
            if let Some(storage) = materialized.get(value) {
                self.inputs.push((value, storage.clone()));
                continue;
            }
            let Some(definition) = tree.definition(value) else { continue };
            if let Some(storage) = storages.of(definition) {
                self.inputs.push((value, storage.clone()));
            } else if let Definition::Leaf(point) = definition {
                self.add_leaf(tree, storages, materialized, point);
            }
        }
    }

    fn add_leaf(
        &mut self,
        tree: &Tree<'c, 'a>,
        storages: &Storages<'c, 'a>,
        materialized: &Materialized<'c, 'a>,
        point: Point,
    ) {
        let Some(leaf) = tree.leaf(point) else { return };
        if !matches!(leaf.role, Role::Pure | Role::Load) || !self.seen_points.insert((point.block.0, point.node)) {
            return;
        }
        self.add(tree, storages, materialized, needs(leaf.operation));
        self.operations.push(leaf.operation);
        self.points.push(point);
        if leaf.role == Role::Load {
            self.loads.push(point);
        }
    }

    /// Nothing in the slice depends on memory or on what other statements do.
    pub fn is_stable(&self) -> bool {
        self.loads.is_empty() && self.inputs.is_empty()
    }
}
