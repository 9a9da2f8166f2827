//! The project's tasks: `cargo xtask setup | demo | test | bench | install | package | table | site |
//! screenshots | ci`.
//!
//! This program needs neither the core nor LLVM to be built, since it is what installs and builds them.

mod bench;
mod command;
mod contents;
mod copyright;
mod demo;
mod install;
mod package;
mod project;
mod runtime;
mod schedules;
mod screenshots;
mod setup;
mod site;
mod suite;
mod test;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Sets up, tests and measures polyrs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Installs what the build and the tests need (Debian 12); says nothing when all is there
    Setup(setup::Options),
    /// Builds everything and runs every check; the last line is `N passed, M failed`
    Test(test::Options),
    /// Sets up, builds, and shows one kernel before and after
    Demo,
    /// Measures; writes target/bench/NAME.json and NAME.svg
    Bench(bench::Options),
    /// Builds, and installs the plugin, the command and all that comes with them into a folder
    Install(install::Options),
    /// Builds, and packs the same for Debian and as an archive into target/package
    Package(package::Options),
    /// Writes the lifted kernels (test/polybench/scop) and the comparison of schedulers (docs/schedules.md) anew
    Table,
    /// Makes the documentation as a site (target/site/html), and checks its links
    Site,
    /// Takes pictures of reports about real projects, for docs/report.md (needs the network)
    Screenshots(screenshots::Options),
    /// Runs exactly what continuous integration runs: `.ci/run`
    Ci,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode> {
    let project = project::Project::find()?;
    match arguments.task {
        Task::Setup(options) => setup::run(&options).map(|()| ExitCode::SUCCESS),
        Task::Test(options) => test::run(&project, &options),
        Task::Demo => demo::run(&project),
        Task::Bench(options) => bench::run(&project, &options),
        Task::Install(options) => install::run(&project, &options).map(|()| ExitCode::SUCCESS),
        Task::Package(options) => package::run(&project, &options).map(|()| ExitCode::SUCCESS),
        Task::Table => {
            test::build(&project)?;
            schedules::run(&project, true).map(|_| ExitCode::SUCCESS)
        }
        Task::Site => site::run(&project).map(|()| ExitCode::SUCCESS),
        Task::Screenshots(options) => screenshots::run(&project, &options),
        Task::Ci => {
            let status = command::Command::new(project.root.join(".ci/run")).status()?;
            Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_unknown_level_is_an_error() {
        assert!(Arguments::try_parse_from(["xtask", "test", "--level", "quick"]).is_ok());
        assert!(Arguments::try_parse_from(["xtask", "test", "--level", "slow"]).is_err());
    }
}
