//! The command `polyrs`: every stage runs alone from a `.scop` text.

#![forbid(unsafe_code)]

mod by_hand;
mod candidates;
mod cat;
mod check;
mod choices;
mod codegen;
mod compare;
mod dependences;
mod doctor;
mod draw;
mod explain;
mod failure;
mod input;
mod kernels;
mod layout;
mod machine;
mod manual;
mod matching;
mod measure;
mod output;
mod proximity;
mod reduce;
mod report;
mod request;
mod run;
mod schedule;
mod shared;
mod strategies;
mod tune;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use failure::Failure;
use manual::Manual;
use polyrs::log_filter;
use polyrs::text_file::why;
use std::io::ErrorKind;
use std::process::ExitCode;

/// Polyhedral loop optimizer: runs one stage on a region written as text.
///
/// Input is a `.scop` file: YAML that holds sets and relations in isl notation. A file name of `-` is standard input.
/// Results go to standard output, everything else to standard error. Set POLYRS_LOG=debug to see what happens.
#[derive(Debug, Parser)]
#[command(name = "polyrs", version, after_help = "Exit code: 0 good, 1 illegal or failed, 2 bad input or usage.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Candidates(candidates::Candidates),
    Cat(cat::Cat),
    Dependences(dependences::DependencesCommand),
    #[command(alias = "locality")]
    Proximity(proximity::ProximityCommand),
    Schedule(schedule::ScheduleCommand),
    Explain(explain::Explain),
    Kernels(kernels::Kernels),
    Layout(layout::LayoutCommand),
    Check(check::Check),
    Codegen(codegen::Codegen),
    Draw(draw::Draw),
    Compare(compare::Compare),
    Match(matching::Match),
    Reduce(reduce::Reduce),
    Run(run::Run),
    Try(by_hand::Try),
    Strategies(strategies::Strategies),
    #[command(visible_alias = "target")]
    Machine(machine::MachineCommand),
    Report(report::ReportCommand),
    Tune(tune::TuneCommand),
    Doctor(doctor::Doctor),
}

/// What is asked for.
enum Request {
    Command(Command),
    /// The pages and completions of `Arguments`, which do not speak of it: it is for who makes packages.
    Manual(Manual),
}

impl Request {
    /// Reads the command line.
    fn read() -> Result<Self, clap::Error> {
        let manual = Manual::augment_args(clap::Command::new("manual")).hide(true);
        let matches = Arguments::command().subcommand(manual).try_get_matches()?;
        match matches.subcommand() {
            Some(("manual", matches)) => Manual::from_arg_matches(matches).map(Request::Manual),
            _ => Arguments::from_arg_matches(&matches).map(|arguments| Request::Command(arguments.command)),
        }
    }
}

/// Tells what is wrong with a command line, or the help that it asks for.
fn tell(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(problem) if problem.kind() != ErrorKind::BrokenPipe && !error.use_stderr() => {
            eprintln!("error: standard output: {}", why(&problem));
            ExitCode::FAILURE
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

fn main() -> ExitCode {
    if let Some(wrong) = std::env::var(log_filter::VARIABLE).ok().and_then(|value| log_filter::complaint(&value)) {
        eprintln!("warning: {wrong}");
    }
    let filter = tracing_subscriber::EnvFilter::try_from_env(log_filter::VARIABLE).unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let outcome = match Request::read() {
        Ok(Request::Manual(manual)) => manual.run(Arguments::command()),
        Ok(Request::Command(command)) => run(command),
        Err(error) => return tell(&error),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            failure.code()
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Candidates(command) => command.run(),
        Command::Cat(command) => command.run(),
        Command::Dependences(command) => command.run(),
        Command::Proximity(command) => command.run(),
        Command::Schedule(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Kernels(command) => command.run(),
        Command::Layout(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Codegen(command) => command.run(),
        Command::Draw(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Match(command) => command.run(),
        Command::Reduce(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Try(command) => command.run(),
        Command::Strategies(command) => command.run(),
        Command::Machine(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Tune(command) => command.run(),
        Command::Doctor(command) => command.run(),
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use clap::CommandFactory;

    #[test]
    fn arguments_do_not_clash() {
        Arguments::command().debug_assert();
    }
}
