//! The benchmark `compile`: how long clang takes to compile PolyBench's programs at `-O3`, alone and with the plugin, and how large
//! the code is. Programs are in the style of PolyBench's own sources, with the sizes of LARGE; what initializes and prints arrays is
//! compiled along with the kernels.
//!
//! The plugin's share is what compiling takes with it beyond what clang takes alone. Each is the shortest of several runs in turns.

use super::results::{Row, to_json};
use super::{machine, save};
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::suite::clang::own_style;
use crate::suite::kernel::{self, Kernel, Size};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::time::Instant;

const BASE: &str = "clang";
const OURS: &str = "default";
const BEFORE: &str = "before";

/// A plugin and an option for it; none is clang alone.
struct Configuration {
    name: &'static str,
    plugin: Option<PathBuf>,
    option: Option<&'static str>,
}

/// What is to be measured.
pub struct Request<'r> {
    /// Only these kernels, if any is named.
    pub kernels: &'r [String],
    /// An earlier plugin to compare with.
    pub against: Option<&'r Path>,
    /// How many times each program is compiled.
    pub repeat: u32,
}

/// Measures the chosen kernels.
///
/// # Errors
/// An unknown name; when a program cannot be compiled or the results cannot be written.
pub fn run(project: &Project, request: &Request<'_>) -> Result<bool> {
    let configurations = configurations(project, request.against)?;
    let kernels = kernel::choose(kernel::read_all(&project.root.join("test/polybench"))?, request.kernels)?;
    println!("milliseconds, the shortest of {} runs; code: how many times as large as clang's", request.repeat);
    print!("{:<16}", "kernel");
    configurations.iter().for_each(|one| print!(" {:>12}", one.name));
    println!(" {:>8}", "code");
    let mut rows = Vec::new();
    for kernel in &kernels {
        let (row, growth) = measure(project, kernel, &configurations, request.repeat)?;
        print!("{:<16}", row.kernel);
        row.seconds.iter().for_each(|(_, seconds)| print!(" {:>12.0}", seconds * 1e3));
        println!(" {growth:>8.2}");
        rows.push(row);
    }
    for one in configurations.iter().filter(|one| one.name != BASE) {
        let share = |row: &Row| Some(row.time(one.name)? - row.time(BASE)?);
        let shares: f64 = rows.iter().filter_map(share).sum();
        println!("the plugin's share with {}: {shares:.2} s for {} kernels", one.name, rows.len());
    }
    let names: Vec<&str> = configurations.iter().map(|one| one.name).collect();
    let json = to_json(machine::describe(project), &rows, &names[1..], BASE);
    save(&project.scratch("bench")?.join("compile.json"), &(serde_json::to_string_pretty(&json)? + "\n"))?;
    println!("written: target/bench/compile.json");
    Ok(true)
}

fn configurations(project: &Project, against: Option<&Path>) -> Result<Vec<Configuration>> {
    let ours = |name, option| Configuration { name, plugin: Some(project.plugin()), option };
    let mut all = vec![
        Configuration { name: BASE, plugin: None, option: None },
        ours(OURS, None),
        ours("layout=none", Some("layout=none")),
    ];
    if let Some(plugin) = against {
        let plugin = plugin.canonicalize().with_context(|| format!("there is no plugin {}", plugin.display()))?;
        all.push(Configuration { name: BEFORE, plugin: Some(plugin), option: None });
    }
    Ok(all)
}

/// The times of a kernel, and how many times as large the code is with the plugin.
fn measure(project: &Project, kernel: &Kernel, configurations: &[Configuration], repeat: u32) -> Result<(Row, f64)> {
    let source = project.root.join(format!("test/c/{}.c", kernel.name));
    let flags = own_style(project, kernel, Size::Large)?;
    let folder = project.scratch("bench/compiled")?;
    let object = |name: &str| folder.join(format!("{}-{}.o", kernel.name, name.replace('=', "-")));
    let mut seconds: Vec<(&'static str, f64)> = configurations.iter().map(|one| (one.name, f64::INFINITY)).collect();
    for _ in 0..repeat {
        // The machine's speed drifts, so the configurations take turns.
        for (configuration, (_, best)) in configurations.iter().zip(&mut seconds) {
            let mut command = Command::new(llvm_tool("clang")).args(["-O3", "-march=native", "-c"]).args(&flags);
            if let Some(plugin) = &configuration.plugin {
                command = command.arg(format!("-fpass-plugin={}", plugin.display()));
            }
            if let Some(option) = configuration.option {
                command = command.args(["-mllvm".to_owned(), format!("-poly-schedule={option}")]);
            }
            let command = command.arg(&source).arg("-o").arg(object(configuration.name));
            let start = Instant::now();
            command.checked()?;
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    let growth = size(&object(OURS))? / size(&object(BASE))?.max(1.0);
    Ok((Row { kernel: kernel.name.clone(), seconds, ..Row::default() }, growth))
}

/// The bytes of an object's code and constants.
fn size(object: &Path) -> Result<f64> {
    let printed = Command::new(llvm_tool("llvm-size")).arg(object).checked()?.stdout;
    let text = printed.lines().nth(1).and_then(|line| line.split_whitespace().next());
    text.context("llvm-size printed no size")?.parse().context("llvm-size printed no number")
}
