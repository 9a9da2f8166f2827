//! Links the optimizer to the compilers' own LLVM and MLIR.
//!
//! `mlir-opt` loads `libMLIR.so` and `libLLVM.so`, `opt` and `clang` the latter; the optimizer must use those same
//! objects, since a second copy would have its own registries and type ids.

include!("../plugin/toolchain.rs");
include!("../plugin/link.rs");
include!("../src/isl/corrected.rs");

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../src/isl/corrected.rs");
    println!("cargo:rerun-if-changed=../plugin/toolchain.rs");
    println!("cargo:rerun-if-changed=../plugin/link.rs");
    for function in CORRECTED {
        println!("cargo:rustc-link-arg=-Wl,--wrap={function}");
    }
    link(&llvm()?, &["MLIR", "LLVM"])
}
