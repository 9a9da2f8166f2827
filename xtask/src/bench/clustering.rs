//! The benchmark `clustering`: what statements that are scheduled as one save (Baghdadi and Cohen 2020, Table 1 and
//! Figure 6). Inputs: PolyBench, image kernels, `dist`, a shallow-water solver and a lattice-Boltzmann step, all in
//! three-address code that the plugin makes of them (`granularity=op`), and regions of 10 to 1,000 statements.

use super::inputs::{Input, dumps};
use super::results::{Row, geomean, to_json};
use super::{chart::Chart, curves::Curves, machine, save};
use crate::command::Command;
use crate::project::{Project, files, llvm_tool};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Where inputs are written.
const FOLDER: &str = "bench/regions";

/// The base of all ratios.
const BASE: &str = "none";

const HEURISTICS: [&str; 4] = [BASE, "scc", "basic-block", "chains"];
const REGIONS: [&str; 3] = [BASE, "basic-block", "auto"];

/// What regions that are made look like: statements in one nest, or a nest for each.
const KINDS: [&str; 2] = ["chain", "pipeline"];

/// Their sizes.
const SIZES: [usize; 6] = [10, 30, 100, 200, 300, 1000];

/// The C programs whose functions are inputs.
const PROGRAMS: [&str; 4] = ["image", "dist", "shallow_water", "lattice"];

/// What one heuristic makes of a region, or one option of the whole optimizer.
#[derive(Clone)]
struct Line {
    name: &'static str,
    /// Those after the name; nothing where it failed.
    numbers: Vec<f64>,
}

impl Line {
    /// The lines that a program printed for these names.
    fn all(printed: &str, names: &[&'static str]) -> Result<Vec<Line>> {
        let mut lines = Vec::new();
        for words in printed.lines().map(|line| line.split(' ').collect::<Vec<_>>()) {
            let name = names.iter().find(|name| **name == words[0]).context("an unknown heuristic")?;
            let numbers = if words[1] == "-" { Vec::new() } else { numbers(&words[1..])? };
            lines.push(Line { name, numbers });
        }
        Ok(lines)
    }

    fn get(&self, position: usize) -> Option<f64> {
        self.numbers.get(position).copied()
    }
}

fn numbers(words: &[&str]) -> Result<Vec<f64>> {
    words.iter().map(|word| Ok(word.parse()?)).collect()
}

/// Measures the chosen inputs; whether all could be made and scheduled.
///
/// # Errors
/// When the inputs cannot be made or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32) -> Result<bool> {
    let build = Command::cargo().args(["build", "--release", "--package", "polyrs-timing"]);
    build.directory(&project.root).checked()?;
    let program = project.target.join("release/clustering_times");
    let mut inputs = polybench(project)?;
    inputs.extend(programs(project)?);
    let real = inputs.len();
    inputs.extend(synthetic(project, &program)?);
    let is_real: Vec<String> = inputs[..real].iter().map(|input| input.name.clone()).collect();
    inputs.retain(|input| names.is_empty() || names.contains(&input.name));
    ensure!(!inputs.is_empty(), "there is no such input");
    println!(
        "scheduling alone: statements and dependences without clusters, how many times fewer with them, milliseconds, \
         and how many times faster; whether outermost bands have as many members and coincident ones"
    );
    println!(
        "{:<22} {:>5} {:>5} {:>9}  {:>17} {:>6}  {:>17} {:>6}  bands",
        "region", "stmts", "deps", "none ms", "scc", "x", "basic-block", "x"
    );
    let (mut rows, mut factors, mut good) = (Vec::new(), Vec::new(), true);
    for input in &inputs {
        let printed = Command::new(&program).args(["table", &repeat.to_string()]).arg(&input.path).checked();
        match printed.and_then(|printed| Line::all(&printed.stdout, &HEURISTICS)) {
            Ok(lines) => {
                println!("{}", table_line(&input.name, &lines));
                let seconds = lines.iter().filter_map(|line| Some((line.name, line.get(2)?))).collect();
                rows.push(Row { kernel: input.name.clone(), seconds, ..Row::default() });
                if is_real.contains(&input.name) {
                    factors.push(lines);
                }
            }
            Err(error) => {
                eprintln!("FAIL {}: {error:#}", input.name);
                good = false;
            }
        }
    }
    medians(&rows, &factors, &is_real);
    let whole = regions(&program, &inputs, repeat)?;
    write(project, &rows, &whole, repeat)?;
    println!("written: target/bench/clustering.json, target/bench/clustering.svg, target/bench/clustering-sizes.svg");
    Ok(good)
}

