//! Kernels for GPUs without a GPU: all programs are mapped, and must give the original's bits in four ways: with
//! kernels that a stand-in for the driver runs; with a driver that fails at the end, so that the code for the CPU takes
//! over; with that code alone; and with small blocks whose kernels are lowered to loops over blocks and threads, from
//! the last to the first. Some have other layouts of their arrays as well (`test/gpu/layouts`).

use super::build::{Builder, Recipe};
use super::comparison::{Checks, Variant};
use super::expected::Expected;
use super::kernel::{self, Kernel, Size};
use super::ptxas::{ARCHITECTURES, Assembler, Usage};
use super::remarks::{self, Message};
use super::stub::{self, Stub};
use super::{FLAGS, MACHINE, ML, POLYBENCH, Suite, in_parallel};
use crate::bench::gpu::Folder;
use crate::command::Command;
use crate::project::Project;
use crate::test::Counts;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The checked-in table, under the root.
const EXPECTED: &str = "test/gpu/kernels.tsv";

const HEADER: &str = "program\tregions\tkernels\tleft on the host\tkernels left to the CPU\tkernels with small blocks";

/// Sizes that neither divide each other nor any size of the suites, and blocks that take several tiles, which is more
/// than isl can do with some programs. By default a block is larger than the suites' sizes in some dimensions.
const SMALL: &str = " cpu-version=false tile-sizes=8,18,16 block-sizes=2,2,3 grid-sizes=2,3";

/// What kernels take, the most of a program's: registers of a thread, bytes spilled by it, bytes of shared memory.
const RESOURCES: &str = "test/gpu/ptxas.tsv";

/// Its header, before the architectures.
const RESOURCES_HEADER: &str = "registers/spills/shared";

/// Maps of layouts for some programs, under the root.
const LAYOUTS: &str = "test/gpu/layouts";

/// The least number of programs with a kernel.
const LEAST: usize = 43;

/// What became of a program.
#[derive(Default)]
struct Outcome {
    row: String,
    /// The row of [`RESOURCES`]; empty where there is no assembler, or nothing to assemble.
    resources: String,
    kernels: usize,
    /// The PTX of its kernel.
    ptx: Option<PathBuf>,
    checks: Checks,
}

/// Runs the programs of both suites and prints the table.
///
/// # Errors
/// When a suite cannot be read or the harness cannot be built.
pub fn run(project: &Project) -> Result<Counts> {
    let builder = Builder::new(project, "gpu-test", FLAGS)?.machine(project.root.join(MACHINE));
    let stub = Stub::new(project, builder.scratch())?;
    let tools = Tools { builder, stub, assembler: Assembler::fetch(project)?, layouts: project.root.join(LAYOUTS) };
    let mut programs: Vec<Program> = Vec::new();
    for suite in [&POLYBENCH, &ML] {
        let folder = project.root.join(suite.folder);
        let kernels = kernel::read_all(&folder)?;
        programs.extend(kernels.into_iter().map(|kernel| (suite, folder.clone(), kernel)));
    }
    let outcomes = in_parallel(&programs, |(suite, folder, kernel)| {
        let mut outcome = Outcome::default();
        let source = folder.join(format!("{}.mlir", kernel.name));
        if let Err(error) = compare(suite, &tools, kernel, &source, &mut outcome) {
            outcome.checks.check(false, || format!("{}: {error:#}", kernel.name));
        }
        outcome
    });
    let mut counts = Counts::default();
    if tools.assembler.is_some() {
        counts += conclude_resources(&project.root.join(RESOURCES), &outcomes)?;
    }
    let with_kernels: Vec<_> = programs.iter().zip(&outcomes).filter(|(_, outcome)| outcome.ptx.is_some()).collect();
    counts += check_script(&tools, &with_kernels[..with_kernels.len().min(3)])?;
    counts += conclude(&project.root.join(EXPECTED), outcomes)?;
    Ok(counts)
}

