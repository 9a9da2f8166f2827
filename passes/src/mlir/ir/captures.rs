//! The values from outside that a region uses.

use std::collections::HashSet;

use melior::ir::{BlockRef, OperationRef, Value};

use super::operation::{arguments, blocks, nested, operands, operations, regions, results};
use super::value::{ValueId, id};

/// The values that are used in an operation's regions but defined outside of them, each once, in the
/// order of their first use.
pub fn captures<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let mut seen = HashSet::new();
    for region in regions(operation) {
        for block in blocks(region) {
            collect_defined(block, &mut seen);
        }
    }
    let mut result = Vec::new();
    for inner in nested(operation).into_iter().skip(1) {
        for operand in operands(inner) {
            if seen.insert(id(operand)) {
                result.push(operand);
            }
        }
    }
    result
}

fn collect_defined<'c, 'a>(block: BlockRef<'c, 'a>, seen: &mut HashSet<ValueId>) {
    seen.extend(arguments(block).into_iter().map(id));
    for operation in operations(block) {
        seen.extend(results(operation).into_iter().map(id));
        for region in regions(operation) {
            for inner in blocks(region) {
                collect_defined(inner, seen);
            }
        }
    }
}
