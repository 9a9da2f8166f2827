//! The benchmark `schedule`: our scheduler against isl's, with the same options on the same constraints, from
//! constraints to tree. Inputs: the constraints of the PolyBench kernels, of the papers' programs, and isl's own.

use super::inputs::{Input, dumps};
use super::results::{Row, geomean, to_json};
use super::{chart::Chart, machine, save};
use crate::command::Command;
use crate::project::{Project, files, llvm_tool};
use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Where inputs are written.
const FOLDER: &str = "bench/constraints";

/// The base of all ratios.
const BASE: &str = "isl";

/// Who is measured against it.
const OURS: &str = "ppcg";

/// An input on which the base takes longer than this may not be slower.
const LONG: f64 = 1e-3;

/// Others may be slower by this.
const SLACK: f64 = 2e-4;

/// What one input took.
struct Measured {
    row: Row,
    /// By scheduler.
    peaks: Vec<(&'static str, Peak)>,
}

/// The most memory of a process, in KiB: the least of some runs, as the system places the pages of a program by chance.
#[derive(Clone, Copy)]
struct Peak {
    /// With the pages of the program itself.
    all: u64,
    /// Without them.
    data: u64,
}

/// So many runs.
const PEAK_RUNS: usize = 3;

/// Measures the chosen inputs; whether all could be scheduled.
///
/// # Errors
/// When the inputs cannot be made or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32) -> Result<bool> {
    let build = Command::cargo().args(["build", "--release", "--package", "polyrs-timing"]);
    build.directory(&project.root).checked()?;
    let program = project.target.join("release/schedule_times");
    let mut inputs = polybench(project)?;
    inputs.extend(papers(project)?);
    inputs.extend(isl(project)?);
    inputs.retain(|input| names.is_empty() || names.contains(&input.name));
    ensure!(!inputs.is_empty(), "there is no such input");
    println!(
        "milliseconds from constraints to tree, the fastest of at most {repeat} runs that take turns; x: times faster"
    );
    println!("{:<42} {BASE:>10} {OURS:>10} {:>7} {:>9} {:>9}  phases", "input", "x", "KiB", "KiB");
    let mut good = true;
    let mut all = Vec::new();
    for input in inputs {
        match measure(&program, &input, repeat) {
            Ok(measured) => {
                println!("{}", line(&measured));
                all.push(measured);
            }
            Err(error) => {
                eprintln!("FAIL {}: {error:#}", input.name);
                good = false;
            }
        }
    }
    summarize(&all);
    write(project, &all, repeat)?;
    println!("written: target/bench/schedule.json, target/bench/schedule.svg");
    Ok(good)
}

fn measure(program: &Path, input: &Input, repeat: u32) -> Result<Measured> {
    let mut row = Row { kernel: input.name.clone(), ..Row::default() };
    let repeat = repeat.to_string();
    let printed = Command::new(program).args(["times", &repeat]).arg(&input.path).checked()?.stdout;
    for words in printed.lines().map(|line| line.split(' ').collect::<Vec<_>>()) {
        match words.as_slice() {
            ["phase", phase, seconds] => row.phases.push(((*phase).to_owned(), seconds.parse::<f64>()? * 1e3)),
            [name, seconds] => {
                let name = [BASE, OURS].into_iter().find(|known| known == name).context("an unknown scheduler")?;
                row.seconds.push((name, seconds.parse()?));
            }
            _ => {}
        }
    }
    let mut peaks = Vec::new();
    for (name, _) in &row.seconds {
        peaks.push((*name, peak_of(program, name, input)?));
    }
    Ok(Measured { row, peaks })
}

fn peak_of(program: &Path, scheduler: &str, input: &Input) -> Result<Peak> {
    let mut least = Peak { all: u64::MAX, data: u64::MAX };
    for _ in 0..PEAK_RUNS {
        // Memory that is given back to the system would be missing from what there is at the end.
        let command = Command::new(program).env("MALLOC_TRIM_THRESHOLD_", "1000000000");
        let printed = command.args(["peak", scheduler]).arg(&input.path).checked()?.stdout;
        let number = |name: &str| -> Result<u64> {
            let line = printed.lines().find_map(|line| line.strip_prefix(name)).context("no peak was printed")?;
            Ok(line.trim().parse()?)
        };
        least = Peak { all: number("peak")?.min(least.all), data: number("data")?.min(least.data) };
    }
    Ok(least)
}

