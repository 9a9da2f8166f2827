//! The benchmark `limits`: how near to what the machine can do PolyBench's kernels come at LARGE on one thread, as clang with
//! the plugin makes them of PolyBench's own sources.
//!
//! What computes on matrices is held against the rate of OpenBLAS for the product of gemm (`openblas`), with the operations
//! that the best known algorithm for it has: half of a product where one half of the result is not asked for. What reads a
//! matrix once or twice is held against reading so many bytes again and again, with nothing but additions of integers. All
//! take turns, so that the machine's speed may drift.

use super::configurations::{Frontend, Source};
use super::openblas::OpenBlas;
use super::program::Program;
use super::report::Report;
use super::results::Row;
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::suite::build::Builder;
use crate::suite::clang::own_style;
use crate::suite::kernel::{self, Kernel, Size};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::path::PathBuf;

const OURS: &str = "default";
const LIMIT: &str = "limit";

/// What a kernel has to do.
#[derive(Clone, Copy)]
enum Work {
    /// So many multiply-adds.
    Products(f64),
    /// So many numbers of eight bytes to read, each once.
    Reads(u64),
}

/// The kernels with a limit, what they have to do at LARGE, and the share of the limit that is asked for.
const KERNELS: [(&str, Work, f64); 17] = [
    ("gemm", Work::Products(1000.0 * 1100.0 * 1200.0), 0.8),
    ("2mm", Work::Products(800.0 * 900.0 * 1100.0 + 800.0 * 1200.0 * 900.0), 0.8),
    ("3mm", Work::Products(800.0 * 900.0 * 1000.0 + 900.0 * 1100.0 * 1200.0 + 800.0 * 1100.0 * 900.0), 0.8),
    ("syrk", Work::Products(1200.0 * 1200.0 * 1000.0 / 2.0), 0.8),
    ("syr2k", Work::Products(1200.0 * 1200.0 * 1000.0), 0.8),
    ("symm", Work::Products(1000.0 * 1000.0 * 1200.0), 0.8),
    ("trmm", Work::Products(1000.0 * 1000.0 * 1200.0 / 2.0), 0.8),
    ("covariance", Work::Products(1200.0 * 1200.0 * 1400.0 / 2.0), 0.8),
    ("doitgen", Work::Products(150.0 * 140.0 * 160.0 * 160.0), 0.5),
    ("lu", Work::Products(2000.0 * 2000.0 * 2000.0 / 3.0), 0.5),
    ("cholesky", Work::Products(2000.0 * 2000.0 * 2000.0 / 6.0), 0.5),
    ("gramschmidt", Work::Products(1000.0 * 1200.0 * 1200.0), 0.5),
    ("atax", Work::Reads(1900 * 2100), 0.85),
    ("bicg", Work::Reads(1900 * 2100), 0.85),
    ("mvt", Work::Reads(2000 * 2000), 0.85),
    ("gesummv", Work::Reads(2 * 1300 * 1300), 0.85),
    ("gemver", Work::Reads(2000 * 2000), 0.85),
];

/// The product whose rate is the limit: rows, columns, depth.
const PRODUCT: [u64; 3] = [1000, 1100, 1200];

/// What can be done.
struct Limits {
    openblas: Option<OpenBlas>,
    reader: PathBuf,
}

impl Limits {
    fn new(project: &Project) -> Result<Self> {
        let openblas = OpenBlas::find(project)?;
        if openblas.is_none() {
            println!("products have no limit: there is no OpenBLAS to link (Debian's libopenblas-dev)");
        }
        let reader = project.scratch("bench-limits")?.join("reader");
        let source = reader.with_extension("c");
        std::fs::write(&source, READER)?;
        Command::new(llvm_tool("clang"))
            .args(["-O3", "-march=native"])
            .arg(&source)
            .arg("-o")
            .arg(&reader)
            .checked()?;
        Ok(Limits { openblas, reader })
    }

    /// The seconds that work takes at least; none if nothing says so.
    fn seconds(&self, work: Work) -> Result<Option<f64>> {
        match (work, &self.openblas) {
            (Work::Products(count), Some(openblas)) => {
                let seconds = openblas.seconds("f64", 1, PRODUCT)?;
                #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                let all = PRODUCT.iter().product::<u64>() as f64;
                Ok(seconds.map(|seconds| seconds * count / all))
            }
            (Work::Products(_), None) => Ok(None),
            (Work::Reads(numbers), _) => {
                let printed = Command::new(&self.reader).arg(numbers.to_string()).checked()?.stdout;
                Ok(Some(printed.trim().parse().context("the reader printed no time")?))
            }
        }
    }
}

