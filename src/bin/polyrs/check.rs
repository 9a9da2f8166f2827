//! `polyrs check`.

use crate::failure::Failure;
use crate::input::{Input, Quota, ScheduleFile};
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
    schedule: ScheduleFile,
    #[command(flatten)]
    quota: Quota,
}

impl Check {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        let schedule = self.schedule.read_or_original(&scop)?;
        // A tree may speak of kills, which are not executed, and of parameter values that do not occur.
        let domain = schedule.domain()?.intersect_params(scop.context.clone())?.subtract(scop.kill_domain()?)?;
        let schedule = schedule.intersect_domain(domain)?;
        let assumptions = Assumptions { quota: self.quota.operations(), ..Assumptions::default() };
        legality::check(&scop, &schedule, &assumptions)?;
        println!("legal");
        Ok(())
    }
}
