//! `polyrs proximity`.

use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::machine::MachineChoice;
use crate::output::print;
use clap::Args;
use polyrs::proximity::{Line, Proximity};

/// Print what is near what in time and in memory
///
/// For each group of references of a statement to an array, named by its references: the access of the first of them;
/// then the uses of an element with the next use, which is in this group; then the uses of a line with the next one.
#[derive(Debug, Args)]
pub struct ProximityCommand {
    #[command(flatten)]
    input: Input,
    /// The size of a line of memory, in bytes. Default: the machine's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    line_bytes: Option<u32>,
    #[command(flatten)]
    machine: MachineChoice,
    #[command(flatten)]
    quota: Quota,
}

impl ProximityCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        let line = match self.line_bytes {
            Some(bytes) => Line { bytes },
            None => Line::of(&self.machine.load()?),
        };
        let text = scop.ctx().with_quota(self.quota.operations(), || {
            let proximity = Proximity::compute(&scop, None, line)?;
            if proximity.given_up > 0 {
                eprintln!("note: {} relations take too many operations and are left empty", proximity.given_up);
            }
            proximity.to_text()
        })?;
        print(&text)
    }
}
