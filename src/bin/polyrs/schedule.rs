//! `polyrs schedule`.

use crate::choices::{Choices, Scheduler};
use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::output::print;
use clap::Args;
use polyrs::dependence::{Dependences, Mode};
use polyrs::driver;
use polyrs::ilp::Budget;
use polyrs::isl::{self, Schedule, ScheduleConstraints};
use polyrs::schedule::{LibraryOptions, OptionError, Strategy, constraints, library, original, schedule};
use polyrs::scop::text::{ConstraintsText, OptionWord, parse_constraints, schedule_to_text};

/// Find a schedule for a region and print its tree
///
/// A file that ends in `.sc` holds schedule constraints instead of a region, as isl's own `isl_schedule` reads them.
/// Such a file may say in comments what options it is to be scheduled with, as in
/// `# OPTIONS: --schedule-outer-coincidence`; all others then are what isl itself starts from.
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
    /// Set an option of the scheduler by its isl name, such as --option=--schedule-whole-component
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    option: Vec<String>,
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

    /// Options of the scheduler, from `base`, the file's own, and those of the command line.
    fn options(&self, base: LibraryOptions, of_file: &[OptionWord]) -> Result<LibraryOptions, Failure> {
        let mut options = base;
        let words: Vec<&str> = of_file.iter().map(|word| word.text.as_str()).collect();
        let misplaced = |error: OptionError| self.input.located(&of_file[error.word].error(error.message));
        options.apply(&words).map_err(misplaced)?;
        let words: Vec<&str> = self.option.iter().flat_map(|words| words.split_whitespace()).collect();
        options.apply(&words).map_err(|error| Failure::Input(format!("error: --option: {error}")))?;
        Ok(options)
    }

    fn of_constraints(&self) -> Result<String, Failure> {
        let ctx = isl::Ctx::new();
        let ConstraintsText { constraints, options } =
            parse_constraints(&ctx, &self.input.text()?).map_err(|error| self.input.located(&error))?;
        let options = self.options(LibraryOptions::isl(), &options)?;
        if self.last {
            return Err(Failure::Input("error: constraints do not say what is needed for a final tree".into()));
        }
        if self.constraints {
            return Ok(constraints.to_string());
        }
        if self.choices.scheduler == Scheduler::None {
            return Err(Failure::Input("error: constraints have no original order to keep".into()));
        }
        let schedule = ctx.with_quota(self.quota.operations(), || self.schedule(constraints, options))?;
        Ok(schedule_to_text(&schedule)?)
    }

    /// The tree of the scheduler that is chosen. The library's options are those of the ppcg report's strategy as well.
    fn schedule(&self, constraints: ScheduleConstraints, options: LibraryOptions) -> Result<Schedule, Failure> {
        let strategy = match self.choices.scheduler {
            Scheduler::Isl | Scheduler::None => return Ok(library(constraints, options)?),
            Scheduler::Ppcg => Strategy::from(options),
            Scheduler::Pluto => Strategy::pluto(),
            Scheduler::Feautrier => Strategy::feautrier(),
        };
        let mut budget = Budget::new(driver::Options::DEFAULT_PIVOTS);
        Ok(schedule(&constraints, &strategy, &mut budget, &mut |_| ())?)
    }

    fn of_region(&self) -> Result<String, Failure> {
        let scop = self.input.read()?;
        if self.last {
            return Ok(schedule_to_text(&self.choices.optimize(&scop, &self.quota)?.tree)?);
        }
        let base =
            LibraryOptions { outer_coincidence: !self.choices.no_outer_coincidence, ..LibraryOptions::default() };
        let options = self.options(base, &[])?;
        let mode = Mode { live_range_reordering: !self.choices.no_live_range_reordering };
        scop.ctx().with_quota(self.quota.operations(), || {
            let constraints = constraints(&scop, &Dependences::compute(&scop, mode)?, None)?;
            if self.constraints {
                return Ok(constraints.to_string());
            }
            let schedule = match self.choices.scheduler {
                Scheduler::None => original(&scop.schedule, &constraints)?,
                _ => self.schedule(constraints, options)?,
            };
            Ok(schedule_to_text(&schedule)?)
        })
    }
}
