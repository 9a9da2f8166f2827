//! `libpolyrs.so`: one plugin for `mlir-opt`, `opt` and `clang` 22.
//!
//! Two functions are exported, one that MLIR's tools look for and one that LLVM's do; everything else is hidden. A
//! compiler loads this for every file, so it is small and needs LLVM only. What optimizes is in `libpolyrs_mlir.so`,
//! which needs MLIR too: it is loaded at once for MLIR's tools, and for LLVM's when a function has loops that may be
//! raised.

mod llvm;
mod load;
mod obstacle;
mod records;

use std::ffi::{CStr, c_char, c_void};

use polyrs_interface::guard;

/// The plugin's name, as the tools report it.
const NAME: &CStr = c"polyrs";

/// The plugin's version, with the zero byte that C wants.
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// `mlir::PassPluginLibraryInfo` of MLIR 22.
#[repr(C)]
pub struct MlirPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// `llvm::PassPluginLibraryInfo` of LLVM 22.
#[repr(C)]
pub struct LlvmPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
    pre_code_generation: *const c_void,
}

/// The entry point for `mlir-opt --load-pass-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> MlirPluginInfo {
    load::remember();
    MlirPluginInfo { api_version: 1, name: NAME.as_ptr(), version: VERSION.as_ptr(), register }
}

/// The entry point for `opt -load-pass-plugin` and `clang -fpass-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> LlvmPluginInfo {
    load::remember();
    llvm::define_option();
    LlvmPluginInfo {
        api_version: 2,
        name: NAME.as_ptr(),
        version: VERSION.as_ptr(),
        register: llvm::register,
        pre_code_generation: std::ptr::null(),
    }
}

/// Registers passes and pipelines with MLIR. If that fails, the tool has none of them, and says so; here is why.
extern "C" fn register() {
    match guard(load::table) {
        Ok(table) => (table.register)(),
        Err(error) => eprintln!("error: polyrs: {error}"),
    }
}
