//! `polyrs check`.

use crate::choices::Subject;
use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::output::print;
use clap::Args;
use polyrs::check::legality::{self, Assumptions};

/// Prove that a schedule computes the same as the original order
///
/// Every rule that is broken is printed with an example.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    quota: Quota,
}

impl Check {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        let schedule = self.subject.schedule(&scop, &self.quota)?;
        let assumptions = Assumptions { quota: self.quota.operations(), ..Assumptions::default() };
        legality::check(&scop, &schedule, &assumptions)?;
        print("legal\n")
    }
}
