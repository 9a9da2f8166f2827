//! `polyrs strategies`.

use crate::failure::Failure;
use crate::machine::MachineChoice;
use crate::output::print;
use clap::Args;
use polyrs::schedule::Strategy;
use std::fmt::Write as _;

/// List the strategies that come with the scheduler, or print one of them
///
/// What is printed is a file for --strategy, which says what is different from the one that it begins with. Every key may
/// be left out of such a file; docs/strategies.md has an example for each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  polyrs strategies
  polyrs strategies pluto > mine.toml
  polyrs schedule gemm.scop --strategy=mine.toml")]
pub struct Strategies {
    /// The one to print
    name: Option<String>,
    /// Print all of its choices, with what it begins with, for the machine that code is made for
    #[arg(long, requires = "name")]
    whole: bool,
    #[command(flatten)]
    machine: MachineChoice,
}

impl Strategies {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let Some(name) = &self.name else { return print(&list()) };
        let Some(text) = Strategy::preset_text(name) else {
            let names: Vec<&str> = Strategy::presets().collect();
            return Err(Failure::Input(format!("error: no strategy is called {name}; there are {}", names.join(", "))));
        };
        if !self.whole {
            return print(text);
        }
        let strategy = Strategy::preset(name, &self.machine.load()?);
        print(&strategy.map(|strategy| strategy.to_string()).unwrap_or_default())
    }
}

/// Each with what its file begins with.
fn list() -> String {
    let mut text = String::new();
    for name in Strategy::presets() {
        let about = Strategy::preset_text(name).unwrap_or_default().lines();
        let about = about.map_while(|line| line.strip_prefix('#')).map(str::trim).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "{name:<13} {about}");
    }
    text
}
