//! The pass on LLVM IR: the prefilter, and the optimizer for functions that it lets through.

use std::ffi::c_void;

use llvm_sys::LLVMLinkage;
use llvm_sys::core::{
    LLVMGetFirstFunction, LLVMGetLastFunction, LLVMGetLinkage, LLVMGetNamedFunction, LLVMGetNamedGlobal,
    LLVMGetNextFunction,
};
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use polyrs_interface::{ARGUMENT, Candidate, Outlook, Session, Sink, Status, Table, Text, guard};

use crate::load;
use crate::obstacle::{has_text_attribute, obstacle};
use crate::records::Records;
use polyrs_plugin_host::ModulePassRow;
use polyrs_plugin_host::raw::{self as host, PolyLlvmManager};

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
    manager: *mut PolyLlvmManager,
    options: Text<'_>,
    thorough: bool,
    error: Sink,
) -> Status {
    // SAFETY: the glue passes the live module that the pass runs on, and the manager of its functions.
    let work = || unsafe { run_on(module, manager, options, thorough, error) };
    guard(work).unwrap_or_else(|text| {
        error.write(&text);
        Status::Failed
    })
}

/// Works on the functions of a module, one after the other: what is known of one may depend on what became of those
/// before.
///
/// # Safety
/// The module is alive, and the manager is that of its functions.
unsafe fn run_on(
    module: LLVMModuleRef,
    manager: *mut PolyLlvmManager,
    options: Text<'_>,
    thorough: bool,
    error: Sink,
) -> Result<Status, String> {
    // SAFETY: passed on to the caller.
    let _records = unsafe { Records::open(module)? };
    // Options may be wrong, and whoever gives some wants something.
    let has_options = !options.bytes().is_empty();
    // If there are none, single loops are left alone, and in haste loops in a row as well, unless layouts are asked for.
    // SAFETY: passed on to the caller.
    let in_any_case = thorough || unsafe { may_have_annotations(module) };
    let least = match (has_options, in_any_case) {
        (true, _) => Outlook::Single,
        (false, true) => Outlook::Row,
        (false, false) => Outlook::Nest,
    };
    // What users say comes later, and wins.
    let in_haste = format!("effort=low;{}", options.to_text());
    let options = if thorough { options } else { Text::new(&in_haste) };
    let mut optimizer = None;
    if has_options {
        let Some(new) = Optimizer::open(options, error)? else { return Ok(Status::Failed) };
        optimizer = Some(new);
    }
    let mut status = Status::Unchanged;
    // SAFETY: the module is alive; null if it has no function.
    let last = unsafe { LLVMGetLastFunction(module) };
    // SAFETY: passed on to the caller; so it is below. The functions are listed before any is added.
    for function in unsafe { functions_with_loops(module, manager) } {
        // SAFETY: as above; the function is one of the module.
        let found = unsafe { Found::look(module, manager, function, least) };
        let Some(found) = found else { continue };
        let optimizer = match &mut optimizer {
            Some(optimizer) => optimizer,
            none => {
                // SAFETY: as above; whoever fails here leaves nothing behind.
                let Some(new) = Optimizer::open(options, error).inspect_err(|_| unsafe { found.discard(manager) })?
                else {
                    // SAFETY: as above.
                    unsafe { found.discard(manager) };
                    return Ok(Status::Failed);
                };
                none.insert(new)
            }
        };
        // SAFETY: as above; the clone is handed over.
        match unsafe { optimizer.work(&found.candidate(module, manager), error) } {
            Status::Unchanged => {}
            Status::Changed => status = Status::Changed,
            Status::Failed => return Ok(Status::Failed),
        }
    }
    if !last.is_null() {
        // SAFETY: functions of the module are changed, but none that it had is deleted.
        unsafe { host::polyHostLlvmForgetDeclarations(last) }
    }
    Ok(status)
}

/// Whether the source may have annotations.
///
/// # Safety
/// The module is alive.
unsafe fn may_have_annotations(module: LLVMModuleRef) -> bool {
    // SAFETY: the module is alive; what is not there is null.
    unsafe {
        !LLVMGetNamedGlobal(module, c"llvm.global.annotations".as_ptr()).is_null()
            || !LLVMGetNamedFunction(module, c"llvm.var.annotation.p0.p0".as_ptr()).is_null()
    }
}

/// The optimizer at work on a module.
struct Optimizer {
    table: &'static Table,
    session: *mut Session,
}