/// Measures the chosen kernels; whether all could be.
///
/// # Errors
/// An unknown name; when a program cannot be built or run, or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32, documents: bool) -> Result<bool> {
    if let Some(unknown) = names.iter().find(|name| !KERNELS.iter().any(|(known, ..)| known == name)) {
        let all: Vec<&str> = KERNELS.iter().map(|(name, ..)| *name).collect();
        bail!("{unknown} has no limit here; these have: {}", all.join(", "));
    }
    let limits = Limits::new(project)?;
    let builder = Builder::new(project, "bench/programs", &["-O3", "-march=native"])?;
    let kernels = kernel::read_all(&project.root.join("test/polybench"))?;
    println!(
        "milliseconds, the fastest of {repeat} runs; the share of the limit that is reached, and the one asked for"
    );
    println!("{:<12} {OURS:>9} {LIMIT:>9} {:>6} {:>6}", "kernel", "share", "asked");
    let mut rows = Vec::new();
    for (name, work, asked) in
        KERNELS.into_iter().filter(|(name, ..)| names.is_empty() || names.iter().any(|n| n == name))
    {
        let kernel = kernels.iter().find(|kernel| kernel.name == name).context("there is no such kernel")?;
        let row = measure(project, &builder, kernel, (work, &limits), repeat)?;
        println!("{}", line(&row, asked));
        rows.push(row);
        // Written after each kernel, so that a run that is cut short leaves what it has.
        write(project, &rows, repeat, documents && rows.len() == KERNELS.len())?;
    }
    println!("written: target/bench/limits.json, target/bench/limits.svg");
    Ok(true)
}

fn measure(
    project: &Project,
    builder: &Builder,
    kernel: &Kernel,
    (work, limits): (Work, &Limits),
    repeat: u32,
) -> Result<Row> {
    let config = Frontend::Own.configurations(&[OURS], &[]).pop().context("there is no such configuration")?;
    let Source::Plugin(options) = &config.source else { bail!("{OURS} has no plugin") };
    let source = project.root.join(format!("test/c/{}.c", kernel.name));
    let flags = own_style(project, kernel, Size::Large)?;
    let (path, _) = builder.build_c_with_plugin(&source, OURS, &flags, options)?;
    let mut program = Program::new(path, None, 1);
    program.first_run(kernel.element, &mut None)?;
    let mut least = limits.seconds(work)?;
    for _ in 1..repeat {
        program.run_again()?;
        least = least.into_iter().chain(limits.seconds(work)?).reduce(f64::min);
    }
    let seconds = [Some((OURS, program.best)), least.map(|least| (LIMIT, least))].into_iter().flatten().collect();
    Ok(Row { kernel: kernel.name.clone(), seconds, ..Row::default() })
}

fn line(row: &Row, asked: f64) -> String {
    let time = |config| row.time(config).map_or("-".to_owned(), |seconds| format!("{:.3}", seconds * 1e3));
    let share = row.ratio(OURS, LIMIT).map_or("-".to_owned(), |share| format!("{share:.2}"));
    format!("{:<12} {:>9} {:>9} {share:>6} {asked:>6.2}", row.kernel, time(OURS), time(LIMIT))
}

/// The share that is asked for of a kernel.
fn asked(row: &Row) -> Option<String> {
    let found = KERNELS.iter().find(|(name, ..)| *name == row.kernel);
    found.map(|(.., asked)| format!("{asked:.2}"))
}

fn write(project: &Project, rows: &[Row], repeat: u32, documents: bool) -> Result<()> {
    let report = Report {
        name: "limits",
        title: "PolyBench on one thread: shares of what the machine can do",
        command: format!("cargo xtask bench limits --repeat {repeat} --documents"),
        axis: "logarithmic; 1 is the rate of OpenBLAS, or of reading each number once",
        base: LIMIT,
        compared: &[OURS],
        others: &[],
        facts: [("size".to_owned(), json!("large")), ("repeat".to_owned(), json!(repeat))].into_iter().collect(),
        columns: &[("asked", &asked)],
    };
    report.write(project, rows, documents)
}

/// How many numbers: prints the seconds of the fastest pass through them.
const READER: &str = "#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
__attribute__((noinline)) static uint64_t sum(const uint64_t *numbers, long count) {
  uint64_t all = 0;
  for (long i = 0; i < count; i++)
    all += numbers[i];
  return all;
}
int main(int argc, char **argv) {
  if (argc != 2) return 1;
  long count = atol(argv[1]);
  uint64_t *numbers = aligned_alloc(64, (8 * count + 63) / 64 * 64);
  for (long i = 0; i < count; i++)
    numbers[i] = i;
  volatile uint64_t result;
  double best = 1e9, start = now();
  for (int run = 0; run < 5 || (now() - start < 0.2 && run < 1000); run++) {
    double before = now();
    result = sum(numbers, count);
    double seconds = now() - before;
    if (seconds < best) best = seconds;
  }
  (void)result;
  printf(\"%.9f\\n\", best);
}
";

#[cfg(test)]
mod tests {
    use super::{LIMIT, OURS, Row, asked, line};

    #[test]
    fn a_share_is_the_limit_by_the_time() {
        let seconds = vec![(OURS, 0.05), (LIMIT, 0.04)];
        let row = Row { kernel: "gemm".into(), seconds, ..Row::default() };
        assert_eq!(
            line(&row, 0.8).split_whitespace().collect::<Vec<_>>(),
            ["gemm", "50.000", "40.000", "0.80", "0.80"]
        );
        assert_eq!(asked(&row).as_deref(), Some("0.80"));
        let without = Row { kernel: "gemm".into(), seconds: vec![(OURS, 0.05)], ..Row::default() };
        assert!(line(&without, 0.8).contains(" - "));
    }
}
