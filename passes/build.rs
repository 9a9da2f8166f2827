//! Compiles the C++ glue and links the plugin to the compilers' own LLVM and MLIR.
//!
//! `mlir-opt`, `opt` and `clang` load `libMLIR.so` and `libLLVM.so`; the plugin must use those same
//! objects, since a second copy would have its own registries and type ids. MLIR's C interface is
//! only there as static archives (and hardly exported from `libMLIR.so`), while `mlir-sys` asks for
//! one library `MLIR-C`: the archives are merged into one of that name.

use std::{
    env,
    error::Error,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const GLUE: [&str; 16] = [
    "diagnostic",
    "effects",
    "flag",
    "layout",
    "llvm_adopt",
    "llvm_call",
    "llvm_canonical",
    "llvm_clone",
    "llvm_hoist",
    "llvm_pass",
    "llvm_query",
    "llvm_raise",
    "llvm_remark",
    "llvm_translate",
    "pass",
    "pipeline",
];

/// The variable that names LLVM's prefix, shared with `mlir-sys`.
const PREFIX: &str = "MLIR_SYS_220_PREFIX";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// See `src/isl/lexopt.rs`.
const WRAPPED: &str = "isl_basic_map_try_find_any_output_div_mod";

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=host");
    println!("cargo:rerun-if-env-changed={PREFIX}");
    let prefix =
        PathBuf::from(env::var(PREFIX).map_err(|_| {
            format!("{PREFIX} is not set: build from the repository, whose .cargo/config.toml sets it")
        })?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let libraries = PathBuf::from(llvm_config(&prefix, "--libdir")?);
    merge_c_interface(&prefix, &libraries, &out)?;
    compile_glue(&prefix, Path::new(&llvm_config(&prefix, "--includedir")?));
    link_shared(&libraries, &llvm_config(&prefix, "--version")?)?;
    println!("cargo:rustc-link-arg=-Wl,--wrap={WRAPPED}");
    Ok(())
}

fn llvm_config(prefix: &Path, question: &str) -> Result<String> {
    let tool = prefix.join("bin/llvm-config");
    let output = Command::new(&tool)
        .arg(question)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", tool.display()))?;
    if !output.status.success() {
        return Err(format!("{} {question}: {}", tool.display(), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Merges `libMLIRCAPI*.a` into `libMLIR-C.a`. The execution engine is left out: it would pull in
/// LLVM's JIT, and the plugin runs no code.
fn merge_c_interface(prefix: &Path, libraries: &Path, out: &Path) -> Result<()> {
    let mut archives = Vec::new();
    for entry in fs::read_dir(libraries)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        if name.starts_with("libMLIRCAPI") && name.ends_with(".a") && !name.contains("Execution") {
            archives.push(path);
        }
    }
    if archives.is_empty() {
        return Err(format!("no libMLIRCAPI*.a in {}", libraries.display()).into());
    }
    archives.sort();
    let merged = out.join("libMLIR-C.a");
    let mut script = format!("CREATE {}\n", merged.display());
    for archive in &archives {
        script += &format!("ADDLIB {}\n", archive.display());
    }
    script += "SAVE\nEND\n";
    let mut archiver = Command::new(prefix.join("bin/llvm-ar")).arg("-M").stdin(Stdio::piped()).spawn()?;
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

fn compile_glue(prefix: &Path, include: &Path) {
    let mut build = cc::Build::new();
    if env::var("CARGO_CFG_SANITIZE").is_ok_and(|sanitizers| sanitizers.contains("address")) {
        // The sanitizer's code must be of the LLVM whose run-time library the compilers are started with.
        build.compiler(prefix.join("bin/clang++")).flag("-fsanitize=address").flag("-fno-omit-frame-pointer");
    }
    build
        .cpp(true)
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-Wno-misleading-indentation")
        // As LLVM itself is built: some headers declare other members without it.
        .define("NDEBUG", None)
        .opt_level(1)
        .flag("-isystem")
        .flag(include)
        .debug(false)
        .files(GLUE.map(|name| format!("host/{name}.cpp")))
        .compile("polyrs_host");
}

/// Links `libMLIR.so` and `libLLVM.so` by the names that the compilers themselves load, and keeps the plugin loaded.
fn link_shared(libraries: &Path, version: &str) -> Result<()> {
    let mut parts = version.split('.');
    let (Some(major), Some(minor)) = (parts.next(), parts.next()) else {
        return Err(format!("llvm-config --version says {version:?}").into());
    };
    let directory = libraries.display();
    for argument in [
        "-Wl,--no-as-needed".to_owned(),
        format!("-L{directory}"),
        format!("-l:libMLIR.so.{major}.{minor}"),
        format!("-l:libLLVM.so.{major}.{minor}"),
        format!("-Wl,-rpath,{directory}"),
        // The compilers close the plugin before their registries, which point into it, are gone; and what it keeps for ever
        // would then look lost to those who watch memory.
        "-Wl,-z,nodelete".to_owned(),
    ] {
        println!("cargo:rustc-link-arg={argument}");
    }
    Ok(())
}
