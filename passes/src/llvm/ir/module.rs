//! Modules.

use std::ffi::CStr;
use std::marker::PhantomData;

use llvm_sys::core::{LLVMGetFirstFunction, LLVMGetNamedFunction, LLVMGetNextFunction, LLVMGetTarget};
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

use super::{Function, borrowed_text};

/// The unit of compilation.
#[derive(Clone, Copy)]
pub struct Module<'m> {
    raw: LLVMModuleRef,
    life: PhantomData<&'m ()>,
}

impl<'m> Module<'m> {
    /// # Safety
    /// The module lives for `'m`.
    pub unsafe fn new(raw: LLVMModuleRef) -> Self {
        Self { raw, life: PhantomData }
    }

    /// LLVM's pointer.
    pub fn raw(self) -> LLVMModuleRef {
        self.raw
    }

    /// The functions, defined and declared.
    pub fn functions(self) -> impl Iterator<Item = Function<'m>> {
        // SAFETY: a function of the module, or null.
        let wrap = |raw: LLVMValueRef| (!raw.is_null()).then(|| unsafe { Function::new(raw) });
        // SAFETY: the module and its functions are alive.
        let first = wrap(unsafe { LLVMGetFirstFunction(self.raw) });
        // SAFETY: as above.
        std::iter::successors(first, move |function| wrap(unsafe { LLVMGetNextFunction(function.raw()) }))
    }

    /// The function of a name, defined or declared.
    pub fn function(self, name: &CStr) -> Option<Function<'m>> {
        // SAFETY: the module is alive, and what is found lives as long.
        unsafe {
            let raw = LLVMGetNamedFunction(self.raw, name.as_ptr());
            (!raw.is_null()).then(|| Function::new(raw))
        }
    }

    /// The target, such as `x86_64-pc-linux-gnu`; empty if the module does not say.
    pub fn triple(self) -> String {
        // SAFETY: the module is alive.
        borrowed_text(unsafe { LLVMGetTarget(self.raw) })
    }
}
