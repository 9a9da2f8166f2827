//! The kernels as the plugin lifts them, and docs/schedules.md, which compares what schedulers make of them.

use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::test::Counts;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// The lifted kernels.
const REGIONS: &str = "test/polybench/scop";
/// What is written.
const TABLE: &str = "docs/schedules.md";
/// The tables follow this line.
const MARKER: &str = "<!-- From here on written by `cargo xtask table`. -->\n";

/// Lifts the kernels; each region that is not the one in its file is a failure. `write` replaces the files instead, and
/// compares the schedulers.
///
/// # Errors
/// When a kernel cannot be lifted or scheduled.
pub fn run(project: &Project, write: bool) -> Result<Counts> {
    let mut counts = Counts::default();
    let mut regions = Vec::new();
    for (name, source) in sources(&project.root)? {
        let file = project.root.join(REGIONS).join(format!("{name}.scop"));
        counts += settle(&file, &lift(project, &source)?, write)?;
        regions.push(file);
    }
    if !write {
        // What schedulers make of these regions is compared with the table by the unit tests.
        return Ok(counts);
    }
    let table = project.root.join(TABLE);
    let text = std::fs::read_to_string(&table).with_context(|| table.display().to_string())?;
    let (words, _) = text.split_once(MARKER).with_context(|| format!("{TABLE} lacks the line `{}`", MARKER.trim()))?;
    let tables = Command::new(project.target.join("release/polyrs"))
        .args(["compare", "--quota=0"])
        .args(&regions)
        .env("POLYRS_MACHINE", "generic")
        .checked()?;
    counts += settle(&table, &format!("{words}{MARKER}{}", tables.stdout), true)?;
    Ok(counts)
}

/// The programs by the names of their lines, in the order of these.
fn sources(root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut sources = Vec::new();
    for (folder, suffix) in [("test/polybench", ""), ("test/polybench/expanded", "-expanded")] {
        for entry in std::fs::read_dir(root.join(folder)).context(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "mlir")
                && let Some(stem) = path.file_stem()
            {
                sources.push((format!("{}{suffix}", stem.to_string_lossy()), path));
            }
        }
    }
    sources.sort();
    Ok(sources)
}

/// The region of the program's kernel, as text.
fn lift(project: &Project, source: &Path) -> Result<String> {
    let output = Command::new(llvm_tool("mlir-opt"))
        .arg(format!("--load-pass-plugin={}", project.plugin().display()))
        .args(["--poly-schedule=dump=scop scheduler=none layout=none", "-o", "/dev/null"])
        .arg(source)
        .checked()?;
    let mut region = String::new();
    for line in output.stderr.lines() {
        let first = line.starts_with("# scop of kernel_");
        ensure!(!first || region.is_empty(), "{} has several regions", source.display());
        if first || !region.is_empty() && !region.contains("\nlive_out:") {
            region += line;
            region.push('\n');
        }
    }
    ensure!(region.contains("\nlive_out:"), "{} has no region:\n{}", source.display(), output.stderr);
    Ok(region)
}

/// The file has this content, or is given it.
fn settle(file: &Path, content: &str, write: bool) -> Result<Counts> {
    let same = std::fs::read_to_string(file).is_ok_and(|old| old == content);
    if write && !same {
        std::fs::write(file, content).with_context(|| file.display().to_string())?;
        println!("wrote {}", file.display());
    } else if !same {
        eprintln!("error: {} is out of date: `cargo xtask table` writes it", file.display());
    }
    Ok(Counts::one(same || write))
}
