//! Kernels for GPUs from C, without a GPU: PolyBench in C, compiled by clang with `target=gpu`, must give the bits of the
//! original with the stand-in for the driver, with one that fails at the end, and without any.

use super::build::{Builder, execute, execute_in};
use super::clang::style_flags;
use super::comparison::{Checks, first_difference};
use super::expected::Expected;
use super::kernel::{self, Kernel, Size};
use super::ptxas::Assembler;
use super::stub::{Built, Stub};
use super::{MACHINE, in_parallel};
use crate::project::Project;
use crate::test::Counts;
use anyhow::{Result, ensure};
use std::path::Path;

/// How the kernels' arrays are written, with the size that they are built for and the least number of programs that
/// must have kernels: extents that are constants, and those that are arguments.
const STYLES: [(&str, Size, usize); 3] =
    [("fixed", Size::Mini, 30), ("vla", Size::Small, 30), ("pointers", Size::Mini, 30)];

/// Multiplications and additions are fused on a device where C allows that; the stand-in runs on the host and fuses as
/// the host does, which is told not to.
const FLAGS: &[&str] = &["-O3", "-march=native", "-ffp-contract=off"];

/// The checked-in table, under the root.
const EXPECTED: &str = "test/gpu/c.tsv";

const HEADER: &str = "program\tstyle\tkernels\tfunctions of PTX";

/// What is assembled once more, for one architecture.
const ARCHITECTURE: &str = "sm_80";

/// What became of a program.
struct Outcome {
    style: &'static str,
    row: String,
    kernels: usize,
    checks: Checks,
}

/// Runs the programs in all styles.
///
/// # Errors
/// When the suite cannot be read or the harness cannot be built.
pub fn run(project: &Project) -> Result<Counts> {
    let builder = Builder::new(project, "gpu-c-test", FLAGS)?.machine(project.root.join(MACHINE));
    let stub = Stub::new(project, builder.scratch())?;
    let assembler = Assembler::fetch(project)?;
    let kernels = kernel::read_all(&project.root.join("test/polybench"))?;
    let jobs: Vec<(&Kernel, &'static str, Size)> =
        kernels.iter().flat_map(|kernel| STYLES.map(|(style, size, _)| (kernel, style, size))).collect();
    let outcomes = in_parallel(&jobs, |(kernel, style, size)| {
        let mut outcome = Outcome { style, row: String::new(), kernels: 0, checks: Checks::default() };
        let source = project.root.join(format!("test/c/{}.c", kernel.name));
        let flags = style_flags(kernel, style, *size);
        if let Err(error) = compare(&builder, &stub, assembler.as_ref(), &source, &flags, &mut outcome) {
            outcome.checks.check(false, || format!("{} {style}: {error:#}", kernel.name));
        }
        outcome.row = format!("{}\t{style}\t{}", kernel.name, outcome.row);
        outcome
    });
    conclude(&project.root.join(EXPECTED), outcomes)
}

/// Builds one program with and without kernels, and compares what they print.
fn compare(
    builder: &Builder,
    stub: &Stub,
    assembler: Option<&Assembler>,
    source: &Path,
    flags: &[String],
    outcome: &mut Outcome,
) -> Result<()> {
    let style = outcome.style;
    let plain = builder.build_c(source, &format!("{style}-plain"), flags)?;
    let expected = execute(&plain, &["--dump=bits"], 1)?;
    ensure!(expected.lines().any(|line| !line.starts_with("array ")), "the original prints no values");
    let Built { program, kernels, ptx, .. } = stub.build_c(builder, source, &format!("{style}-gpu"), flags)?;
    outcome.kernels = kernels;
    outcome.row = format!("{kernels}\t{}", ptx.len());
    let mut variants = vec![("without a GPU", vec![("POLYRS_GPU", "off".to_owned())])];
    if kernels > 0 {
        variants.push(("kernels", stub.environment()));
        variants.push(("a failing driver", stub.failing_environment()));
    }
    for (variant, environment) in variants {
        let actual = execute_in(&program, &["--dump=bits"], 1, &environment)?;
        outcome.checks.check(actual == expected, || {
            format!("{}, {variant}: {}", program.display(), first_difference(&expected, &actual))
        });
    }
    for file in ptx.iter().filter(|_| style == STYLES[1].0) {
        if let Some(assembler) = assembler {
            assembler.assemble(file, ARCHITECTURE)?;
        }
    }
    Ok(())
}

/// Prints the table and compares it with the checked-in one.
fn conclude(path: &Path, outcomes: Vec<Outcome>) -> Result<Counts> {
    let expected = Expected::settle(path, HEADER, outcomes.iter().map(|outcome| outcome.row.as_str()))?;
    let mut total = Counts::default();
    for (style, _, least) in STYLES {
        let count = outcomes.iter().filter(|outcome| outcome.style == style && outcome.kernels > 0).count();
        println!("{style}: {count} programs have kernels; {least} at least must");
        total += Counts::one(count >= least);
    }
    for mut outcome in outcomes {
        let (known, row) = (expected.has(&outcome.row), outcome.row.clone());
        outcome.checks.check(known, || format!("another row than expected: {row}"));
        total += outcome.checks.conclude();
    }
    Ok(total)
}
