//! Puts our corrections in place of functions of isl that are wrong.

include!("src/isl/corrected.rs");

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/isl/corrected.rs");
    for function in CORRECTED {
        println!("cargo:rustc-link-arg=-Wl,--wrap={function}");
    }
}
