//! LLVM's JIT, for a module that is run in a process of its own.

use std::env;
use std::ffi::{CStr, CString, c_void};
use std::mem;
use std::path::PathBuf;
use std::ptr;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::core::{LLVMContextCreate, LLVMGetTarget};
use llvm_sys::error::{LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcLLJITAddLLVMIRModule, LLVMOrcLLJITGetGlobalPrefix, LLVMOrcLLJITGetMainJITDylib,
    LLVMOrcLLJITLookup, LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMOrcAbsoluteSymbols, LLVMOrcCSymbolMapPair,
    LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess, LLVMOrcCreateNewThreadSafeContextFromLLVMContext,
    LLVMOrcCreateNewThreadSafeModule, LLVMOrcJITDylibAddGenerator, LLVMOrcJITDylibDefine,
};
use llvm_sys::prelude::{LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef};
use llvm_sys::target_machine::{
    LLVMCodeGenOptLevel, LLVMCodeModel, LLVMCreateTargetMachine, LLVMGetTargetFromTriple, LLVMRelocMode,
};
use llvm_sys::transforms::pass_builder::{LLVMCreatePassBuilderOptions, LLVMRunPasses};

/// The bit of `JITSymbolFlags` that says that others may call it.
const EXPORTED: u8 = 1;

/// Compiled code. It lives until the process ends.
pub struct Jit(LLVMOrcLLJITRef);

impl Jit {
    /// Optimizes and compiles a module, which calls the given functions of this process.
    ///
    /// # Errors
    /// LLVM's message.
    pub fn new(code: LLVMMemoryBufferRef, functions: &[(&str, *const c_void)]) -> Result<Self, String> {
        open_openmp();
        // SAFETY: what is made here is never freed, since the process ends soon; each call gets what the one before
        // made.
        unsafe {
            let context = LLVMContextCreate();
            let mut module: LLVMModuleRef = ptr::null_mut();
            if LLVMParseBitcodeInContext2(context, code, &raw mut module) != 0 {
                return Err("its code cannot be read".to_owned());
            }
            optimize(module)?;
            let mut raw: LLVMOrcLLJITRef = ptr::null_mut();
            succeed(LLVMOrcCreateLLJIT(&raw mut raw, ptr::null_mut()))?;
            let library = LLVMOrcLLJITGetMainJITDylib(raw);
            let mut symbols = Vec::new();
            for (name, address) in functions {
                let name = CString::new(*name).map_err(|error| error.to_string())?;
                symbols.push(LLVMOrcCSymbolMapPair {
                    Name: LLVMOrcLLJITMangleAndIntern(raw, name.as_ptr()),
                    Sym: LLVMJITEvaluatedSymbol {
                        Address: *address as u64,
                        Flags: LLVMJITSymbolFlags { GenericFlags: EXPORTED, TargetFlags: 0 },
                    },
                });
            }
            succeed(LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(symbols.as_mut_ptr(), symbols.len())))?;
            let mut process = ptr::null_mut();
            let prefix = LLVMOrcLLJITGetGlobalPrefix(raw);
            succeed(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                &raw mut process,
                prefix,
                None,
                ptr::null_mut(),
            ))?;
            LLVMOrcJITDylibAddGenerator(library, process);
            add(raw, module, context)?;
            Ok(Self(raw))
        }
    }

    /// Where a symbol of the module is.
    ///
    /// # Errors
    /// LLVM's message if there is no such symbol, or the module cannot be compiled.
    pub fn address(&self, name: &str) -> Result<*mut u8, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        let mut address = 0;
        // SAFETY: the JIT is alive.
        succeed(unsafe { LLVMOrcLLJITLookup(self.0, &raw mut address, name.as_ptr()) })?;
        usize::try_from(address).map(ptr::with_exposed_provenance_mut).map_err(|error| error.to_string())
    }
}

/// # Safety
/// The module is of the context, and both are handed over.
unsafe fn add(raw: LLVMOrcLLJITRef, module: LLVMModuleRef, context: LLVMContextRef) -> Result<(), String> {
    // SAFETY: passed on to the caller.
    unsafe {
        let context = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
        let module = LLVMOrcCreateNewThreadSafeModule(module, context);
        succeed(LLVMOrcLLJITAddLLVMIRModule(raw, LLVMOrcLLJITGetMainJITDylib(raw), module))
    }
}

/// The passes of a compiler behind the plugin: facts that do not hold do harm there.
///
/// # Safety
/// The module is alive.
unsafe fn optimize(module: LLVMModuleRef) -> Result<(), String> {
    // SAFETY: passed on to the caller; what is made here is never freed, since the process ends soon.
    unsafe {
        let triple = LLVMGetTarget(module);
        let (mut target, mut message) = (ptr::null_mut(), ptr::null_mut());
        if LLVMGetTargetFromTriple(triple, &raw mut target, &raw mut message) != 0 {
            return Err("its target is unknown".to_owned());
        }
        let machine = LLVMCreateTargetMachine(
            target,
            triple,
            c"".as_ptr(),
            c"".as_ptr(),
            LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            LLVMRelocMode::LLVMRelocPIC,
            LLVMCodeModel::LLVMCodeModelDefault,
        );
        succeed(LLVMRunPasses(module, c"default<O2>".as_ptr(), machine, LLVMCreatePassBuilderOptions()))
    }
}

/// Loads OpenMP's library, if it is where LLVM's tools or the loader find it: new code may have parallel loops.
fn open_openmp() {
    let beside = env::current_exe().ok().and_then(|tool| {
        let tool = tool.canonicalize().ok()?;
        Some(tool.parent()?.parent()?.join("lib/libomp.so"))
    });
    for name in beside.into_iter().chain([PathBuf::from("libomp.so.5")]) {
        // SAFETY: a library whose initialization does nothing that matters here.
        if let Ok(library) = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) } {
            mem::forget(library);
            return;
        }
    }
}

fn succeed(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: an error of LLVM's, which is used up; the text is never freed, since the process ends soon.
    Err(unsafe { CStr::from_ptr(LLVMGetErrorMessage(error)) }.to_string_lossy().into_owned())
}
