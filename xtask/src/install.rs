//! `cargo xtask install --prefix DIR`: all that users get, into a folder.

use crate::project::Project;
use crate::{contents, setup, test};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// Options of `cargo xtask install`.
#[derive(clap::Args)]
pub struct Options {
    /// The folder to install to: the plugin, libraries and what CMake and pkg-config read go to lib, the command to
    /// bin, the header to include, manual pages, completions and documents to share
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
    println!("`{prefix}/bin/polyrs doctor` tells which compilers it works with");
    Ok(())
}

/// Copies what was built.
///
/// # Errors
/// When a file cannot be written.
pub fn install(project: &Project, prefix: &Path) -> Result<()> {
    for item in contents::list(project, &project.scratch("install")?)? {
        item.copy(prefix)?;
    }
    Ok(())
}
