//! Which machine code is made for, and `polyrs machine`.

use crate::failure::Failure;
use crate::output::print;
use clap::Args;
use polyrs::machine::{Choice, LoadError, Machine};

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
        self.choice().load().map_err(misplaced)
    }

    fn choice(&self) -> Choice {
        self.machine.as_deref().map_or_else(Choice::of_environment, Choice::of)
    }
}

fn misplaced(error: LoadError) -> Failure {
    Failure::Input(match error {
        LoadError::Parse { path, error } => format!("{}:{}:1: error: {}", path.display(), error.line, error.problem),
        other => format!("error: {other}"),
    })
}

/// Print what code is made for, and what follows from it
///
/// What is printed is a file for --machine; every key may be left out of such a file. For the machine that this runs
/// on, comments say what was detected and what is assumed.
#[derive(Debug, Args)]
pub struct MachineCommand {
    #[command(flatten)]
    machine: MachineChoice,
}

impl MachineCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let choice = self.machine.choice();
        let text = choice.to_text().map_err(misplaced)?;
        let machine = choice.load().map_err(misplaced)?;
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
}
