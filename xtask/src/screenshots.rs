//! `cargo xtask screenshots`: pictures of the pages that `polyrs report` makes of real projects, for docs/report.md.

use crate::command::Command;
use crate::project::Project;
use crate::test;
use anyhow::Result;
use std::process::ExitCode;

/// Debian's own, which has Debian's packages.
const PYTHON: &str = "/usr/bin/python3";

/// Which pictures are taken.
#[derive(clap::Args)]
pub struct Options {
    /// Only those of one project: gsl, libitpp or lapack
    #[arg(long, value_name = "PROJECT")]
    only: Option<String>,
}

/// Builds the plugin and the projects, which takes minutes and the network, and writes the pictures of docs/pictures.
///
/// # Errors
/// When the build fails, or the script cannot be started.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    test::build(project)?;
    let mut command = Command::new(PYTHON)
        .arg(project.root.join("test/report/screenshots.py"))
        .arg(format!("--polyrs={}", project.target.join("release/polyrs").display()))
        .arg(format!("--plugin={}", project.plugin().display()))
        .arg(format!("--scratch={}", project.scratch("screenshots")?.display()))
        .arg(format!("--output={}", project.root.join("docs/pictures").display()));
    if let Some(only) = &options.only {
        command = command.arg(format!("--only={only}"));
    }
    Ok(if command.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
