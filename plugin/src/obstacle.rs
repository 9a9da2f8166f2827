//! Functions that must stay as they are.

use std::ffi::c_char;

use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::core::{
    LLVMCountBasicBlocks, LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName, LLVMGetGC,
    LLVMGetStringAttributeAtIndex, LLVMGetTarget,
};
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMPointerSize};

use polyrs_interface::obstacles::{ATTRIBUTES, TEXT_ATTRIBUTES};

use polyrs_plugin_host::raw::{self as host, PolyLlvmManager};

/// Larger functions are left alone: what is done before a region is known grows with the function.
const BLOCKS: u32 = 5_000;
/// As [`BLOCKS`].
const INSTRUCTIONS: u32 = 100_000;

/// How the triples of GPUs start.
const GPUS: &[&str] = &["amdgcn", "amdil", "dxil", "nvptx", "r600", "spir"];

/// Why a function as a whole must stay as it is.
///
/// # Safety
/// The module is alive, the manager that of its functions, and the function one of them with a body.
pub unsafe fn obstacle(module: LLVMModuleRef, manager: *mut PolyLlvmManager, function: LLVMValueRef) -> Option<String> {
    // SAFETY: passed on to the caller; so it is below.
    if let Some((_, reason)) = ATTRIBUTES.iter().find(|(name, _)| unsafe { has_attribute(function, name) }) {
        return Some((*reason).to_owned());
    }
    // SAFETY: as above.
    if let Some((_, reason)) = TEXT_ATTRIBUTES.iter().find(|(name, _)| unsafe { has_text_attribute(function, name) }) {
        return Some((*reason).to_owned());
    }
    // SAFETY: as above; the triple ends with a zero, and is not kept.
    let (collected, triple, bits) = unsafe {
        let triple = std::ffi::CStr::from_ptr(LLVMGetTarget(module)).to_string_lossy();
        (!LLVMGetGC(function).is_null(), triple, LLVMPointerSize(LLVMGetModuleDataLayout(module)) * 8)
    };
    // SAFETY: as above.
    if unsafe { host::polyHostLlvmIsLibraryFunction(function, manager) } {
        return Some("compilers call a function of this name by themselves, in its own new code as well".to_owned());
    }
    if collected {
        return Some("the function's pointers are a garbage collector's".to_owned());
    }
    if GPUS.iter().any(|gpu| triple.starts_with(gpu)) {
        return Some("the code is for a GPU".to_owned());
    }
    if bits != 64 {
        return Some(format!("pointers have {bits} bits"));
    }
    // SAFETY: as above.
    let (blocks, instructions) =
        unsafe { (LLVMCountBasicBlocks(function), host::polyHostLlvmCountInstructions(function)) };
    if blocks > BLOCKS || instructions > INSTRUCTIONS {
        return Some(format!("the function is too large: {blocks} blocks, {instructions} instructions"));
    }
    // SAFETY: as above.
    let (addressed, twice) =
        unsafe { (host::polyHostLlvmHasAddressedBlock(function), host::polyHostLlvmCallsReturnsTwice(function)) };
    if addressed {
        return Some("the address of a block is taken".to_owned());
    }
    twice.then(|| "a function that is called may return twice".to_owned())
}

/// Whether the function itself has an attribute of LLVM's, such as `optnone`.
///
/// # Safety
/// The function is alive.
unsafe fn has_attribute(function: LLVMValueRef, name: &str) -> bool {
    // SAFETY: the name is passed with its length, and the function passed on to the caller.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast::<c_char>(), name.len());
        debug_assert!(kind != 0, "LLVM has no attribute {name}");
        !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind).is_null()
    }
}

/// Whether the function has an attribute such as `"interrupt"`.
///
/// # Safety
/// The function is alive.
pub unsafe fn has_text_attribute(function: LLVMValueRef, name: &str) -> bool {
    let (text, length) = (name.as_ptr().cast::<c_char>(), u32::try_from(name.len()).unwrap_or(0));
    // SAFETY: as above.
    unsafe { !LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, text, length).is_null() }
}
