//! Pointers of the LLVM dialect: where they come from.

use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{OperationRef, Value};

use crate::mlir::ir::operation::{attribute, name, operands};
use crate::mlir::ir::value::defining;

/// The value that a pointer is computed from, through address arithmetic and descriptors.
pub fn root<'c: 'a, 'a>(pointer: Value<'c, 'a>) -> Value<'c, 'a> {
    let mut value = pointer;
    while let Some((operation, _)) = defining(value) {
        let from = match name(operation).as_str() {
            "llvm.getelementptr" | "llvm.bitcast" | "llvm.addrspacecast" => operands(operation).first().copied(),
            "llvm.extractvalue" => member(operation),
            _ => None,
        };
        match from {
            Some(from) => value = from,
            None => break,
        }
    }
    value
}

/// The value that was put at the place of an aggregate from which a value is taken; nothing if that is not known.
fn member<'c, 'a>(extract: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    let wanted = position(extract)?;
    let mut aggregate = *operands(extract).first()?;
    while let Some((operation, _)) = defining(aggregate) {
        if name(operation) != "llvm.insertvalue" {
            return None;
        }
        let [container, inserted] = operands(operation)[..] else { return None };
        let place = position(operation)?;
        if place == wanted {
            return Some(inserted);
        }
        if place.starts_with(&wanted) || wanted.starts_with(&place) {
            return None;
        }
        aggregate = container;
    }
    None
}

fn position(operation: OperationRef<'_, '_>) -> Option<Vec<i64>> {
    let position = DenseI64ArrayAttribute::try_from(attribute(operation, "position")?).ok()?;
    (0..position.len()).map(|number| position.element(number).ok()).collect()
}

/// The pointers that an operation of the LLVM dialect accesses, as far as facts can be stated of it, and whether it
/// writes there.
pub fn accesses<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<(Value<'c, 'a>, bool)> {
    let arguments = operands(operation);
    let at = |number: usize, writes: bool| arguments.get(number).map(|pointer| (*pointer, writes));
    let found = match name(operation).as_str() {
        "llvm.load" => [at(0, false), None],
        "llvm.store" => [at(1, true), None],
        "llvm.intr.memset" | "llvm.atomicrmw" | "llvm.cmpxchg" => [at(0, true), None],
        "llvm.intr.memcpy" | "llvm.intr.memcpy.inline" | "llvm.intr.memmove" => [at(0, true), at(1, false)],
        _ => [None, None],
    };
    found.into_iter().flatten().collect()
}