fn table_line(name: &str, lines: &[Line]) -> String {
    let Some(base) = lines.first() else { return name.to_owned() };
    let text = |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |value| format!("{value:.digits$}"));
    let ratio = |line: &Line, position: usize| Some(base.get(position)? / line.get(position)?.max(1.0));
    let mut out = format!(
        "{name:<22} {:>5} {:>5} {:>9}",
        text(base.get(0), 0),
        text(base.get(1), 0),
        text(base.get(2).map(|seconds| seconds * 1e3), 2)
    );
    for line in lines.iter().filter(|line| ["scc", "basic-block"].contains(&line.name)) {
        let fewer = format!("{} / {}", text(ratio(line, 0), 2), text(ratio(line, 1), 2));
        let faster = base.get(2).zip(line.get(2)).map(|(base, own)| base / own);
        out += &format!("  {fewer:>17} {:>6}", text(faster, 2));
    }
    let same = |line: &Line| (line.get(3), line.get(4)) == (base.get(3), base.get(4));
    let differing: Vec<&str> = lines.iter().filter(|line| !same(line)).map(|line| line.name).collect();
    out + "  " + &if differing.is_empty() { "same".to_owned() } else { format!("others: {}", differing.join(", ")) }
}

/// The middle of some numbers.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// Table 1's last rows and Figure 6's summary, over what is no synthetic region.
fn medians(rows: &[Row], factors: &[Vec<Line>], real: &[String]) {
    let real: Vec<&Row> = rows.iter().filter(|row| real.contains(&row.kernel)).collect();
    for name in &HEURISTICS[1..] {
        let fewer = |position: usize| {
            let of = |lines: &Vec<Line>| {
                let (base, own) = (lines.first()?, lines.iter().find(|line| line.name == *name)?);
                Some(base.get(position)? / own.get(position)?.max(1.0))
            };
            median(factors.iter().filter_map(of).collect())
        };
        let faster = median(real.iter().filter_map(|row| row.ratio(name, BASE)).collect());
        let text = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        println!(
            "{name}: medians {} statements, {} dependences, {} scheduling time",
            text(fewer(0)),
            text(fewer(1)),
            text(faster)
        );
    }
}

/// The whole optimizer on each region.
fn regions(program: &Path, inputs: &[Input], repeat: u32) -> Result<Vec<Row>> {
    println!("\nfrom a region to its code, milliseconds (operations in thousands); -: refused");
    println!("{:<22} {:>20} {:>20} {:>20}", "region", REGIONS[0], REGIONS[1], REGIONS[2]);
    let mut rows = Vec::new();
    for input in inputs {
        let printed = Command::new(program).args(["region", &repeat.to_string()]).arg(&input.path).checked()?.stdout;
        let lines = Line::all(&printed, &REGIONS)?;
        let cell = |line: &Line| match (line.get(0), line.get(1)) {
            (Some(seconds), Some(operations)) => format!("{:.1} ({:.0})", seconds * 1e3, operations / 1e3),
            _ => "-".to_owned(),
        };
        let cells: Vec<String> = lines.iter().map(|line| format!("{:>20}", cell(line))).collect();
        println!("{:<22} {}", input.name, cells.join(" "));
        let seconds = lines.iter().filter_map(|line| Some((line.name, line.get(0)?))).collect();
        rows.push(Row { kernel: input.name.clone(), seconds, ..Row::default() });
    }
    if let Some(mean) = geomean(&rows, "auto", BASE) {
        println!("auto/none: geometric mean {mean:.2} times faster");
    }
    Ok(rows)
}

fn write(project: &Project, rows: &[Row], whole: &[Row], repeat: u32) -> Result<()> {
    let folder = project.scratch("bench")?;
    let mut facts = machine::describe(project);
    facts.insert("repeat".to_owned(), repeat.into());
    let mut value = to_json(facts.clone(), rows, &HEURISTICS[1..], BASE);
    value["regions"] = to_json(facts, whole, &REGIONS[1..], BASE)["rows"].clone();
    save(&folder.join("clustering.json"), &(serde_json::to_string_pretty(&value)? + "\n"))?;
    let groups = rows.iter().map(|row| {
        let ratios = HEURISTICS[1..3].iter().map(|name| row.ratio(name, BASE)).collect();
        (row.kernel.clone(), ratios)
    });
    let chart = Chart {
        title: "Scheduling: times faster with clusters",
        axis: "logarithmic; to the right of 1 is faster than without",
        series: &HEURISTICS[1..3],
        groups: groups.collect(),
    };
    save(&folder.join("clustering.svg"), &chart.to_svg())?;
    match over_sizes(rows, whole) {
        Some(curves) => save(&folder.join("clustering-sizes.svg"), &curves.to_svg()?),
        None => Ok(()),
    }
}

