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

/// What was moved into a module; see [`super::lower`].
#[repr(C)]
pub struct Adopted {
    opaque: [u8; 0],
}

/// Regions of a clone on their way to calls; see [`super::raise::Placement`], which owns one.
#[repr(C)]
pub struct RawPlacement {
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
    pub(super) fn polyHostLlvmAdopt(
        target: LLVMModuleRef,
        source: LLVMModuleRef,
        original: LLVMValueRef,
        mark: Text<'_>,
        is_passed_on: extern "C" fn(Text<'_>, bool) -> bool,
        tuning: Text<'_>,
    ) -> *mut Adopted;
    pub(super) fn polyHostLlvmAdoptedFunction(adopted: *mut Adopted, name: Text<'_>) -> LLVMValueRef;
    pub(super) fn polyHostLlvmMerge(adopted: *mut Adopted, error: Sink) -> bool;
    pub(super) fn polyHostLlvmCallAs(adopted: *mut Adopted, name: Text<'_>, call: LLVMValueRef) -> bool;
    pub(super) fn polyHostLlvmListFacts(adopted: *mut Adopted, original: LLVMValueRef, sink: Sink);
    pub(super) fn polyHostLlvmSettle(adopted: *mut Adopted, keep: bool);
    pub(super) fn polyHostLlvmPlacement(analysis: *mut RawAnalysis) -> *mut RawPlacement;
    pub(super) fn polyHostLlvmSlot(placement: *mut RawPlacement, value: LLVMValueRef) -> LLVMValueRef;
    pub(super) fn polyHostLlvmMarkRegion(
        placement: *mut RawPlacement,
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
    pub(super) fn polyHostLlvmSplitRegions(placement: *mut RawPlacement);
    pub(super) fn polyHostLlvmIsSmall(placement: *mut RawPlacement) -> bool;
    pub(super) fn polyHostLlvmCallRegion(
        placement: *mut RawPlacement,
        number: usize,
        new_version: LLVMValueRef,
        check: LLVMValueRef,
        error: Sink,
    ) -> bool;
    pub(super) fn polyHostLlvmCommit(placement: *mut RawPlacement, error: Sink) -> bool;
    pub(super) fn polyHostLlvmFreePlacement(placement: *mut RawPlacement);
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
