//! The Rust side of `host/llvm_raise.h`.

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

use crate::llvm::host::RawAnalysis;

/// An `llvm::SCEV`.
#[repr(C)]
pub struct RawScev {
    private: [u8; 0],
}

/// A loop; values may be null.
#[repr(C)]
pub struct LoopRow {
    pub header: LLVMBasicBlockRef,
    pub parent: LLVMBasicBlockRef,
    pub preheader: LLVMBasicBlockRef,
    pub latch: LLVMBasicBlockRef,
    pub ends: bool,
}

/// The kinds of nodes of scevs.
pub mod kind {
    pub const CONSTANT: u32 = 1;
    pub const UNKNOWN: u32 = 2;
    pub const ADD: u32 = 3;
    pub const MUL: u32 = 4;
    pub const DIVIDE: u32 = 5;
    pub const ADD_REC: u32 = 6;
    pub const TRUNCATE: u32 = 7;
    pub const ZERO_EXTEND: u32 = 8;
    pub const SIGN_EXTEND: u32 = 9;
    pub const SMAX: u32 = 10;
    pub const SMIN: u32 = 11;
    pub const UMAX: u32 = 12;
    pub const UMIN: u32 = 13;
}

/// One node of a SCEV.
#[repr(C)]
pub struct ScevRow {
    pub kind: u32,
    pub bits: u32,
    pub operands: u32,
    pub nsw: bool,
    pub fits: bool,
    pub constant: i64,
    pub value: LLVMValueRef,
    pub header: LLVMBasicBlockRef,
}

unsafe extern "C" {
    pub fn polyHostLlvmLoopOf(analysis: *mut RawAnalysis, block: LLVMBasicBlockRef, found: *mut LoopRow) -> bool;
    pub fn polyHostLlvmExitCount(
        analysis: *mut RawAnalysis,
        header: LLVMBasicBlockRef,
        exiting: LLVMBasicBlockRef,
    ) -> *const RawScev;
    pub fn polyHostLlvmScev(
        analysis: *mut RawAnalysis,
        value: LLVMValueRef,
        block: LLVMBasicBlockRef,
    ) -> *const RawScev;
    pub fn polyHostLlvmScevRow(analysis: *mut RawAnalysis, scev: *const RawScev, found: *mut ScevRow);
    pub fn polyHostLlvmOperand(scev: *const RawScev, number: u32) -> *const RawScev;
    pub fn polyHostLlvmBase(
        analysis: *mut RawAnalysis,
        pointer: LLVMValueRef,
        block: LLVMBasicBlockRef,
        offset: *mut *const RawScev,
        inbounds: *mut bool,
    ) -> LLVMValueRef;
    pub fn polyHostLlvmAddress(
        pointer: LLVMValueRef,
        values: *mut LLVMValueRef,
        scales: *mut i64,
        capacity: u32,
        constant: *mut i64,
        base: *mut LLVMValueRef,
    ) -> u32;
    pub fn polyHostLlvmRange(analysis: *mut RawAnalysis, value: LLVMValueRef, least: *mut i64, most: *mut i64);
    pub fn polyHostLlvmIsCertain(analysis: *mut RawAnalysis, value: LLVMValueRef, block: LLVMBasicBlockRef) -> bool;
    pub fn polyHostLlvmDisjoint(
        analysis: *mut RawAnalysis,
        base: LLVMValueRef,
        instruction: LLVMValueRef,
        other_base: LLVMValueRef,
        other_instruction: LLVMValueRef,
        scoped: bool,
    ) -> bool;
    pub fn polyHostLlvmIsPure(instruction: LLVMValueRef) -> bool;
    pub fn polyHostLlvmIsDirect(call: LLVMValueRef) -> bool;
    pub fn polyHostLlvmTransfer(
        call: LLVMValueRef,
        copies: *mut bool,
        moves: *mut bool,
        to: *mut u64,
        from: *mut u64,
    ) -> bool;
    pub fn polyHostLlvmIsSimple(instruction: LLVMValueRef) -> bool;
    pub fn polyHostLlvmFloatBits(value: LLVMValueRef, bits: *mut u64) -> bool;
}
