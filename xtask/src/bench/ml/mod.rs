//! The benchmark `ml`: operations of linalg at the sizes of known networks (test/ml/operations), lowered by upstream
//! alone (`upstream`), by upstream with its own fusion and tiles (`upstream-tiled`), and with the plugin (`default`), all on
//! one thread. Multiply-adds are not contracted, so that all have the same bits.
//!
//! Each operation is a program: it fills its arguments, runs once and prints a sum of all bits of its arrays, then runs
//! for a while and prints how long the fastest run took. Beside products, and convolutions as products, is the rate of
//! OpenBLAS (`super::openblas`).

mod operation;

use super::openblas::OpenBlas;
use super::report::Report;
use super::results::{Row, geomean};
use super::turns::take_turns;
use crate::command::Command;
use crate::project::{Project, files, llvm_tool};
use crate::suite::build::PLAIN_LOWERING;
use anyhow::{Context, Result, ensure};
use operation::Operation;
use serde_json::json;
use std::path::{Path, PathBuf};

const BASE: &str = "upstream";
const OURS: &str = "default";
const CONFIGURATIONS: [&str; 3] = [BASE, "upstream-tiled", OURS];

/// Where the operations are.
const FOLDER: &str = "test/ml/operations";

/// The name of the limit among the times.
const LIMIT: &str = "openblas";

/// Measures the chosen operations; whether all configurations have the same results.
///
/// # Errors
/// When an operation cannot be built or run, or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32, documents: bool) -> Result<bool> {
    let mut operations = read(&project.root.join(FOLDER))?;
    operations.retain(|operation| names.is_empty() || names.contains(&operation.name));
    ensure!(!operations.is_empty(), "there is no such operation");
    let limit = OpenBlas::find(project)?;
    if limit.is_none() {
        println!("no limit is measured: there is no OpenBLAS to link (Debian's libopenblas-dev)");
    }
    println!("milliseconds, the fastest of {repeat} programs that take turns; x: times faster than {BASE};");
    println!("limit: OpenBLAS, whose multiply-adds are contracted, in Gflop/s as {OURS} before it");
    let [tiled, rate] = [CONFIGURATIONS[1], "Gflop/s"];
    println!(
        "{:<30} {BASE:>10} {tiled:>14} {OURS:>10} {:>7} {:>9} {rate:>8} {:>7}",
        "operation", "x", "predicted", "limit"
    );
    let (mut good, mut rows) = (true, Vec::new());
    for operation in &operations {
        match measure(project, operation, limit.as_ref(), repeat) {
            Ok((row, same)) => {
                good &= same;
                println!("{}", line(operation, &row));
                rows.push(row);
            }
            Err(error) => {
                eprintln!("FAIL {}: {error:#}", operation.name);
                good = false;
            }
        }
    }
    for config in &CONFIGURATIONS[1..] {
        println!("geometric mean {config}/{BASE}: {:.2}", geomean(&rows, config, BASE).unwrap_or(f64::NAN));
    }
    write(project, &operations, &rows, (repeat, documents))?;
    println!("written: target/bench/ml.json, target/bench/ml.svg");
    Ok(good)
}

/// The operations of all files of a folder.
fn read(folder: &Path) -> Result<Vec<Operation>> {
    let mut operations = Vec::new();
    for file in files(folder, "mlir")? {
        let text = std::fs::read_to_string(&file)?;
        operations.extend(Operation::all(&text).with_context(|| file.display().to_string())?);
    }
    Ok(operations)
}

/// What is printed about an operation.
fn line(operation: &Operation, row: &Row) -> String {
    let time = |config| row.time(config).unwrap_or(f64::NAN) * 1e3;
    let [base, tiled, ours] = CONFIGURATIONS.map(time);
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let ratio = row.ratio(OURS, BASE).unwrap_or(f64::NAN);
    let predicted = or_none(row.predicted.first().map(|(_, ratio)| format!("{ratio:.1}")));
    let [rate, limit] =
        [OURS, LIMIT].map(|config| or_none(rate(operation, row, config).map(|rate| format!("{rate:.1}"))));
    format!(
        "{:<30} {base:>10.4} {tiled:>14.4} {ours:>10.4} {ratio:>7.2} {predicted:>9} {rate:>8} {limit:>7}",
        row.kernel
    )
}

/// Gflop/s.
fn rate(operation: &Operation, row: &Row, config: &str) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let operations = 2.0 * operation.multiply_adds? as f64;
    Some(operations / row.time(config)? / 1e9)
}

/// The times of one operation, and whether its results are the same.
fn measure(project: &Project, operation: &Operation, limit: Option<&OpenBlas>, repeat: u32) -> Result<(Row, bool)> {
    let mut row = Row { kernel: operation.name.clone(), ..Row::default() };
    let mut programs = Vec::new();
    for config in CONFIGURATIONS {
        let (program, said) = build(project, operation, config)?;
        row.predicted.extend(predicted(&said).map(|ratio| (config, ratio)));
        programs.push((config, program, f64::INFINITY));
    }
    let same = take_turns(&operation.name, &mut programs, repeat)?.is_empty();
    row.seconds = programs.into_iter().map(|(config, _, best)| (config, best)).collect();
    if let Some(limit) = limit {
        row.seconds.extend(of_products(limit, operation)?.map(|seconds| (LIMIT, seconds)));
    }
    Ok((row, same))
}

