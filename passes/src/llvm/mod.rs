//! The side of LLVM IR: regions are raised to the affine dialect, optimized there, and called in place of the original.

pub mod analysis;
pub mod driver;
pub mod host;
pub mod ir;
pub mod lower;
pub mod options;
pub mod raise;
pub mod raised;
pub mod remark;

use std::ffi::c_void;

use llvm_sys::prelude::LLVMModuleRef;

pub use analysis::Analysis;

use crate::host::{Sink, Status, Text};
use crate::pass::guard;
use host::{Manager, ModulePassRow};
use options::LlvmOptions;

/// The name of the pass, of its option and in remarks.
pub const ARGUMENT: &str = "poly-schedule";

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
    crate::log::start();
    // SAFETY: passed on to the caller; the row is complete and lives for ever.
    unsafe { host::polyHostLlvmRegisterPass(builder, &PASS) }
}

extern "C" fn run(
    _row: &ModulePassRow,
    module: LLVMModuleRef,
    manager: *mut Manager,
    options: Text<'_>,
    error: Sink,
) -> Status {
    let work = || {
        let options = LlvmOptions::parse(&options.to_text()).map_err(|error| error.to_string())?;
        // SAFETY: the glue passes the live module that the pass runs on, and the manager of its functions.
        let module = unsafe { driver::Target::new(module, manager) };
        driver::run(&module, &options)
    };
    match guard(work) {
        Ok(true) => Status::Changed,
        Ok(false) => Status::Unchanged,
        Err(text) => {
            error.write(&text);
            Status::Failed
        }
    }
}