/// Time against statements, of the regions that are made; `None` where none of them was measured.
fn over_sizes(rows: &[Row], whole: &[Row]) -> Option<Curves<'static>> {
    let points = |rows: &[Row], kind: &str, name: &str| -> Vec<(f64, f64)> {
        let of_size = |size: &usize| {
            let row = rows.iter().find(|row| row.kernel == format!("{kind}-{size}"))?;
            Some((f64::from(u32::try_from(*size).ok()?), row.time(name)?))
        };
        SIZES.iter().filter_map(of_size).collect()
    };
    let mut lines = Vec::new();
    for kind in KINDS {
        for name in [BASE, "basic-block"] {
            lines.push((format!("{kind}, scheduled, {name}"), points(rows, kind, name)));
        }
        for name in [BASE, "auto"] {
            lines.push((format!("{kind}, to its code, {name}"), points(whole, kind, name)));
        }
    }
    lines.retain(|(_, points)| !points.is_empty());
    let curves = Curves { title: "Time against statements", across: "statements", up: "seconds", lines };
    (!curves.lines.is_empty()).then_some(curves)
}

/// The kernels in three-address code.
fn polybench(project: &Project) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    let folder = project.root.join("test/polybench");
    for source in files(&folder, "mlir")? {
        let printed = Command::new(llvm_tool("mlir-opt"))
            .arg(format!("--load-pass-plugin={}", project.plugin().display()))
            .arg("--poly-schedule=scheduler=none layout=none granularity=op cluster=none dump=scop")
            .arg(&source)
            .args(["-o", "/dev/null"])
            .checked()?
            .stderr;
        let regions = dumps(&printed, "scop").into_iter().filter(|(region, _)| region.starts_with("kernel_"));
        for (region, text) in regions {
            let name = region.trim_start_matches("kernel_").split(':').next().unwrap_or(&region).replace('_', "-");
            inputs.push(Input::save(project, FOLDER, (&name, "scop"), &text)?);
        }
    }
    Ok(inputs)
}

/// The functions of the C programs in three-address code.
fn programs(project: &Project) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for program in PROGRAMS {
        let options = "scheduler=none layout=none granularity=op cluster=none dump=scop";
        let printed = Command::new(llvm_tool("clang"))
            .arg("-O3")
            .arg(format!("-fpass-plugin={}", project.plugin().display()))
            .args(["-mllvm", &format!("-poly-schedule={options}"), "-c"])
            .arg(project.root.join(format!("test/clustering/{program}.c")))
            .args(["-o", "/dev/null"])
            .checked()?
            .stderr;
        for (region, text) in dumps(&printed, "scop") {
            let name = region.split('.').next().unwrap_or(&region).replace('_', "-");
            inputs.push(Input::save(project, FOLDER, (&name, "scop"), &text)?);
        }
    }
    Ok(inputs)
}

fn synthetic(project: &Project, program: &Path) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for kind in KINDS {
        for size in SIZES {
            let text = Command::new(program).args(["synthetic", kind, &size.to_string()]).checked()?.stdout;
            inputs.push(Input::save(project, FOLDER, (&format!("{kind}-{size}"), "scop"), &text)?);
        }
    }
    Ok(inputs)
}

#[cfg(test)]
mod tests {
    use super::{HEURISTICS, Line, dumps, median, table_line};

    #[test]
    fn lines_say_what_clusters_save() {
        let printed = "none 6 12 0.004 12 6\nscc 3 4 0.002 12 6\nbasic-block 2 2 0.001 6 6\nchains -\n";
        let lines = Line::all(printed, &HEURISTICS).unwrap();
        let text = table_line("gemm", &lines);
        assert!(text.contains("2.00 / 3.00") && text.contains("3.00 / 6.00") && text.contains("4.00"), "{text}");
        assert!(text.ends_with("others: basic-block, chains"), "{text}");
        assert!(Line::all("other 1", &HEURISTICS).is_err());
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
    }

    #[test]
    fn regions_are_told_apart() {
        let printed = "# scop of a:1\nscop: a\nx: 1\nf.c:1:1: remark: no\n# scop of b:2\nscop: b\n";
        let expected = [("a:1".to_owned(), "scop: a\nx: 1\n".to_owned()), ("b:2".to_owned(), "scop: b\n".to_owned())];
        assert_eq!(dumps(printed, "scop"), expected);
    }
}
