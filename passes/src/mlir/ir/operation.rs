//! Operations, blocks and regions as plain sequences.

use melior::ir::attribute::{IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockLike, BlockRef, OperationRef, RegionLike, RegionRef, Value};
use mlir_sys::{mlirOperationDestroy, mlirOperationRemoveFromParent, mlirRegionGetNextInOperation};

/// A multiplication and an addition that are fused where the target does that faster, as C has them by default. No
/// dialect above LLVM's has one.
pub const FMULADD: &str = "llvm.intr.fmuladd";

/// The full name, such as `affine.for`.
pub fn name(operation: OperationRef<'_, '_>) -> String {
    let name = operation.name();
    name.as_string_ref().as_str().unwrap_or("").to_owned()
}

/// Whether the operation has this full name.
pub fn is(operation: OperationRef<'_, '_>, full_name: &str) -> bool {
    operation.name().as_string_ref().as_str() == Ok(full_name)
}

/// An attribute by name, inherent or discardable.
pub fn attribute<'c>(operation: OperationRef<'c, '_>, name: &str) -> Option<Attribute<'c>> {
    operation.attribute(name).ok()
}

/// A string attribute, such as `sym_name`.
pub fn string_attribute(operation: OperationRef<'_, '_>, name: &str) -> Option<String> {
    let text = StringAttribute::try_from(attribute(operation, name)?).ok()?;
    Some(text.value().to_owned())
}

/// The results of an operation.
pub fn results<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    (0..operation.result_count()).filter_map(|number| operation.result(number).ok()).map(Value::from).collect()
}

/// The operands of an operation.
pub fn operands<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    (0..operation.operand_count()).filter_map(|number| operation.operand(number).ok()).collect()
}

/// The arguments of a block.
pub fn arguments<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    (0..block.argument_count()).filter_map(|number| block.argument(number).ok()).map(Value::from).collect()
}

/// The operations of a block, the terminator included.
pub fn operations<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |operation| operation.next_in_block()).collect()
}

/// The blocks of a region.
pub fn blocks<'c, 'a>(region: RegionRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    std::iter::successors(region.first_block(), |block| block.next_in_region()).collect()
}

/// The regions of an operation.
pub fn regions<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<RegionRef<'c, 'a>> {
    std::iter::successors(operation.first_region(), |region| {
        // SAFETY: the region is alive; the result is null or a sibling that lives as long.
        unsafe { RegionRef::from_option_raw(mlirRegionGetNextInOperation(region.to_raw())) }
    })
    .collect()
}

/// The only block of the operation's region of this number, if it has exactly one.
pub fn only_block<'c, 'a>(operation: OperationRef<'c, 'a>, region: usize) -> Option<BlockRef<'c, 'a>> {
    match blocks(*regions(operation).get(region)?)[..] {
        [block] => Some(block),
        _ => None,
    }
}

/// The operation and everything nested in it, parents first, in textual order.
pub fn nested<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut result = vec![operation];
    for region in regions(operation) {
        for block in blocks(region) {
            for inner in operations(block) {
                result.extend(nested(inner));
            }
        }
    }
    result
}

/// The operations around an operation, the nearest first.
pub fn ancestors<'c, 'a>(operation: OperationRef<'c, 'a>) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    std::iter::successors(operation.parent_operation(), |parent| parent.parent_operation())
}

/// Whether `inner` is `outer` or nested in it.
pub fn contains(outer: OperationRef<'_, '_>, inner: OperationRef<'_, '_>) -> bool {
    inner == outer || ancestors(inner).any(|around| around == outer)
}

/// Removes an operation from its block and destroys it with everything in it.
///
/// # Safety
/// Its results have no uses, and no reference to it or to what is nested in it is used again.
pub unsafe fn erase(operation: OperationRef<'_, '_>) {
    // SAFETY: removing gives us the ownership that destroying takes.
    unsafe {
        mlirOperationRemoveFromParent(operation.to_raw());
        mlirOperationDestroy(operation.to_raw());
    }
}

/// The number that a constant is, unless it is none, or no integer.
pub fn number(operation: OperationRef<'_, '_>) -> Option<i64> {
    if !is(operation, "arith.constant") {
        return None;
    }
    Some(IntegerAttribute::try_from(attribute(operation, "value")?).ok()?.value())
}
