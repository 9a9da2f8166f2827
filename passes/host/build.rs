//! Compiles the C++ glue, declares its functions in Rust, and finds MLIR's C interface.
//!
//! MLIR's C interface is only there as static archives (and hardly exported from `libMLIR.so`), while `mlir-sys` asks
//! for one library `MLIR-C`: the archives are merged into one of that name.

use std::{fs, io::Write};

include!("../../plugin/toolchain.rs");
include!("../../plugin/glue.rs");

/// The files of the glue, those with the same headers together.
const GLUE: [&[&str]; 4] = [
    &["diagnostic", "effects", "layout", "remark", "wrapping"],
    &["flag", "llvm_translate", "pass", "pipeline"],
    &["llvm_clone", "llvm_errno", "llvm_link", "llvm_lives", "llvm_raise", "llvm_remark", "llvm_trace", "llvm_trial"],
    &["llvm_fault", "llvm_splice", "llvm_splice_checker", "llvm_splice_checker_lives", "llvm_timers"],
];

/// Where the header is that both glues share.
const TEXTS: &str = "../../plugin/host";

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=../../plugin/toolchain.rs");
    println!("cargo:rerun-if-changed=../../plugin/glue.rs");
    let llvm = llvm()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    merge_c_interface(&llvm, &out)?;
    declare(&llvm, &["llvm.h", "llvm_raise.h"], TEXTS)?;
    compile(&llvm, "polyrs_host", &GLUE, TEXTS)
}

/// Merges `libMLIRCAPI*.a` into `libMLIR-C.a`. MLIR's execution engine is left out: nobody uses it.
fn merge_c_interface(llvm: &Path, out: &Path) -> Result<()> {
    let libraries = ask(llvm, "--libdir")?;
    let mut archives = Vec::new();
    for entry in fs::read_dir(&libraries)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        if name.starts_with("libMLIRCAPI") && name.ends_with(".a") && !name.contains("Execution") {
            archives.push(path);
        }
    }
    if archives.is_empty() {
        return Err(format!("no libMLIRCAPI*.a in {libraries}").into());
    }
    archives.sort();
    let merged = out.join("libMLIR-C.a");
    let mut script = format!("CREATE {}\n", merged.display());
    for archive in &archives {
        script += &format!("ADDLIB {}\n", archive.display());
    }
    script += "SAVE\nEND\n";
    let mut archiver = Command::new(llvm.join("bin/llvm-ar")).arg("-M").stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = archiver.stdin.take() {
        stdin.write_all(script.as_bytes())?;
    }
    let status = archiver.wait()?;
    if !status.success() {
        return Err(format!("llvm-ar -M: {status}").into());
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    Ok(())
}
