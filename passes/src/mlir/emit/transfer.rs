//! What of an array a device gets: all of it or, where nobody knows how large it is, the span of what kernels access.
//!
//! | whole | span |
//! |---|---|
//! | `%d = gpu.alloc : memref<4x8xf64>` | `%d = gpu.alloc(%end) : memref<?xf64>`, from the array's start on |
//! | `gpu.memcpy %d, %host` | both parts are `memref.reinterpret_cast` to offset `%start` and `%end - %start` elements |
//! | kernels take `%d` | kernels take `memref.reinterpret_cast %d` to the array's sizes |
//!
//! So subscripts stay what they are. Lowering for a device allocates what is copied only.

use melior::ir::attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::r#type::{DimSize, MemRefType};
use melior::ir::{ShapedTypeLike, Type, Value, ValueLike};
use polyrs_core::codegen::{Cond, Expr, Span};

use super::emitter::Emitter;
use super::error::EmitError;
use crate::mlir::estimate::{Amount, Operator};
use crate::mlir::ir::Builder;
use crate::mlir::ir::value::is_dense;

/// Memory on the device, and what is copied to it and from it.
pub struct DeviceArray<'c, 'a> {
    /// What kernels take.
    pub device: Value<'c, 'a>,
    /// What was allocated.
    pub allocated: Value<'c, 'a>,
    /// The part that is copied, on the device.
    pub copy: Value<'c, 'a>,
    /// The part that is copied, on the host; `None` for what only kernels see.
    host: Option<Value<'c, 'a>>,
}

