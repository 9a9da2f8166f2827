//! The operations of some iterations of a vector loop, as operations on vectors.
//!
//! Each lane computes what its iteration did. Elements that are a few apart are picked from the vectors that they are in,
//! and others loaded one by one.

use melior::ir::attribute::{BoolAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType, MemRefType};
use melior::ir::{Attribute, OperationRef, ShapedTypeLike, Type, Value, ValueLike};

use super::error::EmitError;
use super::pieces::Piece;
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{attribute, name, operands, results};
use crate::mlir::ir::value::defining;
use crate::mlir::ir::{Access, Builder, ValueMap};
use crate::mlir::lift::element_type;
use crate::mlir::marker::{PADDED, PROMOTED};

/// In a shuffle: whatever is there.
const NOTHING: i64 = -1;

/// An elementwise operation on vectors of so many elements, one of which stands for an operand; all others are the same
/// for each element.
///
/// # Errors
/// MLIR refuses an operation.
pub fn on_vectors<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    (operand, vector): (Value<'c, 'a>, Value<'c, 'a>),
    extent: i64,
    at: Builder<'c, 'a>,
) -> Result<Value<'c, 'a>, EmitError> {
    let mut lanes = Lanes::new(at, Piece::whole(extent), ValueMap::new());
    lanes.wide.insert(operand, vector);
    lanes.each(operation)?;
    Ok(lanes.wide.get(operation.result(0)?.into()))
}

/// The operations of a piece of a vector loop at once.
pub(super) struct Lanes<'c, 'a> {
    at: Builder<'c, 'a>,
    piece: Piece,
    /// Values that are the same in all iterations; the loop's variable is that of the first one.
    pub once: ValueMap<'c, 'a>,
    /// The vectors of values that differ, and of others that were needed as vectors.
    wide: ValueMap<'c, 'a>,
}

impl<'c, 'a> Lanes<'c, 'a> {
    /// No operation yet; `once` has the variables of the loops around.
    pub fn new(at: Builder<'c, 'a>, piece: Piece, once: ValueMap<'c, 'a>) -> Self {
        Lanes { at, piece, once, wide: ValueMap::new() }
    }

