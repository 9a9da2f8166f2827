//! Which machine code is made for, and `polyrs machine`.

use crate::failure::Failure;
use crate::measure;
use crate::output::print;
use clap::Args;
use polyrs::machine::{Choice, ENVIRONMENT, LoadError, Machine};

/// The machine that code is made for.
#[derive(Debug, Args)]
pub struct MachineChoice {
    /// The machine that code is made for: the one that this runs on, an assumed one, or one that a file describes.
    /// `host+sm_80` and the like add a GPU. Default: what POLYRS_MACHINE says, or else host
    #[arg(long, value_name = "host|generic|FILE")]
    machine: Option<String>,
}

impl MachineChoice {
    /// Its description.
    pub fn load(&self) -> Result<Machine, Failure> {
        self.choice().load().map_err(|error| self.misplaced(error))
    }

    fn choice(&self) -> Choice {
        self.machine.as_deref().map_or_else(Choice::of_environment, Choice::of)
    }

    /// What is wrong with it, and who names it.
    fn misplaced(&self, error: LoadError) -> Failure {
        let source = if self.machine.is_some() { "--machine" } else { ENVIRONMENT };
        Failure::Input(match error {
            LoadError::Parse { path, error } => {
                format!("{}:{}:1: error: {}", path.display(), error.line, error.problem)
            }
            other => format!("error: {source}: {other}"),
        })
    }
}

/// Print what code is made for, and what follows from it
///
/// What is printed is a file for --machine; every key may be left out of such a file. For the machine that this runs
/// on, comments say what was detected, what is assumed, and with --measure what was measured.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  polyrs machine --measure > host.machine
  POLYRS_MACHINE=host.machine polyrs candidates gemm.scop")]
pub struct MachineCommand {
    #[command(flatten)]
    machine: MachineChoice,
    /// Measure the times of the machine that this runs on, and the sizes of caches that can be used, whatever
    /// POLYRS_MACHINE says. It takes up to a minute, in which nothing else should run
    #[arg(long)]
    measure: bool,
}

impl MachineCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let (text, machine) = if self.measure {
            self.measure()?
        } else {
            let choice = self.machine.choice();
            let told = |error| self.machine.misplaced(error);
            (choice.to_text().map_err(told)?, choice.load().map_err(told)?)
        };
        let follows = [
            ("tile size", machine.tile_size().to_string()),
            ("strip length", machine.strip_length().to_string()),
            ("register limit (h_lim)", machine.register_limit().to_string()),
            ("doubles in a vector", machine.lanes(8).to_string()),
            ("parallel threshold at run time", machine.parallel_threshold().to_string()),
        ];
        let follows: String = follows.iter().map(|(name, value)| format!("# {name}: {value}\n")).collect();
        print(&format!("{text}# What follows, unless it is chosen otherwise:\n{follows}"))
    }

    /// The host as it is measured, and the GPU that it is named with.
    fn measure(&self) -> Result<(String, Machine), Failure> {
        let choice = self.machine.machine.as_deref().map_or(Choice::Host, Choice::of);
        let gpu = match &choice {
            Choice::Host | Choice::HostWithGpu(_) => choice.load().map_err(|error| self.machine.misplaced(error))?.gpu,
            Choice::Generic | Choice::GenericWithGpu(_) | Choice::File(_) => {
                let problem = "error: --measure is about the machine that this runs on: \
                               leave out --machine, or say host; what is printed can be changed as a file";
                return Err(Failure::Input(problem.to_owned()));
            }
        };
        if cfg!(debug_assertions) {
            let problem = "error: this command was not built to be fast, and would measure its own checks: \
                           build it with `cargo build --release`";
            return Err(Failure::Failed(problem.to_owned()));
        }
        let measured = measure::measure(Machine::host(), gpu);
        Ok((measured.to_text(), measured.machine))
    }
}
