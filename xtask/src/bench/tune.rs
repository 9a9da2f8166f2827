//! The benchmark `tune`: `polyrs tune` on five programs of our own that are no benchmarks (`test/llvm/Inputs/tune`), each searched
//! anew; then the programs with its choices and by default, built afresh and run in turns.

use super::save;
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

const PROGRAMS: [&str; 5] = ["blur", "particles", "tridiagonal", "chain", "relax"];

/// A program with choices that takes so much longer than by default is slower, and not only by noise.
const SLOWER: f64 = 1.05;

/// What came out for a program.
struct Outcome {
    name: &'static str,
    /// Seconds of the search.
    took: f64,
    /// Seconds of the program: by default, and with choices.
    default: f64,
    tuned: f64,
}

/// Tunes the programs, all or those that are named; whether none is slower than by default.
///
/// # Errors
/// A program cannot be built, tuned or run, or the results cannot be written.
pub fn run(project: &Project, wanted: &[String], repeat: u32) -> Result<bool> {
    let names: Vec<_> =
        PROGRAMS.into_iter().filter(|name| wanted.is_empty() || wanted.iter().any(|one| one == name)).collect();
    ensure!(!names.is_empty(), "there are {}", PROGRAMS.join(", "));
    let mut outcomes = Vec::new();
    for name in names {
        outcomes.push(tune(project, name, repeat)?);
    }
    println!("{:<12} {:>9} {:>9} {:>7} {:>9}", "program", "default", "tuned", "gain", "search");
    for Outcome { name, took, default, tuned } in &outcomes {
        println!("{name:<12} {default:>8.3}s {tuned:>8.3}s {:>6.2}x {took:>8.0}s", default / tuned);
    }
    let rows: Vec<_> = outcomes
        .iter()
        .map(|one| json!({"program": one.name, "search": one.took, "default": one.default, "tuned": one.tuned}))
        .collect();
    save(&project.target.join("bench/tune.json"), &format!("{:#}\n", json!(rows)))?;
    let slower: Vec<_> = outcomes.iter().filter(|one| one.tuned > SLOWER * one.default).map(|one| one.name).collect();
    if !slower.is_empty() {
        println!("slower than by default: {}", slower.join(", "));
    }
    Ok(slower.is_empty())
}

fn tune(project: &Project, name: &'static str, repeat: u32) -> Result<Outcome> {
    let folder = project.target.join("bench/tune").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder)?;
    let source = project.root.join("test/llvm/Inputs/tune").join(format!("{name}.c"));
    let compile = |output: &str| {
        format!("{} -O3 -march=native {} -o {output} -lm", llvm_tool("clang").display(), source.display())
    };
    println!("## {name}");
    let start = Instant::now();
    let status = Command::new(project.target.join("release/polyrs"))
        .arg("tune")
        .args(["--repeat", &repeat.to_string(), "--build", &compile("program")])
        .args(["--", "./program"])
        .directory(&folder)
        .status()?;
    ensure!(status.success(), "polyrs tune of {name} ended with {status}");
    let took = start.elapsed().as_secs_f64();
    let plugin = format!("-fpass-plugin={}", project.plugin().display());
    for (output, tuned) in [("default", None), ("tuned", Some("polyrs.tuned"))] {
        let mut command = Command::new("/bin/sh").args(["-c", &format!("{} {plugin}", compile(output))]);
        if let Some(tuned) = tuned {
            command = command.env("POLYRS_TUNED", folder.join(tuned));
        }
        ensure!(command.directory(&folder).status()?.success(), "{name} cannot be built");
    }
    let mut times = [f64::INFINITY; 2];
    for _ in 0..2 * repeat {
        for (time, output) in times.iter_mut().zip(["default", "tuned"]) {
            *time = time.min(seconds(&folder.join(output))?);
        }
    }
    let [default, tuned] = times;
    Ok(Outcome { name, took, default, tuned })
}

fn seconds(program: &Path) -> Result<f64> {
    let start = Instant::now();
    let output = Command::new(program).output()?;
    ensure!(output.status.success(), "{} ended with {}", program.display(), output.status);
    Ok(start.elapsed().as_secs_f64())
}
