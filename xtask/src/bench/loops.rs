//! The benchmark `loops`: single functions with loops (test/loops) at sizes that fit caches and that do not, by clang,
//! by Polly and by clang with the plugin, all on one thread, and with the plugin on two. Multiply-adds are not contracted, so that
//! all have the same bits.
//!
//! Each function is compiled in a file of its own; the program that calls it is another.

use super::ranking;
use super::report::Report;
use super::results::{Row, geomean};
use super::turns::take_turns;
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::suite::functions::Function;
use crate::suite::loops::{FLAGS, FOLDER};
use anyhow::{Result, ensure};
use serde_json::json;
use std::path::{Path, PathBuf};

const BASE: &str = "clang";
const PEER: &str = "polly";
const OURS: &str = "default";
const THREADS: &str = "default@2";
const CONFIGURATIONS: [&str; 4] = [BASE, PEER, OURS, THREADS];

/// From here down a ratio is a loss.
const LOSS: f64 = 0.97;

/// Seconds after which Polly gives up: it takes minutes for some functions.
const TIME_LIMIT: &str = "10";

/// A measured function.
struct Measured {
    row: Row,
    /// What became of its regions.
    became: String,
    /// The object is clang's own; then the times are the same as well, the faster of both.
    is_equal: bool,
    /// The plugin's program has clang's results.
    same: bool,
}

/// Measures the chosen functions; whether all have the same results with the plugin.
///
/// # Errors
/// When a function cannot be built or run, or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32, documents: bool) -> Result<bool> {
    let mut functions = Function::read_all(&project.root.join(FOLDER))?;
    functions.retain(|function| names.is_empty() || names.contains(&function.name));
    ensure!(!functions.is_empty(), "there is no such function");
    println!("microseconds of a call, the fastest of {repeat} programs that take turns; x: times faster than {BASE}");
    print!("{:<22} {BASE:>12} {PEER:>12} {OURS:>12} {THREADS:>12} {PEER:>7}", "function");
    println!(" {:>7} {:>7} {:>9}  regions", "x", "x@2", "predicted");
    let (mut good, mut rows) = (true, Vec::new());
    for function in &functions {
        let Measured { row, became, is_equal, same } = measure(project, function, repeat)?;
        good &= same;
        println!("{}{}", line(&row, &became), if is_equal { " (equal)" } else { "" });
        rows.push(row);
        // Written after each function, so that a run that is cut short leaves what it has.
        write(project, &rows, repeat, documents && rows.len() == functions.len())?;
    }
    for config in [PEER, OURS, THREADS] {
        println!("geometric mean {config}/{BASE}: {:.3}", geomean(&rows, config, BASE).unwrap_or(f64::NAN));
    }
    println!("the cost model: {}", ranking::among_kernels(&rows, OURS, BASE));
    for (kernel, ratio) in losses(&rows) {
        println!("below {LOSS}: {kernel} {ratio:.3}");
    }
    println!("written: target/bench/loops.json, target/bench/loops.svg");
    Ok(good)
}

/// The times of one function, and what the plugin made of it.
fn measure(project: &Project, function: &Function, repeat: u32) -> Result<Measured> {
    let mut row = Row { kernel: function.name.clone(), ..Row::default() };
    let (mut programs, mut became) = (Vec::new(), String::new());
    for config in CONFIGURATIONS {
        match build(project, function, config) {
            Ok((program, said)) => {
                if config == OURS {
                    became = regions(&said);
                    row.predicted.extend(ranking::predicted(&said).map(|ratio| (config, ratio)));
                }
                programs.push((config, program, f64::INFINITY));
            }
            Err(_) if config == PEER => {}
            Err(error) => return Err(error),
        }
    }
    let folder = project.scratch("bench-loops")?;
    let object = |config: &str| std::fs::read(folder.join(format!("{}-{config}.o", function.name)));
    let is_equal = object(BASE)? == object(OURS)?;
    let wrong = take_turns(&function.name, &mut programs, repeat)?;
    if is_equal {
        let is_pooled = |config: &str| [BASE, OURS].contains(&config);
        let pooled =
            programs.iter().filter(|(config, ..)| is_pooled(config)).fold(f64::INFINITY, |least, one| least.min(one.2));
        programs.iter_mut().filter(|(config, ..)| is_pooled(config)).for_each(|(.., best)| *best = pooled);
    }
    let good = programs.into_iter().filter(|(config, ..)| !wrong.contains(config));
    row.seconds = good.map(|(config, _, best)| (config, best)).collect();
    Ok(Measured { row, became, is_equal, same: ![OURS, THREADS].iter().any(|config| wrong.contains(config)) })
}

