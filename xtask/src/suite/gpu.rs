//! Kernels for GPUs without a GPU: all programs are mapped, lowered to loops over blocks and threads, and must give the
//! original's bits, whatever sizes blocks have and in whatever order threads run.

use super::build::{Builder, Recipe};
use super::comparison::{Checks, Variant};
use super::expected::Expected;
use super::kernel::{self, Kernel};
use super::remarks::{self, Message};
use super::{FLAGS, MACHINE, ML, POLYBENCH, Suite, in_parallel};
use crate::project::Project;
use crate::test::Counts;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The checked-in table, under the root.
const EXPECTED: &str = "test/gpu/kernels.tsv";

const HEADER: &str = "program\tregions\tkernels\tleft on the host\tkernels with small blocks";

/// Sizes of blocks, and orders of threads. The suites' sizes are smaller than a block of the first one in some
/// dimensions; those of the second neither divide each other nor any size, and blocks take several tiles, which is more
/// than isl can do with some programs.
const VARIANTS: [(&str, &str, &str); 2] =
    [("gpu", "", "forward"), ("gpu-small", " tile-sizes=5,6,4 block-sizes=2,2,3 grid-sizes=2,3", "backward")];

/// The least number of programs with a kernel.
const LEAST: usize = 44;

/// What became of a program.
#[derive(Default)]
struct Outcome {
    row: String,
    kernels: usize,
    checks: Checks,
}

/// Runs the programs of both suites and prints the table.
///
/// # Errors
/// When a suite cannot be read or the harness cannot be built.
pub fn run(project: &Project) -> Result<Counts> {
    let builder = Builder::new(project, "gpu-test", FLAGS)?.machine(project.root.join(MACHINE));
    let mut programs: Vec<(&Suite, PathBuf, Kernel)> = Vec::new();
    for suite in [&POLYBENCH, &ML] {
        let folder = project.root.join(suite.folder);
        let kernels = kernel::read_all(&folder)?;
        programs.extend(kernels.into_iter().map(|kernel| (suite, folder.clone(), kernel)));
    }
    let outcomes = in_parallel(&programs, |(suite, folder, kernel)| {
        let mut outcome = Outcome::default();
        let source = folder.join(format!("{}.mlir", kernel.name));
        if let Err(error) = compare(suite, &builder, kernel, &source, &mut outcome) {
            outcome.checks.check(false, || format!("{}: {error:#}", kernel.name));
        }
        outcome
    });
    conclude(&project.root.join(EXPECTED), outcomes)
}

/// Builds and runs one program in all variants.
fn compare(suite: &Suite, builder: &Builder, kernel: &Kernel, source: &Path, outcome: &mut Outcome) -> Result<()> {
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    let (original, _) = builder.build_mlir(source, &Recipe::original().after(suite.prepare))?;
    let mut programs = Vec::new();
    for (name, sizes, order) in VARIANTS {
        let (program, said) = builder.build_mlir(source, &recipe(name, sizes, order).after(suite.prepare))?;
        let about = remarks::of_function(&remarks::parse(&said), &text, &kernel.function());
        let (words, kernels) = facts(&about);
        if outcome.row.is_empty() {
            (outcome.row, outcome.kernels) = (format!("{}\t{words}", kernel.name), kernels);
        } else {
            outcome.row += &format!("\t{kernels}");
            // Sizes decide how much work isl has, and nothing else.
            outcome
                .checks
                .check([0, outcome.kernels].contains(&kernels), || format!("{}: {kernels} kernels", kernel.name));
        }
        programs.push((name, program));
    }
    let variants = programs.iter().map(|(name, program)| Variant { name, program, threads: 1 });
    outcome.checks.same_bits(kernel, &original, &variants.collect::<Vec<_>>())
}

/// Mapped to a GPU, and run on the CPU.
fn recipe(name: &'static str, sizes: &str, order: &str) -> Recipe {
    let passes = [
        format!("--poly-schedule=target=gpu time-budget-ms=200000{sizes}"),
        "--lower-affine".to_owned(),
        format!("--poly-kernels-to-loops=threads={order}"),
        "--poly-lower-x86".to_owned(),
    ];
    Recipe { name, plugin: true, passes: passes.to_vec() }
}

/// What remarks say, as columns, and how many kernels there are.
fn facts(remarks: &[remarks::Remark]) -> (String, usize) {
    let (mut regions, mut kernels) = (0, 0);
    let mut reasons: Vec<&str> = Vec::new();
    for remark in remarks {
        match &remark.message {
            Message::Found { facts, .. } => {
                regions += 1;
                kernels += facts.get("kernels").and_then(|count| count.parse().ok()).unwrap_or(0);
            }
            Message::Refused(reason) => reasons.push(reason),
        }
    }
    let left = if reasons.is_empty() { "-".to_owned() } else { reasons.join("; ") };
    (format!("{regions}\t{kernels}\t{left}"), kernels)
}

/// Prints the table and compares it with the checked-in one.
fn conclude(path: &Path, outcomes: Vec<Outcome>) -> Result<Counts> {
    let expected = Expected::settle(path, HEADER, outcomes.iter().map(|outcome| outcome.row.as_str()))?;
    let with_kernels = outcomes.iter().filter(|outcome| outcome.kernels > 0).count();
    let mut total = Counts::default();
    for mut outcome in outcomes {
        let known = expected.has(&outcome.row);
        let row = outcome.row.clone();
        outcome.checks.check(known, || format!("another row than expected: {row}"));
        total += outcome.checks.conclude();
    }
    println!("{with_kernels} programs have kernels; {LEAST} at least must");
    total += Counts::one(with_kernels >= LEAST);
    Ok(total)
}
