//! Instructions.

use std::fmt;

use llvm_sys::LLVMOpcode;
use llvm_sys::core::{
    LLVMGetAllocatedType, LLVMGetCalledValue, LLVMGetGlobalParent, LLVMGetInstructionOpcode, LLVMGetInstructionParent,
    LLVMGetNextInstruction, LLVMGetNumOperands, LLVMGetOperand, LLVMIsAAllocaInst,
};
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};

use super::{BasicBlock, Location, Value};

/// An instruction in a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instruction<'f>(Value<'f>);

impl<'f> Instruction<'f> {
    /// # Safety
    /// An instruction that is in a block and lives for `'f`.
    pub unsafe fn new(raw: LLVMValueRef) -> Self {
        // SAFETY: passed on to the caller.
        Self(unsafe { Value::new(raw) })
    }

    /// LLVM's pointer.
    pub fn raw(self) -> LLVMValueRef {
        self.0.raw()
    }

    /// The value that it computes.
    pub fn value(self) -> Value<'f> {
        self.0
    }

    /// The opcode.
    pub fn opcode(self) -> LLVMOpcode {
        // SAFETY: the instruction is alive.
        unsafe { LLVMGetInstructionOpcode(self.raw()) }
    }

    /// The block that the instruction stands in.
    pub fn block(self) -> BasicBlock<'f> {
        // SAFETY: the instruction is alive and in a block.
        unsafe { BasicBlock::new(LLVMGetInstructionParent(self.raw())) }
    }

    /// The operands, blocks of branches and the callee of a call included.
    pub fn operands(self) -> impl ExactSizeIterator<Item = Value<'f>> {
        // SAFETY: the instruction is alive.
        let count = unsafe { LLVMGetNumOperands(self.raw()) };
        let count = u32::try_from(count).unwrap_or(0);
        // SAFETY: the operand exists, and lives as long as its user.
        (0..count).map(move |number| unsafe { Value::new(LLVMGetOperand(self.raw(), number)) })
    }

    /// The operand of a number that is known to be there.
    pub fn operand(self, number: u32) -> Value<'f> {
        // SAFETY: the operand exists, and lives as long as its user; LLVM checks the number only with assertions.
        unsafe {
            assert!(i64::from(number) < i64::from(LLVMGetNumOperands(self.raw())), "an operand that is not there");
            Value::new(LLVMGetOperand(self.raw(), number))
        }
    }

    /// The next instruction of the block.
    pub fn next(self) -> Option<Instruction<'f>> {
        // SAFETY: the instruction is alive.
        let next = unsafe { LLVMGetNextInstruction(self.raw()) };
        // SAFETY: an instruction of the same block.
        (!next.is_null()).then(|| unsafe { Instruction::new(next) })
    }

    /// Whether the instruction says that a variable on the stack starts or ends to live: whether it starts, and its
    /// bytes.
    pub fn life_mark(self) -> Option<(bool, u64)> {
        if self.opcode() != LLVMOpcode::LLVMCall {
            return None;
        }
        // SAFETY: a call.
        let callee = unsafe { Value::new(LLVMGetCalledValue(self.raw())) }.name();
        let starts = match callee.strip_prefix("llvm.lifetime.")? {
            rest if rest.starts_with("start") => true,
            rest if rest.starts_with("end") => false,
            _ => return None,
        };
        let variable = self.operand(0);
        // SAFETY: the value is alive; if it is a variable, it has a type of known size, and how many of them there are
        // is its operand.
        unsafe {
            if LLVMIsAAllocaInst(variable.raw()).is_null() {
                return None;
            }
            let count = Value::new(LLVMGetOperand(variable.raw(), 0)).signed_constant()?;
            let layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(self.block().function().raw()));
            let bytes = LLVMABISizeOfType(layout, LLVMGetAllocatedType(variable.raw()));
            Some((starts, bytes.saturating_mul(u64::try_from(count).ok()?)))
        }
    }

    /// Where the instruction comes from.
    pub fn location(self) -> Location<'f> {
        // SAFETY: the instruction is alive, and locations live as long as the context.
        unsafe { Location::new(LLVMInstructionGetDebugLoc(self.raw())) }
    }
}

impl fmt::Debug for Instruction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