impl Optimizer {
    /// Loads it. `None` and an error if the options are wrong.
    fn open(options: Text<'_>, error: Sink) -> Result<Option<Self>, String> {
        let table = load::table()?;
        let session = (table.open)(options, error);
        Ok((!session.is_null()).then(|| Self { table, session }))
    }

    /// # Safety
    /// What the candidate points to is alive and belongs together, nobody else uses it meanwhile, and nobody uses its
    /// clone afterwards.
    unsafe fn work(&mut self, candidate: &Candidate<'_>, error: Sink) -> Status {
        // SAFETY: the session is open; the rest is passed on to the caller.
        unsafe { (self.table.work)(self.session, candidate, error) }
    }
}

impl Drop for Optimizer {
    fn drop(&mut self) {
        // SAFETY: the session is open, and used no more.
        unsafe { (self.table.close)(self.session) }
    }
}

/// A function that something may be done about, or is to be said about.
struct Found {
    function: LLVMValueRef,
    clone: LLVMValueRef,
    outlook: Outlook,
    explain: bool,
    obstacle: String,
}

impl Found {
    /// `least`: the outlook from which on something is done.
    ///
    /// # Safety
    /// The module is alive, the manager that of its functions, and the function one of them with a body.
    unsafe fn look(
        module: LLVMModuleRef,
        manager: *mut PolyLlvmManager,
        function: LLVMValueRef,
        least: Outlook,
    ) -> Option<Self> {
        // What came in line wherever it was called.
        // SAFETY: passed on to the caller; so it is below.
        if unsafe { host::polyHostLlvmIsDead(function) } {
            return None;
        }
        // SAFETY: as above.
        let explain = unsafe { host::polyHostLlvmWantsRemarks(function, Text::new(ARGUMENT)) };
        let least = if explain { Outlook::Nothing } else { least };
        // SAFETY: as above.
        let mut outlook = unsafe { host::polyHostLlvmOutlook(function, manager) };
        if outlook < least {
            return None;
        }
        // SAFETY: as above.
        let (clone, obstacle) = match unsafe { obstacle(module, manager, function) } {
            Some(_) if !explain => return None,
            Some(obstacle) => (std::ptr::null_mut(), obstacle),
            None => {
                // SAFETY: as above.
                let clone = unsafe { host::polyHostLlvmCanonicalClone(function, manager, least, &mut outlook) };
                if clone.is_null() {
                    return None;
                }
                (clone, String::new())
            }
        };
        Some(Self { function, clone, outlook, explain, obstacle })
    }

    fn candidate(&self, module: LLVMModuleRef, manager: *mut PolyLlvmManager) -> Candidate<'_> {
        let Self { function, clone, outlook, explain, .. } = *self;
        Candidate {
            module,
            manager: manager.cast(),
            function,
            clone,
            outlook,
            explain,
            obstacle: Text::new(&self.obstacle),
        }
    }

    /// Deletes the clone.
    ///
    /// # Safety
    /// The manager is that of the function, and the clone was not handed over.
    unsafe fn discard(&self, manager: *mut PolyLlvmManager) {
        if !self.clone.is_null() {
            // SAFETY: passed on to the caller.
            unsafe { host::polyHostLlvmDiscard(self.clone, manager) }
        }
    }
}

/// The functions of a module that have loops, or call some that come in line: those that this module is to compile, and that are
/// not the optimizer's already.
///
/// # Safety
/// The module is alive, and the manager that of its functions.
unsafe fn functions_with_loops(module: LLVMModuleRef, manager: *mut PolyLlvmManager) -> Vec<LLVMValueRef> {
    let mut count = 0;
    // SAFETY: passed on to the caller; so it is for all functions.
    let mut function = unsafe { LLVMGetFirstFunction(module) };
    while !function.is_null() {
        count += 1;
        // SAFETY: as above.
        function = unsafe { LLVMGetNextFunction(function) };
    }
    let mut found = vec![std::ptr::null_mut(); count];
    // SAFETY: as above; there is room for so many.
    let count = unsafe { host::polyHostLlvmFunctionsWithLoops(module, manager, found.as_mut_ptr(), found.len()) };
    found.truncate(count);
    // SAFETY: as above.
    found.retain(|function| unsafe { is_to_be_compiled(*function) });
    found
}

/// Whether this module is to compile a function, and it is not the optimizer's already.
///
/// # Safety
/// The function is alive.
unsafe fn is_to_be_compiled(function: LLVMValueRef) -> bool {
    // SAFETY: passed on to the caller.
    unsafe {
        LLVMGetLinkage(function) != LLVMLinkage::LLVMAvailableExternallyLinkage
            && !has_text_attribute(function, ARGUMENT)
    }
}
