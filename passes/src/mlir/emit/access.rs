//! Loads and stores of the affine dialect.

use melior::ir::{AffineMap, OperationRef, Value};

use super::error::EmitError;
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::{Bound, Builder};

/// `affine.load`.
pub fn load<'c, 'a>(
    builder: Builder<'c, 'a>,
    memref: Value<'c, 'a>,
    element: melior::ir::Type<'c>,
    subscripts: &Bound<'c, 'a>,
) -> Result<Value<'c, 'a>, EmitError> {
    let operands = [&[memref], &subscripts.operands[..]].concat();
    Ok(builder.value("affine.load", &operands, element, &[("map", map_attribute(subscripts.map))])?)
}

/// `affine.store`.
pub fn store<'c, 'a>(
    builder: Builder<'c, 'a>,
    value: Value<'c, 'a>,
    memref: Value<'c, 'a>,
    subscripts: &Bound<'c, 'a>,
) -> Result<OperationRef<'c, 'a>, EmitError> {
    let operands = [&[value, memref], &subscripts.operands[..]].concat();
    Ok(builder.build("affine.store", &operands, &[], &[("map", map_attribute(subscripts.map))])?)
}

/// The subscripts of a buffer of rank 0.
pub fn no_subscripts<'c, 'a>(builder: Builder<'c, 'a>) -> Bound<'c, 'a> {
    Bound { map: AffineMap::empty(builder.context()), operands: Vec::new() }
}
