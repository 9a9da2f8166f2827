//! A raised region in its clone: where it starts and ends, and what it is called with.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use llvm_sys::LLVMInlineAsmDialect;
use llvm_sys::core::{
    LLVMBuildAdd, LLVMBuildCall2, LLVMBuildExtractValue, LLVMBuildFreeze, LLVMBuildIntToPtr, LLVMBuildMul,
    LLVMBuildPtrToInt, LLVMBuildSExt, LLVMConstInt, LLVMCreateBuilderInContext, LLVMDisposeBuilder, LLVMFunctionType,
    LLVMGetInlineAsm, LLVMGetTypeContext, LLVMInt64TypeInContext, LLVMPointerTypeInContext, LLVMPositionBuilderBefore,
    LLVMTypeOf,
};
use llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef};

use crate::llvm::analysis::Analysis;
use crate::llvm::ir::{BasicBlock, Function, Instruction, Location, Value};
use crate::llvm::raise::{
    Argument, BlockId, ControlNode, Reading, RowsCall, Site, Stride, Symbol, Type, ValueId, type_of,
};
use polyrs_host::raw::{self as host, PolyLlvmSplice};
use polyrs_interface::{Sink, Text};

/// The elements of the first dimension of an array, of which nobody knows how many there are.
const MANY: u64 = 1 << 58;

/// Regions of a clone on their way to calls. All are marked before the first is split off, so that their order does not
/// count: the arguments of each are operands in the clone, which are rewritten as all others where a value comes from
/// another region.
pub struct Splice<'a, 'f, 'm> {
    raw: *mut PolyLlvmSplice,
    reading: &'a Reading<'f>,
    life: PhantomData<&'a Analysis<'m>>,
}

impl<'a, 'f, 'm> Splice<'a, 'f, 'm> {
    /// No region is marked yet.
    pub fn new(analysis: &'a Analysis<'m>, reading: &'a Reading<'f>) -> Self {
        // SAFETY: the analysis is alive; the result is ours.
        let raw = unsafe { host::polyHostLlvmNewSplice(analysis.raw()) };
        Self { raw, reading, life: PhantomData }
    }

    /// Marks where a region starts and ends, and computes what it is called with; its number. Nothing if there is no
    /// such place.
    pub fn mark(&mut self, site: &Site, location: Location<'f>) -> Option<usize> {
        let start = self.reading.start(site.nodes.first()?)?;
        let (last, end) = self.end(site.nodes.last()?)?;
        let values: Vec<_> = site.out.iter().map(|value| self.value(*value).raw()).collect();
        // SAFETY: instructions of the clone.
        let slots: Vec<_> = values.iter().map(|value| unsafe { host::polyHostLlvmSlot(self.raw, *value) }).collect();
        let mut builder = Builder::before(start);
        let starts = self.find_rows(&mut builder, start, &site.rows);
        let mut arguments = Vec::new();
        for argument in &site.arguments {
            match argument {
                Argument::Array(base, extents, strides) => {
                    let start = starts.get(base).copied().unwrap_or_else(|| self.value(*base));
                    arguments.extend([start, start, builder.number(0), builder.number(MANY)]);
                    for size in extents.iter().chain(strides) {
                        arguments.push(self.size(&mut builder, size));
                    }
                }
                Argument::Index(value) => arguments.push(self.index(&mut builder, *value)),
                Argument::Table(table, first) => arguments.push(self.address(&builder, *table, *first)),
                Argument::Scalar(value) => arguments.push(self.value(*value)),
                Argument::Slot(value) => {
                    let position = site.out.iter().position(|out| out == value)?;
                    // SAFETY: a value of the clone.
                    let slot = unsafe { Value::new(slots[position]) };
                    arguments.extend([slot, slot, builder.number(0)]);
                }
            }
        }
        let arguments: Vec<_> = arguments.into_iter().map(Value::raw).collect();
        // SAFETY: instructions, values and a block of the clone, with as many of them as is said.
        Some(unsafe {
            host::polyHostLlvmMarkRegion(
                self.raw,
                start.raw(),
                last.map_or(std::ptr::null_mut(), Instruction::raw),
                end.raw(),
                arguments.as_ptr(),
                arguments.len(),
                values.as_ptr(),
                slots.as_ptr(),
                values.len(),
                location.raw(),
            )
        })
    }

