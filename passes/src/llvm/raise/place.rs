//! A raised region in its clone: where it starts and ends, and what it is called with.

use std::collections::BTreeMap;

use llvm_sys::core::{
    LLVMBuildAdd, LLVMBuildFreeze, LLVMBuildMul, LLVMBuildSExt, LLVMConstInt, LLVMCreateBuilderInContext,
    LLVMDisposeBuilder, LLVMGetTypeContext, LLVMInt64TypeInContext, LLVMPositionBuilderBefore, LLVMTypeOf,
};
use llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef};

use super::code::{BlockId, Type, ValueId};
use super::describe::is_phi;
use super::host;
use super::polynomial::Symbol;
use super::read::Reading;
use super::region::{Argument, Region};
use super::shape::Stride;
use super::structure::Node;
use crate::llvm::analysis::Analysis;
use crate::llvm::ir::{Block, Instruction, Value};
use crate::llvm::raised::Raised;

/// The elements of the first dimension of an array, of which nobody knows how many there are.
const MANY: u64 = 1 << 58;

/// Puts regions in place, in order.
pub struct Placer<'f, 'm> {
    analysis: &'f Analysis<'m>,
    reading: Reading<'f>,
    /// The values that are loaded again behind a region.
    loaded: BTreeMap<ValueId, Value<'f>>,
}

impl<'f, 'm> Placer<'f, 'm> {
    /// Nothing was put anywhere yet.
    pub fn new(analysis: &'f Analysis<'m>, reading: Reading<'f>) -> Self {
        Self { analysis, reading, loaded: BTreeMap::new() }
    }

    /// Splits the blocks at the ends of a region, keeps what is used behind it on the stack, and collects arguments.
    /// Nothing if there is no such place.
    pub fn place(&mut self, region: &Region) -> Option<Raised<'f>> {
        let exit = self.exit(region.nodes.last()?)?;
        let (entry, first) = self.entry(region.nodes.first()?)?;
        let location = first.location();
        let mut slots = BTreeMap::new();
        for value in &region.out {
            let (mut loaded, raw) = (std::ptr::null_mut(), self.reading.values[value.0].raw());
            // SAFETY: an instruction and a block of the clone; the dominators are kept up to date by splitting.
            unsafe {
                let slot = host::polyHostLlvmReload(self.analysis.raw(), raw, exit.raw(), &raw mut loaded);
                slots.insert(*value, Value::new(slot));
                self.loaded.insert(*value, Value::new(loaded));
            }
        }
        let mut builder = Builder::before(entry.terminator()?);
        let mut arguments = Vec::new();
        for argument in &region.arguments {
            match argument {
                Argument::Array(base, extents, strides) => {
                    let start = self.value(*base);
                    arguments.extend([start, start, builder.number(0), builder.number(MANY)]);
                    for size in extents.iter().chain(strides) {
                        arguments.push(self.size(&mut builder, size));
                    }
                }
                Argument::Index(value) => arguments.push(self.index(&mut builder, *value)),
                Argument::Scalar(value) => arguments.push(self.value(*value)),
                Argument::Slot(value) => {
                    let slot = slots.get(value).copied()?;
                    arguments.extend([slot, slot, builder.number(0)]);
                }
            }
        }
        let (text, name) = (region.text.clone(), region.name.clone());
        let calls = region.calls.iter().map(|(name, call)| (name.clone(), self.reading.values[call.0])).collect();
        let Region { checked, single, .. } = *region;
        Some(Raised { text, name, checked, single, arguments, calls, entry, first, exit, location })
    }

    /// What a value from outside is by now.
    fn value(&self, value: ValueId) -> Value<'f> {
        self.loaded.get(&value).copied().unwrap_or(self.reading.values[value.0])
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
                Symbol::Loop(_) => continue,
            };
            let mut factor = self.index(builder, value);
            if more != 0 {
                factor = builder.sum(factor, builder.number(more.cast_unsigned()));
            }
            product = builder.product(product, factor);
        }
        product
    }

    fn instruction(&self, value: ValueId) -> Option<Instruction<'f>> {
        self.reading.values[value.0].instruction()
    }

    fn split(&self, before: Instruction<'f>) -> Block<'f> {
        // SAFETY: an instruction of the clone.
        unsafe { Block::new(host::polyHostLlvmSplit(self.analysis.raw(), before.raw())) }
    }

    /// The block before a node and the one that it starts with.
    fn entry(&self, node: &Node) -> Option<(Block<'f>, Block<'f>)> {
        let code = &self.reading.code;
        match node {
            Node::Loop { number, .. } => {
                let this = &code.loops[number.0];
                let before = self.instruction(code.terminator(this.preheader?)?)?.block();
                Some((before, self.reading.blocks[this.header.0]))
            }
            Node::If { block, .. } => {
                let last = self.instruction(code.terminator(*block)?)?;
                let before = last.block();
                Some((before, self.split(last)))
            }
            Node::Straight { block, first, .. } => {
                let first = self.instruction(code.blocks[block.0].instructions[*first])?;
                let before = first.block();
                Some((before, self.split(first)))
            }
            Node::Failure { .. } | Node::Opaque { .. } => None,
        }
    }

    /// A block behind a node, of which no PHI is a part.
    fn exit(&self, node: &Node) -> Option<Block<'f>> {
        let block: BlockId = match node {
            Node::Loop { exit, .. } => *exit,
            Node::If { join, .. } => *join,
            Node::Straight { block, end, .. } => {
                let behind = *self.reading.code.blocks[block.0].instructions.get(*end)?;
                return Some(self.split(self.instruction(behind)?));
            }
            Node::Failure { .. } | Node::Opaque { .. } => return None,
        };
        let code = &self.reading.code;
        let all = &code.blocks[block.0].instructions;
        let first = all.iter().find(|value| !is_phi(code, **value))?;
        Some(self.split(self.instruction(*first)?))
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
        if super::read::type_of(value.ty()) == Type::Int(64) {
            return value;
        }
        // SAFETY: a narrower integer.
        unsafe { Value::new(LLVMBuildSExt(self.raw, value.raw(), self.long, c"".as_ptr())) }
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