impl<'c, 'a> DeviceArray<'c, 'a> {
    /// The part that is copied, on the host.
    ///
    /// # Errors
    /// [`EmitError::Place`] if the host has no memory for it.
    pub fn host(&self) -> Result<Value<'c, 'a>, EmitError> {
        self.host.ok_or(EmitError::Place("a buffer of kernels alone would be copied"))
    }
}

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Memory on the device for an array whose memory on the host is given.
    pub(super) fn device_array(
        &self,
        array: usize,
        host: Value<'c, 'a>,
        builder: Builder<'c, 'a>,
    ) -> Result<DeviceArray<'c, 'a>, EmitError> {
        if !is_dense(host) {
            return Err(EmitError::Place("a buffer with strides, or in a memory space, cannot be copied to a device"));
        }
        let sizes = sizes(builder, host)?;
        let Some(span) = self.transfers.spans.get(&array) else {
            let device = allocate(builder, host.r#type(), &sizes)?;
            return Ok(DeviceArray { device, allocated: device, copy: device, host: Some(host) });
        };
        let Bounds { start, end, count } = self.bounds(span, &sizes, builder)?;
        let element = MemRefType::try_from(host.r#type())?.element();
        let parse = |text: String| {
            Type::parse(builder.context(), &text).ok_or(EmitError::Place("the elements' type has no name"))
        };
        let line = parse(format!("memref<?x{element}>"))?;
        let part = parse(format!("memref<?x{element}, strided<[1], offset: ?>>"))?;
        let allocated = allocate(builder, line, &[Number::Value(end)])?;
        let part_of =
            |whole| cast(builder, whole, part, Number::Value(start), &[Number::Value(count)], &[Number::Known(1)]);
        let (copy, host_part) = (part_of(allocated)?, part_of(host)?);
        let strides = strides(builder, &sizes)?;
        let device = cast(builder, allocated, host.r#type(), Number::Known(0), &sizes, &strides)?;
        Ok(DeviceArray { device, allocated, copy, host: Some(host_part) })
    }

    /// Memory on the device for a buffer of a layout that the host has none for.
    pub(super) fn device_field(
        &self,
        (r#type, sizes): (Type<'c>, &[Expr]),
        builder: Builder<'c, 'a>,
    ) -> Result<DeviceArray<'c, 'a>, EmitError> {
        let sizes = sizes.iter().map(|size| Ok(Number::Value(self.number(size, builder)?)));
        let device = allocate(builder, r#type, &sizes.collect::<Result<Vec<_>, EmitError>>()?)?;
        Ok(DeviceArray { device, allocated: device, copy: device, host: None })
    }

    /// How many elements of an array are copied.
    pub(super) fn copied_elements(
        &self,
        array: usize,
        host: Value<'c, 'a>,
        builder: Builder<'c, 'a>,
    ) -> Result<Amount<'c, 'a>, EmitError> {
        let sizes = sizes(builder, host)?;
        let Some(span) = self.transfers.spans.get(&array) else {
            let mut count = Amount::Known(1.0);
            for size in sizes {
                count = count.with(Operator::Multiply, size.amount(builder)?, builder)?;
            }
            return Ok(count);
        };
        if let (Cond::And(none), Some(first), Some(last)) =
            (&span.accessed, place(&span.least, &sizes), place(&span.greatest, &sizes))
            && none.is_empty()
        {
            return Ok(Amount::Known((last - first + 1) as f64));
        }
        Ok(Amount::of_index(self.bounds(span, &sizes, builder)?.count, builder)?)
    }

    /// Where a span is in an array of these sizes.
    fn bounds(
        &self,
        span: &Span,
        sizes: &[Number<'c, 'a>],
        builder: Builder<'c, 'a>,
    ) -> Result<Bounds<'c, 'a>, EmitError> {
        let values: Vec<_> = sizes.iter().map(|size| size.value(builder)).collect::<Result<_, _>>()?;
        let (zero, one) = (builder.constant_index(0)?, builder.constant_index(1)?);
        let accessed = self.truth(&span.accessed, builder)?;
        let start = self.place_of(&span.least, &values, builder)?;
        let last = self.place_of(&span.greatest, &values, builder)?;
        let end = builder.value("arith.addi", &[last, one], builder.index(), &[])?;
        let start = builder.value("arith.select", &[accessed, start, zero], builder.index(), &[])?;
        let end = builder.value("arith.select", &[accessed, end, zero], builder.index(), &[])?;
        let count = builder.value("arith.subi", &[end, start], builder.index(), &[])?;
        Ok(Bounds { start, end, count })
    }

    /// How many elements of an array of these sizes come before one.
    fn place_of(
        &self,
        subscripts: &[Expr],
        sizes: &[Value<'c, 'a>],
        builder: Builder<'c, 'a>,
    ) -> Result<Value<'c, 'a>, EmitError> {
        let mut place = builder.constant_index(0)?;
        for (subscript, size) in subscripts.iter().zip(sizes) {
            let rows = builder.value("arith.muli", &[place, *size], builder.index(), &[])?;
            let subscript = self.number(subscript, builder)?;
            place = builder.value("arith.addi", &[rows, subscript], builder.index(), &[])?;
        }
        Ok(place)
    }
}

/// The elements of a span: the number of the first, of the one behind the last, and how many there are.
struct Bounds<'c, 'a> {
    start: Value<'c, 'a>,
    end: Value<'c, 'a>,
    count: Value<'c, 'a>,
}

/// A number that a type says, or does not.
#[derive(Clone, Copy)]
enum Number<'c, 'a> {
    Known(i64),
    Value(Value<'c, 'a>),
}

/// What stands for a value in lists of numbers that types say.
const DYNAMIC: i64 = i64::MIN;

impl<'c, 'a> Number<'c, 'a> {
    fn value(self, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        Ok(match self {
            Self::Known(number) => builder.constant_index(number)?,
            Self::Value(value) => value,
        })
    }

    fn amount(self, builder: Builder<'c, 'a>) -> Result<Amount<'c, 'a>, EmitError> {
        Ok(match self {
            Self::Known(number) => Amount::Known(number as f64),
            Self::Value(value) => Amount::of_index(value, builder)?,
        })
    }
}

/// How many elements of an array of these sizes come before one; nothing where that is not known, or no number.
fn place(subscripts: &[Expr], sizes: &[Number<'_, '_>]) -> Option<i64> {
    let mut place = 0_i64;
    for (position, (subscript, size)) in subscripts.iter().zip(sizes).enumerate() {
        let size = match size {
            // What is multiplied with the first size is nothing.
            _ if position == 0 => 0,
            Number::Known(size) => *size,
            Number::Value(_) => return None,
        };
        place = place.checked_mul(size)?.checked_add(subscript.as_constant()?)?;
    }
    Some(place)
}

/// The sizes of a buffer.
fn sizes<'c, 'a>(builder: Builder<'c, 'a>, buffer: Value<'c, 'a>) -> Result<Vec<Number<'c, 'a>>, EmitError> {
    let kind = MemRefType::try_from(buffer.r#type())?;
    let size = |dimension: usize| -> Result<Number<'c, 'a>, EmitError> {
        Ok(match kind.dim_size(dimension)? {
            DimSize::Static(size) => Number::Known(i64::try_from(size).unwrap_or(i64::MAX)),
            DimSize::Dynamic => {
                let number = builder.constant_index(i64::try_from(dimension).unwrap_or(i64::MAX))?;
                Number::Value(builder.value("memref.dim", &[buffer, number], builder.index(), &[])?)
            }
        })
    };
    (0..kind.rank()).map(size).collect()
}

/// How far neighbours along each dimension are apart, in elements, in a buffer of these sizes.
fn strides<'c, 'a>(builder: Builder<'c, 'a>, sizes: &[Number<'c, 'a>]) -> Result<Vec<Number<'c, 'a>>, EmitError> {
    let mut stride = Number::Known(1);
    let mut all = Vec::new();
    for size in sizes.iter().rev() {
        all.push(stride);
        stride = match (stride, *size) {
            (Number::Known(stride), Number::Known(size)) => Number::Known(stride.saturating_mul(size)),
            (stride, size) => {
                let factors = [stride.value(builder)?, size.value(builder)?];
                Number::Value(builder.value("arith.muli", &factors, builder.index(), &[])?)
            }
        };
    }
    all.reverse();
    Ok(all)
}

/// The numbers of a list that are values.
fn values<'c, 'a>(numbers: &[Number<'c, 'a>]) -> Vec<Value<'c, 'a>> {
    let value = |number: &Number<'c, 'a>| match number {
        Number::Known(_) => None,
        Number::Value(value) => Some(*value),
    };
    numbers.iter().filter_map(value).collect()
}

/// The same memory seen another way.
fn cast<'c, 'a>(
    builder: Builder<'c, 'a>,
    memory: Value<'c, 'a>,
    kind: Type<'c>,
    offset: Number<'c, 'a>,
    sizes: &[Number<'c, 'a>],
    strides: &[Number<'c, 'a>],
) -> Result<Value<'c, 'a>, EmitError> {
    let lists = [&[offset], sizes, strides];
    let mut operands = vec![memory];
    operands.extend(lists.iter().flat_map(|list| values(list)));
    let known = |list: &[Number<'c, 'a>]| {
        let known = |number: &Number<'c, 'a>| match number {
            Number::Known(number) => *number,
            Number::Value(_) => DYNAMIC,
        };
        DenseI64ArrayAttribute::new(builder.context(), &list.iter().map(known).collect::<Vec<_>>()).into()
    };
    let count = |list: &[Number<'c, 'a>]| i32::try_from(values(list).len()).unwrap_or(i32::MAX);
    let segments = [1, count(lists[0]), count(lists[1]), count(lists[2])];
    let attributes = [
        ("operandSegmentSizes", DenseI32ArrayAttribute::new(builder.context(), &segments).into()),
        ("static_offsets", known(lists[0])),
        ("static_sizes", known(lists[1])),
        ("static_strides", known(lists[2])),
    ];
    Ok(builder.value("memref.reinterpret_cast", &operands, kind, &attributes)?)
}

/// Memory on the device.
fn allocate<'c, 'a>(
    builder: Builder<'c, 'a>,
    kind: Type<'c>,
    sizes: &[Number<'c, 'a>],
) -> Result<Value<'c, 'a>, EmitError> {
    let sizes = values(sizes);
    let count = i32::try_from(sizes.len()).unwrap_or(i32::MAX);
    let segments = DenseI32ArrayAttribute::new(builder.context(), &[0, count, 0]).into();
    let allocation = builder.build("gpu.alloc", &sizes, &[kind], &[("operandSegmentSizes", segments)])?;
    Ok(allocation.result(0)?.into())
}
