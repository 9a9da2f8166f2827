//! `polyrs cat`: reads a region and writes it again.

use crate::failure::Failure;
use crate::input::{Input, ScheduleFile};
use crate::output::print;
use clap::Args;

/// Read a region, check its text, and write it in the standard layout
#[derive(Debug, Args)]
pub struct Cat {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    schedule: ScheduleFile,
}

impl Cat {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let mut scop = self.input.read()?;
        if let Some(schedule) = self.schedule.read(&scop)? {
            scop.schedule = schedule;
        }
        print(&scop.to_text()?)
    }
}
