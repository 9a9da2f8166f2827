//! Types.

use std::fmt;
use std::marker::PhantomData;

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{LLVMGetIntTypeWidth, LLVMGetTypeKind, LLVMPrintTypeToString};
use llvm_sys::prelude::LLVMTypeRef;

use super::owned_text;

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'f> {
    raw: LLVMTypeRef,
    life: PhantomData<&'f ()>,
}

impl Type<'_> {
    /// # Safety
    /// The type's context lives for `'f`.
    pub unsafe fn new(raw: LLVMTypeRef) -> Self {
        Self { raw, life: PhantomData }
    }

    /// LLVM's pointer.
    pub fn raw(self) -> LLVMTypeRef {
        self.raw
    }

    /// The kind of type.
    pub fn kind(self) -> LLVMTypeKind {
        // SAFETY: the type is alive.
        unsafe { LLVMGetTypeKind(self.raw) }
    }

    /// The width of an integer type; nothing for other types.
    pub fn integer_bits(self) -> Option<u32> {
        // SAFETY: the width is asked of an integer type.
        (self.kind() == LLVMTypeKind::LLVMIntegerTypeKind).then(|| unsafe { LLVMGetIntTypeWidth(self.raw) })
    }
}

/// The type as IR text.
impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the type is alive.
        f.write_str(&owned_text(unsafe { LLVMPrintTypeToString(self.raw) }))
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