    /// The type of vectors of the piece.
    fn of(&self, element: Type<'c>) -> Type<'c> {
        vector(self.piece.lanes, element)
    }

    /// A memref is a buffer whose rows have room for whole vectors.
    fn is_padded(&self, memref: Value<'c, 'a>) -> bool {
        let is_marked = defining(memref).is_some_and(|(made, _)| attribute(made, PADDED).is_some());
        let row =
            MemRefType::try_from(memref.r#type()).and_then(|buffer| buffer.dim_size(buffer.rank().saturating_sub(1)));
        let end = u64::try_from(self.piece.first + self.piece.lanes);
        is_marked && matches!((row, end), (Ok(DimSize::Static(row)), Ok(end)) if end <= row)
    }

    /// A value as a vector.
    fn get(&mut self, value: Value<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        if !self.wide.contains(value) {
            let scalar = self.once.get(value);
            let vector = self.at.value("vector.broadcast", &[scalar], self.of(value.r#type()), &[])?;
            self.wide.insert(value, vector);
        }
        Ok(self.wide.get(value))
    }

    /// An operation that is the same in all iterations.
    pub fn once(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), EmitError> {
        let used: Vec<_> = operands(operation).into_iter().map(|value| self.once.get(value)).collect();
        let types: Vec<_> = results(operation).iter().map(|result| result.r#type()).collect();
        let copy = self.rebuild(operation, &used, &types)?;
        for (before, after) in results(operation).into_iter().zip(results(copy)) {
            self.once.insert(before, after);
        }
        Ok(())
    }

    /// An operation that does the same to each element.
    pub fn each(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), EmitError> {
        let used = operands(operation).into_iter().map(|value| self.get(value)).collect::<Result<Vec<_>, _>>()?;
        let types: Vec<_> = results(operation).iter().map(|result| self.of(result.r#type())).collect();
        let copy = self.rebuild(operation, &used, &types)?;
        for (before, after) in results(operation).into_iter().zip(results(copy)) {
            self.wide.insert(before, after);
        }
        Ok(())
    }

    /// The memref and the subscripts' operands, here.
    fn place(&self, access: &Access<'c, 'a>) -> Vec<Value<'c, 'a>> {
        let all = std::iter::once(access.memref).chain(access.subscripts.operands.iter().copied());
        all.map(|value| self.once.get(value)).collect()
    }

    /// Elements of a row that are a few apart; the loop's variable has the value of the iteration with the lowest one.
    ///
    /// What is between them is loaded as well: it is no further away than they are. All vectors that are loaded have a power
    /// of two of elements, if need be some of them twice.
    pub fn load(&mut self, access: &Access<'c, 'a>, stride: i64) -> Result<(), EmitError> {
        let Piece { count, lanes, .. } = self.piece;
        let span = (count - 1) * stride.abs() + 1;
        let vector = if stride == 1 && (count == lanes || self.is_padded(access.memref)) {
            self.vector_at(access, 0, lanes)?
        } else {
            let length = lanes.min(1 << span.ilog2());
            let firsts = (0..(span + length - 1) / length).map(|number| number * length);
            let mut parts = Vec::new();
            for first in firsts {
                let offset = first.min(span - length);
                parts.push(Part { first, offset, length, vector: self.vector_at(access, offset, length)? });
            }
            self.picked(&parts, stride)?
        };
        self.wide.insert(access.value, vector);
        Ok(())
    }

    /// The elements of the lanes, from vectors that were loaded.
    fn picked(&self, parts: &[Part<'c, 'a>], stride: i64) -> Result<Value<'c, 'a>, EmitError> {
        let Piece { count, lanes, .. } = self.piece;
        // Where each lane's element is, from the lowest one on; nobody looks at more lanes than there are.
        let at_lane = |lane: i64| (lane < count).then_some(if stride < 0 { lane - (count - 1) } else { lane } * stride);
        let [first, others @ ..] = parts else { return Err(EmitError::Place("a vector loop without iterations")) };
        let second = others.first().unwrap_or(first);
        let mask = (0..lanes).map(|lane| match at_lane(lane) {
            Some(element) if element < first.length => element,
            Some(element) if second.has(element) => first.length + element - second.offset,
            _ => NOTHING,
        });
        let mut vector = shuffle((first.vector, second.vector), mask, self.at)?;
        // These are as long as those of the piece.
        for part in others.iter().skip(1) {
            let mask = (0..lanes).map(|lane| match at_lane(lane) {
                Some(element) if part.has(element) => lanes + element - part.offset,
                Some(_) => lane,
                None => NOTHING,
            });
            vector = shuffle((vector, part.vector), mask, self.at)?;
        }
        Ok(vector)
    }

    /// A vector so many elements behind that of the loop's variable.
    pub fn vector_at(&self, access: &Access<'c, 'a>, offset: i64, length: i64) -> Result<Value<'c, 'a>, EmitError> {
        let map = ("map", map_attribute(access.subscripts.further(self.at.context(), offset)));
        let r#type = vector(length, access.value.r#type());
        Ok(self.at.value("affine.vector_load", &self.place(access), r#type, &[map])?)
    }

    /// Fetches the line of an element so many elements further on, which need not be there, to the nearest cache.
    pub fn fetch(&self, access: &Access<'c, 'a>, offset: i64) -> Result<(), EmitError> {
        let context = self.at.context();
        let truth = |value| BoolAttribute::new(context, value).into();
        let nearest = IntegerAttribute::new(IntegerType::new(context, 32).into(), 3).into();
        let attributes = [
            ("map", map_attribute(access.subscripts.further(context, offset))),
            ("isWrite", truth(false)),
            ("isDataCache", truth(true)),
            ("localityHint", nearest),
        ];
        self.at.build("affine.prefetch", &self.place(access), &[], &attributes)?;
        Ok(())
    }

    /// Elements that are there already.
    pub fn take(&mut self, access: &Access<'c, 'a>, vector: Value<'c, 'a>) {
        self.wide.insert(access.value, vector);
    }

    /// The element of the iteration that the loop's variable says.
    pub fn element(&self, access: &Access<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        let map = ("map", map_attribute(access.subscripts.map));
        Ok(self.at.value("affine.load", &self.place(access), access.value.r#type(), &[map])?)
    }

    /// The elements of all iterations, loaded one by one.
    pub fn gather(&mut self, access: &Access<'c, 'a>, elements: &[Value<'c, 'a>]) -> Result<(), EmitError> {
        let length = self.piece.count;
        let gathered = vector(length, access.value.r#type());
        let gathered = self.at.value("vector.from_elements", elements, gathered, &[])?;
        let vector = resized(gathered, (length, self.piece.lanes), self.at)?;
        self.wide.insert(access.value, vector);
        Ok(())
    }

    /// Neighbours.
    pub fn store(&mut self, access: &Access<'c, 'a>) -> Result<(), EmitError> {
        let map = ("map", map_attribute(access.subscripts.map));
        let length = if self.is_padded(access.memref) { self.piece.lanes } else { self.piece.count };
        let value = self.get(access.value)?;
        let mut used = vec![resized(value, (self.piece.lanes, length), self.at)?];
        used.extend(self.place(access));
        self.at.build("affine.vector_store", &used, &[], &[map])?;
        Ok(())
    }

    /// The elements of all iterations, stored one by one, the loop's variable having these values; the vector of them.
    pub fn scatter(
        &mut self,
        access: &Access<'c, 'a>,
        (variable, values): (Value<'c, 'a>, &[Value<'c, 'a>]),
    ) -> Result<Value<'c, 'a>, EmitError> {
        let vector = self.get(access.value)?;
        let first = self.once.get(variable);
        for (lane, value) in (0i64..).zip(values) {
            self.once.insert(variable, *value);
            let position = [("static_position", DenseI64ArrayAttribute::new(self.at.context(), &[lane]).into())];
            let element = self.at.value("vector.extract", &[vector], access.value.r#type(), &position)?;
            let map = ("map", map_attribute(access.subscripts.map));
            let used = [&[element], &self.place(access)[..]].concat();
            self.at.build("affine.store", &used, &[], &[map])?;
        }
        self.once.insert(variable, first);
        Ok(vector)
    }

    /// The operation with other operands and results, all else the same.
    fn rebuild(
        &self,
        operation: OperationRef<'c, 'a>,
        used: &[Value<'c, 'a>],
        types: &[Type<'c>],
    ) -> Result<OperationRef<'c, 'a>, EmitError> {
        let mut attributes: Vec<(String, Attribute<'c>)> = Vec::new();
        for number in 0..operation.attribute_count() {
            let (name, attribute) = operation.attribute_at(number)?;
            attributes.push((name.as_string_ref().as_str().unwrap_or_default().to_owned(), attribute));
        }
        let attributes: Vec<(&str, Attribute<'c>)> = attributes.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let at = self.at.with_location(operation.location());
        Ok(at.build(&name(operation), used, types, &attributes)?)
    }
}

/// A vector of elements of a row that was loaded.
struct Part<'c, 'a> {
    /// Those from here on are picked from it.
    first: i64,
    /// The first one in it.
    offset: i64,
    length: i64,
    vector: Value<'c, 'a>,
}

impl Part<'_, '_> {
    fn has(&self, element: i64) -> bool {
        (self.first..self.offset + self.length).contains(&element)
    }
}

/// A vector type.
fn vector<'c>(length: i64, element: Type<'c>) -> Type<'c> {
    Type::vector(&[u64::try_from(length).unwrap_or_default()], element)
}

/// A memref is a buffer on the stack that holds a footprint.
pub(super) fn is_own(memref: Value<'_, '_>) -> bool {
    defining(memref).is_some_and(|(made, _)| attribute(made, PROMOTED).is_some())
}

/// A vector of another length: its first elements, or with whatever there is behind them.
///
/// # Errors
/// MLIR refuses it.
pub(super) fn resized<'c, 'a>(
    value: Value<'c, 'a>,
    (before, after): (i64, i64),
    at: Builder<'c, 'a>,
) -> Result<Value<'c, 'a>, EmitError> {
    if before == after {
        return Ok(value);
    }
    shuffle((value, value), (0..after).map(|lane| if lane < before { lane } else { NOTHING }), at)
}

/// Elements of two vectors; those of the second one count on.
///
/// # Errors
/// MLIR refuses it.
pub(super) fn shuffle<'c, 'a>(
    (one, other): (Value<'c, 'a>, Value<'c, 'a>),
    lanes: impl Iterator<Item = i64>,
    at: Builder<'c, 'a>,
) -> Result<Value<'c, 'a>, EmitError> {
    let lanes: Vec<i64> = lanes.collect();
    let element = element_type(one.r#type()).ok_or(EmitError::Place("what is shuffled is no vector"))?;
    let r#type = vector(i64::try_from(lanes.len()).unwrap_or_default(), element);
    let mask = DenseI64ArrayAttribute::new(at.context(), &lanes).into();
    Ok(at.value("vector.shuffle", &[one, other], r#type, &[("mask", mask)])?)
}
