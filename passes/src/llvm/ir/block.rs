//! Basic blocks.

use std::fmt;
use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMGetBasicBlockName, LLVMGetBasicBlockParent, LLVMGetBasicBlockTerminator, LLVMGetFirstInstruction,
    LLVMGetNumSuccessors, LLVMGetSuccessor,
};
use llvm_sys::prelude::LLVMBasicBlockRef;

use super::{Function, Instruction, Location, borrowed_text};

/// A block of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BasicBlock<'f> {
    raw: LLVMBasicBlockRef,
    life: PhantomData<&'f ()>,
}

impl<'f> BasicBlock<'f> {
    /// # Safety
    /// The block is in a function and lives for `'f`.
    pub unsafe fn new(raw: LLVMBasicBlockRef) -> Self {
        debug_assert!(!raw.is_null());
        Self { raw, life: PhantomData }
    }

    /// LLVM's pointer.
    pub fn raw(self) -> LLVMBasicBlockRef {
        self.raw
    }

    /// The function that the block is in.
    pub fn function(self) -> Function<'f> {
        // SAFETY: the block is alive and in a function.
        unsafe { Function::new(LLVMGetBasicBlockParent(self.raw)) }
    }

    /// The name; empty if there is none.
    pub fn name(self) -> String {
        // SAFETY: the block is alive.
        borrowed_text(unsafe { LLVMGetBasicBlockName(self.raw) })
    }

    /// The instructions in order. Each is found from the one before it, so erase none while going through them.
    pub fn instructions(self) -> impl Iterator<Item = Instruction<'f>> {
        // SAFETY: the block is alive.
        let first = unsafe { LLVMGetFirstInstruction(self.raw) };
        // SAFETY: an instruction of the block.
        let first = (!first.is_null()).then(|| unsafe { Instruction::new(first) });
        std::iter::successors(first, |instruction| instruction.next())
    }

    /// The terminator.
    pub fn terminator(self) -> Option<Instruction<'f>> {
        // SAFETY: the block is alive.
        let found = unsafe { LLVMGetBasicBlockTerminator(self.raw) };
        // SAFETY: an instruction of the block.
        (!found.is_null()).then(|| unsafe { Instruction::new(found) })
    }

    /// Where control goes from here; a block comes as often as there are edges to it.
    pub fn successors(self) -> Vec<BasicBlock<'f>> {
        let Some(end) = self.terminator() else { return Vec::new() };
        // SAFETY: a terminator, and numbers of successors that it has.
        unsafe {
            (0..LLVMGetNumSuccessors(end.raw()))
                .map(|number| BasicBlock::new(LLVMGetSuccessor(end.raw(), number)))
                .collect()
        }
    }

    /// Where the block starts in the source: the first location of an instruction of its own.
    pub fn location(self) -> Location<'f> {
        self.instructions()
            .map(Instruction::location)
            .find(|location| location.line() > 0)
            .unwrap_or(Location::unknown())
    }
}

impl fmt::Debug for BasicBlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.name())
    }
}
