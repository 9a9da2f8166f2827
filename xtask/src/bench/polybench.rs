//! The benchmark `polybench`: each kernel compiled by clang, by Polly and by the plugin with its schedulers, side by
//! side.
//!
//! `clang` is clang on the C program, its arrays `restrict` (but for the front end `own`); where the plugin sees the
//! MLIR programs, it is the faster of that and of clang on the MLIR program lowered without rescheduling but with the
//! same facts about aliasing that the plugin's result gets. Every configuration may contract multiply-adds.

use super::configurations::{Config, Frontend, Source, StrategyFile};
use super::program::{Program, pool_equal};
use super::ranking;
use super::report::Report;
use super::results::{Row, geomean};
use crate::project::Project;
use crate::suite::build::Builder;
use crate::suite::clang::{own_style, style_flags};
use crate::suite::kernel::{self, Kernel, Size};
use crate::suite::remarks::{self, Message};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Flags of every program.
const FLAGS: &[&str] = &["-O3", "-march=native"];

/// The base of all ratios.
const BASE: &str = "clang";

/// A built configuration.
struct Contestant {
    config: Config,
    program: Program,
}

/// What builds programs: with the plugin of this project, and with an earlier one.
struct Builders {
    now: Builder,
    before: Option<Builder>,
}

impl Builders {
    fn of(&self, config: &Config) -> &Builder {
        self.before.as_ref().filter(|_| config.is_before).unwrap_or(&self.now)
    }
}

/// What is to be measured.
pub struct Request<'r> {
    /// Where the plugin meets the kernels.
    pub frontend: Frontend,
    /// Only these kernels, if any is named.
    pub kernels: &'r [String],
    /// Only these configurations, if any is named.
    pub configs: &'r [String],
    /// Strategies, each a configuration more for one thread and two.
    pub strategies: &'r [StrategyFile],
    /// An earlier plugin to compare with.
    pub against: Option<&'r Path>,
    /// The sizes of the kernels.
    pub size: Size,
    /// How many times each program runs.
    pub repeat: u32,
    /// The table and the plot go to the documentation.
    pub documents: bool,
}

