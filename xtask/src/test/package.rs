//! An installed polyrs, as a CMake project finds and uses it.

use super::Counts;
use crate::command::Command;
use crate::install::install;
use crate::project::{Project, llvm_tool};
use anyhow::Result;
use std::path::Path;

/// Installs what was built, and has a small project configured, built and run with it.
///
/// # Errors
/// When a tool cannot be started or a file cannot be written.
pub fn cmake(project: &Project) -> Result<Counts> {
    let scratch = project.scratch("cmake-test")?;
    std::fs::remove_dir_all(&scratch)?;
    let prefix = scratch.join("prefix");
    install(project, &prefix)?;
    let configure = |folder: &Path, compiler: &Path, version: &str| {
        Command::new("cmake")
            .args(["-S", "test/cmake", "-DCMAKE_BUILD_TYPE=Release", "-B"])
            .arg(folder)
            .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()))
            .arg(format!("-DCMAKE_C_COMPILER={}", compiler.display()))
            .arg(format!("-DPOLYRS_VERSION={version}"))
            .directory(&project.root)
            .output()
    };
    let mut counts = Counts::default();
    let mut check = |name: &str, holds: bool, said: &str| {
        println!("{} cmake: {name}", if holds { "ok" } else { "FAIL" });
        if !holds {
            eprintln!("{said}");
        }
        counts += Counts::one(holds);
    };

    let folder = scratch.join("build");
    let configured = configure(&folder, &llvm_tool("clang"), "")?;
    check("a project finds the package", configured.status.success(), &configured.stderr);
    let built = Command::new("cmake").arg("--build").arg(&folder).arg("--verbose").output()?;
    let said = format!("{}{}", built.stdout, built.stderr);
    check("the project is built", built.status.success(), &said);
    check("its loops are transformed", said.contains("remark: scop: matmul"), &said);
    let program = std::fs::read(folder.join("matmul_gpu"))?;
    let has_kernels = program.windows(6).any(|bytes| bytes == b".entry");
    check("a program for GPUs has kernels in it", has_kernels, &said);
    let ran = Command::new("ctest").arg("--test-dir").arg(&folder).env("OMP_NUM_THREADS", "2").output()?;
    check("its results are right", ran.status.success(), &ran.stdout);

    let same = configure(&scratch.join("same"), &llvm_tool("clang"), "0.1")?;
    check("a version is found by its number", same.status.success(), &same.stderr);
    let old = configure(&scratch.join("old"), &llvm_tool("clang"), "99.0")?;
    check("a version that is not there is not found", !old.status.success(), &old.stdout);
    let other = configure(&scratch.join("gcc"), Path::new("gcc"), "")?;
    // CMake breaks lines where it likes.
    let words = other.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = !other.status.success() && words.contains("needs clang or flang 22");
    check("another compiler is an error", told, &other.stderr);
    Ok(counts)
}
