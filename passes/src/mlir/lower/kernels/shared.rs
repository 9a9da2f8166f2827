//! Memory that the threads of a block share, and such that each thread has for itself: arguments of a kernel's code,
//! behind the numbers of block and thread.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::{DimSize, MemRefType};
use melior::ir::{OperationRef, ShapedTypeLike, Type, Value, ValueLike};

use super::buffers::element_bytes;
use crate::mlir::ir::operation::{arguments, attribute, only_block};

/// Arguments of a kernel's code before its buffers: numbers and sizes of blocks and threads.
const NUMBERS: usize = 12;

/// Bytes that a block can have without asking the driver for more. A kernel with more of them does not load.
const MOST_BYTES: u64 = 48 << 10;

/// Where LLVM may put the start of a buffer.
const ALIGNMENT: u64 = 16;

/// The buffers that the threads of a block share.
pub fn shared_buffers<'c, 'a>(launch: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let count = attribute(launch, "workgroup_attributions").and_then(|count| IntegerAttribute::try_from(count).ok());
    let count = count.map_or(0, |count| usize::try_from(count.value()).unwrap_or(0));
    let all = only_block(launch, 0).map(arguments).unwrap_or_default();
    all.into_iter().skip(NUMBERS).take(count).collect()
}

/// The buffers of which each thread has its own, behind those that threads share.
pub fn private_buffers<'c, 'a>(launch: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let all = only_block(launch, 0).map(arguments).unwrap_or_default();
    all.into_iter().skip(NUMBERS + shared_buffers(launch).len()).collect()
}

/// The elements of a buffer and its sizes, if these are known and elements follow each other.
pub fn shape<'c>(buffer: Value<'c, '_>) -> Option<(Type<'c>, Vec<i64>)> {
    let kind = MemRefType::try_from(buffer.r#type()).ok()?;
    let size = |dimension| match kind.dim_size(dimension).ok()? {
        DimSize::Static(size) => i64::try_from(size).ok(),
        DimSize::Dynamic => None,
    };
    let sizes = (0..kind.rank()).map(size).collect::<Option<Vec<_>>>()?;
    let plain = Type::from(MemRefType::new(kind.element(), &sizes, None, kind.memory_space()));
    (plain == buffer.r#type()).then(|| (kind.element(), sizes))
}

/// Why no device has the memory that the threads of a block share, or each has for itself.
pub fn obstacle(launch: OperationRef<'_, '_>) -> Option<String> {
    if let Some(buffer) = private_buffers(launch).into_iter().find(|buffer| bytes(*buffer).is_none()) {
        return Some(format!("private memory of type {} is not lowered to PTX", buffer.r#type()));
    }
    let mut all = 0_u64;
    for buffer in shared_buffers(launch) {
        let Some(bytes) = bytes(buffer) else {
            return Some(format!("shared memory of type {} is not lowered to PTX", buffer.r#type()));
        };
        all = all.next_multiple_of(ALIGNMENT).saturating_add(bytes);
    }
    let reason = || format!("a kernel has {all} bytes of shared memory, and a block {MOST_BYTES} at most");
    (all > MOST_BYTES).then(reason)
}

/// The bytes of a buffer.
fn bytes(buffer: Value<'_, '_>) -> Option<u64> {
    let (element, sizes) = shape(buffer)?;
    let width = u64::try_from(element_bytes(element)?).ok()?;
    sizes.into_iter().try_fold(width, |bytes, size| bytes.checked_mul(u64::try_from(size).ok()?))
}