/// Measures the chosen kernels in the chosen configurations; whether every configuration built and agreed.
///
/// # Errors
/// An unknown name; when the suite cannot be read or the results cannot be written.
pub fn run(project: &Project, request: &Request<'_>) -> Result<bool> {
    let Request { frontend, repeat, .. } = *request;
    let mut compared = frontend.chosen(request.configs)?;
    compared.extend(request.strategies.iter().flat_map(StrategyFile::names));
    let kernels = kernel::choose(kernel::read_all(&project.root.join("test/polybench"))?, request.kernels)?;
    let mut builders = Builders { now: Builder::new(project, "bench/programs", FLAGS)?, before: None };
    if let Some(plugin) = request.against {
        let plugin = plugin.canonicalize().with_context(|| format!("there is no plugin {}", plugin.display()))?;
        builders.before = Some(Builder::new(project, "bench/programs-before", FLAGS)?.plugin(plugin));
        compared = Frontend::beside_before(&compared);
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut good = true;
    let bases = frontend.bases().join(" and ");
    println!("seconds, the fastest of {repeat} runs; x: times faster than {BASE}, the fastest of {bases}");
    println!("{}", header(frontend.bases(), &compared));
    for (index, kernel) in kernels.iter().enumerate() {
        eprint!("[{}/{}] {}: build", index + 1, kernels.len(), kernel.name);
        let (row, complaints) = measure(project, &builders, kernel, request, &compared)?;
        eprintln!();
        for complaint in &complaints {
            eprintln!("FAIL {}: {complaint}", kernel.name);
        }
        good &= complaints.is_empty();
        println!("{}", line(&row, frontend.bases(), &compared));
        rows.push(row);
        // Written after each kernel, so that a run that is cut short leaves what it has.
        write(project, &rows, &compared, request, request.documents && rows.len() == kernels.len())?;
    }
    for config in &compared {
        if let Some(mean) = geomean(&rows, config, BASE) {
            println!("geometric mean {config}/{BASE}: {mean:.3}");
        }
    }
    for (now, before) in [("default", "before"), ("default@2", "before@2")] {
        if let Some(mean) = geomean(&rows, now, before) {
            println!("geometric mean {now}/{before}: {mean:.3}");
        }
    }
    println!("the cost model, configurations of a kernel: {}", ranking::among_configurations(&rows, BASE));
    for config in compared.iter().filter(|config| rows.iter().any(|row| row.predicts(config))) {
        println!("the cost model, kernels of {config}: {}", ranking::among_kernels(&rows, config, BASE));
    }
    let file = frontend.file();
    println!("written: target/bench/{file}.json, target/bench/{file}.svg");
    Ok(good)
}

/// Builds all configurations of a kernel, checks that they agree, and runs them in turn.
fn measure(
    project: &Project,
    builders: &Builders,
    kernel: &Kernel,
    request: &Request<'_>,
    compared: &[&'static str],
) -> Result<(Row, Vec<String>)> {
    let Request { frontend, size, repeat, .. } = *request;
    let mut row = Row { kernel: kernel.name.clone(), ..Row::default() };
    let mut complaints = Vec::new();
    let mut contestants = Vec::new();
    for config in frontend.configurations(compared, request.strategies) {
        match build(project, builders.of(&config), kernel, request, &config) {
            Ok((program, said)) => {
                if config.name == "default" {
                    row.phases = phases(&said);
                }
                row.predicted.extend(ranking::predicted(&said).map(|ratio| (config.name, ratio)));
                let program = Program::new(program, sizes_of(&config, kernel, size), config.threads);
                contestants.push(Contestant { config, program });
            }
            Err(error) => complaints.push(format!("{}: {error:#}", config.name)),
        }
    }
    let mut reference = None;
    contestants.retain_mut(|contestant| {
        eprint!(" {}", contestant.config.name);
        match contestant.program.first_run(kernel.element, &mut reference) {
            Ok(()) => true,
            Err(error) => {
                complaints.push(format!("{}: {error:#}", contestant.config.name));
                false
            }
        }
    });
    // The machine's speed drifts, so the configurations take turns.
    for round in 1..repeat {
        eprint!(" {}/{repeat}", round + 1);
        for contestant in &mut contestants {
            contestant.program.run_again()?;
        }
    }
    pool_equal(&mut contestants.iter_mut().map(|contestant| &mut contestant.program).collect::<Vec<_>>())?;
    row.seconds = contestants.iter().map(|c| (c.config.name, c.program.best)).collect();
    let base = frontend.bases().iter().filter_map(|base| row.time(base)).reduce(f64::min);
    row.seconds.extend(base.map(|base| (BASE, base)));
    Ok((row, complaints))
}

fn build(
    project: &Project,
    builder: &Builder,
    kernel: &Kernel,
    request: &Request<'_>,
    config: &Config,
) -> Result<(PathBuf, String)> {
    match &config.source {
        Source::Mlir(recipe) => {
            let source = project.root.join(format!("test/polybench/{}.mlir", kernel.name));
            let (program, said) = builder.build_mlir(&source, recipe)?;
            let text = std::fs::read_to_string(&source)?;
            let about = remarks::of_function(&remarks::parse(&said), &text, &kernel.function());
            let refused = about.iter().find_map(|remark| match &remark.message {
                Message::Refused(reason) => Some(reason),
                Message::Found { .. } => None,
            });
            ensure!(refused.is_none(), "refused: {}", refused.map_or("", String::as_str));
            Ok((program, said))
        }
        Source::C(flags) => {
            let (source, defines) = c_program(project, kernel, request)?;
            let flags = defines.into_iter().chain(flags.iter().map(|&flag| flag.to_owned())).collect::<Vec<_>>();
            Ok((builder.build_c(&source, config.name, &flags)?, String::new()))
        }
        Source::Plugin(options) => {
            let (source, defines) = c_program(project, kernel, request)?;
            builder.build_c_with_plugin(&source, config.name, &defines, options)
        }
    }
}

/// The C program of a kernel, and what chooses its sizes.
fn c_program(project: &Project, kernel: &Kernel, request: &Request<'_>) -> Result<(PathBuf, Vec<String>)> {
    let source = project.root.join(format!("test/c/{}.c", kernel.name));
    let flags = match request.frontend {
        Frontend::Own => own_style(project, kernel, request.size)?,
        Frontend::Clang | Frontend::Mlir => style_flags(kernel, "fixed", request.size),
    };
    Ok((source, flags))
}

/// The argument that sets the sizes; a C program has them compiled in.
fn sizes_of(config: &Config, kernel: &Kernel, size: Size) -> Option<String> {
    match config.source {
        Source::Mlir(_) => kernel.sizes_argument(size),
        Source::C(_) | Source::Plugin(_) => None,
    }
}

/// The plugin's milliseconds by phase, over all regions of the file, from its log: `polyrs::time: lift=1.5ms ...`.
pub fn phases(said: &str) -> Vec<(String, f64)> {
    let mut sums: Vec<(String, f64)> = Vec::new();
    let logs = said.lines().filter_map(|line| line.split_once("polyrs::time: "));
    for (phase, time) in logs.flat_map(|(_, times)| times.split(' ')).filter_map(|word| word.split_once('=')) {
        let Some(time) = time.strip_suffix("ms").and_then(|time| time.parse::<f64>().ok()) else { continue };
        match sums.iter_mut().find(|(name, _)| *name == phase) {
            Some((_, sum)) => *sum += time,
            None => sums.push((phase.to_owned(), time)),
        }
    }
    sums
}

fn header(bases: &[&str], compared: &[&str]) -> String {
    let mut text = format!("{:<15}", "kernel");
    for config in [&[BASE], bases].concat() {
        text += &format!(" {config:>10}");
    }
    for config in compared {
        text += &format!(" {config:>10} {:>6}", "x");
    }
    text + "  plugin"
}

fn line(row: &Row, bases: &[&str], compared: &[&str]) -> String {
    let time = |config: &str| row.time(config).map_or("-".to_owned(), format_seconds);
    let mut text = format!("{:<15}", row.kernel);
    for config in [&[BASE], bases].concat() {
        text += &format!(" {:>10}", time(config));
    }
    for config in compared {
        let ratio = row.ratio(config, BASE).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        text += &format!(" {:>10} {ratio:>6}", time(config));
    }
    let phases: Vec<String> = row.phases.iter().map(|(phase, time)| format!("{phase} {time:.1}")).collect();
    if phases.is_empty() { text } else { text + "  " + &phases.join(", ") + " ms" }
}

/// Seconds with four decimals, or as many as a short time needs.
fn format_seconds(seconds: f64) -> String {
    if seconds < 0.01 { format!("{seconds:.7}") } else { format!("{seconds:.4}") }
}

fn write(
    project: &Project,
    rows: &[Row],
    compared: &[&'static str],
    request: &Request<'_>,
    documents: bool,
) -> Result<()> {
    let Request { frontend, size, repeat, .. } = *request;
    let size = format!("{size:?}").to_lowercase();
    let chosen: String = request.configs.iter().map(|config| format!(" --config {config}")).collect();
    let own = frontend.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let report = Report {
        name: frontend.file(),
        title: "PolyBench: times faster than clang -O3 -march=native",
        command: format!(
            "cargo xtask bench polybench --frontend {own} --size {size} --repeat {repeat}{chosen} --documents"
        ),
        axis: "logarithmic; to the right of 1 is faster than clang",
        base: BASE,
        compared,
        others: frontend.bases(),
        facts: [("size".to_owned(), size.into()), ("repeat".to_owned(), repeat.into())].into_iter().collect(),
        columns: &[("expected (x)", &|row| row.predicted.first().map(|(_, ratio)| format!("{ratio:.1}")))],
    };
    report.write(project, rows, documents)
}

#[cfg(test)]
mod tests {
    use super::{Frontend, Row, header, line, phases};

    #[test]
    fn lines_stand_under_their_header() {
        let seconds = vec![("clang-c", 0.1), ("clang-mlir", 0.2), ("clang", 0.1), ("default", 0.05)];
        let row = Row { kernel: "gemm".into(), seconds, ..Row::default() };
        let (bases, compared) = (Frontend::Mlir.bases(), Frontend::Mlir.compared());
        let (header, line) = (header(bases, compared), line(&row, bases, compared));
        assert_eq!(header.find("default").map(|at| at + 7), line.find("0.0500").map(|at| at + 6));
        assert!(line.contains("2.00"));
    }

    #[test]
    fn phases_of_several_regions_add_up() {
        let said = " INFO polyrs::time: lift=1ms check=2.5ms\nin.mlir:1:1: remark: x=4ms\n\
                    DEBUG polyrs::time: lift=3ms emit=4ms regions=1\n";
        let expected = [("lift", 4.0), ("check", 2.5), ("emit", 4.0)].map(|(phase, ms)| (phase.to_owned(), ms));
        assert_eq!(phases(said), expected);
    }
}
