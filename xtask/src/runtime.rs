//! The library that programs with kernels link (`runtime/`), for the C compiler that everybody has.

use crate::command::Command;
use crate::project::{Project, files};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// `test/runtime/library.test` builds it with more warnings, as errors.
const FLAGS: [&str; 6] = ["-std=c11", "-O2", "-Wall", "-Wextra", "-fPIC", "-fvisibility=hidden"];

/// The library as a part of programs, after `build`.
pub fn archive(project: &Project) -> PathBuf {
    project.target.join("runtime/libpolyrs_gpu.a")
}

/// The library that is loaded at run time, after `build`.
pub fn shared(project: &Project) -> PathBuf {
    project.target.join("runtime/libpolyrs_gpu.so")
}

/// The header, from the root of what is installed or of `runtime`.
pub const HEADER: &str = "include/polyrs/gpu.h";

/// Compiles both.
///
/// # Errors
/// When a tool cannot be started or fails.
pub fn build(project: &Project) -> Result<()> {
    let folder = project.scratch("runtime")?;
    let sources = project.root.join("runtime");
    let mut objects = Vec::new();
    for source in files(&sources, "c")? {
        let object = folder.join(source.with_extension("o").file_name().context("a source has a name")?);
        let include = format!("-I{}", sources.join("include").display());
        Command::new("cc").args(FLAGS).arg(include).arg("-c").arg(&source).arg("-o").arg(&object).checked()?;
        objects.push(object);
    }
    // What is no longer a part of it must not stay in it.
    let archive = archive(project);
    let _ = std::fs::remove_file(&archive);
    Command::new("ar").arg("rcs").arg(&archive).args(&objects).checked()?;
    let linked = ["-shared", "-Wl,-z,defs", "-Wl,-soname,libpolyrs_gpu.so", "-pthread"];
    Command::new("cc").args(linked).args(&objects).arg("-ldl").arg("-o").arg(shared(project)).checked()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{archive, build, shared};
    use crate::project::Project;

    #[test]
    fn both_libraries_are_built() {
        let mut project = Project::find().unwrap();
        project.target = project.target.join("runtime-test");
        let _ = std::fs::remove_dir_all(&project.target);
        build(&project).unwrap();
        assert!(archive(&project).is_file() && shared(&project).is_file());
    }
}
