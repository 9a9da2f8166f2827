//! Modules.

use std::marker::PhantomData;

use llvm_sys::core::{LLVMGetFirstFunction, LLVMGetNextFunction, LLVMGetTarget};
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

use polyrs_host::raw as host;

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

    /// Whether new code may call `malloc` and `free` by these names: nothing else in the module has them.
    pub fn has_heap(self) -> bool {
        // SAFETY: the module is alive.
        unsafe { host::polyHostLlvmHasHeap(self.raw) }
    }

    /// The target, such as `x86_64-pc-linux-gnu`; empty if the module does not say.
    pub fn triple(self) -> String {
        // SAFETY: the module is alive.
        borrowed_text(unsafe { LLVMGetTarget(self.raw) })
    }
}