    /// Marks where rows are found; where those of each start. How far apart they are is known as an index from here on.
    fn find_rows(
        &self,
        builder: &mut Builder<'f>,
        start: Instruction<'f>,
        all: &[RowsCall],
    ) -> BTreeMap<ValueId, Value<'f>> {
        let mut starts = BTreeMap::new();
        for RowsCall { rows, first, indices, .. } in all {
            let mut arguments = vec![self.address(builder, rows.table, *first).raw()];
            arguments.extend(indices.iter().map(|value| self.index(builder, *value).raw()));
            // SAFETY: an instruction and values of the clone, with as many of them as is said; the result is one, too.
            let both = unsafe {
                let (pointer, count) = (arguments.as_ptr(), arguments.len());
                Value::new(host::polyHostLlvmMarkRows(self.raw, start.raw(), pointer, count))
            };
            let start = builder.hidden(builder.part(both, 0));
            starts.insert(rows.start, builder.pointer(start));
            builder.indices.insert(rows.spacing, builder.part(both, 1));
        }
        starts
    }

    /// The address so far behind a pointer.
    fn address(&self, builder: &Builder<'f>, pointer: ValueId, behind: i64) -> Value<'f> {
        let number = builder.address(builder.frozen(self.value(pointer)));
        builder.sum(number, builder.number(behind.cast_unsigned()))
    }

    /// Gives all regions blocks of their own; none is marked afterwards.
    pub fn split(&mut self) {
        // SAFETY: alive.
        unsafe { host::polyHostLlvmSplitRegions(self.raw) }
    }

    /// Whether the clone is small enough for splicing and checking, whose time grows with the product of blocks and
    /// values.
    pub fn is_small(&self) -> bool {
        // SAFETY: alive.
        unsafe { host::polyHostLlvmIsSmall(self.raw) }
    }

    /// Notes that functions are to be called in place of a region, and what runs where the check does not hold; `rows` find
    /// its rows.
    ///
    /// # Errors
    /// Why the region has to stay as it is.
    pub fn call(
        &mut self,
        number: usize,
        site: &Site,
        [function, check]: [Option<Function<'_>>; 2],
        rows: &[Function<'_>],
    ) -> Result<(), String> {
        let mut error = String::new();
        let rows: Vec<_> = rows.iter().map(|one| one.raw()).collect();
        let [function, check] = [function, check].map(|one| one.map_or(std::ptr::null_mut(), Function::raw));
        let otherwise = site.otherwise.map_or(std::ptr::null_mut(), |block| self.reading.blocks[block.0].raw());
        // SAFETY: the number is that of a region, and the functions and the block are alive.
        let good = unsafe {
            let (rows, count, sink) = (rows.as_ptr(), rows.len(), Sink::into_string(&mut error));
            host::polyHostLlvmCallRegion(self.raw, number, function, check, otherwise, rows, count, sink)
        };
        if good { Ok(()) } else { Err(error) }
    }

    /// Has the program measure how long a region takes, new code or not, and write that with a label.
    pub fn time(&mut self, number: usize, label: &str) {
        // SAFETY: the number is that of a region, and the text lives during the call.
        unsafe { host::polyHostLlvmTimeRegion(self.raw, number, Text::new(label)) }
    }

    /// Calls what is to be called.
    ///
    /// # Errors
    /// The fault of the clone, which is of no use then.
    pub fn commit(self) -> Result<(), String> {
        let mut error = String::new();
        // SAFETY: alive.
        let good = unsafe { host::polyHostLlvmCommitSplice(self.raw, Sink::into_string(&mut error)) };
        if good { Ok(()) } else { Err(error) }
    }

    fn value(&self, value: ValueId) -> Value<'f> {
        self.reading.values[value.0]
    }

    /// A value as an index. It decides where control goes earlier than in the original, so it must not be poison.
    fn index(&self, builder: &mut Builder<'f>, value: ValueId) -> Value<'f> {
        if let Some(known) = builder.indices.get(&value) {
            return *known;
        }
        let index = builder.wide(builder.frozen(self.value(value)));
        builder.indices.insert(value, index);
        index
    }

    fn size(&self, builder: &mut Builder<'f>, size: &Stride) -> Value<'f> {
        let mut product = builder.number(u64::try_from(size.factor).unwrap_or(0));
        for symbol in &size.values {
            let (value, more) = match symbol {
                Symbol::Value(value) => (*value, 0),
                Symbol::Sum(value, more) => (*value, *more),
                Symbol::Dim(_) => continue,
            };
            let mut factor = self.index(builder, value);
            if more != 0 {
                factor = builder.sum(factor, builder.number(more.cast_unsigned()));
            }
            product = builder.product(product, factor);
        }
        product
    }

    /// The last instruction of a node, and its block; or the block that it ends in, of which PHIs are a part of it.
    fn end(&self, node: &ControlNode) -> Option<(Option<Instruction<'f>>, BasicBlock<'f>)> {
        let block = |block: BlockId| self.reading.blocks[block.0];
        match node {
            ControlNode::Loop { exit, .. } => Some((None, block(*exit))),
            ControlNode::If { join, .. } => Some((None, block(*join))),
            ControlNode::Straight { block: around, end, .. } => {
                let last = *self.reading.code.blocks[around.0].instructions.get(end.checked_sub(1)?)?;
                Some((Some(self.value(last).instruction()?), block(*around)))
            }
            ControlNode::Version { .. } | ControlNode::Failure { .. } | ControlNode::Opaque { .. } => None,
        }
    }
}

impl Drop for Splice<'_, '_, '_> {
    fn drop(&mut self) {
        // SAFETY: alive, and used no more.
        unsafe { host::polyHostLlvmFreeSplice(self.raw) }
    }
}

/// Builds the few instructions that arguments need.
struct Builder<'f> {
    raw: LLVMBuilderRef,
    long: LLVMTypeRef,
    /// The values that there are as indices already.
    indices: BTreeMap<ValueId, Value<'f>>,
}

impl<'f> Builder<'f> {
    fn before(instruction: Instruction<'_>) -> Self {
        // SAFETY: the instruction is alive and in a block; the builder is disposed of in `drop`.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(instruction.raw()));
            let raw = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(raw, instruction.raw());
            Self { raw, long: LLVMInt64TypeInContext(context), indices: BTreeMap::new() }
        }
    }

    fn number(&self, value: u64) -> Value<'f> {
        // SAFETY: a constant lives as long as the context.
        unsafe { Value::new(LLVMConstInt(self.long, value, 0)) }
    }

    /// A value that is not poison.
    fn frozen(&self, value: Value<'f>) -> Value<'f> {
        // SAFETY: a value that is known where the builder is.
        unsafe { Value::new(LLVMBuildFreeze(self.raw, value.raw(), c"".as_ptr())) }
    }

    /// An integer of at most 64 bits, sign-extended.
    fn wide(&self, value: Value<'f>) -> Value<'f> {
        if type_of(value.ty()) == Type::Int(64) {
            return value;
        }
        // SAFETY: a narrower integer.
        unsafe { Value::new(LLVMBuildSExt(self.raw, value.raw(), self.long, c"".as_ptr())) }
    }

    /// Where a pointer points to.
    fn address(&self, pointer: Value<'f>) -> Value<'f> {
        // SAFETY: a pointer.
        unsafe { Value::new(LLVMBuildPtrToInt(self.raw, pointer.raw(), self.long, c"".as_ptr())) }
    }

    /// A pointer to an address.
    fn pointer(&self, address: Value<'f>) -> Value<'f> {
        // SAFETY: an integer.
        unsafe {
            let kind = LLVMPointerTypeInContext(LLVMGetTypeContext(self.long), 0);
            Value::new(LLVMBuildIntToPtr(self.raw, address.raw(), kind, c"".as_ptr()))
        }
    }

    /// The same number, of which LLVM does not know what it was computed from: a pointer made from it may be to anything.
    fn hidden(&self, number: Value<'f>) -> Value<'f> {
        const CONSTRAINTS: &str = "=r,0";
        // SAFETY: an integer of 64 bits; the assembly is empty, and gives what it is given.
        unsafe {
            let mut kinds = [self.long];
            let kind = LLVMFunctionType(self.long, kinds.as_mut_ptr(), 1, 0);
            let dialect = LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
            let text = CONSTRAINTS.as_ptr().cast();
            let nothing = LLVMGetInlineAsm(kind, c"".as_ptr(), 0, text, CONSTRAINTS.len(), 0, 0, dialect, 0);
            let mut arguments = [number.raw()];
            Value::new(LLVMBuildCall2(self.raw, kind, nothing, arguments.as_mut_ptr(), 1, c"".as_ptr()))
        }
    }

    /// One of several numbers, which is not poison.
    fn part(&self, all: Value<'f>, number: u32) -> Value<'f> {
        // SAFETY: a structure that has so many parts.
        let part = unsafe { Value::new(LLVMBuildExtractValue(self.raw, all.raw(), number, c"".as_ptr())) };
        self.frozen(part)
    }

    fn sum(&self, left: Value<'f>, right: Value<'f>) -> Value<'f> {
        // SAFETY: integers of 64 bits.
        unsafe { Value::new(LLVMBuildAdd(self.raw, left.raw(), right.raw(), c"".as_ptr())) }
    }

    fn product(&self, left: Value<'f>, right: Value<'f>) -> Value<'f> {
        // SAFETY: integers of 64 bits.
        unsafe { Value::new(LLVMBuildMul(self.raw, left.raw(), right.raw(), c"".as_ptr())) }
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: made by this, and used no more.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}