/// Seconds of OpenBLAS for all products of an operation; none if it has none, or of a type that OpenBLAS has not.
fn of_products(openblas: &OpenBlas, operation: &Operation) -> Result<Option<f64>> {
    let mut sum = None;
    for product in &operation.products {
        let [count @ .., rows, columns, depth] = &product[..] else { return Ok(None) };
        let seconds = openblas.seconds(operation.element(), count.iter().product(), [*rows, *columns, *depth])?;
        let Some(seconds) = seconds else { return Ok(None) };
        sum = Some(sum.unwrap_or(0.0) + seconds);
    }
    Ok(sum)
}

/// How many times faster a remark expects code to be.
fn predicted(said: &str) -> Option<f64> {
    let (_, rest) = said.split_once("predicted=")?;
    rest.split('x').next()?.parse().ok()
}

/// A program, and what the plugin said.
fn build(project: &Project, operation: &Operation, config: &str) -> Result<(PathBuf, String)> {
    let folder = project.scratch("bench-ml")?;
    let stem = format!("{}-{config}", operation.name);
    let file = |ending: &str| folder.join(format!("{stem}.{ending}"));
    std::fs::write(file("mlir"), &operation.text)?;
    std::fs::write(file("c"), operation.driver()?)?;
    let optimizer = || Command::new(llvm_tool("mlir-opt")).arg(file("mlir")).arg("--convert-linalg-to-affine-loops");
    let lowered = match config {
        BASE => optimizer().args(PLAIN_LOWERING),
        OURS => optimizer()
            .arg(format!("--load-pass-plugin={}", project.plugin().display()))
            .args(["--poly-schedule=parallel=false time-budget-ms=60000", "--poly-lower-x86"]),
        _ => optimizer().args(TILED).args(PLAIN_LOWERING),
    };
    let said = lowered.arg("-o").arg(file("low")).checked()?.stderr;
    Command::new(llvm_tool("mlir-translate"))
        .arg("--mlir-to-llvmir")
        .arg(file("low"))
        .arg("-o")
        .arg(file("ll"))
        .checked()?;
    let program = folder.join(&stem);
    link(&[file("ll"), file("c")], &program)?;
    Ok((program, said))
}

/// Upstream's own tiles and fusion.
const TILED: [&str; 2] = ["--affine-loop-fusion", "--affine-loop-tile"];

fn link(inputs: &[PathBuf], program: &Path) -> Result<()> {
    let flags = ["-O3", "-march=native", "-ffp-contract=off", "-Wno-override-module"];
    Command::new(llvm_tool("clang")).args(flags).args(inputs).arg("-o").arg(program).arg("-lm").checked()?;
    Ok(())
}

fn write(project: &Project, operations: &[Operation], rows: &[Row], (repeat, documents): (u32, bool)) -> Result<()> {
    let counted = operations.iter().filter_map(|one| Some((one.name.clone(), json!(one.multiply_adds?))));
    let counted: serde_json::Map<_, _> = counted.collect();
    let facts = [("repeat".to_owned(), json!(repeat)), ("multiply_adds".to_owned(), counted.into())];
    let rate_of = |row: &Row, config: &str| {
        let operation = operations.iter().find(|operation| operation.name == row.kernel)?;
        rate(operation, row, config).map(|rate| format!("{rate:.1}"))
    };
    let report = Report {
        name: "ml",
        title: "Operations of linalg: times faster than upstream's lowering",
        command: format!("cargo xtask bench ml --repeat {repeat} --documents"),
        axis: "logarithmic; to the right of 1 is faster than upstream's loops, lowered as they are",
        base: BASE,
        compared: &CONFIGURATIONS[1..],
        others: &[],
        facts: facts.into_iter().collect(),
        columns: &[
            ("expected (x)", &|row| row.predicted.first().map(|(_, ratio)| format!("{ratio:.1}"))),
            ("Gflop/s", &|row| rate_of(row, OURS)),
            ("OpenBLAS (Gflop/s)", &|row| rate_of(row, LIMIT)),
        ],
    };
    report.write(project, rows, documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_have_predictions() {
        assert_eq!(predicted("x.mlir:1: remark: poly-schedule: tiled=1 predicted=5.5x; layout"), Some(5.5));
        assert_eq!(predicted("left as it is"), None);
    }
    #[test]
    fn a_rate_counts_multiply_adds_twice() {
        let text = "// products: 10x100x1000\nfunc.func @f(%a: memref<4xf32>) {\n}\n";
        let operation = Operation::all(text).unwrap().remove(0);
        let row = Row { kernel: "f".into(), seconds: vec![(BASE, 4.0), (OURS, 0.001)], ..Row::default() };
        assert_eq!(rate(&operation, &row, OURS).map(f64::round), Some(2.0));
        assert_eq!(rate(&operation, &row, LIMIT), None);
        assert!(line(&operation, &row).ends_with("2.0       -"), "{}", line(&operation, &row));
    }
}
