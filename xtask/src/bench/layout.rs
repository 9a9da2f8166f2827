//! The benchmark `layout`: layouts that are chosen together with schedules (`integrated`, that is `layout=auto`)
//! against the best schedule of the layout that a program has (`phased`), on C programs with arrays of structures and
//! arrays that are walked across their rows. `clang` is the same without the plugin.
//!
//! Every program runs its cases one after the other, and prints how long each took and a sum of all bits, which must be
//! the same whoever made the program: multiply-adds are not contracted.

use super::results::{Row, geomean, to_json};
use super::{chart::Chart, machine, save};
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const BASE: &str = "phased";
const OURS: &str = "integrated";
const CONFIGURATIONS: [(&str, Option<&str>); 3] = [("clang", None), (BASE, Some("none")), (OURS, Some("auto"))];

/// A program of one configuration.
struct Built {
    config: &'static str,
    path: PathBuf,
    /// What the plugin said.
    said: String,
}

/// Measures the chosen programs; whether all of a program's configurations have the same results.
///
/// # Errors
/// When a program cannot be built or run, or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32) -> Result<bool> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(project.root.join("test/structures"))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_wanted = names.is_empty() || names.contains(&name);
        if path.extension().is_some_and(|extension| extension == "c") && is_wanted {
            sources.push((name, path));
        }
    }
    ensure!(!sources.is_empty(), "there is no such program");
    sources.sort();
    println!("seconds, the fastest of {repeat} runs that take turns; x: times faster than {BASE}");
    println!(
        "MiB: the most memory that a case took besides what it had before, with {BASE} and with {OURS}; - for less than 1"
    );
    println!("{:<20} {:>12} {:>12} {:>12} {:>7} {:>8} {:>8}", "case", "clang", BASE, OURS, "x", "MiB", "MiB");
    let (mut good, mut rows) = (true, Vec::new());
    for (name, source) in &sources {
        let built = build(project, name, source)?;
        for built in built.iter().filter(|built| built.config == OURS) {
            built.said.lines().filter(|line| line.contains("layout: ")).for_each(|line| eprintln!("  {}", about(line)));
        }
        let (measured, same) = measure(&built, repeat)?;
        good &= same;
        for (row, memory) in measured {
            let time = |config| row.time(config).unwrap_or(f64::NAN);
            let ratio = row.ratio(OURS, BASE).unwrap_or(f64::NAN);
            let [clang, base, ours] = [time("clang"), time(BASE), time(OURS)];
            let [before, after] = [BASE, OURS].map(|config| memory.get(config).map_or(String::new(), |kib| mib(*kib)));
            println!("{:<20} {clang:>12.7} {base:>12.7} {ours:>12.7} {ratio:>7.2} {before:>8} {after:>8}", row.kernel);
            rows.push(row);
        }
    }
    for config in [OURS, "clang"] {
        println!("geometric mean {config}/{BASE}: {:.3}", geomean(&rows, config, BASE).unwrap_or(f64::NAN));
    }
    write(project, &rows, repeat)?;
    println!("written: target/bench/layout.json, target/bench/layout.svg");
    Ok(good)
}

/// What a remark says about layouts.
fn about(line: &str) -> &str {
    line.split_once("layout: ").map_or(line, |(_, about)| about)
}

fn build(project: &Project, name: &str, source: &Path) -> Result<Vec<Built>> {
    let folder = project.scratch("bench-layout")?;
    let mut all = Vec::new();
    for (config, layout) in CONFIGURATIONS {
        let path = folder.join(format!("{name}-{config}"));
        let mut command = Command::new(llvm_tool("clang")).args(["-O3", "-march=native", "-ffp-contract=off"]);
        if let Some(layout) = layout {
            command = command
                .arg(format!("-fpass-plugin={}", project.plugin().display()))
                .args(["-mllvm", &format!("-poly-schedule=layout={layout} time-budget-ms=60000")])
                .arg("-Rpass=poly-schedule");
        }
        let said = command.arg(source).arg("-o").arg(&path).checked()?.stderr;
        all.push(Built { config, path, said });
    }
    Ok(all)
}

/// Memory as text.
fn mib(kib: i64) -> String {
    if kib < 1 << 10 { "-".to_owned() } else { format!("{:.0}", kib as f64 / 1024.0) }
}

/// The most KiB that a case took, by configuration.
type Memory = BTreeMap<&'static str, i64>;

/// The cases of a program with their memory, and whether their results are the same.
fn measure(built: &[Built], repeat: u32) -> Result<(Vec<(Row, Memory)>, bool)> {
    let (mut rows, mut sums, mut same) = (Vec::<(Row, Memory)>::new(), Vec::<String>::new(), true);
    for _ in 0..repeat {
        // The machine's speed drifts, so the configurations take turns.
        for one in built {
            let printed = Command::new(&one.path).checked()?.stdout;
            for (case, line) in printed.lines().enumerate() {
                let mut words = line.split(' ');
                let mut word = || words.next().context("a case without a name, a time, a result and its memory");
                let (name, seconds, sum, kib) = (word()?, word()?.parse::<f64>()?, word()?, word()?.parse::<i64>()?);
                if rows.len() == case {
                    rows.push((Row { kernel: name.to_owned(), ..Row::default() }, Memory::new()));
                    sums.push(sum.to_owned());
                }
                let (row, memory) = &mut rows[case];
                let most = memory.entry(one.config).or_default();
                *most = kib.max(*most);
                if sums[case] != sum {
                    eprintln!("FAIL {name}: {} has another result", one.config);
                    same = false;
                }
                match row.seconds.iter_mut().find(|(known, _)| *known == one.config) {
                    Some((_, best)) => *best = best.min(seconds),
                    None => row.seconds.push((one.config, seconds)),
                }
            }
        }
    }
    Ok((rows, same))
}

fn write(project: &Project, rows: &[Row], repeat: u32) -> Result<()> {
    let folder = project.scratch("bench")?;
    let mut facts = machine::describe(project);
    facts.insert("repeat".to_owned(), json!(repeat));
    let configs = [OURS, "clang"];
    save(&folder.join("layout.json"), &serde_json::to_string_pretty(&to_json(facts, rows, &configs, BASE))?)?;
    let groups = rows.iter().map(|row| (row.kernel.clone(), vec![row.ratio(OURS, BASE), row.ratio("clang", BASE)]));
    let chart = Chart {
        title: "Layouts chosen with schedules: times faster than schedules alone",
        axis: "logarithmic; to the right of 1 is faster than the best schedule of the layout that is there",
        series: &configs,
        groups: groups.collect(),
    };
    save(&folder.join("layout.svg"), &chart.to_svg())
}
