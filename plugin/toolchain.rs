// Where the compilers' own LLVM is. For the build scripts of both libraries of the plugin and of their glue.

use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The variable that names LLVM's prefix, shared with `mlir-sys`.
const PREFIX: &str = "MLIR_SYS_220_PREFIX";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The prefix of the compilers' LLVM.
fn llvm() -> Result<PathBuf> {
    println!("cargo:rerun-if-env-changed={PREFIX}");
    let prefix = env::var(PREFIX)
        .map_err(|_| format!("{PREFIX} is not set: build from the repository, whose .cargo/config.toml sets it"))?;
    Ok(PathBuf::from(prefix))
}

/// An answer of `llvm-config`.
fn ask(prefix: &Path, question: &str) -> Result<String> {
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
