//! Puts our corrections in place of functions of isl that are wrong, and says which isl this needs.

use std::process::Command;

include!("corrected.rs");

/// What isl is made to count by, in this order (`cmake/isl-meter.sh`).
const METER: [&str; 8] = [
    "../../cmake/isl-cells.h",
    "../../cmake/isl-memory.h",
    "../../cmake/isl-meter.sh",
    "../../cmake/isl-pivots.h",
    "../../cmake/isl-settle.c",
    "../../cmake/isl-small.h",
    "../../cmake/isl-vertex.h",
    "../../cmake/isl-words.h",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=corrected.rs");
    for file in METER {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rustc-env=ISL_METER={}", digest());
    for function in CORRECTED {
        println!("cargo:rustc-link-arg=-Wl,--wrap={function}");
    }
}

/// The digest of the files that isl is metered by, as the script of isl's build finds it.
fn digest() -> String {
    let sum = Command::new("sh").args(["-c", "cat \"$@\" | cksum", "sh"]).args(METER).output().expect("the shell runs");
    let sum = String::from_utf8_lossy(&sum.stdout).into_owned();
    sum.split(' ').next().unwrap_or_default().to_owned()
}
