//! Memory of the device's that a region allocates, and the part of the host's that is copied to it and from it.

use melior::ir::attribute::{DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{OperationRef, ShapedTypeLike, Value, ValueLike};

use super::buffers::{Words, address, bytes, element_bytes, sizes, sizes_of_allocation};
use super::globals::{BUFFER, Globals};
use super::parameters::DeviceBuffer;
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{attribute, is, operands, results};
use crate::mlir::ir::value::{defining, id, uses};

/// Flags of `polyrs_gpu_buffer`: copied in, copied out, on the device already, and that only what changed is copied out.
pub const IN: i64 = 1;
pub const OUT: i64 = 2;
pub const DEVICE: i64 = 4;
const CHANGED: i64 = 8;

/// A buffer of kernels.
pub struct Buffer<'c, 'a> {
    /// Before what the runtime is asked for it.
    pub before: OperationRef<'c, 'a>,
    /// What kernels take for it.
    pub device: Value<'c, 'a>,
    /// The host's memory; none for what only kernels see.
    pub host: Option<Value<'c, 'a>>,
    /// The elements that are copied, and accessed; all if there is none.
    pub part: Option<Part<'c, 'a>>,
    pub flags: i64,
}

/// Elements that follow each other, of a buffer whose elements do.
#[derive(Clone, Copy)]
pub struct Part<'c, 'a> {
    /// How many are before them.
    start: Value<'c, 'a>,
    /// How many they are.
    count: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Part<'c, 'a> {
    /// The buffer and the part of it that a value is.
    fn of(value: Value<'c, 'a>) -> (Value<'c, 'a>, Option<Self>) {
        let Some((maker, _)) = defining(value).filter(|(maker, _)| is(*maker, CAST)) else { return (value, None) };
        let offsets = attribute(maker, "static_offsets").and_then(|list| DenseI64ArrayAttribute::try_from(list).ok());
        let has_offset = offsets.is_some_and(|list| list.element(0).is_ok_and(|offset| offset != 0));
        match operands(maker)[..] {
            [whole, start, count] if has_offset => (whole, Some(Self { start, count })),
            _ => (value, None),
        }
    }

    fn is(self, other: Self) -> bool {
        id(self.start) == id(other.start) && id(self.count) == id(other.count)
    }
}

/// What makes a part of a buffer, or gives it other dimensions.
const CAST: &str = "memref.reinterpret_cast";

/// An allocation of the device's memory, while what is done with it is read.
pub struct DeviceMemory<'c, 'a> {
    allocation: OperationRef<'c, 'a>,
    allocated: Value<'c, 'a>,
    /// What kernels take.
    taken: Option<Value<'c, 'a>>,
    host: Option<Value<'c, 'a>>,
    part: Option<Part<'c, 'a>>,
    flags: i64,
    /// Whether kernels write all that is copied.
    pub all_written: bool,
}

impl<'c, 'a> DeviceMemory<'c, 'a> {
    /// Nothing is done with it yet.
    ///
    /// # Errors
    /// It is allocated at another time.
    pub fn new(allocation: OperationRef<'c, 'a>) -> Result<Self, String> {
        let [allocated] = results(allocation)[..] else { return Err("an allocation with tokens".to_owned()) };
        Ok(Self { allocation, allocated, taken: None, host: None, part: None, flags: 0, all_written: false })
    }

    /// Other names of it, or of parts of it.
    pub fn casts(&self) -> Vec<OperationRef<'c, 'a>> {
        uses(self.allocated).into_iter().map(|(user, _)| user).filter(|user| is(*user, CAST)).collect()
    }

    /// Its uses under all of its names: the name and the user.
    pub fn uses(&self) -> Vec<(Value<'c, 'a>, OperationRef<'c, 'a>)> {
        let names = self.casts().into_iter().flat_map(results).chain([self.allocated]);
        let all = names.flat_map(|name| uses(name).into_iter().map(move |(user, _)| (name, user)));
        all.filter(|(name, user)| !(id(*name) == id(self.allocated) && is(*user, CAST))).collect()
    }

    /// Notes a copy between one of its names and the host's memory.
    ///
    /// # Errors
    /// It is another part, or another buffer, than before.
    pub fn copy(&mut self, own: Value<'c, 'a>, host: Value<'c, 'a>, flag: i64) -> Result<(), String> {
        let ((_, own), (host, part)) = (Part::of(own), Part::of(host));
        let same = match (own, part) {
            (None, None) => true,
            (Some(own), Some(part)) => own.is(part),
            _ => false,
        };
        let known = self.host.is_none_or(|known| id(known) == id(host))
            && (self.flags == 0 || self.part.is_some() == part.is_some());
        if !same || !known || self.part.zip(part).is_some_and(|(one, other)| !one.is(other)) {
            return Err("memory of the device is copied to another buffer".to_owned());
        }
        (self.host, self.part, self.flags) = (Some(host), part, self.flags | flag);
        Ok(())
    }

    /// Notes that kernels take it under a name.
    ///
    /// # Errors
    /// They take it under another one, too.
    pub fn take(&mut self, name: Value<'c, 'a>) -> Result<(), String> {
        if self.taken.is_some_and(|taken| id(taken) != id(name)) || Part::of(name).1.is_some() {
            return Err("kernels take a part of a buffer, or several".to_owned());
        }
        self.taken = Some(name);
        Ok(())
    }

    /// The buffer that the runtime is asked for.
    ///
    /// # Errors
    /// It is a part of memory that the host does not have.
    pub fn buffer(self) -> Result<Buffer<'c, 'a>, String> {
        let device = self.taken.unwrap_or(self.allocated);
        if id(device) != id(self.allocated) && self.part.is_none() {
            return Err("memory of the device has other dimensions than the host's".to_owned());
        }
        let only_changes = self.flags == IN | OUT && !self.all_written;
        let flags = if only_changes { self.flags | CHANGED } else { self.flags };
        Ok(Buffer { before: self.allocation, device, host: self.host, part: self.part, flags })
    }
}

impl<'c, 'a> Buffer<'c, 'a> {
    /// Asks the runtime for it.
    ///
    /// # Errors
    /// Elements without a width; MLIR refuses to build something.
    pub fn make(&self, run: Value<'c, 'a>, globals: &mut Globals<'c, 'a>) -> Result<DeviceBuffer<'c, 'a>, String> {
        let failed = |error: melior::Error| error.to_string();
        let at = Builder::before(globals.context(), self.before).ok_or("a buffer outside of code")?;
        let words = Words { at };
        let sizes = match self.host {
            Some(host) => sizes(words, host),
            None => sizes_of_allocation(words, self.before),
        };
        let sizes = sizes.map_err(failed)?;
        let pointer = globals.pointer()?;
        let host = match self.host {
            Some(host) => address(words, host, pointer),
            None => at.value("llvm.mlir.zero", &[], pointer, &[]),
        };
        let host = host.map_err(failed)?;
        let (skipped, length) = match self.part {
            Some(part) => {
                let skipped = self.bytes_of(words, part.start)?;
                (Some(skipped), self.bytes_of(words, part.count)?)
            }
            None => (None, bytes(words, self.device, &sizes).map_err(failed)?.ok_or("elements without a width")?),
        };
        let move_by = |from: Value<'c, 'a>, operation: &str| match skipped {
            Some(skipped) => words.moved(from, operation, skipped, pointer).map_err(failed),
            None => Ok(from),
        };
        let host = move_by(host, "arith.addi")?;
        let kind = IntegerType::new(at.context(), 32).into();
        let flags = [("value", IntegerAttribute::new(kind, self.flags).into())];
        let flags = at.value("arith.constant", &[], kind, &flags).map_err(failed)?;
        let call = globals.call(&BUFFER, &[run, host, length, flags], at)?;
        // Kernels count from the first element of the array.
        Ok(DeviceBuffer { pointer: move_by(call.result(0).map_err(failed)?.into(), "arith.subi")?, sizes })
    }

    fn bytes_of(&self, words: Words<'c, 'a>, count: Value<'c, 'a>) -> Result<Value<'c, 'a>, String> {
        let failed = |error: melior::Error| error.to_string();
        let kind = MemRefType::try_from(self.device.r#type()).map_err(failed)?;
        let width = element_bytes(kind.element()).ok_or("elements without a width")?;
        let width = words.constant(width).map_err(failed)?;
        words.of_index(count).and_then(|count| words.product(count, width)).map_err(failed)
    }
}
