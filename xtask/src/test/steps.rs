//! The steps of `cargo xtask test`, as a table.
//!
//! Every Cargo step uses `release` or `bench`, which share the folder target/release and all dependencies (see the
//! workspace's `Cargo.toml`). The tests come before the build: their build of the plugin, which has assertions, takes
//! the same place in the folder, and the one that stays must be the one that users get.

use super::{Counts, Level, campaigns, memory, package, packages, report};
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::runtime;
use crate::schedules;
use crate::site;
use crate::suite;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// One step.
pub struct Step {
    /// Its name, for `--only`.
    pub name: &'static str,
    /// The lowest level that runs it.
    pub level: Level,
    /// What it does, for people.
    pub what: &'static str,
    /// Whether it counts tests: then finding none is a failure.
    pub tests: bool,
    /// Whether it uses what the step `build` makes: then `--only` runs that first.
    pub built: bool,
    /// Does it. An error counts as one failure.
    pub run: fn(&Project) -> Result<Counts>,
}

/// The step that makes what users get.
pub const BUILD: &str = "build";

/// All steps, in the order in which they run.
pub const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        level: Level::Quick,
        what: "the code is formatted",
        tests: false,
        built: false,
        run: |project| cargo(project, &["fmt", "--all", "--check"]),
    },
    Step {
        name: "clippy",
        level: Level::Quick,
        what: "no warnings from the compiler and clippy",
        tests: false,
        built: false,
        run: |project| {
            let clippy = ["clippy", "--workspace", "--all-targets", "--profile", "bench"];
            cargo(project, &[&clippy[..], &["--", "-D", "warnings"]].concat())
        },
    },
    Step {
        name: "unit",
        level: Level::Quick,
        what: "unit tests of all crates, with assertions and overflow checks",
        tests: true,
        built: false,
        run: unit,
    },
    Step {
        name: "doctest",
        level: Level::Quick,
        what: "examples in the documentation",
        tests: false,
        built: false,
        run: doctest,
    },
    Step {
        name: BUILD,
        level: Level::Quick,
        what: "target/release/libpolyrs.so, target/release/polyrs and target/runtime/libpolyrs_gpu.a",
        tests: false,
        built: false,
        run: build,
    },
    Step {
        name: "docs",
        level: Level::Full,
        what: "documentation without warnings, and as a site whose links lead somewhere",
        tests: false,
        built: false,
        run: docs,
    },
    Step {
        name: "lit",
        level: Level::Quick,
        what: "IR tests under test/, with LLVM's lit and FileCheck",
        tests: true,
        built: true,
        run: lit,
    },
    Step {
        name: "programs",
        level: Level::Full,
        what: "the test programs compute what C and Python versions of them do",
        tests: true,
        built: true,
        run: programs,
    },
    Step {
        name: "polybench",
        level: Level::Full,
        what: "PolyBench through the plugin: the original's bits with 1, 2 and 3 threads",
        tests: true,
        built: true,
        run: |project| suite::POLYBENCH.run(project),
    },
    Step {
        name: "ml",
        level: Level::Full,
        what: "machine-learning layers through the plugin, likewise",
        tests: true,
        built: true,
        run: |project| suite::ML.run(project),
    },
    Step {
        name: "gpu",
        level: Level::Full,
        what: "both suites mapped to a GPU, their kernels run on the CPU: the original's bits",
        tests: true,
        built: true,
        run: suite::gpu::run,
    },
    Step {
        name: "gpu-c",
        level: Level::Full,
        what: "the PolyBench kernels in C, mapped to a GPU by clang, their kernels run on the CPU: the original's bits",
        tests: true,
        built: true,
        run: suite::gpu_c::run,
    },
    Step {
        name: "table",
        level: Level::Full,
        what: "the kernels are lifted as the files say that the comparison of schedulers reads",
        tests: true,
        built: true,
        run: |project| schedules::run(project, std::env::var_os(suite::BLESS).is_some_and(|bless| bless == "1")),
    },
    Step {
        name: "random",
        level: Level::Full,
        what: "random programs compute the same before and after the plugin",
        tests: true,
        built: true,
        run: campaigns::random_mlir,
    },
    Step {
        name: "clang",
        level: Level::Full,
        what: "the PolyBench kernels in C, in three styles: clang with the plugin gives the same bits",
        tests: true,
        built: true,
        run: suite::clang::run,
    },
    Step {
        name: "loops",
        level: Level::Full,
        what: "functions with loops of all kinds and types: clang with the plugin gives the same bits",
        tests: true,
        built: true,
        run: suite::loops::run,
    },
    Step {
        name: "checks",
        level: Level::Full,
        what: "the PolyBench kernels as in its own sources: every check lets the new code run",
        tests: true,
        built: true,
        run: suite::checks::run,
    },
    Step {
        name: "checks-many",
        level: Level::Long,
        what: "the same in all styles, without restrict",
        tests: true,
        built: true,
        run: suite::checks::run_others,
    },
    Step {
        name: "trees",
        level: Level::Full,
        what: "the PolyBench kernels get the same schedules in C and in MLIR where they are the same to the optimizer",
        tests: true,
        built: true,
        run: suite::trees::run,
    },
    Step {
        name: "report",
        level: Level::Full,
        what: "a page of `polyrs report` in a browser: links, filters, keyboard, widths, light and dark",
        tests: true,
        built: true,
        run: report::run,
    },
    Step {
        name: "cmake",
        level: Level::Full,
        what: "a CMake project finds the installed package and uses it",
        tests: true,
        built: true,
        run: package::cmake,
    },
    Step {
        name: "package",
        level: Level::Full,
        what: "packages are the same bits when built twice, and what README.md says works with what they hold",
        tests: true,
        built: true,
        run: packages::run,
    },
    Step {
        name: "busy",
        level: Level::Full,
        what: "a busy machine compiles to the same bits as an idle one",
        tests: true,
        built: true,
        run: busy,
    },
    Step {
        name: "clang-random",
        level: Level::Full,
        what: "random C programs compute the same when the plugin is loaded",
        tests: true,
        built: true,
        run: campaigns::random_c,
    },
    Step {
        name: "placement",
        level: Level::Full,
        what: "random C programs that attack where new code is put compute the same when the plugin is loaded",
        tests: true,
        built: true,
        run: campaigns::placement,
    },
    Step {
        name: "placement-many",
        level: Level::Long,
        what: "many of these, at default options, with profitability=off, with threads, and with random options",
        tests: true,
        built: true,
        run: campaigns::many_placement,
    },
    Step {
        name: "clang-loops",
        level: Level::Full,
        what: "random C functions with odd loops get the same code with remarks and without",
        tests: true,
        built: true,
        run: |project| odd_loops(project, 60),
    },
    Step {
        name: "clang-loops-many",
        level: Level::Long,
        what: "many random C functions with odd loops, likewise",
        tests: true,
        built: true,
        run: |project| odd_loops(project, 3000),
    },
    Step {
        name: "clang-random-many",
        level: Level::Long,
        what: "many random C programs, likewise",
        tests: true,
        built: true,
        run: campaigns::many_c,
    },
    Step {
        name: "clang-projects",
        level: Level::Long,
        what: "C projects built with the plugin pass their own tests, at default options and with profitability=off",
        tests: true,
        built: true,
        run: campaigns::projects,
    },
    Step {
        name: "random-many",
        level: Level::Long,
        what: "many random programs, likewise",
        tests: true,
        built: true,
        run: campaigns::many_mlir,
    },
    Step {
        name: "ilp-many",
        level: Level::Long,
        what: "the solver against isl's lexmin on many random problems",
        tests: true,
        built: false,
        run: ilp_many,
    },
    Step {
        name: "fuzz",
        level: Level::Long,
        what: "the targets of cargo fuzz compile",
        tests: false,
        built: false,
        run: |project| cargo(project, &["check", "--manifest-path", "fuzz/Cargo.toml", "--profile", "bench"]),
    },
    Step {
        name: "valgrind",
        level: Level::Long,
        what: "the IR tests under valgrind",
        tests: true,
        built: true,
        run: memory::valgrind,
    },
    Step {
        name: "asan",
        level: Level::Long,
        what: "the IR tests with plugin, glue and isl built with the address sanitizer",
        tests: true,
        built: false,
        run: memory::asan,
    },
];

