//! The pass on LLVM IR: a look at each function, and the optimizer for those where that finds something.

use std::ffi::{c_char, c_void};

use llvm_sys::core::{
    LLVMGetFirstFunction, LLVMGetLinkage, LLVMGetNextFunction, LLVMGetStringAttributeAtIndex, LLVMIsDeclaration,
};
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage};
use polyrs_interface::{ARGUMENT, Candidate, Outlook, Request, Sink, Status, Text, guard};

use crate::host::{self, ModulePassRow};
use crate::load;

static PASS: ModulePassRow = ModulePassRow {
    argument: Text::new(ARGUMENT),
    description: Text::new(
        "Options of the polyhedral optimizer, as name=value with blanks or ; between (those of mlir-opt's poly-schedule)",
    ),
    run,
};

/// Defines the option of the command line. Called when a tool of LLVM loads the plugin, perhaps more than once.
pub fn define_option() {
    // SAFETY: the row is complete and lives for ever.
    unsafe { host::polyHostLlvmDefineOption(&PASS) }
}

/// Registers the module pass `poly-schedule` with a pass builder of `opt`, `clang` or `flang`.
///
/// # Safety
/// `builder` is a live `llvm::PassBuilder`.
pub unsafe extern "C" fn register(builder: *mut c_void) {
    // SAFETY: passed on to the caller; the row is complete and lives for ever.
    unsafe { host::polyHostLlvmRegisterPass(builder, &PASS) }
}

extern "C" fn run(
    _row: &ModulePassRow,
    module: LLVMModuleRef,
    manager: *mut c_void,
    options: Text<'_>,
    error: Sink,
) -> Status {
    let work = || {
        // SAFETY: the glue passes the live module that the pass runs on, and the manager of its functions.
        let candidates = unsafe { candidates(module, manager) };
        // Options may be wrong, and whoever gives some wants something.
        if options.bytes().is_empty() && !candidates.iter().any(is_worth_a_closer_look) {
            return Ok(Status::Unchanged);
        }
        let table = load::table()?;
        let request = Request { module, manager, candidates: candidates.as_ptr(), count: candidates.len(), options };
        // SAFETY: the request is complete, and nobody else uses the module meanwhile.
        Ok(unsafe { (table.run)(&request, error) })
    };
    guard(work).unwrap_or_else(|text| {
        error.write(&text);
        Status::Failed
    })
}

/// Whether the optimizer may do something about a function, or say something, if it is given no options: single loops are
/// left alone then.
fn is_worth_a_closer_look(candidate: &Candidate) -> bool {
    candidate.explain || candidate.outlook == Outlook::Several
}

/// The functions of a module that have loops.
///
/// # Safety
/// The module is alive, and the manager is that of its functions.
unsafe fn candidates(module: LLVMModuleRef, manager: *mut c_void) -> Vec<Candidate> {
    let mut found = Vec::new();
    // SAFETY: passed on to the caller; so it is for all functions.
    let mut function = unsafe { LLVMGetFirstFunction(module) };
    while !function.is_null() {
        // SAFETY: as above.
        if unsafe { has_code_with_loops(function) } {
            // SAFETY: as above.
            let outlook = unsafe { host::polyHostLlvmLook(function, manager) };
            // SAFETY: as above.
            let explain = unsafe { host::polyHostLlvmWantsRemarks(function, Text::new(ARGUMENT)) };
            found.push(Candidate { function, outlook, explain });
        }
        // SAFETY: as above.
        function = unsafe { LLVMGetNextFunction(function) };
    }
    found
}

/// Whether a function has loops that this module is to compile, and that are not the optimizer's already.
///
/// # Safety
/// The function is alive.
unsafe fn has_code_with_loops(function: LLVMValueRef) -> bool {
    let (name, length) = (ARGUMENT.as_ptr().cast::<c_char>(), u32::try_from(ARGUMENT.len()).unwrap_or(0));
    // SAFETY: the function is alive, and the name has that length.
    unsafe {
        LLVMIsDeclaration(function) == 0
            && LLVMGetLinkage(function) != LLVMLinkage::LLVMAvailableExternallyLinkage
            && LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, length).is_null()
            && host::polyHostLlvmHasLoop(function)
    }
}
