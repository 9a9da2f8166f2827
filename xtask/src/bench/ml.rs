//! The benchmark `ml`: operations of linalg at the sizes of known networks (test/ml/operations), lowered by upstream
//! alone (`upstream`), by upstream with its own fusion and tiles (`upstream-tiled`), and with the plugin (`default`), all on
//! one thread. Multiply-adds are not contracted, so that all have the same bits.
//!
//! Each operation is a program: it fills its arguments, runs once and prints a sum of all bits of the result, then runs
//! for a while and prints how long the fastest run took.

use super::results::{Row, geomean, to_json};
use super::{chart::Chart, machine, save};
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::suite::build::PLAIN_LOWERING;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const BASE: &str = "upstream";
const OURS: &str = "default";
const CONFIGURATIONS: [&str; 3] = [BASE, "upstream-tiled", OURS];

/// Where the operations are.
const FILE: &str = "test/ml/operations/operations.mlir";

/// An operation: a function by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Operation {
    name: String,
    text: String,
    arguments: Vec<Argument>,
}

/// An array.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Argument {
    sizes: Vec<u64>,
    element: String,
}

impl Operation {
    /// The functions of a file.
    fn all(text: &str) -> Result<Vec<Operation>> {
        let mut found = Vec::new();
        let mut sizes: Option<Vec<Vec<u64>>> = None;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(shapes) = line.strip_prefix("// sizes: ") {
                sizes = Some(shapes.split(' ').map(numbers).collect::<Result<_>>()?);
            }
            let Some(head) = line.strip_prefix("func.func @") else { continue };
            let (name, rest) = head.split_once('(').context("a function without arguments")?;
            let mut body = format!("{}\n", line.replace(") {", ") attributes {llvm.emit_c_interface} {"));
            for line in lines.by_ref() {
                body += line;
                body.push('\n');
                if line == "}" {
                    break;
                }
            }
            let types = rest.split("memref<").skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
            let given = sizes.take();
            let arguments = types.enumerate().map(|(position, shape)| {
                let (known, element) = shape.rsplit_once('x').context("an array without sizes")?;
                let given = given.as_ref().and_then(|given| given.get(position));
                let sizes = given.map_or_else(|| numbers(known), |given| Ok(given.clone()))?;
                Ok(Argument { sizes, element: element.to_owned() })
            });
            let arguments: Vec<Argument> = arguments.collect::<Result<_>>()?;
            ensure!(!arguments.is_empty(), "`{name}` has no arrays");
            found.push(Operation { name: name.to_owned(), text: body, arguments });
        }
        Ok(found)
    }

    /// The program that measures it.
    fn driver(&self) -> Result<String> {
        let mut types = String::new();
        let mut made = String::new();
        for (number, argument) in self.arguments.iter().enumerate() {
            let (rank, c) = (argument.sizes.len(), argument.c_type()?);
            writeln!(
                types,
                "typedef struct {{ {c} *base, *data; long start, size[{rank}], step[{rank}]; }} A{number};"
            )?;
            let count: u64 = argument.sizes.iter().product();
            let scale = if argument.element.starts_with('f') { " / 64.0" } else { "" };
            writeln!(made, "  A{number} a{number} = {{0}};")?;
            writeln!(
                made,
                "  a{number}.base = a{number}.data = aligned_alloc(64, (sizeof({c}) * {count} + 63) / 64 * 64);"
            )?;
            let mut step = count;
            for (dimension, size) in argument.sizes.iter().enumerate() {
                step /= size;
                writeln!(made, "  a{number}.size[{dimension}] = {size}; a{number}.step[{dimension}] = {step};")?;
            }
            writeln!(made, "  for (long i = 0; i < {count}; i++) a{number}.data[i] = ({c})(next(){scale});")?;
        }
        let name = &self.name;
        let list = |text: &dyn Fn(usize) -> String| (0..self.arguments.len()).map(text).collect::<Vec<_>>().join(", ");
        let (parameters, call) = (list(&|number| format!("A{number} *")), list(&|number| format!("&a{number}")));
        let last = self.arguments.len() - 1;
        let count: u64 = self.arguments[last].sizes.iter().product();
        Ok(DRIVER
            .replace("TYPES", &format!("{types}void _mlir_ciface_{name}({parameters});"))
            .replace("ARRAYS", made.trim_end())
            .replace("CALL", &format!("_mlir_ciface_{name}({call})"))
            .replace("BYTES", &format!("{count} * sizeof *a{last}.data"))
            .replace("RESULT", &format!("a{last}.data")))
    }
}

impl Argument {
    fn c_type(&self) -> Result<&'static str> {
        Ok(match self.element.as_str() {
            "f32" => "float",
            "f64" => "double",
            "i8" => "signed char",
            "i32" => "int",
            other => anyhow::bail!("no C type for `{other}`"),
        })
    }
}

/// Sizes with an `x` between them.
fn numbers(text: &str) -> Result<Vec<u64>> {
    text.split('x').map(|size| size.parse().with_context(|| format!("`{size}` is no size"))).collect()
}