/// Runs Cargo at the root of the checkout; its failure is an error.
fn cargo(project: &Project, arguments: &[&str]) -> Result<Counts> {
    succeed(Command::cargo().args(arguments).directory(&project.root))
}

/// Runs a command that has no tests to count.
fn succeed(command: Command) -> Result<Counts> {
    let line = command.to_string();
    if !command.tee()?.status.success() {
        bail!("`{line}` failed");
    }
    Ok(Counts::default())
}

fn unit(project: &Project) -> Result<Counts> {
    let nextest = Command::cargo().args(["nextest", "--version"]).output();
    if nextest.is_ok_and(|output| output.status.success()) {
        let output = Command::cargo()
            .args(["nextest", "run", "--workspace", "--cargo-profile", "bench", "--no-fail-fast"])
            .args(["--no-tests", "pass", "--status-level", "slow"])
            .directory(&project.root)
            .tee()?;
        return match Counts::from_nextest(&output.stderr) {
            Some(counts) => agree(counts, output.status.success()),
            None => bail!("the tests could not be built or started"),
        };
    }
    let output = Command::cargo()
        .args(["test", "--workspace", "--profile", "bench", "--no-fail-fast", "--quiet"])
        .args(["--lib", "--bins", "--tests"])
        .directory(&project.root)
        .tee()?;
    agree(Counts::from_cargo_test(&output.stdout), output.status.success())
}

