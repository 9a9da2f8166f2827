//! The benchmark `figures`: Figures 9, 10 and 11 of Shirako and Sarkar 2019, which are three layouts and orders of one
//! product, on the machine at hand. As the paper prints them, in tiles, by clang alone; and as the plugin makes them of
//! Figure 1 when it is told the layout, with blocks for registers and without, beside what it chooses by itself.
//! Reductions may be reordered. Copies are part of every time, and all versions have the same bits.

use super::results::{Row, to_json};
use super::{chart::Chart, machine, save};
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

const SOURCE: &str = "test/figures/product.c";
const BASE: &str = "as it is";

/// Layouts that the plugin is told: their names, without blocks as well, and what the annotation says; `PARTS` is the number of
/// partial sums.
const LAYOUTS: [[&str; 3]; 5] = [
    [BASE, "as it is, no blocks", ""],
    ["A transposed", "A transposed, no blocks", r#""map(in: arg6(i, k) -> (0, k, i align 8))""#],
    ["B transposed (9)", "B transposed (9), no blocks", r#""map(in: arg7(k, j) -> (0, j, k align 8))""#],
    ["partial sums", "partial sums, no blocks", r#""reduce(arg5, PARTS)""#],
    [
        "partial sums, A transposed (11)",
        "partial sums, A transposed (11), no blocks",
        r#""reduce(arg5, PARTS)","map(in: arg6(i, k) -> (0, k, i align 8))""#,
    ],
];

/// What the paper prints.
const WRITTEN: [(&str, u32); 3] =
    [("figure 9 as written", 9), ("figure 10 as written", 10), ("figure 11 as written", 11)];

/// A program.
struct Version {
    name: &'static str,
    path: PathBuf,
    /// The fastest run.
    seconds: f64,
}

/// Measures all versions on so many threads; whether they have the same results.
///
/// # Errors
/// When a version cannot be built or run, has not the layout that it was told, or the results cannot be written.
pub fn run(project: &Project, repeat: u32, threads: usize) -> Result<bool> {
    let mut versions = Vec::new();
    for (name, figure) in WRITTEN {
        versions.push(build(project, name, &[format!("-DWRITTEN={figure}")], None)?);
    }
    for [blocks, plain, maps] in LAYOUTS {
        // The annotation asks for at least two.
        let maps = maps.replace("PARTS", &threads.max(2).to_string());
        let defines = if maps.is_empty() { Vec::new() } else { vec![format!("-DMAPS={maps}")] };
        for (name, options) in [(blocks, "layout=none"), (plain, "layout=none register-tiles=false")] {
            versions.push(build(project, name, &defines, Some(options))?);
        }
    }
    versions.push(build(project, "integrated", &[], Some("layout=auto"))?);
    let same = measure(&mut versions, repeat, threads)?;
    let row = Row {
        kernel: "product".to_owned(),
        seconds: versions.iter().map(|version| (version.name, version.seconds)).collect(),
        ..Row::default()
    };
    println!("seconds, the fastest of {repeat} runs that take turns, {threads} threads; x: times faster than `{BASE}`");
    println!("{:<45} {:>10} {:>6}", "version", "seconds", "x");
    for Version { name, seconds, .. } in &versions {
        let ratio = row.ratio(name, BASE).unwrap_or(f64::NAN);
        println!("{name:<45} {seconds:>10.4} {ratio:>6.2}");
    }
    write(project, &row, repeat, threads)?;
    println!("written: target/bench/figures.json, target/bench/figures.svg");
    Ok(same)
}

fn build(project: &Project, name: &'static str, defines: &[String], options: Option<&str>) -> Result<Version> {
    let file: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let path = project.scratch("bench-figures")?.join(file);
    let mut command = Command::new(llvm_tool("clang")).args(["-O3", "-march=native", "-ffast-math", "-fopenmp"]);
    if let Some(options) = options {
        let options = format!("-poly-schedule={options} parallel=true time-budget-ms=60000");
        let plugin = format!("-fpass-plugin={}", project.plugin().display());
        command = command.args([plugin.as_str(), "-mllvm", &options, "-Rpass=poly-schedule"]);
    }
    let said = command.args(defines).arg(project.root.join(SOURCE)).arg("-o").arg(&path).checked()?.stderr;
    let has_layout = said.lines().any(|line| line.contains("scop: product") && line.contains(" layout=1"));
    let is_told = defines.iter().any(|define| define.starts_with("-DMAPS"));
    ensure!(has_layout || !is_told, "{name}: the layout was not taken:\n{said}");
    Ok(Version { name, path, seconds: f64::INFINITY })
}

/// The fastest runs; whether all results are the same.
fn measure(versions: &mut [Version], repeat: u32, threads: usize) -> Result<bool> {
    let (mut reference, mut same) = (None, true);
    for _ in 0..repeat {
        // The machine's speed drifts, so versions take turns.
        for version in &mut *versions {
            let printed = Command::new(&version.path).env("OMP_NUM_THREADS", threads.to_string()).checked()?.stdout;
            let mut words = printed.split_whitespace().skip(1);
            let seconds: f64 = words.next().context("no time was printed")?.parse()?;
            let sum = words.next().context("no result was printed")?.to_owned();
            version.seconds = version.seconds.min(seconds);
            if *reference.get_or_insert_with(|| sum.clone()) != sum {
                eprintln!("FAIL {} has another result", version.name);
                same = false;
            }
        }
    }
    Ok(same)
}

fn write(project: &Project, row: &Row, repeat: u32, threads: usize) -> Result<()> {
    let folder = project.scratch("bench")?;
    let mut facts = machine::describe(project);
    facts.insert("repeat".to_owned(), repeat.into());
    facts.insert("threads".to_owned(), threads.into());
    let configs: Vec<&str> = row.seconds.iter().map(|(name, _)| *name).filter(|name| *name != BASE).collect();
    let json = to_json(facts, std::slice::from_ref(row), &configs, BASE);
    save(&folder.join("figures.json"), &(serde_json::to_string_pretty(&json)? + "\n"))?;
    let chart = Chart {
        title: "Figures 9, 10 and 11: times faster than the product with its own layout",
        axis: "logarithmic; to the right of 1 is faster than the product as it is, with blocks for registers",
        series: &["measured"],
        groups: configs.iter().map(|config| ((*config).to_owned(), vec![row.ratio(config, BASE)])).collect(),
    };
    save(&folder.join("figures.svg"), &chart.to_svg())
}
