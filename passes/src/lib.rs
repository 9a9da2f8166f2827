//! `libpolyrs_mlir.so`: the optimizer, which the plugin `libpolyrs.so` loads.
//!
//! One function is exported, which the plugin looks for; everything else is hidden. Lifting, emission and options are
//! Rust; `host/*.cpp` is glue for what MLIR's and LLVM's C interfaces lack.

pub mod llvm;
mod log;
pub mod mlir;
pub mod options;
#[cfg(test)]
mod pages;
pub mod pass;
pub mod remark;
pub mod timing;

use polyrs_interface::{Table, Text, VERSION};

static TABLE: Table = Table {
    version: Text::new(VERSION),
    register: mlir::register::register,
    open: llvm::open,
    work: llvm::work,
    close: llvm::close,
};

/// The table that the plugin asks for, under the name [`polyrs_interface::SYMBOL`].
#[unsafe(no_mangle)]
pub extern "C" fn polyrsTable() -> &'static Table {
    log::start();
    &TABLE
}
