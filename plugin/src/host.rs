//! The Rust side of `host/plugin.h`: the pass table that the C++ glue reads, and functions that it offers.

use std::ffi::c_void;

use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use polyrs_interface::{Outlook, Sink, Status, Text};

/// A pass over modules.
#[repr(C)]
pub struct ModulePassRow {
    /// The name in opt's pipelines, of the option and in remarks.
    pub argument: Text<'static>,
    /// One line for `--help`.
    pub description: Text<'static>,
    /// Runs on a module with the text of the options; writes an error when it fails. The second pointer is an
    /// `llvm::FunctionAnalysisManager`.
    pub run: extern "C" fn(&ModulePassRow, LLVMModuleRef, *mut c_void, Text<'_>, Sink) -> Status,
}

// SAFETY: a row holds constants and a function pointer, and is never written.
unsafe impl Sync for ModulePassRow {}

unsafe extern "C" {
    pub(super) fn polyHostLlvmDefineOption(pass: &'static ModulePassRow);
    pub(super) fn polyHostLlvmRegisterPass(builder: *mut c_void, pass: &'static ModulePassRow);
    pub(super) fn polyHostLlvmHasLoop(function: LLVMValueRef) -> bool;
    pub(super) fn polyHostLlvmWantsRemarks(function: LLVMValueRef, pass: Text<'_>) -> bool;
    pub(super) fn polyHostLlvmCountInstructions(function: LLVMValueRef) -> u32;
    pub(super) fn polyHostLlvmHasAddressedBlock(function: LLVMValueRef) -> bool;
    pub(super) fn polyHostLlvmCallsReturnsTwice(function: LLVMValueRef) -> bool;
    pub(super) fn polyHostLlvmIsLibraryFunction(function: LLVMValueRef, manager: *mut c_void) -> bool;
    pub(super) fn polyHostLlvmOutlook(function: LLVMValueRef, manager: *mut c_void) -> Outlook;
    pub(super) fn polyHostLlvmCanonicalClone(
        function: LLVMValueRef,
        manager: *mut c_void,
        least: Outlook,
        outlook: &mut Outlook,
    ) -> LLVMValueRef;
    pub(super) fn polyHostLlvmDiscard(clone: LLVMValueRef, manager: *mut c_void);
}