/// The constraints of the kernels, as the plugin makes them.
fn polybench(project: &Project) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for source in files(&project.root.join("test/polybench"), "mlir")? {
        let printed = Command::new(llvm_tool("mlir-opt"))
            .arg(format!("--load-pass-plugin={}", project.plugin().display()))
            .arg("--poly-schedule=scheduler=none layout=none dump=constraints")
            .arg(&source)
            .args(["-o", "/dev/null"])
            .checked()?
            .stderr;
        for (region, text) in
            dumps(&printed, "constraints").into_iter().filter(|(region, _)| region.starts_with("kernel_"))
        {
            inputs.push(Input::save(project, FOLDER, (&region.replace([':', '_'], "-"), "sc"), &text)?);
        }
    }
    Ok(inputs)
}

/// The constraints of the papers' programs.
fn papers(project: &Project) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for folder in folders(&project.root.join("test/scop/papers"))? {
        for source in files(&folder, "scop")? {
            let program = project.target.join("release/polyrs");
            let text = Command::new(program).arg("schedule").arg(&source).arg("--constraints").checked()?.stdout;
            let name = format!("{}-{}", stem(&folder), stem(&source));
            inputs.push(Input::save(project, FOLDER, (&name, "sc"), &text)?);
        }
    }
    Ok(inputs)
}

