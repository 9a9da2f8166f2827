//! `polyrs schedule`.

use crate::choices::{Choices, Scheduler};
use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::output::print;
use clap::Args;
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
    /// Print the final tree: tiled, with wavefronts, and with marks that say what runs in parallel
    #[arg(long = "final")]
    last: bool,
    /// Print the constraints that the scheduler is given, not the schedule
    #[arg(long, conflicts_with = "last")]
    constraints: bool,
    #[command(flatten)]
    choices: Choices,
    #[command(flatten)]
    quota: Quota,
}

impl ScheduleCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let text = if self.input.name().ends_with(".sc") { self.of_constraints()? } else { self.of_region()? };
        print(&format!("{}\n", text.trim_end()))
    }

    fn library_options(&self) -> LibraryOptions {
        LibraryOptions { outer_coincidence: !self.choices.no_outer_coincidence, ..LibraryOptions::default() }
    }

    fn of_constraints(&self) -> Result<String, Failure> {
        let ctx = isl::Ctx::new();
        let constraints = ScheduleConstraints::parse(&ctx, &self.input.text()?).map_err(|error| {
            Failure::Input(format!("{}:1:1: error: these are no schedule constraints: {error}", self.input.name()))
        })?;
        if self.choices.scheduler == Scheduler::None {
            return Err(Failure::Input("error: constraints have no original order to keep".into()));
        }
        let schedule = ctx.with_quota(self.quota.operations(), || library(constraints, self.library_options()))?;
        Ok(schedule_to_text(&schedule)?)
    }

    fn of_region(&self) -> Result<String, Failure> {
        let scop = self.input.read()?;
        if self.last {
            return Ok(schedule_to_text(&self.choices.optimize(&scop, &self.quota)?.tree)?);
        }
        let mode = Mode { live_range_reordering: !self.choices.no_live_range_reordering };
        let text = scop.ctx().with_quota(self.quota.operations(), || {
            let constraints = constraints(&scop, &Dependences::compute(&scop, mode)?, None)?;
            if self.constraints {
                return Ok(constraints.to_string());
            }
            let schedule: Schedule = match self.choices.scheduler {
                Scheduler::Isl => library(constraints, self.library_options())?,
                Scheduler::None => original(&scop.schedule, &constraints)?,
            };
            schedule_to_text(&schedule)
        });
        Ok(text?)
    }
}
