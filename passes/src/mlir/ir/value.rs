//! Values: where they come from and who uses them.

use melior::ir::TypeLike;
use melior::ir::block::BlockArgument;
use melior::ir::operation::OperationResult;
use melior::ir::{BlockRef, OperationRef, Value, ValueLike};
use mlir_sys::{
    mlirAffineMapIsIdentity, mlirBlockArgumentGetOwner, mlirMemRefTypeGetAffineMap, mlirMemRefTypeGetMemorySpace,
    mlirOpOperandGetNextUse, mlirOpOperandGetOperandNumber, mlirOpOperandGetOwner, mlirOpOperandIsNull,
    mlirOpResultGetOwner, mlirTypeIsAMemRef, mlirValueGetFirstUse, mlirValueReplaceAllUsesOfWith,
};

/// The identity of a value, for maps. It says nothing about order, so it must not decide one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(usize);

/// The identity of a value.
pub fn id(value: Value<'_, '_>) -> ValueId {
    ValueId(value.to_raw().ptr.addr())
}

/// The operation that a value is a result of, with the result's number; nothing for block arguments.
pub fn defining<'c, 'a>(value: Value<'c, 'a>) -> Option<(OperationRef<'c, 'a>, usize)> {
    // melior's conversion would print the value to say that it is none, and printing verifies the whole module, which
    // other threads are working on.
    if !value.is_operation_result() {
        return None;
    }
    let result = OperationResult::try_from(value).ok()?;
    // SAFETY: the value is an operation's result, and the operation owns it.
    let owner = unsafe { OperationRef::from_raw(mlirOpResultGetOwner(value.to_raw())) };
    Some((owner, result.result_number()))
}

/// The block that a value is an argument of, with the argument's number; nothing for results.
pub fn argument<'c, 'a>(value: Value<'c, 'a>) -> Option<(BlockRef<'c, 'a>, usize)> {
    // As above.
    if !value.is_block_argument() {
        return None;
    }
    let argument = BlockArgument::try_from(value).ok()?;
    // SAFETY: the value is a block argument, and the block owns it.
    let owner = unsafe { BlockRef::from_raw(mlirBlockArgumentGetOwner(value.to_raw())) };
    Some((owner, argument.argument_number()))
}

/// The uses of a value: operations with the operand's number, in MLIR's use-list order.
pub fn uses<'c, 'a>(value: Value<'c, 'a>) -> Vec<(OperationRef<'c, 'a>, usize)> {
    let mut result = Vec::new();
    // SAFETY: the value is alive; uses are live operands until one is changed, and none is here.
    unsafe {
        let mut operand = mlirValueGetFirstUse(value.to_raw());
        while !mlirOpOperandIsNull(operand) {
            let number = mlirOpOperandGetOperandNumber(operand);
            result.push((OperationRef::from_raw(mlirOpOperandGetOwner(operand)), number as usize));
            operand = mlirOpOperandGetNextUse(operand);
        }
    }
    result
}

/// Makes every use of `of` a use of `with`.
pub fn replace_all_uses<'c>(of: Value<'c, '_>, with: Value<'c, '_>) {
    // SAFETY: both values are alive.
    unsafe { mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// Whether the value is a ranked memref.
pub fn is_memref(value: Value<'_, '_>) -> bool {
    // SAFETY: a value's type is alive.
    unsafe { mlirTypeIsAMemRef(value.r#type().to_raw()) }
}

/// Whether the value is a memref outside of the default memory space.
pub fn has_memory_space(value: Value<'_, '_>) -> bool {
    // SAFETY: the type is alive, and its kind is tested before the access; null is the default space.
    is_memref(value) && unsafe { !mlirMemRefTypeGetMemorySpace(value.r#type().to_raw()).ptr.is_null() }
}

/// Whether the value is a memref in the default memory space whose elements follow each other in order.
pub fn is_dense(value: Value<'_, '_>) -> bool {
    // SAFETY: a value's type is alive, and its kind is tested before the access.
    is_memref(value)
        && !has_memory_space(value)
        && unsafe { mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(value.r#type().to_raw())) }
}
