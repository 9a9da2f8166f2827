//! Cloning operations into another place.

use std::collections::HashMap;

use melior::ir::operation::OperationRefMut;
use melior::ir::operation::{Operation, OperationLike, OperationMutLike};
use melior::ir::{BlockLike, BlockRef, OperationRef, Value};
use mlir_sys::mlirOperationClone;

use super::builder::Builder;
use super::operation::{nested, results};
use super::value::{ValueId, id};

/// The copies of values of the original. Values without an entry stay themselves.
#[derive(Default)]
pub struct ValueMap<'c, 'a>(HashMap<ValueId, Value<'c, 'a>>);

impl<'c, 'a> ValueMap<'c, 'a> {
    /// The empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// A map that starts with what this one has. `Clone` would hide [`ValueMap::clone_into`].
    pub fn inner(&self) -> Self {
        Self(self.0.clone())
    }

    /// Says what a value is in the copy.
    pub fn insert(&mut self, original: Value<'c, 'a>, copy: Value<'c, 'a>) {
        self.0.insert(id(original), copy);
    }

    /// The copy of a value.
    pub fn get(&self, original: Value<'c, 'a>) -> Value<'c, 'a> {
        self.0.get(&id(original)).copied().unwrap_or(original)
    }

    /// Whether the value has an entry.
    pub fn contains(&self, original: Value<'c, 'a>) -> bool {
        self.0.contains_key(&id(original))
    }

    /// Clones an operation with everything in it, and appends the clone to a block. Its operands, and
    /// those of what is nested in it, are mapped; its results are entered into the map.
    pub fn clone_into(&mut self, operation: OperationRef<'c, 'a>, block: BlockRef<'c, 'a>) -> OperationRef<'c, 'a> {
        let copy = block.append_operation(self.clone_detached(operation));
        self.enter_results(operation, copy);
        copy
    }

    /// As [`ValueMap::clone_into`], but puts the clone before an operation of the block.
    pub fn clone_before(
        &mut self,
        operation: OperationRef<'c, 'a>,
        block: BlockRef<'c, 'a>,
        before: OperationRef<'c, 'a>,
    ) -> OperationRef<'c, 'a> {
        let copy = block.insert_operation_before(before, self.clone_detached(operation));
        self.enter_results(operation, copy);
        copy
    }

    /// As [`ValueMap::clone_into`], but puts the clone where a builder builds.
    pub fn clone_at(&mut self, operation: OperationRef<'c, 'a>, at: Builder<'c, 'a>) -> OperationRef<'c, 'a> {
        let copy = at.insert(self.clone_detached(operation));
        self.enter_results(operation, copy);
        copy
    }

    fn clone_detached(&self, operation: OperationRef<'c, 'a>) -> Operation<'c> {
        // SAFETY: the operation is alive; the clone is ours until it is inserted.
        let raw = unsafe { mlirOperationClone(operation.to_raw()) };
        // SAFETY: the clone is alive while its operands are changed.
        for inner in nested(unsafe { OperationRef::from_raw(raw) }) {
            // SAFETY: as above; no other reference changes it meanwhile.
            let mut inner = unsafe { OperationRefMut::from_raw(inner.to_raw()) };
            for number in 0..inner.operand_count() {
                if let Ok(operand) = inner.operand(number)
                    && let Some(copy) = self.0.get(&id(operand))
                {
                    inner.set_operand(number, *copy);
                }
            }
        }
        // SAFETY: the clone has no owner yet.
        unsafe { Operation::from_raw(raw) }
    }

    fn enter_results(&mut self, original: OperationRef<'c, 'a>, copy: OperationRef<'c, 'a>) {
        for (before, after) in results(original).into_iter().zip(results(copy)) {
            self.insert(before, after);
        }
    }
}