/// isl's own inputs, from the source of the crate that carries it.
fn isl(project: &Project) -> Result<Vec<Input>> {
    // What other platforms need has perhaps never been fetched here.
    let platform = format!("--filter-platform={}-unknown-linux-gnu", std::env::consts::ARCH);
    let arguments = ["metadata", "--format-version=1", "--offline", &platform];
    let metadata = Command::cargo().args(arguments).directory(&project.root).checked()?.stdout;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let package = packages.iter().find(|package| package["name"] == "isl-rs").context("isl-rs is no dependency")?;
    let manifest = Path::new(package["manifest_path"].as_str().context("no manifest")?);
    let folder = manifest.with_file_name("isl/test_inputs/schedule");
    let inputs = files(&folder, "sc")?.into_iter();
    Ok(inputs.map(|path| Input { name: format!("isl-{}", stem(&path)), path }).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = read.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn line(measured: &Measured) -> String {
    let Measured { row, peaks } = measured;
    let time = |name| row.time(name).map_or("-".to_owned(), |seconds| format!("{:.3}", seconds * 1e3));
    let peak = |name| peaks.iter().find(|(n, _)| *n == name).map_or("-".to_owned(), |(_, peak)| peak.all.to_string());
    let ratio = row.ratio(OURS, BASE).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
    let phases: Vec<String> = row.phases.iter().map(|(phase, time)| format!("{phase} {time:.3}")).collect();
    format!(
        "{:<42} {:>10} {:>10} {ratio:>7} {:>9} {:>9}  {}{}",
        row.kernel,
        time(BASE),
        time(OURS),
        peak(BASE),
        peak(OURS),
        if is_slower(row) { "SLOWER " } else { "" },
        phases.join(", ")
    )
}

/// Whether an input breaks what is promised of single inputs.
fn is_slower(row: &Row) -> bool {
    match (row.time(BASE), row.time(OURS)) {
        (Some(base), Some(ours)) => ours > if base > LONG { base } else { base + SLACK },
        _ => false,
    }
}

/// The sum of the times of a scheduler over the inputs that both have.
fn sum(all: &[Measured], name: &str) -> f64 {
    let both = all.iter().filter(|m| m.row.time(BASE).is_some() && m.row.time(OURS).is_some());
    both.filter_map(|m| m.row.time(name)).sum()
}

/// The greatest peak of a scheduler.
fn peak(all: &[Measured], name: &str) -> Option<u64> {
    all.iter().flat_map(|m| &m.peaks).filter(|(n, _)| *n == name).map(|(_, peak)| peak.all).max()
}

/// Milliseconds of ours in each phase, over all inputs.
fn phases(all: &[Measured]) -> Vec<(String, f64)> {
    let mut sums: Vec<(String, f64)> = Vec::new();
    for (phase, time) in all.iter().flat_map(|m| &m.row.phases) {
        match sums.iter_mut().find(|(name, _)| name == phase) {
            Some((_, sum)) => *sum += time,
            None => sums.push((phase.clone(), *time)),
        }
    }
    sums
}

fn summarize(all: &[Measured]) {
    let rows: Vec<Row> = all.iter().map(|m| m.row.clone()).collect();
    let total = |name: &str| rows.iter().filter_map(|row| row.time(name)).sum::<f64>();
    println!("sum {BASE} {:.3} s, {OURS} {:.3} s", total(BASE), total(OURS));
    if let Some(mean) = geomean(&rows, OURS, BASE) {
        println!("{OURS}/{BASE}: sum {:.2}, geometric mean {mean:.2} times faster", sum(all, BASE) / sum(all, OURS));
        println!("slower than promised: {} of {}", rows.iter().filter(|row| is_slower(row)).count(), rows.len());
        for (phase, time) in phases(all) {
            println!("  {phase}: {time:.3} ms");
        }
    }
    for name in [BASE, OURS] {
        if let Some(kib) = peak(all, name) {
            println!("peak memory {name}: {kib} KiB");
        }
    }
    for (what, of) in
        [("all", (|peak| peak.all) as fn(Peak) -> u64), ("without the program's own pages", |peak| peak.data)]
    {
        let both = |m: &Measured| match m.peaks[..] {
            [(_, base), (_, ours)] => Some((of(base), of(ours))),
            _ => None,
        };
        let pairs: Vec<(u64, u64)> = all.iter().filter_map(both).collect();
        let more = pairs.iter().filter(|(base, ours)| ours > base).count();
        let (base, ours) = pairs.iter().fold((0, 0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
        let count = u64::try_from(pairs.len().max(1)).unwrap_or(1);
        println!(
            "peak memory, {what}: {BASE} {} KiB, {OURS} {} KiB on average; higher on {more} inputs",
            base / count,
            ours / count
        );
    }
}

fn write(project: &Project, all: &[Measured], repeat: u32) -> Result<()> {
    let folder = project.scratch("bench")?;
    let rows: Vec<Row> = all.iter().map(|m| m.row.clone()).collect();
    let mut facts = machine::describe(project);
    facts.insert("repeat".to_owned(), repeat.into());
    let mut value = to_json(facts, &rows, &[OURS], BASE);
    value["sum"] = json!({ BASE: sum(all, BASE), OURS: sum(all, OURS) });
    let peaks = |m: &Measured| {
        let mut object = Map::from_iter([("kernel".to_owned(), Value::from(m.row.kernel.as_str()))]);
        for (name, peak) in &m.peaks {
            object.insert((*name).to_owned(), json!(peak.all));
            object.insert(format!("{name}, data"), json!(peak.data));
        }
        Value::from(object)
    };
    value["peak_kib"] = all.iter().map(peaks).collect::<Vec<_>>().into();
    save(&folder.join("schedule.json"), &(serde_json::to_string_pretty(&value)? + "\n"))?;
    let mut groups: Vec<_> = rows.iter().map(|row| (row.kernel.clone(), vec![row.ratio(OURS, BASE)])).collect();
    groups.push(("geometric mean".to_owned(), vec![geomean(&rows, OURS, BASE)]));
    let chart = Chart {
        title: "Scheduling: times faster than isl",
        axis: "logarithmic; to the right of 1 is faster than isl",
        series: &[OURS],
        groups,
    };
    save(&folder.join("schedule.svg"), &chart.to_svg())
}

#[cfg(test)]
mod tests {
    use super::{BASE, Measured, OURS, Row, dumps, is_slower, line, phases, sum};

    fn measured(base: f64, ours: f64) -> Measured {
        let seconds = vec![(BASE, base), (OURS, ours)];
        let phases = vec![("ilp".to_owned(), 1.5)];
        Measured { row: Row { kernel: "k".into(), seconds, phases, ..Row::default() }, peaks: Vec::new() }
    }

    #[test]
    fn dumps_end_where_remarks_begin() {
        let printed =
            "# constraints of init:1\n{ a }\n# constraints of kernel_x:5\n{ b,\nc }\nf:1:1: remark: scop\n  ^\n";
        let expected = [("init:1", "{ a }\n"), ("kernel_x:5", "{ b,\nc }\n")];
        assert_eq!(dumps(printed, "constraints"), expected.map(|(region, text)| (region.to_owned(), text.to_owned())));
    }

    #[test]
    fn short_inputs_have_some_slack_and_long_ones_none() {
        assert!(is_slower(&measured(2e-3, 2.1e-3).row) && !is_slower(&measured(2e-3, 1.9e-3).row));
        assert!(is_slower(&measured(1e-4, 4e-4).row) && !is_slower(&measured(1e-4, 2e-4).row));
    }

    #[test]
    fn sums_are_over_what_both_scheduled() {
        let mut all = vec![measured(4.0, 1.0), measured(1.0, 1.0)];
        all[1].row.seconds.pop();
        assert!((sum(&all, BASE) - 4.0).abs() < 1e-12);
        assert_eq!(phases(&all), [("ilp".to_owned(), 3.0)]);
        assert!(line(&all[0]).contains("4.00") && line(&all[1]).contains(" - "));
    }
}
