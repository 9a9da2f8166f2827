//! The side of LLVM IR: not there yet, and it says so.

use std::ffi::c_void;

use crate::host;

const NOTICE: &str = "LLVM IR is not supported yet and stays as it is; use mlir-opt on the affine dialect";

/// Registers the function pass `poly-schedule` with a pass builder of `opt` or `clang`.
///
/// # Safety
/// `builder` is a live `llvm::PassBuilder`.
pub unsafe extern "C" fn register(builder: *mut c_void) {
    crate::log::start();
    // SAFETY: passed on to the caller.
    unsafe { host::register_llvm(builder, "poly-schedule", NOTICE) }
}