/// Its suite, the folder of that, and the kernel.
type Program = (&'static Suite, PathBuf, Kernel);

/// The script that measures a GPU runs some programs, with the stand-in for the driver.
fn check_script(tools: &Tools, programs: &[(&Program, &Outcome)]) -> Result<Counts> {
    let mut folder = Folder::new(tools.builder.scratch().join("bench"))?;
    for ((_, suite, kernel), outcome) in programs {
        let program = tools.builder.file(&suite.join(&kernel.name), &nvptx(), "");
        folder.add(kernel, &program, outcome.ptx.as_deref().context("it has PTX")?, Size::Mini)?;
        folder.add_plain(kernel, &program)?;
    }
    let command = Command::new(folder.finish()?);
    let command = tools.stub.environment().into_iter().fold(command, |command, (name, value)| command.env(name, value));
    let output = command.output()?;
    print!("{}{}", output.stdout, output.stderr);
    let same = output.stdout.lines().filter(|line| line.split('\t').nth(1) == Some("yes")).count();
    Ok(Counts::one(output.status.success() && same == programs.len() && same > 0))
}

/// What programs are built and looked at with.
struct Tools {
    builder: Builder,
    stub: Stub,
    assembler: Option<Assembler>,
    /// The folder of maps.
    layouts: PathBuf,
}

/// Builds and runs one program in all variants.
fn compare(suite: &Suite, tools: &Tools, kernel: &Kernel, source: &Path, outcome: &mut Outcome) -> Result<()> {
    let Tools { builder, stub, .. } = tools;
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    let about = |said: &str| facts(&remarks::of_function(&remarks::parse(said), &text, &kernel.function()));
    let (original, _) = builder.build_mlir(source, &Recipe::original().after(suite.prepare))?;
    let built = stub.build(builder, source, &nvptx().after(suite.prepare))?;
    let ((words, kernels), on_cpu) = (about(&built.said), on_cpu(&built.said));
    let backward = ["--lower-affine", "--poly-kernels-to-loops=threads=backward", "--poly-lower-x86"];
    let recipe = recipe("gpu-small", SMALL, &backward);
    let (small, said) = builder.build_mlir(source, &recipe.after(suite.prepare))?;
    let (_, with_small_blocks) = about(&said);
    outcome.kernels = kernels;
    outcome.row = format!("{}\t{words}\t{on_cpu}\t{with_small_blocks}", kernel.name);
    // Sizes decide how much work isl has, and nothing else; but what cannot start over has kernels only without code
    // for the CPU beside them.
    let equal = kernels == 0 || [0, kernels].contains(&with_small_blocks);
    outcome.checks.check(equal, || format!("{}: {with_small_blocks} kernels", kernel.name));
    // Others are of the harness's functions.
    outcome.checks.check(built.kernels >= kernels, || format!("{}: {} were lowered", kernel.name, built.kernels));
    let file = format!("{}_kernels.ptx", kernel.function());
    outcome.ptx = built.ptx.into_iter().find(|ptx| ptx.ends_with(&file));
    if let Some(assembler) = &tools.assembler {
        let with_library = || with_library(tools, assembler, suite, source, &file);
        let ptx = outcome.ptx.clone().map_or_else(with_library, |ptx| Ok(Some(ptx)))?;
        outcome.resources = ptx.map_or(Ok(String::new()), |ptx| resources(assembler, kernel, &ptx))?;
    }
    let (with_gpu, without) = (stub.environment(), [("POLYRS_GPU", "off".to_owned())]);
    let failing = stub.failing_environment();
    let mut variants = vec![
        Variant { environment: &without, ..Variant::new("without a GPU", &built.program, 1) },
        Variant::new("small blocks", &small, 1),
    ];
    if kernels > 0 && on_cpu == "-" {
        variants.push(Variant { environment: &with_gpu, ..Variant::new("kernels", &built.program, 1) });
        variants.push(Variant { environment: &failing, ..Variant::new("a failing driver", &built.program, 1) });
    }
    outcome.checks.same_bits(kernel, &original, &variants)?;
    let maps = tools.layouts.join(format!("{}.maps", kernel.name));
    if maps.exists() { compare_relaid(suite, tools, kernel, (source, &maps, &original), outcome) } else { Ok(()) }
}

/// The same for a program with maps.
fn compare_relaid(
    suite: &Suite,
    tools: &Tools,
    kernel: &Kernel,
    (source, maps, original): (&Path, &Path, &Path),
    outcome: &mut Outcome,
) -> Result<()> {
    let Tools { builder, stub, assembler, .. } = tools;
    let options = format!(" profitability=off function={} layout-maps={}", kernel.function(), maps.display());
    let recipe = recipe("gpu-layout", &options, &["--poly-lower-nvptx"]).after(suite.prepare);
    let built = stub.build(builder, source, &recipe)?;
    let has_both = |line: &str| line.contains(" kernels=") && line.contains(" layout=1");
    outcome.checks.check(built.said.lines().any(has_both), || format!("{}: no kernels with a layout", kernel.name));
    for (ptx, assembler) in built.ptx.iter().flat_map(|ptx| assembler.iter().map(move |assembler| (ptx, assembler))) {
        for architecture in ARCHITECTURES {
            assembler.assemble(ptx, architecture)?;
        }
    }
    let (with_gpu, failing) = (stub.environment(), stub.failing_environment());
    let variants = [
        Variant { environment: &with_gpu, ..Variant::new("kernels with a layout", &built.program, 1) },
        Variant { environment: &failing, ..Variant::new("a layout and a failing driver", &built.program, 1) },
    ];
    outcome.checks.same_bits(kernel, original, &variants)
}

/// The PTX of a kernel that needs NVIDIA's library.
fn with_library(
    tools: &Tools,
    assembler: &Assembler,
    suite: &Suite,
    source: &Path,
    file: &str,
) -> Result<Option<PathBuf>> {
    let pass = format!("--poly-lower-nvptx=libdevice={}", assembler.library.display());
    let recipe = recipe("gpu-library", "", &[&pass]).after(suite.prepare);
    let folder = tools.builder.file(source, &recipe, ".ptx");
    std::fs::create_dir_all(&folder)?;
    let (ir, _) = tools.builder.lower(source, &recipe)?;
    Ok(stub::write_ptx(&ir, &folder)?.into_iter().find(|ptx| ptx.ends_with(file)))
}

/// Assembles the PTX of a program's kernel; what it takes, as a row.
fn resources(assembler: &Assembler, kernel: &Kernel, ptx: &Path) -> Result<String> {
    let mut row = kernel.name.clone();
    for architecture in ARCHITECTURES {
        row += &format!("\t{}", assembler.assemble(ptx, architecture)?);
    }
    Ok(row)
}

/// Compares what kernels take with the table.
fn conclude_resources(path: &Path, outcomes: &[Outcome]) -> Result<Counts> {
    let header = format!("{RESOURCES_HEADER}\t{}", ARCHITECTURES.join("\t"));
    let rows = outcomes.iter().map(|outcome| outcome.resources.as_str()).filter(|row| !row.is_empty());
    let expected = Expected::settle(path, &header, rows.clone())?;
    let mut counts = Counts::default();
    for row in rows {
        let (program, found) = row.split_once('\t').unwrap_or((row, ""));
        let known = expected.row(program).unwrap_or_default();
        let holds = known.split('\t').count() == found.split('\t').count()
            && known.split('\t').zip(found.split('\t')).all(|(known, found)| {
                let both = Usage::parse(known).zip(Usage::parse(found));
                both.is_some_and(|(known, found)| found.is_within(known))
            });
        if !holds {
            eprintln!("FAIL {program}: kernels take {found}, and {known} by {}", path.display());
        }
        counts += Counts::one(holds);
    }
    Ok(counts)
}

/// Mapped to a GPU, with PTX in the program and code for the CPU beside it.
pub fn nvptx() -> Recipe {
    recipe("gpu", "", &["--poly-lower-nvptx"])
}

/// The same, whatever the model expects of a GPU.
pub fn nvptx_always() -> Recipe {
    recipe("gpu", " profitability=off", &["--poly-lower-nvptx"])
}

/// The same without tiles in shared memory: mostly a thread for each element.
pub fn nvptx_without_shared_memory() -> Recipe {
    recipe("gpu-plain", " profitability=off shared-memory=false", &["--poly-lower-nvptx"])
}

/// Mapped to a GPU, and lowered by some passes.
fn recipe(name: &'static str, options: &str, passes: &[&str]) -> Recipe {
    let mut all = vec![format!("--poly-schedule=target=gpu time-budget-ms=200000{options}")];
    all.extend(passes.iter().map(|pass| (*pass).to_owned()));
    Recipe { name, plugin: true, passes: all }
}

/// Why regions with kernels run on the CPU after all.
fn on_cpu(said: &str) -> String {
    let reasons = said.lines().filter_map(|line| line.split_once("poly-lower-nvptx: left to the CPU: "));
    let reasons: Vec<&str> = reasons.map(|(_, reason)| reason.split(';').next().unwrap_or(reason)).collect();
    if reasons.is_empty() { "-".to_owned() } else { reasons.join("; ") }
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
