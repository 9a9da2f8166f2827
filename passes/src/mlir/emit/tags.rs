//! Attributes that say what part of the AST an operation came from, for tests that lift the new code again.

use melior::Context;
use melior::ir::OperationRef;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::r#type::IntegerType;

use crate::mlir::ir::operation::{attribute, nested};

/// On a loop: the number of its iterator in the AST.
pub const ITERATOR: &str = "polyrs.iterator";
/// On what a statement's instance does: the number of its call in the AST, in textual order.
pub const CALL: &str = "polyrs.call";

/// Marks an operation.
pub fn set<'c>(context: &'c Context, operation: OperationRef<'c, '_>, name: &str, number: i64) {
    let number = IntegerAttribute::new(IntegerType::new(context, 64).into(), number);
    // SAFETY: the operation is alive, and no other reference changes it meanwhile.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }.set_discardable_attribute(name, number.into());
}

/// The number that an operation is marked with.
pub fn get(operation: OperationRef<'_, '_>, name: &str) -> Option<usize> {
    let number = IntegerAttribute::try_from(attribute(operation, name)?).ok()?;
    usize::try_from(number.value()).ok()
}

/// Removes all marks from an operation and what is in it.
pub fn remove_all(operation: OperationRef<'_, '_>) {
    for inner in nested(operation) {
        for name in [ITERATOR, CALL] {
            if inner.has_attribute(name) {
                // SAFETY: as in `set`.
                let mut inner = unsafe { OperationRefMut::from_raw(inner.to_raw()) };
                // It is there, so removing it succeeds.
                let _ = inner.remove_discardable_attribute(name);
            }
        }
    }
}
