//! `cargo xtask test`: every check of the project, from formatting to compiled kernels.

mod campaigns;
mod counts;
mod memory;
mod package;
mod packages;
mod report;
mod steps;

pub use counts::Counts;
pub use steps::build;

use crate::project::Project;
use crate::setup;
use anyhow::{Result, bail};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use steps::{BUILD, STEPS, Step};

/// How much to run; each level holds the ones before it.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Style, unit tests, IR tests
    Quick,
    /// And the documentation and the compiled suites
    Full,
    /// And memory checks
    Long,
}

/// Options of `cargo xtask test`.
#[derive(clap::Args)]
pub struct Options {
    /// How much to run
    #[arg(long, value_enum, default_value_t = Level::Full)]
    level: Level,
    /// Go on after a step that fails
    #[arg(long)]
    keep_going: bool,
    /// Run only this step, whatever its level (may be given several times; `--list` names them)
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
    /// List the steps and stop
    #[arg(long)]
    list: bool,
}

/// What became of one step.
struct Finished {
    step: &'static Step,
    counts: Counts,
    time: Duration,
}

/// Runs the chosen steps; the last line printed is `N passed, M failed`.
///
/// # Errors
/// When the options make no sense. A failing step, set-up included, is a failing exit code.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    if options.list {
        for step in STEPS {
            println!("{:<10} {:<6} {}", step.name, level_name(step.level), step.what);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = choose(options)?;
    let mut finished: Vec<Finished> = Vec::new();
    let memory_check = chosen.iter().any(|step| step.level == Level::Long);
    let mut total = Counts::default();
    if let Err(error) = setup::run(&setup::Options { memory_check, check: false }) {
        eprintln!("error: set-up: {error:#}");
        total.failed += 1;
    } else {
        for step in &chosen {
            let done = run_step(project, step);
            total += done.counts;
            let failed = done.counts.failed > 0;
            finished.push(done);
            if failed && !options.keep_going {
                break;
            }
        }
    }
    print_summary(&finished, &chosen);
    if total.passed + total.failed == 0 && chosen.iter().any(|step| step.tests) {
        eprintln!("error: no test was run");
        total.failed += 1;
    }
    println!("{total}");
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The steps that the options ask for, and the build where a step would else run an old one, in the order of the table.
fn choose(options: &Options) -> Result<Vec<&'static Step>> {
    for name in &options.only {
        if !STEPS.iter().any(|step| step.name == name) {
            let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
            bail!("there is no step `{name}`; the steps are {}", names.join(", "));
        }
    }
    Ok(STEPS
        .iter()
        .filter(|step| match options.only.as_slice() {
            [] => step.level <= options.level,
            only => only.iter().any(|name| name == step.name) || step.name == BUILD && uses_build(only),
        })
        .collect())
}

fn uses_build(only: &[String]) -> bool {
    STEPS.iter().any(|step| step.built && only.iter().any(|name| name == step.name))
}

fn run_step(project: &Project, step: &'static Step) -> Finished {
    println!("\n=== {}: {}", step.name, step.what);
    let start = Instant::now();
    let mut counts = (step.run)(project).unwrap_or_else(|error| {
        eprintln!("error: {}: {error:#}", step.name);
        Counts::failure()
    });
    if step.tests && counts.passed + counts.failed == 0 {
        eprintln!("error: {}: no test was found", step.name);
        counts = Counts::failure();
    }
    let time = start.elapsed();
    println!("--- {}: {} in {:.1} s", step.name, counts.describe(), time.as_secs_f64());
    Finished { step, counts, time }
}

fn print_summary(finished: &[Finished], chosen: &[&Step]) {
    println!("\n=== summary");
    for done in finished {
        let time = done.time.as_secs_f64();
        println!("{:<10} {:>7.1} s  {}", done.step.name, time, done.counts.describe());
    }
    for step in &chosen[finished.len()..] {
        println!("{:<10} {:>9}  not run", step.name, "");
    }
}

fn level_name(level: Level) -> String {
    format!("{level:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Level, Options, choose};

    fn options(level: Level, only: &[&str]) -> Options {
        let only = only.iter().map(|name| (*name).to_owned()).collect();
        Options { level, keep_going: false, only, list: false }
    }

    #[test]
    fn each_level_holds_the_one_before() {
        let names =
            |level| -> Vec<&str> { choose(&options(level, &[])).unwrap().iter().map(|step| step.name).collect() };
        let (quick, full, long) = (names(Level::Quick), names(Level::Full), names(Level::Long));
        assert!(quick.iter().all(|name| full.contains(name)));
        assert!(full.iter().all(|name| long.contains(name)));
        assert!(quick.len() < full.len());
    }

    #[test]
    fn a_step_can_be_chosen_alone_and_must_exist() {
        let chosen = choose(&options(Level::Quick, &["docs"])).unwrap();
        assert_eq!(chosen.iter().map(|step| step.name).collect::<Vec<_>>(), ["docs"]);
        assert!(choose(&options(Level::Quick, &["dcos"])).is_err());
    }

    #[test]
    fn what_runs_the_plugin_builds_it_first() {
        let chosen = choose(&options(Level::Quick, &["valgrind", "lit"])).unwrap();
        assert_eq!(chosen.iter().map(|step| step.name).collect::<Vec<_>>(), ["build", "lit", "valgrind"]);
    }
}
