//! The build script of the packages whose programs link isl: puts our corrections in place of functions of isl that are
//! wrong.

include!("corrected.rs");

fn main() {
    // What this file includes counts as a part of it.
    println!("cargo:rerun-if-changed=Cargo.toml");
    for function in CORRECTED {
        println!("cargo:rustc-link-arg=-Wl,--wrap={function}");
    }
}
