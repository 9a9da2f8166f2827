//! `cargo xtask install --prefix DIR`: the plugin, the command, the runtime for GPUs, and what CMake projects read.

use crate::project::Project;
use crate::{runtime, setup, test};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Options of `cargo xtask install`.
#[derive(clap::Args)]
pub struct Options {
    /// The folder to install to: lib/libpolyrs.so and lib/libpolyrs_mlir.so, lib/cmake/polyrs, bin/polyrs;
    /// lib/libpolyrs_gpu.a, lib/libpolyrs_gpu.so and include/polyrs/gpu.h
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
}

/// Sets up, builds, installs.
///
/// # Errors
/// When set-up or the build fails, or a file cannot be written.
pub fn run(project: &Project, options: &Options) -> Result<()> {
    setup::run(&setup::Options::default())?;
    if test::build(project)?.failed > 0 {
        bail!("the build failed");
    }
    install(project, &options.prefix)?;
    let prefix = options.prefix.display();
    println!("installed to {prefix}; a CMake project finds it with -DCMAKE_PREFIX_PATH={prefix}");
    Ok(())
}

/// Copies what was built.
///
/// # Errors
/// When a file cannot be written.
pub fn install(project: &Project, prefix: &Path) -> Result<()> {
    let package = prefix.join("lib/cmake/polyrs");
    // What the plugin loads is there before the plugin is.
    copy(&project.optimizer(), &prefix.join("lib/libpolyrs_mlir.so"))?;
    copy(&project.plugin(), &prefix.join("lib/libpolyrs.so"))?;
    copy(&project.target.join("release/polyrs"), &prefix.join("bin/polyrs"))?;
    for library in [runtime::archive(project), runtime::shared(project)] {
        let name = library.file_name().context("a library has a name")?;
        copy(&library, &prefix.join("lib").join(name))?;
    }
    copy(&project.root.join("runtime").join(runtime::HEADER), &prefix.join(runtime::HEADER))?;
    copy(&project.root.join("cmake/polyrsConfig.cmake"), &package.join("polyrsConfig.cmake"))?;
    let version = package.join("polyrsConfigVersion.cmake");
    std::fs::write(&version, version_file()).with_context(|| format!("cannot write {}", version.display()))
}

/// A file goes to its new name in one step: compilers that have the old one loaded keep it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let told = || format!("cannot copy {} to {}", from.display(), to.display());
    let folder = to.parent().with_context(told)?;
    std::fs::create_dir_all(folder).with_context(told)?;
    let fresh = to.with_extension("new");
    std::fs::copy(from, &fresh).with_context(told)?;
    std::fs::rename(&fresh, to).with_context(told)
}

/// What CMake asks whether a version will do. Before 1.0 a minor version may change anything.
fn version_file() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let series = version.rsplit_once('.').map_or(version, |(series, _)| series);
    format!(
        "set(PACKAGE_VERSION {version})\n\
         set(asked \"${{PACKAGE_FIND_VERSION_MAJOR}}.${{PACKAGE_FIND_VERSION_MINOR}}\")\n\
         if(asked STREQUAL \"{series}\" AND NOT PACKAGE_FIND_VERSION VERSION_GREATER {version})\n  \
         set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n\
         if(PACKAGE_FIND_VERSION VERSION_EQUAL {version})\n  set(PACKAGE_VERSION_EXACT TRUE)\nendif()\n\
         unset(asked)\n"
    )
}
