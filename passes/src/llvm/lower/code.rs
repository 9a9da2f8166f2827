//! Code of LLVM's that does not belong to the module yet.

use llvm_sys::core::LLVMDisposeModule;
use llvm_sys::prelude::LLVMModuleRef;
use melior::ir::Module as MlirModule;

use crate::llvm::ir::Module;
use polyrs_host::raw as host;

/// A module of its own in the context of the module that is compiled, and valid.
pub struct Code(LLVMModuleRef);

impl Code {
    /// Translates a module of the LLVM dialect. Nothing if that fails.
    pub fn translate(module: &MlirModule<'_>, like: Module<'_>) -> Option<Self> {
        // SAFETY: both modules are alive; the result is ours.
        let raw = unsafe { host::polyHostLlvmTranslate(module.as_operation().to_raw(), like.raw()) };
        (!raw.is_null()).then_some(Self(raw))
    }

    /// Hands the module over.
    pub fn into_raw(self) -> LLVMModuleRef {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the module is ours, and nobody else refers to it.
        unsafe { LLVMDisposeModule(self.0) }
    }
}
