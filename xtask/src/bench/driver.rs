//! The benchmark `driver`: how long the driver takes with `scheduler=unified`, the default, against `scheduler=ppcg`,
//! side by side in one process.
//!
//! Counted is all that is done to have a tree to generate code from, beginning with the constraints: the relations of
//! proximity, scheduling, the post-tile phase, tiles and wavefronts, mapping, and the prediction of costs, for all
//! trees that compete. Not counted is what comes before and after any scheduler: dependences, constraints, the checker,
//! code generation.

use super::results::{Row, geomean, to_json};
use super::{chart::Chart, machine, save};
use crate::command::Command;
use crate::project::Project;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::path::Path;

/// Ours and the base, with one thread and with as many as there are.
const PAIRS: [(&str, &str); 2] = [("unified", "ppcg"), ("unified@2", "ppcg@2")];

/// The promise: ours takes at most so many times as long as the base (geometric mean).
const BAR: f64 = 2.0;

/// The phases that belong to the scheduler proper.
const SCHEDULER: [&str; 3] = ["proximity", "schedule", "post-tile"];

/// What one kernel took.
struct Measured {
    /// Seconds, all phases together.
    row: Row,
    /// Seconds of the scheduler proper, by the same names.
    proper: Row,
}

/// Measures the chosen kernels; whether all could be scheduled and the promise is kept.
///
/// # Errors
/// When the program cannot be built or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32) -> Result<bool> {
    let build = Command::cargo().args(["build", "--release", "--package", "polyrs-timing"]);
    build.directory(&project.root).checked()?;
    let kernels: Vec<String> =
        kernels(project)?.into_iter().filter(|k| names.is_empty() || names.contains(k)).collect();
    ensure!(!kernels.is_empty(), "there is no such kernel");
    println!(
        "milliseconds from constraints to the trees that compete, the fastest of at most {repeat} runs that take turns; x: times longer"
    );
    println!(
        "{:<16} {:>9} {:>9} {:>6} {:>9} {:>9} {:>6}  unified's phases",
        "kernel", "ppcg", "unified", "x", "ppcg@2", "unified@2", "x"
    );
    let mut good = true;
    let mut all = Vec::new();
    for kernel in kernels {
        match measure(project, &kernel, repeat) {
            Ok(measured) => {
                println!("{}", line(&measured.row));
                all.push(measured);
            }
            Err(error) => {
                eprintln!("FAIL {kernel}: {error:#}");
                good = false;
            }
        }
    }
    let rows: Vec<Row> = all.iter().map(|measured| measured.row.clone()).collect();
    let proper: Vec<Row> = all.into_iter().map(|measured| measured.proper).collect();
    good &= summarize(&rows, &proper);
    write(project, &rows, &proper, repeat)?;
    println!("written: target/bench/driver.json, target/bench/driver.svg");
    Ok(good)
}

/// The names of the kernels, without their expanded variants.
fn kernels(project: &Project) -> Result<Vec<String>> {
    let folder = project.root.join("test/polybench/scop");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".scop").filter(|name| !name.ends_with("-expanded")).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn measure(project: &Project, kernel: &str, repeat: u32) -> Result<Measured> {
    let program = project.target.join("release/driver_times");
    let file = project.root.join(format!("test/polybench/scop/{kernel}.scop"));
    let named = || Row { kernel: kernel.to_owned(), ..Row::default() };
    let mut measured = Measured { row: named(), proper: named() };
    for ((ours, base), parallel) in PAIRS.into_iter().zip(["false", "true"]) {
        let printed = times(&program, repeat, parallel, &file)?;
        for (name, scheduler) in [(base, "ppcg"), (ours, "unified")] {
            measured.row.seconds.push((name, sum(&printed, scheduler, |_| true)?));
            measured.proper.seconds.push((name, sum(&printed, scheduler, |phase| SCHEDULER.contains(&phase))?));
        }
        // The last pair's, which is the default's.
        measured.row.phases = phases(&printed, "unified")?;
    }
    Ok(measured)
}

fn times(program: &Path, repeat: u32, parallel: &str, file: &Path) -> Result<String> {
    Ok(Command::new(program).args([&repeat.to_string(), parallel]).arg(file).checked()?.stdout)
}

/// The phases of a scheduler in milliseconds, of lines `SCHEDULER PHASE SECONDS`.
fn phases(printed: &str, scheduler: &str) -> Result<Vec<(String, f64)>> {
    let mut phases = Vec::new();
    for words in printed.lines().map(|line| line.split(' ').collect::<Vec<_>>()) {
        if let [name, phase, seconds] = words.as_slice()
            && *name == scheduler
        {
            phases.push(((*phase).to_owned(), seconds.parse::<f64>()? * 1e3));
        }
    }
    Ok(phases)
}

