//! Buffers of the host's: where they are, and how many bytes they have.

use melior::ir::r#type::{DimSize, IntegerType, MemRefType};
use melior::ir::{OperationRef, ShapedTypeLike, Type, TypeLike, Value, ValueLike};

use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::operands;

/// Builds integers of 64 bits.
#[derive(Clone, Copy)]
pub struct Words<'c, 'a> {
    pub at: Builder<'c, 'a>,
}

impl<'c, 'a> Words<'c, 'a> {
    /// The type.
    pub fn kind(self) -> Type<'c> {
        IntegerType::new(self.at.context(), 64).into()
    }

    /// A constant.
    pub fn constant(self, value: i64) -> Result<Value<'c, 'a>, melior::Error> {
        let value = melior::ir::attribute::IntegerAttribute::new(self.kind(), value).into();
        self.at.value("arith.constant", &[], self.kind(), &[("value", value)])
    }

    /// The number that an index is.
    pub fn of_index(self, index: Value<'c, 'a>) -> Result<Value<'c, 'a>, melior::Error> {
        self.at.value("arith.index_cast", &[index], self.kind(), &[])
    }

    /// The address that so many bytes are added to, or subtracted from, by an operation.
    pub fn moved(
        self,
        address: Value<'c, 'a>,
        operation: &str,
        bytes: Value<'c, 'a>,
        pointer: Type<'c>,
    ) -> Result<Value<'c, 'a>, melior::Error> {
        let number = self.at.value("llvm.ptrtoint", &[address], self.kind(), &[])?;
        let number = self.at.value(operation, &[number, bytes], self.kind(), &[])?;
        self.at.value("llvm.inttoptr", &[number], pointer, &[])
    }

    /// A product.
    pub fn product(self, left: Value<'c, 'a>, right: Value<'c, 'a>) -> Result<Value<'c, 'a>, melior::Error> {
        self.at.value("arith.muli", &[left, right], self.kind(), &[])
    }
}

/// The sizes of a buffer, as integers of 64 bits.
pub fn sizes<'c, 'a>(words: Words<'c, 'a>, buffer: Value<'c, 'a>) -> Result<Vec<Value<'c, 'a>>, melior::Error> {
    let kind = MemRefType::try_from(buffer.r#type())?;
    let mut all = Vec::new();
    for dimension in 0..kind.rank() {
        let number = words.at.constant_index(i64::try_from(dimension).unwrap_or(i64::MAX))?;
        let size = words.at.value("memref.dim", &[buffer, number], words.at.index(), &[])?;
        all.push(words.of_index(size)?);
    }
    Ok(all)
}

/// The sizes that memory is allocated with.
pub fn sizes_of_allocation<'c, 'a>(
    words: Words<'c, 'a>,
    allocation: OperationRef<'c, 'a>,
) -> Result<Vec<Value<'c, 'a>>, melior::Error> {
    let kind = MemRefType::try_from(Value::from(allocation.result(0)?).r#type())?;
    let mut dynamic = operands(allocation).into_iter();
    let mut all = Vec::new();
    for dimension in 0..kind.rank() {
        all.push(match kind.dim_size(dimension)? {
            DimSize::Static(size) => words.constant(i64::try_from(size).unwrap_or(i64::MAX))?,
            DimSize::Dynamic => match dynamic.next() {
                Some(size) => words.of_index(size)?,
                None => words.constant(0)?,
            },
        });
    }
    Ok(all)
}

/// The distances of neighbours along each dimension in elements, for elements that follow each other.
pub fn strides<'c, 'a>(words: Words<'c, 'a>, sizes: &[Value<'c, 'a>]) -> Result<Vec<Value<'c, 'a>>, melior::Error> {
    let mut stride = words.constant(1)?;
    let mut all = Vec::new();
    for size in sizes.iter().rev() {
        all.push(stride);
        stride = words.product(stride, *size)?;
    }
    all.reverse();
    Ok(all)
}

/// The bytes of a buffer whose elements follow each other; nothing if elements have no width that is a power of two.
pub fn bytes<'c, 'a>(
    words: Words<'c, 'a>,
    buffer: Value<'c, 'a>,
    sizes: &[Value<'c, 'a>],
) -> Result<Option<Value<'c, 'a>>, melior::Error> {
    let Some(width) = element_bytes(MemRefType::try_from(buffer.r#type())?.element()) else { return Ok(None) };
    let mut all = words.constant(width)?;
    for size in sizes {
        all = words.product(all, *size)?;
    }
    Ok(Some(all))
}

/// The bytes of an integer, an index or a float, in memory and as a parameter of a kernel.
pub fn element_bytes(kind: Type<'_>) -> Option<i64> {
    if kind.is_index() {
        return Some(8);
    }
    match kind.to_string().as_str() {
        "i1" | "i8" => Some(1),
        "i16" | "f16" | "bf16" => Some(2),
        "i32" | "f32" => Some(4),
        "i64" | "f64" => Some(8),
        _ => None,
    }
}

/// The address of a buffer's first element.
pub fn address<'c, 'a>(
    words: Words<'c, 'a>,
    buffer: Value<'c, 'a>,
    pointer: Type<'c>,
) -> Result<Value<'c, 'a>, melior::Error> {
    let at = words.at;
    let number = at.value("memref.extract_aligned_pointer_as_index", &[buffer], at.index(), &[])?;
    at.value("llvm.inttoptr", &[words.of_index(number)?], pointer, &[])
}
