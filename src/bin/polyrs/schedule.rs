//! `polyrs schedule`.

use crate::failure::Failure;
use crate::input::{Input, Quota};
use clap::{Args, ValueEnum};
use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::{self, Schedule, ScheduleConstraints};
use polyrs::schedule::{LibraryOptions, constraints, library, original};
use polyrs::scop::text::schedule_to_text;

/// Find a schedule for a region and print its tree
///
/// A file that ends in `.sc` holds schedule constraints instead of a region, as isl's own `isl_schedule` reads them.
#[derive(Debug, Args)]
pub struct ScheduleCommand {
    #[command(flatten)]
    input: Input,
    /// Who finds the schedule
    #[arg(long, value_enum, default_value_t = Scheduler::Isl)]
    scheduler: Scheduler,
    /// Keep live ranges in their order
    #[arg(long)]
    no_live_range_reordering: bool,
    /// Print the constraints that the scheduler is given, not the schedule
    #[arg(long)]
    constraints: bool,
    #[command(flatten)]
    quota: Quota,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scheduler {
    /// isl's own scheduler
    Isl,
    /// The original order, its bands found anew
    None,
}

impl ScheduleCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let text = if self.input.name().ends_with(".sc") { self.of_constraints()? } else { self.of_region()? };
        println!("{}", text.trim_end());
        Ok(())
    }

    fn of_constraints(&self) -> Result<String, Failure> {
        let ctx = isl::Ctx::new();
        let constraints = ScheduleConstraints::parse(&ctx, &self.input.text()?).map_err(|error| {
            Failure::Input(format!("{}:1:1: error: these are no schedule constraints: {error}", self.input.name()))
        })?;
        if self.scheduler == Scheduler::None {
            return Err(Failure::Input("error: constraints have no original order to keep".into()));
        }
        let schedule = ctx.with_quota(self.quota.operations(), || library(constraints, LibraryOptions::default()))?;
        Ok(schedule_to_text(&schedule)?)
    }

    fn of_region(&self) -> Result<String, Failure> {
        let scop = self.input.read()?;
        let mode = Mode { live_range_reordering: !self.no_live_range_reordering };
        let text = scop.ctx().with_quota(self.quota.operations(), || {
            let constraints = constraints(&scop, &Dependences::compute(&scop, mode)?, None)?;
            if self.constraints {
                return Ok(constraints.to_string());
            }
            let schedule: Schedule = match self.scheduler {
                Scheduler::Isl => library(constraints, LibraryOptions::default())?,
                Scheduler::None => original(&scop.schedule, &constraints)?,
            };
            schedule_to_text(&schedule)
        });
        Ok(text?)
    }
}
