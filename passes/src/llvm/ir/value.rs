//! Values.

use std::fmt;
use std::marker::PhantomData;

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMGetIntTypeWidth, LLVMGetTypeKind, LLVMGetValueName2, LLVMIsAArgument,
    LLVMIsAConstantInt, LLVMIsAGlobalVariable, LLVMIsAInstruction, LLVMIsConstant, LLVMPrintValueToString, LLVMTypeOf,
};
use llvm_sys::prelude::LLVMValueRef;

use super::{Instruction, Type, owned_text, sized_text};

/// Anything that can be an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'f> {
    raw: LLVMValueRef,
    life: PhantomData<&'f ()>,
}

impl<'f> Value<'f> {
    /// # Safety
    /// The value lives for `'f`.
    pub unsafe fn new(raw: LLVMValueRef) -> Self {
        debug_assert!(!raw.is_null());
        Self { raw, life: PhantomData }
    }

    /// LLVM's pointer.
    pub fn raw(self) -> LLVMValueRef {
        self.raw
    }

    /// The type.
    pub fn ty(self) -> Type<'f> {
        // SAFETY: the value is alive, and types live as long as the context.
        unsafe { Type::new(LLVMTypeOf(self.raw)) }
    }

    /// The name, without the `%` or `@`; empty if there is none.
    pub fn name(self) -> String {
        let mut size = 0;
        // SAFETY: the value is alive.
        let text = unsafe { LLVMGetValueName2(self.raw, &raw mut size) };
        sized_text(text, size)
    }

    /// The instruction that defines the value, if one does.
    pub fn instruction(self) -> Option<Instruction<'f>> {
        // SAFETY: the value is alive.
        let found = unsafe { LLVMIsAInstruction(self.raw) };
        // SAFETY: an instruction that lives as long as the value, for it is the value.
        (!found.is_null()).then(|| unsafe { Instruction::new(found) })
    }

    /// Whether the value is an argument of its function.
    pub fn is_argument(self) -> bool {
        // SAFETY: the value is alive.
        unsafe { !LLVMIsAArgument(self.raw).is_null() }
    }

    /// Whether the value is the address of a global variable.
    pub fn is_global_variable(self) -> bool {
        // SAFETY: the value is alive.
        unsafe { !LLVMIsAGlobalVariable(self.raw).is_null() }
    }

    /// Whether the value is a constant, such as a number or a global's address.
    pub fn is_constant(self) -> bool {
        // SAFETY: the value is alive.
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    /// The value of an integer constant of at most 64 bits, read as signed.
    pub fn signed_constant(self) -> Option<i64> {
        // SAFETY: the value is alive; the width is asked of an integer type only.
        unsafe {
            if LLVMIsAConstantInt(self.raw).is_null()
                || LLVMGetTypeKind(LLVMTypeOf(self.raw)) != LLVMTypeKind::LLVMIntegerTypeKind
                || LLVMGetIntTypeWidth(LLVMTypeOf(self.raw)) > 64
            {
                return None;
            }
            Some(LLVMConstIntGetSExtValue(self.raw))
        }
    }
}

/// The value as IR text, for logs.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the value is alive.
        f.write_str(owned_text(unsafe { LLVMPrintValueToString(self.raw) }).trim())
    }
}
