//! `polyrs schedule`.

use crate::failure::Failure;
use crate::output::print;
use crate::request::Request;
use clap::Args;
use polyrs::scop::text::schedule_to_text;

/// Find a schedule for a region and print its tree
///
/// A file that ends in `.sc` holds schedule constraints instead of a region, as isl's own `isl_schedule` reads them.
/// Such a file may say in comments what options it is to be scheduled with, as in
/// `# OPTIONS: --schedule-outer-coincidence`; all others then are what isl itself starts from.
#[derive(Debug, Args)]
pub struct ScheduleCommand {
    #[command(flatten)]
    request: Request,
    /// Print the final tree: tiled, with wavefronts, and with marks that say what runs in parallel
    #[arg(long = "final")]
    last: bool,
    /// Print the constraints that the scheduler is given, not the schedule
    #[arg(long, conflicts_with = "last")]
    constraints: bool,
}

impl ScheduleCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let Request { input, .. } = &self.request;
        let text = if self.last {
            if input.name().ends_with(".sc") {
                return Err(Failure::Input("error: constraints do not say what is needed for a final tree".into()));
            }
            schedule_to_text(&self.request.optimize(&input.read()?)?.tree)?
        } else {
            let problem = self.request.read()?;
            self.request.refuse_later("`polyrs schedule --final`")?;
            match self.constraints {
                true => problem.constraints.to_string(),
                false => schedule_to_text(&self.request.schedule(&problem)?)?,
            }
        };
        print(&format!("{}\n", text.trim_end()))
    }
}
