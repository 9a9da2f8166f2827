//! Links the plugin to the compilers' own LLVM.
//!
//! The compilers load `libLLVM.so`; the plugin must use that same object, since a second copy would have its own
//! registries.

include!("toolchain.rs");
include!("link.rs");

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=toolchain.rs");
    println!("cargo:rerun-if-changed=link.rs");
    link(&llvm()?, &["LLVM"])
}
