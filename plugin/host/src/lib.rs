//! The C++ glue of the plugin: its functions in Rust, and the table that it reads.
//!
//! [`raw`] is made from `plugin.h` when this is built. The table is written by hand, since C++ has no word for how long
//! a text lives: it mirrors the header field by field, and its layout is C's.

use llvm_sys::prelude::LLVMModuleRef;
use polyrs_interface::{Sink, Status, Text};

/// The functions of the glue as C declares them, with the types that they name.
pub mod raw {
    use llvm_sys::prelude::*;

    /// A text.
    pub type PolyText<'a> = polyrs_interface::Text<'a>;
    /// Where a text is written.
    pub type PolySink = polyrs_interface::Sink;
    /// What can be raised of a function at most.
    pub type PolyOutlook = polyrs_interface::Outlook;
    /// The pass.
    pub type PolyLlvmPass = super::ModulePassRow;

    include!(concat!(env!("OUT_DIR"), "/declarations.rs"));
}

/// A pass over modules.
#[repr(C)]
pub struct ModulePassRow {
    /// The name in opt's pipelines, of the option and in remarks.
    pub argument: Text<'static>,
    /// One line for `--help`.
    pub description: Text<'static>,
    /// Runs on a module with the text of the options, and whether that is in the pipeline of `-O3` or one that names the
    /// pass; writes an error when it fails.
    pub run: extern "C" fn(&ModulePassRow, LLVMModuleRef, *mut raw::PolyLlvmManager, Text<'_>, bool, Sink) -> Status,
}

// SAFETY: a row holds constants and a function pointer, and is never written.
unsafe impl Sync for ModulePassRow {}
