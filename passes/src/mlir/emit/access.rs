//! Loads and stores of the affine dialect.

use melior::ir::{AffineMap, Attribute, OperationRef, Type, TypeLike, Value};

use super::error::EmitError;
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::{Bound, Builder};
use crate::mlir::lift::element_type;

/// `affine.load`.
pub fn load<'c, 'a>(
    builder: Builder<'c, 'a>,
    memref: Value<'c, 'a>,
    element: Type<'c>,
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

/// Zero, or a vector of zeros.
///
/// # Errors
/// The type is of no numbers.
pub fn zero<'c, 'a>(r#type: Type<'c>, at: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
    let number = element_type(r#type).unwrap_or(r#type);
    let digits = if number.is_integer() { "0" } else { "0.0" };
    let text = if r#type.is_vector() { format!("dense<{digits}> : {type}") } else { format!("{digits} : {type}") };
    let value = Attribute::parse(at.context(), &text).ok_or(EmitError::Place("there is no zero of a type"))?;
    Ok(at.value("arith.constant", &[], r#type, &[("value", value)])?)
}
