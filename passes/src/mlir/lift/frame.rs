//! The inside of a region and its outside, before anything is described.

use std::collections::HashSet;

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, BlockRef, OperationRef, Value};

use super::kind::{Kind, needs};
use crate::mlir::ir::operation::{is, nested, operands, regions};
use crate::mlir::ir::value::{argument, defining};

/// The identity of an operation, for sets. It says nothing about order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OperationId(usize);

/// The identity of an operation.
pub(super) fn operation_id(operation: OperationRef<'_, '_>) -> OperationId {
    OperationId(operation.to_raw().ptr.addr())
}

/// A run of operations of one block.
pub(super) struct Frame<'c, 'a> {
    /// The block.
    pub block: BlockRef<'c, 'a>,
    /// The operations, in order.
    pub operations: Vec<OperationRef<'c, 'a>>,
    members: HashSet<OperationId>,
    kept: HashSet<OperationId>,
}

impl<'c, 'a> Frame<'c, 'a> {
    /// The frame of a run of operations of one block; nothing if there is none.
    pub fn new(operations: Vec<OperationRef<'c, 'a>>) -> Option<Self> {
        let block = operations.first()?.block()?;
        let members = operations.iter().map(|operation| operation_id(*operation)).collect();
        let mut frame = Self { block, operations, members, kept: HashSet::new() };
        for operation in frame.operations.clone() {
            if frame.stays(operation) {
                frame.kept.insert(operation_id(operation));
            }
        }
        Some(frame)
    }

    /// An operation at the top level that the new code can rely on: it computes nothing from what the region does.
    fn stays(&self, operation: OperationRef<'c, 'a>) -> bool {
        let possible = matches!(Kind::of(operation), Kind::Allocation | Kind::Deallocation | Kind::Pure);
        possible && needs(operation).into_iter().all(|value| self.is_outside(value))
    }

    /// A top-level operation of the frame that stays where it is.
    pub fn is_kept(&self, operation: OperationRef<'c, 'a>) -> bool {
        self.kept.contains(&operation_id(operation))
    }

    /// The top-level operation of the frame that is or holds an operation; nothing if none does.
    pub fn top_level(&self, operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
        let mut current = Some(operation);
        while let Some(candidate) = current {
            if self.members.contains(&operation_id(candidate)) {
                return Some(candidate);
            }
            current = candidate.parent_operation();
        }
        None
    }

    /// An operation that will be erased.
    pub fn is_replaced(&self, operation: OperationRef<'c, 'a>) -> bool {
        self.top_level(operation).is_some_and(|top| !self.is_kept(top))
    }

    /// A value that the new code can use as it is.
    pub fn is_outside(&self, value: Value<'c, 'a>) -> bool {
        if let Some((operation, _)) = defining(value) {
            return !self.is_replaced(operation);
        }
        argument(value)
            .and_then(|(block, _)| block.parent_operation())
            .is_none_or(|operation| !self.is_replaced(operation))
    }

    /// A value computed in the region by operations that could as well run before it; in `order` they are appended,
    /// those that are not there yet.
    pub fn can_hoist(&self, value: Value<'c, 'a>, order: &mut Vec<OperationRef<'c, 'a>>) -> bool {
        if self.is_outside(value) {
            return true;
        }
        let Some((operation, _)) = defining(value) else { return false };
        if order.contains(&operation) {
            return true;
        }
        let raw = operation.to_raw();
        let before = order.len();
        let possible = regions(operation).is_empty()
            && polyrs_host::is_memory_effect_free(raw)
            && polyrs_host::is_speculatable(raw)
            && operands(operation).into_iter().all(|operand| self.can_hoist(operand, order));
        if possible {
            order.push(operation);
        } else {
            order.truncate(before);
        }
        possible
    }

    /// Whether operations of the affine dialect may take a value from outside of the region as an operand where the new
    /// code goes: it is known at the function's top level, or an iterator of an affine loop.
    pub fn is_affine_operand(&self, value: Value<'c, 'a>) -> bool {
        let at_top = |block: BlockRef<'c, 'a>| block.parent_operation().is_some_and(|parent| is(parent, "func.func"));
        if let Some((operation, _)) = defining(value) {
            // What is hoisted out of the region is in the region's own block afterwards.
            let block = if self.is_replaced(operation) { Some(self.block) } else { operation.block() };
            let affine = is(operation, "affine.apply");
            return block.is_some_and(at_top)
                || (affine && operands(operation).into_iter().all(|operand| self.is_affine_operand(operand)))
                || (is(operation, "memref.dim") && self.is_known_at_top(operation));
        }
        let Some((block, _)) = argument(value) else { return false };
        let iterates = |parent| is(parent, "affine.for") || is(parent, "affine.parallel");
        at_top(block) || block.parent_operation().is_some_and(iterates)
    }

    /// Whether the extent that a `memref.dim` asks for is one of a buffer that is known at the function's top level.
    fn is_known_at_top(&self, operation: OperationRef<'c, 'a>) -> bool {
        let Some(buffer) = operands(operation).first().copied() else { return false };
        let block = match (defining(buffer), argument(buffer)) {
            (Some((source, _)), _) => source.block(),
            (None, Some((block, _))) => Some(block),
            (None, None) => None,
        };
        let parent = block.and_then(|block| block.parent_operation());
        parent.is_some_and(|parent| is(parent, "func.func"))
    }

    /// The number of operations, nested ones included.
    pub fn size(&self) -> usize {
        self.operations.iter().map(|operation| nested(*operation).len()).sum()
    }
}