/// The tests of the solver that are ignored because they take minutes.
fn ilp_many(project: &Project) -> Result<Counts> {
    let output = Command::cargo()
        .args(["test", "--package", "polyrs-ilp", "--profile", "bench", "--no-fail-fast", "--quiet", "--lib"])
        .args(["--", "--ignored"])
        .directory(&project.root)
        .tee()?;
    agree(Counts::from_cargo_test(&output.stdout), output.status.success())
}

fn doctest(project: &Project) -> Result<Counts> {
    let output = Command::cargo()
        .args(["test", "--workspace", "--doc", "--profile", "bench", "--no-fail-fast", "--quiet"])
        .directory(&project.root)
        .tee()?;
    agree(Counts::from_cargo_test(&output.stdout), output.status.success())
}

/// A runner that fails must also have counted a failure, or something else broke.
pub fn agree(mut counts: Counts, success: bool) -> Result<Counts> {
    if !success && counts.failed == 0 {
        counts.failed = 1;
    }
    Ok(counts)
}

/// Builds what users get. Also what `demo` and `bench` call.
///
/// # Errors
/// When the build fails or makes no plugin.
pub fn build(project: &Project) -> Result<Counts> {
    let counts = cargo(project, &["build", "--release"])?;
    let plugin = project.plugin();
    if !plugin.is_file() {
        bail!("the build succeeded but made no {}", plugin.display());
    }
    runtime::build(project)?;
    Ok(counts)
}

fn docs(project: &Project) -> Result<Counts> {
    site::build(project)?;
    succeed(
        Command::cargo()
            .args(["doc", "--workspace", "--no-deps", "--release"])
            .env("RUSTDOCFLAGS", "-D warnings")
            .directory(&project.root),
    )
}

fn lit(project: &Project) -> Result<Counts> {
    run_lit(project, &project.plugin(), &[])
}

/// Runs the IR tests with a plugin and further arguments for lit.
///
/// # Errors
/// When lit cannot be run or finds no test.
pub fn run_lit(project: &Project, plugin: &Path, arguments: &[String]) -> Result<Counts> {
    let results = project.scratch("lit")?.join("results.json");
    // What an earlier run left must not be taken for this run's.
    let _ = std::fs::remove_file(&results);
    let output = Command::new(llvm_tool("lit"))
        .args(["--verbose", "--order=lexical"])
        .arg(format!("--output={}", results.display()))
        .args(arguments)
        .arg("test")
        .env("POLYRS_PLUGIN", plugin)
        .directory(&project.root)
        .tee()?;
    let json = std::fs::read_to_string(&results).context("lit wrote no results")?;
    let mut counts = Counts::from_lit(&json)?;
    // Tests that `--max-time` left no time for are neither in the results nor a failure to lit.
    if [&output.stdout, &output.stderr].iter().any(|said| said.contains("reached timeout, skipping remaining tests")) {
        eprintln!("error: there was no time for all tests");
        counts.failed += 1;
    }
    agree(counts, output.status.success())
}

/// Random C functions for the prefilter, of which a third must have a region.
fn odd_loops(project: &Project, programs: u32) -> Result<Counts> {
    let output = Command::new("test/llvm/random/loops.py")
        .args(["--first=10000".to_owned(), format!("--seeds={programs}"), "--least=0.3".to_owned()])
        .env("POLYRS_PLUGIN", project.plugin())
        .env("POLYRS_MACHINE", "generic")
        .directory(&project.root)
        .tee()?;
    agree(Counts::from_verdicts(&output.stdout), output.status.success())
}

/// Twelve programs, compiled alone and beside busy processes.
fn busy(project: &Project) -> Result<Counts> {
    let output = Command::new("test/llvm/budget/busy.py")
        .env("POLYRS_PLUGIN", project.plugin())
        .env("POLYRS_MACHINE", "generic")
        .directory(&project.root)
        .tee()?;
    agree(Counts::from_verdicts(&output.stdout), output.status.success())
}

fn programs(project: &Project) -> Result<Counts> {
    let output = Command::new("test/polybench/compare.py").directory(&project.root).tee()?;
    agree(Counts::from_verdicts(&output.stdout), output.status.success())
}
