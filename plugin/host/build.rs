//! Compiles the C++ glue of the plugin and declares its functions in Rust.

include!("../toolchain.rs");
include!("../glue.rs");

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=../toolchain.rs");
    println!("cargo:rerun-if-changed=../glue.rs");
    let llvm = llvm()?;
    declare(&llvm, &["plugin.h"], ".")?;
    compile(
        &llvm,
        "polyrs_plugin",
        &[
            &[
                "canonical",
                "extremes",
                "failures",
                "gather",
                "hoist",
                "inline",
                "pass",
                "query",
                "records",
                "scalars",
                "steps",
                "strides",
                "unroll",
                "versions",
                "ways",
            ],
            &["prefilter"],
        ],
        ".",
    )
}