/// The seconds of some phases of a scheduler.
fn sum(printed: &str, scheduler: &str, counts: impl Fn(&str) -> bool) -> Result<f64> {
    let phases = phases(printed, scheduler)?;
    ensure!(!phases.is_empty(), "no times of {scheduler} were printed");
    Ok(phases.iter().filter(|(phase, _)| counts(phase)).map(|(_, milliseconds)| milliseconds / 1e3).sum())
}

/// How many times as long as the base ours takes on average.
fn times_longer(rows: &[Row], (ours, base): (&'static str, &'static str)) -> Option<f64> {
    geomean(rows, ours, base).map(f64::recip)
}

fn line(row: &Row) -> String {
    let mut text = format!("{:<16}", row.kernel);
    for (ours, base) in PAIRS {
        let time = |name| row.time(name).unwrap_or(f64::NAN) * 1e3;
        text += &format!(" {:>9.2} {:>9.2} {:>6.2}", time(base), time(ours), time(ours) / time(base));
    }
    let phases: Vec<String> = row.phases.iter().map(|(phase, time)| format!("{phase} {time:.1}")).collect();
    text + "  " + &phases.join(", ")
}

/// Says the means; whether the promise is kept.
fn summarize(rows: &[Row], proper: &[Row]) -> bool {
    let mut good = true;
    for pair in PAIRS {
        let (ours, base) = pair;
        let Some(mean) = times_longer(rows, pair) else { continue };
        let total = |name: &str| rows.iter().filter_map(|row| row.time(name)).sum::<f64>();
        println!(
            "{ours} takes {mean:.2} times as long as {base} (geometric mean), in sum {:.3} s and {:.3} s",
            total(ours),
            total(base)
        );
        if let Some(mean) = times_longer(proper, pair) {
            println!("  {} alone: {mean:.2} times {base}'s schedule", SCHEDULER.join(", "));
        }
        if mean > BAR {
            println!("  SLOWER than promised, which is {BAR} times");
            good = false;
        }
    }
    good
}

fn write(project: &Project, rows: &[Row], proper: &[Row], repeat: u32) -> Result<()> {
    let folder = project.scratch("bench")?;
    let mut facts = machine::describe(project);
    facts.insert("repeat".to_owned(), repeat.into());
    let [(ours, base), (ours_parallel, base_parallel)] = PAIRS;
    let mut value = to_json(facts, rows, &[ours], base);
    value["geomean"][format!("{ours_parallel}/{base_parallel}")] = json!(geomean(rows, ours_parallel, base_parallel));
    let alone = PAIRS.map(|(ours, base)| (format!("{ours}/{base}"), geomean(proper, ours, base)));
    value["geomean_scheduler_alone"] = alone.into_iter().map(|(name, mean)| (name, json!(mean))).collect();
    save(&folder.join("driver.json"), &(serde_json::to_string_pretty(&value)? + "\n"))?;
    let ratios = |row: &Row| PAIRS.map(|(ours, base)| row.ratio(ours, base)).to_vec();
    let mut groups: Vec<_> = rows.iter().map(|row| (row.kernel.clone(), ratios(row))).collect();
    groups.push(("geometric mean".to_owned(), PAIRS.map(|(ours, base)| geomean(rows, ours, base)).to_vec()));
    let chart = Chart {
        title: "From constraints to trees: times faster than ppcg",
        axis: "logarithmic; to the right of 1 is faster than ppcg",
        series: &PAIRS.map(|(ours, _)| ours),
        groups,
    };
    save(&folder.join("driver.svg"), &chart.to_svg())
}

#[cfg(test)]
mod tests {
    use super::{PAIRS, Row, line, phases, sum, summarize};

    const PRINTED: &str =
        "ppcg schedule 0.001\nppcg map 0.002\nunified proximity 0.001\nunified schedule 0.002\nunified map 0.004\n";

    #[test]
    fn times_are_sums_of_phases() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(sum(PRINTED, "ppcg", |_| true).unwrap(), 0.003));
        assert!(near(sum(PRINTED, "unified", |phase| phase != "map").unwrap(), 0.003));
        assert!(sum(PRINTED, "pluto", |_| true).is_err());
        assert_eq!(phases(PRINTED, "ppcg").unwrap(), [("schedule".to_owned(), 1.0), ("map".to_owned(), 2.0)]);
    }

    #[test]
    fn the_promise_is_about_the_mean() {
        let row = |ours: f64| {
            let seconds = PAIRS.into_iter().flat_map(|(name, base)| [(name, ours), (base, 1.0)]).collect();
            Row { kernel: "k".into(), seconds, ..Row::default() }
        };
        assert!(line(&row(3.0)).contains(" 3.00"));
        assert!(!summarize(&[row(3.0)], &[row(3.0)]) && summarize(&[row(3.0), row(1.0)], &[row(1.0)]));
    }
}
