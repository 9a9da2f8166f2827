//! Debug locations.

use std::marker::PhantomData;

use llvm_sys::debuginfo::{
    LLVMDIFileGetFilename, LLVMDILocationGetColumn, LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile,
};
use llvm_sys::prelude::LLVMMetadataRef;

use super::sized_text;

/// Where an instruction comes from, if that is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location<'f> {
    raw: LLVMMetadataRef,
    life: PhantomData<&'f ()>,
}

impl Location<'_> {
    /// # Safety
    /// A `DILocation` that lives for `'f`, or null.
    pub unsafe fn new(raw: LLVMMetadataRef) -> Self {
        Self { raw, life: PhantomData }
    }

    /// Nowhere.
    pub fn unknown() -> Self {
        Self { raw: std::ptr::null_mut(), life: PhantomData }
    }

    /// LLVM's pointer; null if the place is not known.
    pub fn raw(self) -> LLVMMetadataRef {
        self.raw
    }

    /// The line, from 1; 0 if it is not known.
    pub fn line(self) -> u32 {
        if self.raw.is_null() {
            return 0;
        }
        // SAFETY: a location that is alive.
        unsafe { LLVMDILocationGetLine(self.raw) }
    }

    /// The column, from 1; 0 if it is not known.
    pub fn column(self) -> u32 {
        if self.raw.is_null() {
            return 0;
        }
        // SAFETY: a location that is alive.
        unsafe { LLVMDILocationGetColumn(self.raw) }
    }

    /// The file's name as the compiler was given it; empty if it is not known.
    pub fn file(self) -> String {
        if self.raw.is_null() {
            return String::new();
        }
        // SAFETY: a location that is alive; each has a scope, and a scope has a file or none.
        unsafe {
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(self.raw));
            if file.is_null() {
                return String::new();
            }
            let mut size = 0;
            let text = LLVMDIFileGetFilename(file, &raw mut size);
            sized_text(text, usize::try_from(size).unwrap_or(0))
        }
    }
}
