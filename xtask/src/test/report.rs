//! A page of `polyrs report` in a browser.

use super::Counts;
use super::steps::agree;
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use anyhow::{Result, bail};

/// Debian's own, which has Debian's packages.
const PYTHON: &str = "/usr/bin/python3";

/// Builds the project in `test/report` with a report, and has a browser look at the page.
///
/// # Errors
/// When the script cannot be started or made no check.
pub fn run(project: &Project) -> Result<Counts> {
    let scratch = project.scratch("report")?;
    let output = Command::new(PYTHON)
        .arg(project.root.join("test/report/browser.py"))
        .arg(format!("--polyrs={}", project.target.join("release/polyrs").display()))
        .arg(format!("--plugin={}", project.plugin().display()))
        .arg(format!("--scratch={}", scratch.display()))
        // The project's build calls clang.
        .env("PATH", format!("{}:{}", llvm_tool("").display(), std::env::var("PATH").unwrap_or_default()))
        .tee()?;
    let count = |start: &str| output.stdout.lines().filter(|line| line.starts_with(start)).count();
    let (passed, failed) = (count("ok report: "), count("FAIL report: "));
    if passed + failed == 0 {
        bail!("the browser looked at nothing");
    }
    agree(Counts { passed, failed, skipped: 0 }, output.status.success())
}
