//! The clone of a function that a region is raised from, with what LLVM knows of it.

use llvm_sys::prelude::LLVMValueRef;

use super::ir::Function;
use polyrs_host::raw::{self as host, PolyLlvmAnalysis, PolyLlvmManager};

/// A clone in canonical form and its analyses, which are of no use any more once the clone was changed. Dropping it
/// deletes the clone; [`Analysis::keep`] puts it in the original's place.
pub struct Analysis<'m> {
    raw: *mut PolyLlvmAnalysis,
    original: Function<'m>,
}

impl<'m> Analysis<'m> {
    /// Takes the clone of a function in canonical form.
    ///
    /// # Safety
    /// `manager` is the analysis manager of the function's module, the clone is one of its functions and handed over,
    /// and nobody else uses any of them meanwhile.
    pub unsafe fn new(original: Function<'m>, clone: LLVMValueRef, manager: *mut PolyLlvmManager) -> Self {
        // SAFETY: the functions are alive; passed on to the caller.
        let raw = unsafe { host::polyHostLlvmAnalyze(original.raw(), clone, manager) };
        Self { raw, original }
    }

    /// The function that was cloned.
    pub fn original(&self) -> Function<'m> {
        self.original
    }

    /// The clone.
    pub fn function(&self) -> Function<'_> {
        // SAFETY: the clone lives until `self` is dropped.
        unsafe { Function::new(host::polyHostLlvmClonedFunction(self.raw)) }
    }

    /// The pointer that the queries of the glue take.
    pub fn raw(&self) -> *mut PolyLlvmAnalysis {
        self.raw
    }

    /// Puts the clone's body in the original's place. Blocks and instructions live on, and belong to the original.
    pub fn keep(self) {
        let raw = self.raw;
        std::mem::forget(self);
        // SAFETY: the analysis is alive, and forgotten.
        unsafe { host::polyHostLlvmFinish(raw, true) }
    }
}

impl Drop for Analysis<'_> {
    fn drop(&mut self) {
        // SAFETY: the analysis is alive, and used no more.
        unsafe { host::polyHostLlvmFinish(self.raw, false) }
    }
}