/// Small numbers that are sums of powers of two, whatever the type.
const DRIVER: &str = "#include <stdio.h>
#include <stdlib.h>
#include <time.h>
TYPES
static double next(void) {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return (int)(state >> 24) - 128;
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void) {
ARRAYS
  CALL;
  unsigned long sum = 1469598103934665603ul;
  unsigned char *bytes = (unsigned char *)RESULT;
  for (size_t i = 0; i < BYTES; i++) sum = (sum ^ bytes[i]) * 1099511628211ul;
  double best = 1e9, start = now();
  for (int run = 0; run < 2 || (now() - start < 0.3 && run < 1000); run++) {
    double before = now();
    CALL;
    double seconds = now() - before;
    if (seconds < best) best = seconds;
  }
  printf(\"%.9f %016lx\\n\", best, sum);
}
";

/// Measures the chosen operations; whether all configurations have the same results.
///
/// # Errors
/// When an operation cannot be built or run, or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32) -> Result<bool> {
    let path = project.root.join(FILE);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut operations = Operation::all(&text)?;
    operations.retain(|operation| names.is_empty() || names.contains(&operation.name));
    ensure!(!operations.is_empty(), "there is no such operation");
    println!("milliseconds, the fastest of {repeat} programs that take turns; x: times faster than {BASE}");
    println!("{:<26} {:>10} {:>14} {:>10} {:>7} {:>9}", "operation", BASE, CONFIGURATIONS[1], OURS, "x", "predicted");
    let (mut good, mut rows) = (true, Vec::new());
    for operation in &operations {
        let (row, same) = measure(project, operation, repeat)?;
        good &= same;
        let time = |config| row.time(config).unwrap_or(f64::NAN) * 1e3;
        let [base, tiled, ours] = CONFIGURATIONS.map(time);
        let ratio = row.ratio(OURS, BASE).unwrap_or(f64::NAN);
        let predicted = row.predicted.first().map_or("-".to_owned(), |(_, ratio)| format!("{ratio:.1}"));
        println!("{:<26} {base:>10.4} {tiled:>14.4} {ours:>10.4} {ratio:>7.2} {predicted:>9}", row.kernel);
        rows.push(row);
    }
    for config in &CONFIGURATIONS[1..] {
        println!("geometric mean {config}/{BASE}: {:.2}", geomean(&rows, config, BASE).unwrap_or(f64::NAN));
    }
    write(project, &rows, repeat)?;
    println!("written: target/bench/ml.json, target/bench/ml.svg");
    Ok(good)
}

/// The times of one operation, and whether its results are the same.
fn measure(project: &Project, operation: &Operation, repeat: u32) -> Result<(Row, bool)> {
    let mut row = Row { kernel: operation.name.clone(), ..Row::default() };
    let mut programs = Vec::new();
    for config in CONFIGURATIONS {
        let (program, said) = build(project, operation, config)?;
        row.predicted.extend(predicted(&said).map(|ratio| (config, ratio)));
        programs.push((config, program, f64::INFINITY));
    }
    let (mut reference, mut same) = (None, true);
    for _ in 0..repeat {
        // The machine's speed drifts, so the configurations take turns.
        for (config, program, best) in &mut programs {
            let printed = Command::new(&*program).checked()?.stdout;
            let (seconds, sum) = printed.trim().split_once(' ').context("a program without a time and a result")?;
            *best = best.min(seconds.parse()?);
            if reference.get_or_insert_with(|| sum.to_owned()) != sum {
                eprintln!("FAIL {}: {config} has another result", operation.name);
                same = false;
            }
        }
    }
    row.seconds = programs.into_iter().map(|(config, _, best)| (config, best)).collect();
    Ok((row, same))
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

fn write(project: &Project, rows: &[Row], repeat: u32) -> Result<()> {
    let folder = project.scratch("bench")?;
    let mut facts = machine::describe(project);
    facts.insert("repeat".to_owned(), json!(repeat));
    let configs = &CONFIGURATIONS[1..];
    save(&folder.join("ml.json"), &serde_json::to_string_pretty(&to_json(facts, rows, configs, BASE))?)?;
    let ratios = |row: &Row| configs.iter().map(|config| row.ratio(config, BASE)).collect();
    let chart = Chart {
        title: "Operations of linalg: times faster than upstream's lowering",
        axis: "logarithmic; to the right of 1 is faster than upstream's loops, lowered as they are",
        series: configs,
        groups: rows.iter().map(|row| (row.kernel.clone(), ratios(row))).collect(),
    };
    save(&folder.join("ml.svg"), &chart.to_svg())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_operations() {
        let text = "// sizes: 2x3 4\nfunc.func @f(%a: memref<?x?xf32>, %b: memref<?xi8>) {\n  return\n}\n\n\
                    func.func @g(%a: memref<5xf64>) {\n  return\n}\n";
        let found = Operation::all(text).unwrap();
        let sizes: Vec<_> = found.iter().flat_map(|one| one.arguments.iter().map(|one| one.sizes.clone())).collect();
        assert_eq!(sizes, [vec![2, 3], vec![4], vec![5]]);
        assert!(found[1].text.starts_with("func.func @g(%a: memref<5xf64>) attributes {llvm.emit_c_interface} {"));
        let driver = found[0].driver().unwrap();
        assert!(driver.contains("_mlir_ciface_f(&a0, &a1)") && driver.contains("a0.step[0] = 3"), "{driver}");
        assert!(Operation::all("func.func @f(%a: memref<?xf32>) {\n}\n").is_err(), "a size is missing");
    }

    #[test]
    fn remarks_have_predictions() {
        assert_eq!(predicted("x.mlir:1: remark: poly-schedule: tiled=1 predicted=5.5x; layout"), Some(5.5));
        assert_eq!(predicted("left as it is"), None);
    }
}
