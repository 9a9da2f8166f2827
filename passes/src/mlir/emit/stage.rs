//! New operations that are not part of the program yet.

use melior::Context;
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::{Block, BlockLike, BlockRef, Location, OperationRef};
use mlir_sys::{mlirBlockDestroy, mlirBlockInsertOwnedOperation};

use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::operations;

/// A detached block. What is in it when it is dropped is destroyed.
pub struct Stage<'c, 'a> {
    context: &'c Context,
    block: BlockRef<'c, 'a>,
}

impl<'c, 'a> Stage<'c, 'a> {
    /// An empty one.
    pub fn new(context: &'c Context) -> Self {
        let raw = Block::new(&[]).into_raw();
        // SAFETY: the block was just made and lives until `drop`.
        Self { context, block: unsafe { BlockRef::from_raw(raw) } }
    }

    /// Appends to it.
    pub fn builder(&self, location: Location<'c>) -> Builder<'c, 'a> {
        Builder::at_end(self.context, self.block, location)
    }

    /// Moves everything behind an operation, in order; gives what was moved.
    pub fn insert_after(self, anchor: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
        let moved = operations(self.block);
        let mut last = anchor;
        for &operation in &moved {
            move_after(operation, last);
            last = operation;
        }
        moved
    }

    /// Takes operations of the program in, to be destroyed with it: all at once, so that it does not matter in which
    /// order they use each other.
    pub fn take(&self, operations: impl IntoIterator<Item = OperationRef<'c, 'a>>) {
        for operation in operations {
            // SAFETY: both are alive; removing gives the ownership that appending takes.
            unsafe {
                mlir_sys::mlirOperationRemoveFromParent(operation.to_raw());
                mlir_sys::mlirBlockAppendOwnedOperation(self.block.to_raw(), operation.to_raw());
            }
        }
    }

    /// Moves everything to the start of a block, in order; gives what was moved.
    pub fn insert_at_start(self, block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
        let moved = operations(self.block);
        for &operation in moved.iter().rev() {
            // SAFETY: both are alive; removing gives the ownership that inserting takes.
            unsafe {
                mlir_sys::mlirOperationRemoveFromParent(operation.to_raw());
                mlirBlockInsertOwnedOperation(block.to_raw(), 0, operation.to_raw());
            }
        }
        moved
    }
}

impl Drop for Stage<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: nothing outside uses what is still in the block: commits empty it first.
        unsafe { mlirBlockDestroy(self.block.to_raw()) }
    }
}

/// Moves an operation behind another one.
pub fn move_after<'c, 'a>(operation: OperationRef<'c, 'a>, other: OperationRef<'c, 'a>) {
    // SAFETY: the operation is alive and no other reference changes it meanwhile.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }.move_after(other);
}

/// Moves an operation in front of another one.
pub fn move_before<'c, 'a>(operation: OperationRef<'c, 'a>, other: OperationRef<'c, 'a>) {
    // SAFETY: as above.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }.move_before(other);
}
