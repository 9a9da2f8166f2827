//! The Rust side of `host/llvm.h`: the pass table that the C++ glue reads, and functions that it offers.

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMMemoryBufferRef, LLVMMetadataRef, LLVMModuleRef, LLVMValueRef};
use mlir_sys::{MlirDialectRegistry, MlirOperation};

use crate::host::{Sink, Text};

/// An `llvm::FunctionAnalysisManager`.
#[repr(C)]
pub struct Manager {
    opaque: [u8; 0],
}

/// The clone of a function with its analyses; see [`super::Analysis`], which owns one.
#[repr(C)]
pub struct RawAnalysis {
    opaque: [u8; 0],
}

/// Functions that were linked into a module; see [`super::splice`].
#[repr(C)]
pub struct RawLinkedModule {
    opaque: [u8; 0],
}

/// Regions of a clone on their way to calls; see [`super::splice`], which owns one.
#[repr(C)]
pub struct RawSplice {
    opaque: [u8; 0],
}

/// The kinds of remarks, by the option of clang that shows them.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// `-Rpass`: something was transformed.
    Passed = 0,
    /// `-Rpass-missed`: something was left as it is.
    Missed = 1,
    /// `-Rpass-analysis`: details.
    Analysed = 2,
}

unsafe extern "C" {
    pub(super) fn polyHostLlvmAnalyze(
        function: LLVMValueRef,
        clone: LLVMValueRef,
        manager: *mut Manager,
    ) -> *mut RawAnalysis;
    pub(super) fn polyHostLlvmClonedFunction(analysis: *mut RawAnalysis) -> LLVMValueRef;
    pub(super) fn polyHostLlvmFinish(analysis: *mut RawAnalysis, keep: bool);
    pub(super) fn polyHostLlvmMark(function: LLVMValueRef, mark: Text<'_>);
    pub(super) fn polyHostRegisterLoweringPasses();
    pub(super) fn polyHostRegisterLoweringDialects(registry: MlirDialectRegistry);
    pub(super) fn polyHostLlvmTranslate(module: MlirOperation, like: LLVMModuleRef) -> LLVMModuleRef;
    pub(super) fn polyHostLlvmLink(
        target: LLVMModuleRef,
        source: LLVMModuleRef,
        original: LLVMValueRef,
        mark: Text<'_>,
        is_passed_on: extern "C" fn(Text<'_>, bool) -> bool,
        tuning: Text<'_>,
    ) -> *mut RawLinkedModule;
    pub(super) fn polyHostLlvmLinkedFunction(linked: *mut RawLinkedModule, name: Text<'_>) -> LLVMValueRef;
    pub(super) fn polyHostLlvmMerge(linked: *mut RawLinkedModule, error: Sink) -> bool;
    pub(super) fn polyHostLlvmCallAs(linked: *mut RawLinkedModule, name: Text<'_>, call: LLVMValueRef) -> bool;
    pub(super) fn polyHostLlvmListFacts(linked: *mut RawLinkedModule, original: LLVMValueRef, sink: Sink);
    pub(super) fn polyHostLlvmCommitLink(linked: *mut RawLinkedModule);
    pub(super) fn polyHostLlvmRollbackLink(linked: *mut RawLinkedModule);
    pub(super) fn polyHostLlvmNewSplice(analysis: *mut RawAnalysis) -> *mut RawSplice;
    pub(super) fn polyHostLlvmSlot(splice: *mut RawSplice, value: LLVMValueRef) -> LLVMValueRef;
    pub(super) fn polyHostLlvmMarkRegion(
        splice: *mut RawSplice,
        start: LLVMValueRef,
        last: LLVMValueRef,
        end: LLVMBasicBlockRef,
        arguments: *const LLVMValueRef,
        count: usize,
        values: *const LLVMValueRef,
        slots: *const LLVMValueRef,
        results: usize,
        location: LLVMMetadataRef,
    ) -> usize;
    pub(super) fn polyHostLlvmSplitRegions(splice: *mut RawSplice);
    pub(super) fn polyHostLlvmIsSmall(splice: *mut RawSplice) -> bool;
    pub(super) fn polyHostLlvmCallRegion(
        splice: *mut RawSplice,
        number: usize,
        new_version: LLVMValueRef,
        check: LLVMValueRef,
        error: Sink,
    ) -> bool;
    pub(super) fn polyHostLlvmCommitSplice(splice: *mut RawSplice, error: Sink) -> bool;
    pub(super) fn polyHostLlvmFreeSplice(splice: *mut RawSplice);
    pub(super) fn polyHostLlvmTraceCheck(check: LLVMValueRef, name: Text<'_>);
    pub(super) fn polyHostLlvmTrial(
        analysis: *mut RawAnalysis,
        mark: Text<'_>,
        table: Sink,
        reason: Sink,
    ) -> LLVMMemoryBufferRef;
    pub(super) fn polyHostLlvmRemark(
        pass: Text<'_>,
        kind: RemarkKind,
        function: LLVMValueRef,
        location: LLVMMetadataRef,
        text: Text<'_>,
    );
}
