//! Functions with loops (test/loops), compiled by clang with and without the plugin: the same bits at small sizes, and
//! which of them have new code as a table.

use super::MACHINE;
use super::expected::Expected;
use super::functions::Function;
use super::in_parallel;
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::test::Counts;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Where the functions are.
pub const FOLDER: &str = "test/loops";

/// How many there must at least be.
const LEAST: usize = 60;

const HEADER: &str = "function\tdefault\tall loops";

/// The options of the plugin. The clock must not decide what a busy machine gets.
const VARIANTS: [(&str, &str); 2] = [
    ("default", "time-budget-ms=200000"),
    ("off", "parallel=false profitability=off single-loops=true time-budget-ms=200000"),
];

/// The flags of all programs.
pub const FLAGS: [&str; 3] = ["-O3", "-march=native", "-ffp-contract=off"];

/// Compares all functions.
///
/// # Errors
/// When the functions or the table cannot be read.
pub fn run(project: &Project) -> Result<Counts> {
    let functions = Function::read_all(&project.root.join(FOLDER))?;
    ensure!(functions.len() >= LEAST, "{FOLDER} has {} functions, not {LEAST}", functions.len());
    let outcomes = in_parallel(&functions, |function| compare(project, function));
    let rows = functions.iter().zip(&outcomes).map(|(function, outcome)| match outcome {
        Ok(new) => format!("{}\t{}\t{}", function.name, new[0], new[1]),
        Err(_) => function.name.clone(),
    });
    let rows: Vec<String> = rows.collect();
    let expected =
        Expected::settle(&project.root.join(FOLDER).join("expected.tsv"), HEADER, rows.iter().map(String::as_str))?;
    let mut counts = Counts::default();
    for (row, outcome) in rows.iter().zip(&outcomes) {
        let good = match outcome {
            Ok(_) => expected.has(row),
            Err(error) => {
                eprintln!("FAIL {row}: {error:#}");
                false
            }
        };
        counts += Counts::one(good);
    }
    for (position, (variant, _)) in VARIANTS.iter().enumerate() {
        let new = outcomes.iter().flatten().filter(|new| new[position] > 0).count();
        println!("{variant}: {new} of {} functions have new code", functions.len());
    }
    Ok(counts)
}

/// How many regions of a function have new code with each set of options; an error if its results are others.
fn compare(project: &Project, function: &Function) -> Result<[usize; 2]> {
    let folder = project.scratch("loops-test")?;
    let file = |ending: &str| folder.join(format!("{}{ending}", function.name));
    std::fs::write(file(".c"), function.source(&function.small))?;
    std::fs::write(file("-driver.c"), function.driver(&function.small)?)?;
    let driver = Command::new(llvm_tool("clang")).args(["-O1", "-c"]).arg(file("-driver.c"));
    driver.arg("-o").arg(file("-driver.o")).checked()?;
    let clang = || Command::new("timeout").arg("300").arg(llvm_tool("clang")).args(FLAGS).arg("-fopenmp");
    let link = |command: Command, program: &Path| {
        command.arg(file(".c")).arg(file("-driver.o")).args(["-lm", "-o"]).arg(program).checked()
    };
    link(clang(), &file("-plain"))?;
    let expected = sum(&file("-plain"))?;
    let mut new = [0; 2];
    for (count, (variant, options)) in new.iter_mut().zip(VARIANTS) {
        let command = clang()
            .env("POLYRS_MACHINE", project.root.join(MACHINE))
            .arg(format!("-fpass-plugin={}", project.plugin().display()))
            .args(["-mllvm", &format!("-poly-schedule={options}"), "-Rpass-analysis=poly-schedule"]);
        let program = file(&format!("-{variant}"));
        let said = link(command, &program)?.stderr;
        *count = said.matches("remark: the new code is in ").count();
        ensure!(sum(&program)? == expected, "`{options}` gives another result");
    }
    Ok(new)
}

/// What a program prints of its results after one call.
fn sum(program: &Path) -> Result<String> {
    let printed = Command::new("timeout").arg("60").arg(program).arg("once").checked()?.stdout;
    Ok(printed.trim().split_once(' ').context("a program without a result")?.1.to_owned())
}
