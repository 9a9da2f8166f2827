//! The parameters of a kernel, in memory as the driver reads them: pointers to their values.
//!
//! Upstream's conversion makes several of a memref: two pointers to its memory, the offset of its first element, and
//! the sizes and strides of its dimensions. Numbers stay as they are; an index is an integer of 64 bits.

use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute, TypeAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value, ValueLike};

use super::buffers::{Words, element_bytes, strides};
use crate::mlir::ir::Builder;

/// A buffer that kernels get: where the device has it, and its sizes.
#[derive(Clone)]
pub struct DeviceBuffer<'c, 'a> {
    pub pointer: Value<'c, 'a>,
    pub sizes: Vec<Value<'c, 'a>>,
}

impl<'c, 'a> DeviceBuffer<'c, 'a> {
    /// The parameters that a memref of its elements is.
    pub fn parameters(&self, words: Words<'c, 'a>) -> Result<Vec<Value<'c, 'a>>, melior::Error> {
        let mut all = vec![self.pointer, self.pointer, words.constant(0)?];
        all.extend(&self.sizes);
        all.extend(strides(words, &self.sizes)?);
        Ok(all)
    }
}

/// A number as a parameter; nothing for other types.
pub fn number<'c, 'a>(words: Words<'c, 'a>, value: Value<'c, 'a>) -> Result<Option<Value<'c, 'a>>, melior::Error> {
    use melior::ir::TypeLike;
    let kind = value.r#type();
    if kind.is_index() {
        return words.of_index(value).map(Some);
    }
    if kind.to_string() == "i1" {
        let byte = IntegerType::new(words.at.context(), 8).into();
        return words.at.value("arith.extui", &[value], byte, &[]).map(Some);
    }
    Ok(element_bytes(kind).map(|_| value))
}

/// Memory on the stack of the function for pointers to values, and for the values.
pub struct Frame<'c, 'a> {
    pointers: Value<'c, 'a>,
    values: Value<'c, 'a>,
    pointer: Type<'c>,
}

/// No parameter is wider.
const SLOT: i32 = 8;

impl<'c, 'a> Frame<'c, 'a> {
    /// Memory for so many parameters, made where `start` says: in the entry block, so that loops do not make it again.
    pub fn new(start: Builder<'c, 'a>, count: usize, pointer: Type<'c>) -> Result<Self, melior::Error> {
        let words = Words { at: start };
        let count = words.constant(i64::try_from(count.max(1)).unwrap_or(i64::MAX))?;
        let memory = |kind: Type<'c>| {
            let kind = TypeAttribute::new(kind).into();
            let alignment = IntegerAttribute::new(words.kind(), i64::from(SLOT)).into();
            start.value("llvm.alloca", &[count], pointer, &[("elem_type", kind), ("alignment", alignment)])
        };
        Ok(Self { pointers: memory(pointer)?, values: memory(words.kind())?, pointer })
    }

    /// Puts values and the pointers to them there; the address of the pointers.
    pub fn fill(&self, values: &[Value<'c, 'a>], at: Builder<'c, 'a>) -> Result<Value<'c, 'a>, melior::Error> {
        let slot = |base: Value<'c, 'a>, number: usize| {
            let byte = Type::from(IntegerType::new(at.context(), 8));
            let offset = i32::try_from(number).unwrap_or(i32::MAX).saturating_mul(SLOT);
            let offset = DenseI32ArrayAttribute::new(at.context(), &[offset]).into();
            let attributes = [("rawConstantIndices", offset), ("elem_type", TypeAttribute::new(byte).into())];
            at.value("llvm.getelementptr", &[base], self.pointer, &attributes)
        };
        for (number, value) in values.iter().enumerate() {
            let (place, link) = (slot(self.values, number)?, slot(self.pointers, number)?);
            at.build("llvm.store", &[*value, place], &[], &[])?;
            at.build("llvm.store", &[place, link], &[], &[])?;
        }
        Ok(self.pointers)
    }
}
