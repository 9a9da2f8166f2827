//! Texts of LLVM's.

use std::ffi::{CStr, c_char};

/// Copies a text of LLVM's that it owns and that ends with a zero; empty if there is none.
pub(in crate::llvm) fn borrowed_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and LLVM's texts end with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Copies a text of LLVM's of a known length.
pub(in crate::llvm) fn sized_text(text: *const c_char, size: usize) -> String {
    if text.is_null() || size == 0 {
        return String::new();
    }
    // SAFETY: not null, and of that length.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), size) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes over a text of LLVM's that the caller must free.
pub(in crate::llvm) fn owned_text(text: *mut c_char) -> String {
    let copy = borrowed_text(text);
    // SAFETY: LLVM made the message for the caller.
    unsafe { llvm_sys::core::LLVMDisposeMessage(text) };
    copy
}
