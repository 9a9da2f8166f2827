//! Compiles the C++ glue and links the plugin to the compilers' own LLVM.
//!
//! The compilers load `libLLVM.so`; the plugin must use that same object, since a second copy would have its own
//! registries.

use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

include!("toolchain.rs");

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=toolchain.rs");
    let llvm = Llvm::find()?;
    llvm.compile("polyrs_plugin", &[&["canonical", "hoist", "pass", "query"], &["prefilter"]], "host")?;
    llvm.link(&["LLVM"]);
    Ok(())
}
