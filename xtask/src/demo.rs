//! `cargo xtask demo`: one real kernel before and after, from nothing to a faster program.

use crate::project::Project;
use crate::suite::build::{Builder, Recipe, execute};
use crate::suite::remarks;
use crate::{setup, test};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const SOURCE: &str = "test/polybench/gemm.mlir";
const FUNCTION: &str = "kernel_gemm";

/// Both sides get the same flags, and no multiply-add is contracted, so the bits must be the same.
const FLAGS: &[&str] = &["-O3", "-march=native", "-ffp-contract=off"];

/// Lines of the result that are shown; the rest is in a file.
const SHOWN: usize = 90;

/// Sets up, builds, and shows the kernel.
///
/// # Errors
/// When set-up, the build, a tool or the kernel fails. Results that differ are a failing exit code.
pub fn run(project: &Project) -> Result<ExitCode> {
    title("1. What the build needs, and the build");
    setup::run(&setup::Options::default())?;
    if test::build(project)?.failed > 0 {
        bail!("the build failed");
    }
    println!("built target/release/libpolyrs.so");

    let source = project.root.join(SOURCE);
    let text = std::fs::read_to_string(&source).with_context(|| source.display().to_string())?;
    title(&format!("2. Affine loops: @{FUNCTION} of {SOURCE}"));
    println!("{}", function(&text)?);

    let builder = Builder::new(project, "demo", FLAGS)?;
    show_result(project, &builder, &source, &text)?;
    compile_and_run(&builder, &source)
}

/// Runs the one command, and prints what comes out and what was said.
fn show_result(project: &Project, builder: &Builder, source: &Path, text: &str) -> Result<()> {
    title("3. One command");
    println!("mlir-opt --load-pass-plugin=target/release/libpolyrs.so --poly-schedule {SOURCE}");
    let schedule = Recipe { name: "scheduled", plugin: true, passes: vec!["--poly-schedule".to_owned()] };
    let output = builder.mlir_opt(&schedule).arg(source).checked()?;
    let saved = project.scratch("demo")?.join("gemm-scheduled.mlir");
    std::fs::write(&saved, &output.stdout)?;

    title("4. Tiled parallel affine loops");
    let result = function(&output.stdout)?;
    // The index maps are written above the module, and the loops refer to them.
    let maps = output.stdout.lines().filter(|line| line.starts_with('#') && uses(&result, line));
    let lines: Vec<&str> = maps.chain(result.lines()).collect();
    println!("{}", lines[..lines.len().min(SHOWN)].join("\n"));
    if lines.len() > SHOWN {
        println!("... {} more lines; the whole module is in {}", lines.len() - SHOWN, saved.display());
    }

    title("5. What the pass says about it");
    let about_kernel = remarks::lines_of_function(&output.stderr, text, FUNCTION);
    if about_kernel.is_empty() {
        println!("nothing");
    }
    for line in about_kernel {
        println!("{line}");
    }
    Ok(())
}

/// Compiles the kernel as it is and scheduled, compares and times the programs.
fn compile_and_run(builder: &Builder, source: &Path) -> Result<ExitCode> {
    title("6. Compiled with clang -O3 -march=native, and run at 1000 x 1100 x 1200");
    let original = builder.build_mlir(source, &Recipe::original())?.0;
    let sequential = builder.build_mlir(source, &Recipe::sequential())?.0;
    let parallel = builder.build_mlir(source, &Recipe::parallel())?.0;
    let contestants: [(&str, &PathBuf, usize); 3] =
        [("before", &original, 1), ("after, 1 thread", &sequential, 1), ("after, 2 threads", &parallel, 2)];
    let expected = execute(&original, &["--dump=bits"], 1)?;
    let mut best = [f64::INFINITY; 3];
    for _ in 0..3 {
        for ((_, program, threads), best) in contestants.iter().zip(&mut best) {
            *best = best.min(seconds(&execute(program, &["--time", "--repeat=2"], *threads)?)?);
        }
    }
    let mut equal = true;
    for ((name, program, threads), seconds) in contestants.iter().zip(best) {
        let same = execute(program, &["--dump=bits"], *threads)? == expected;
        equal &= same;
        let results = if same { "the same bits" } else { "OTHER RESULTS" };
        println!("{name:<17} {seconds:.4} s   {:>5.2} times as fast   {results}", best[0] / seconds);
    }
    Ok(if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn title(words: &str) {
    println!("\n--- {words}\n");
}

/// The text of the kernel's function.
fn function(module: &str) -> Result<String> {
    let (first, last) =
        remarks::function_lines(module, FUNCTION).with_context(|| format!("there is no function @{FUNCTION}"))?;
    let lines: Vec<&str> = module.lines().skip(first - 1).take(last - first + 1).collect();
    Ok(lines.join("\n").trim_end().to_owned())
}

/// Whether `function` refers to the attribute alias that `line` defines.
fn uses(function: &str, line: &str) -> bool {
    let alias = line.split(' ').next().unwrap_or(line);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    function.match_indices(alias).any(|(at, _)| !function[at + alias.len()..].starts_with(is_name))
}

fn seconds(printed: &str) -> Result<f64> {
    let time = printed.lines().find_map(|line| line.strip_prefix("time: "));
    Ok(time.context("the program printed no time")?.parse()?)
}

#[cfg(test)]
mod tests {
    use super::uses;

    #[test]
    fn an_alias_is_not_found_inside_a_longer_one() {
        let function = "affine.for %i = #map1(%n) to #map12(%n)";
        assert!(uses(function, "#map1 = affine_map<(d0) -> (d0)>"));
        assert!(uses(function, "#map12 = affine_map<(d0) -> (d0)>"));
        assert!(!uses(function, "#map = affine_map<(d0) -> (d0)>"));
    }
}
