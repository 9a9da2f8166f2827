//! The kernels in C as PolyBench's own sources have them: no `restrict`, constant extents, sizes as arguments. Whether
//! arrays overlap is checked at run time then, and every check must let the new code run, wherever arrays lie that do
//! not overlap.

use super::build::Builder;
use super::clang::{own_style, style_flags};
use super::comparison::first_difference;
use super::kernel::{self, Kernel, Size};
use super::{FLAGS, MACHINE, in_parallel};
use crate::command::Command;
use crate::project::Project;
use crate::test::Counts;
use anyhow::{Result, ensure};
use std::path::Path;

/// Where arrays lie; see `test/c/polybench.h`.
const PLACES: [&str; 5] = ["heap", "heap-down", "globals", "globals-down", "stack"];

/// New code is made although it is not worth it for such small sizes.
const OPTIONS: &str = "parallel=false profitability=off trace-checks=true time-budget-ms=200000";

/// How the other styles are named, which also must do without `restrict`.
const OTHER_STYLES: [&str; 3] = ["fixed", "vla", "pointers"];

/// What became of a kernel.
struct Outcome {
    kernel: String,
    /// The checks in it.
    checks: usize,
    /// How often they held, in all places.
    held: u64,
    counts: Counts,
    complaints: Vec<String>,
}

/// Runs the kernels in PolyBench's own style.
///
/// # Errors
/// When the suite cannot be read or the harness cannot be built.
pub fn run(project: &Project) -> Result<Counts> {
    run_styles(project, &["own"])
}

/// Runs the kernels in all other styles.
///
/// # Errors
/// As of [`run`].
pub fn run_others(project: &Project) -> Result<Counts> {
    run_styles(project, &OTHER_STYLES)
}

fn run_styles(project: &Project, styles: &[&'static str]) -> Result<Counts> {
    let kernels = kernel::read_all(&project.root.join("test/polybench"))?;
    let builder = Builder::new(project, "check-test", FLAGS)?.machine(project.root.join(MACHINE));
    let jobs: Vec<(&Kernel, &str)> =
        kernels.iter().flat_map(|kernel| styles.iter().map(move |style| (kernel, *style))).collect();
    let outcomes = in_parallel(&jobs, |(kernel, style)| {
        let name = format!("{} {style}", kernel.name);
        let mut outcome =
            Outcome { kernel: name, checks: 0, held: 0, counts: Counts::default(), complaints: Vec::new() };
        if let Err(error) = check(project, &builder, kernel, style, &mut outcome) {
            outcome.counts += Counts::one(false);
            outcome.complaints.push(format!("{error:#}"));
        }
        outcome
    });
    let mut counts = Counts::default();
    for outcome in outcomes {
        println!("{}: {} checks, which held {} times", outcome.kernel, outcome.checks, outcome.held);
        for complaint in outcome.complaints {
            eprintln!("FAIL {}: {complaint}", outcome.kernel);
        }
        counts += outcome.counts;
    }
    Ok(counts)
}

fn check(project: &Project, builder: &Builder, kernel: &Kernel, style: &str, outcome: &mut Outcome) -> Result<()> {
    let source = project.root.join(format!("test/c/{}.c", kernel.name));
    let mut flags =
        if style == "own" { own_style(project, kernel, Size::Small)? } else { style_flags(kernel, style, Size::Small) };
    flags.retain(|flag| flag != "-DUSE_RESTRICT");
    flags.push("-DPOLYBENCH_PLACES".to_owned());
    let plain = builder.build_c(&source, &format!("{style}-plain"), &flags)?;
    let (program, _) = builder.build_c_with_plugin(&source, &format!("{style}-new"), &flags, OPTIONS)?;
    for place in PLACES {
        let (expected, _) = execute(&plain, place)?;
        ensure!(expected.lines().any(|line| !line.starts_with("array ")), "the original prints no values");
        let (actual, said) = execute(&program, place)?;
        outcome.counts += Counts::one(actual == expected);
        if actual != expected {
            outcome.complaints.push(format!("{place}: {}", first_difference(&expected, &actual)));
        }
        let traces: Vec<Trace> = said.lines().filter_map(Trace::parse).collect();
        outcome.checks = traces.len();
        for trace in traces {
            outcome.held += trace.held;
            outcome.counts += Counts::one(trace.failed == 0);
            if trace.failed > 0 {
                let Trace { region, held, failed } = trace;
                outcome.complaints.push(format!("{place}: the check of {region} held {held} times, failed {failed}"));
            }
        }
    }
    Ok(())
}

/// Runs a program with its arrays in a place. Returns what it prints as results and as errors.
fn execute(program: &Path, place: &str) -> Result<(String, String)> {
    let command = Command::new("timeout").arg("300").arg(program).arg("--dump=bits");
    let output = command.env("POLYBENCH_PLACE", place).checked()?;
    Ok((output.stdout, output.stderr))
}

/// What a program says in the end of a check.
#[derive(Debug, PartialEq)]
struct Trace {
    region: String,
    held: u64,
    failed: u64,
}

impl Trace {
    fn parse(line: &str) -> Option<Self> {
        let (region, counts) = line.strip_prefix("poly-schedule: check of ")?.split_once(": held ")?;
        let (held, failed) = counts.strip_suffix(" times")?.split_once(" times, failed ")?;
        Some(Self { region: region.to_owned(), held: held.parse().ok()?, failed: failed.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::Trace;

    #[test]
    fn what_programs_say_is_read() {
        let line = "poly-schedule: check of f.poly.0: held 3 times, failed 1 times";
        assert_eq!(Trace::parse(line), Some(Trace { region: "f.poly.0".to_owned(), held: 3, failed: 1 }));
        assert_eq!(Trace::parse("array A"), None);
    }
}