/// What became of each region, from the remarks: `new` (always run), `checked` (where a check allows it), `kept` or
/// `refused`, each once.
fn regions(said: &str) -> String {
    let mut words = Vec::new();
    for remark in said.lines().filter_map(|line| Some(line.split_once("remark: ")?.1)) {
        let word = match remark {
            _ if remark.contains("left as it is") => "kept",
            _ if remark.starts_with("refused") => "refused",
            _ if !remark.starts_with("the new code is in") => continue,
            _ if remark.contains("runs always") => "new",
            _ => "checked",
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" ")
}

fn line(row: &Row, became: &str) -> String {
    let time = |config| row.time(config).map_or("-".to_owned(), |seconds| format!("{:.2}", seconds * 1e6));
    let ratio = |config| row.ratio(config, BASE).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
    let predicted = row.predicted.first().map_or("-".to_owned(), |(_, ratio)| format!("{ratio:.1}"));
    let [base, peer, ours, threads] = CONFIGURATIONS.map(time);
    let text = format!("{:<22} {base:>12} {peer:>12} {ours:>12} {threads:>12} ", row.kernel);
    let [peer, ours, threads] = [PEER, OURS, THREADS].map(ratio);
    text + format!("{peer:>7} {ours:>7} {threads:>7} {predicted:>9}  {became}").trim_end()
}

/// What is slower with the plugin, the slowest first.
fn losses(rows: &[Row]) -> Vec<(&str, f64)> {
    let ratios = rows.iter().filter_map(|row| Some((row.kernel.as_str(), row.ratio(OURS, BASE)?)));
    let mut found: Vec<_> = ratios.filter(|(_, ratio)| *ratio < LOSS).collect();
    found.sort_by(|one, other| one.1.total_cmp(&other.1));
    found
}

/// A program, and what the plugin said.
fn build(project: &Project, function: &Function, config: &str) -> Result<(PathBuf, String)> {
    let folder = project.scratch("bench-loops")?;
    let stem = format!("{}-{config}", function.name);
    let file = |ending: &str| folder.join(format!("{stem}{ending}"));
    // The name is a part of the object.
    let source = folder.join(format!("{}.c", function.name));
    std::fs::write(&source, function.source(&function.large))?;
    std::fs::write(file("-driver.c"), function.driver(&function.large)?)?;
    let limit = if config == PEER { TIME_LIMIT } else { "300" };
    let compiler = Command::new("timeout").arg(limit).arg(llvm_tool("clang")).args(FLAGS);
    let compiler = match config {
        OURS | THREADS => compiler
            .arg(format!("-fpass-plugin={}", project.plugin().display()))
            .arg("-mllvm")
            .arg(format!("-poly-schedule=parallel={} time-budget-ms=60000", config == THREADS))
            .args(["", "-missed", "-analysis"].map(|kind| format!("-Rpass{kind}=poly-schedule"))),
        PEER => compiler.args(["-mllvm", "-polly"]),
        _ => compiler,
    };
    let said = compiler.arg("-c").arg(source).arg("-o").arg(file(".o")).checked()?.stderr;
    link(&[file(".o"), file("-driver.c")], &file(""), config == THREADS)?;
    Ok((file(""), said))
}

fn link(inputs: &[PathBuf], program: &Path, has_threads: bool) -> Result<()> {
    let linker = Command::new(llvm_tool("clang")).args(FLAGS).args(inputs).arg("-o").arg(program).arg("-lm");
    let linker = if has_threads { linker.arg("-fopenmp") } else { linker };
    linker.checked()?;
    Ok(())
}

fn write(project: &Project, rows: &[Row], repeat: u32, documents: bool) -> Result<()> {
    let report = Report {
        name: "loops",
        title: "Single functions with loops: times faster than clang -O3 -march=native",
        command: format!("cargo xtask bench loops --repeat {repeat} --documents"),
        axis: "logarithmic; to the right of 1 is faster than clang",
        base: BASE,
        compared: &[OURS, THREADS, PEER],
        others: &[],
        facts: [("repeat".to_owned(), json!(repeat))].into_iter().collect(),
        columns: &[("expected (x)", &|row| row.predicted.first().map(|(_, ratio)| format!("{ratio:.1}")))],
    };
    report.write(project, rows, documents)
}

#[cfg(test)]
mod tests {
    use super::{BASE, OURS, Row, losses, regions};

    #[test]
    fn remarks_say_what_became_of_regions() {
        let said = "f.c:1:1: remark: scop: f.poly.0:1: 1 statement; predicted=2.0x [-Rpass=poly-schedule]\n\
                    f.c:1:1: remark: the new code is in f.poly.0 and runs always [-Rpass-analysis=poly-schedule]\n\
                    f.c:9:1: remark: refused: the subscript is not affine [-Rpass-missed=poly-schedule]\n\
                    f.c:9:1: remark: refused: no loop [-Rpass-missed=poly-schedule]\n";
        assert_eq!(regions(said), "new refused");
        assert_eq!(regions(""), "");
    }

    #[test]
    fn the_greatest_loss_comes_first() {
        let row =
            |name: &str, ours| Row { kernel: name.into(), seconds: vec![(BASE, 1.0), (OURS, ours)], ..Row::default() };
        let rows = [row("a", 1.1), row("b", 1.01), row("c", 2.0), row("d", 0.5)];
        assert_eq!(losses(&rows).iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["c", "a"]);
    }
}
