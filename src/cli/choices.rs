//! What a user can choose about optimizing, and the schedule that a command works on.

use crate::failure::Failure;
use crate::input::{Quota, ScheduleFile};
use crate::machine::MachineChoice;
use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use polyrs::driver::{self, Joint, LayoutSearch, OPTIONS, Optimized, Options, optimize};
use polyrs::isl::Schedule;
use polyrs::scop::Scop;

/// The options of the optimizer that were given, by their places in [`OPTIONS`], in that order.
#[derive(Debug, Default)]
pub struct Given(Vec<(usize, String)>);

impl Given {
    /// The option was given.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(row, _)| OPTIONS[*row].name == name)
    }

    /// The first option that is about steps behind the scheduler.
    pub fn later(&self) -> Option<&'static str> {
        const SCHEDULING: [&str; 5] = ["target", "scheduler", "outer-coincidence", "live-range-reordering", "cluster"];
        self.0.iter().map(|(row, _)| OPTIONS[*row].name).find(|name| !SCHEDULING.contains(name))
    }

    /// Some option says which tree of the optimizer is wanted.
    pub fn names_a_tree(&self) -> bool {
        ["scheduler", "candidate", "target"].iter().any(|name| self.has(name))
    }

    /// Sets what was given.
    pub fn apply(&self, options: &mut Options) -> Result<(), Failure> {
        for (row, text) in &self.0 {
            let row = &OPTIONS[*row];
            row.set(options, text)
                .map_err(|error| Failure::Input(format!("error: --{}: '{text}' {error}", row.name)))?;
        }
        Ok(())
    }
}

/// `--no-tile` is the former name of `--tile=false`.
fn negated(name: &str) -> String {
    format!("no-{name}")
}

impl Args for Given {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, row| {
            let default = match row.default {
                "" => String::new(),
                // Commands show trees that the passes may refuse.
                "true" if row.name == "check" => " [default of the commands: false]".to_owned(),
                text => format!(" [default: {text}]"),
            };
            let argument =
                Arg::new(row.name).long(row.name).value_name(row.values).help(format!("{}{default}", row.help));
            let command = command.arg(argument.help_heading("Optimizer"));
            if row.off().is_none() {
                return command;
            }
            let name = negated(row.name);
            let former = Arg::new(name.clone()).long(name).action(ArgAction::SetTrue).hide(true);
            command.arg(former.conflicts_with(row.name))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut given = Given::default();
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.clear();
        for (index, row) in OPTIONS.iter().enumerate() {
            let former = row.off().filter(|_| matches.get_flag(&negated(row.name)));
            let text = matches.get_one::<String>(row.name).cloned();
            self.0.extend(text.or(former.map(str::to_owned)).map(|text| (index, text)));
        }
        Ok(())
    }
}

/// What the optimizer does.
#[derive(Debug, Args)]
#[command(next_help_heading = "Optimizer")]
pub struct Choices {
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub machine: MachineChoice,
}

impl Choices {
    /// The optimizer's options.
    pub fn options(&self) -> Result<Options, Failure> {
        let mut options = Options::new(self.machine.load()?);
        self.given.apply(&mut options)?;
        Ok(options)
    }

    /// Optimizes a region. The tree is only checked where that was asked for.
    pub fn optimize(&self, scop: &Scop, quota: &Quota) -> Result<Optimized, Failure> {
        self.optimize_with(scop, self.bounded(quota)?)
    }

    /// The same with options that were made of [`Self::bounded`].
    pub fn optimize_with(&self, scop: &Scop, options: Options) -> Result<Optimized, Failure> {
        if self.given.has("layout") && options.layout != LayoutSearch::None {
            let help = "polyrs layout --auto prints the region with the layout that is chosen, for other commands";
            return Err(Failure::Input(format!("error: --layout makes another region of this one; {help}")));
        }
        optimize(scop, &options, &mut ()).map_err(|refusal| Failure::Failed(format!("error: {refusal}")))
    }

    /// Optimizes a region, its layout included.
    pub fn optimize_jointly(&self, scop: &Scop, quota: &Quota) -> Result<Joint, Failure> {
        let options = self.bounded(quota)?;
        let layout = if options.layout == LayoutSearch::Any { LayoutSearch::Any } else { LayoutSearch::Auto };
        let options = Options { layout, ..options };
        let found = driver::optimize_jointly(scop, &options, &|_| true, &mut ());
        found.map_err(|refusal| Failure::Failed(format!("error: {refusal}")))
    }

    /// The optimizer's options, with a budget.
    pub fn bounded(&self, quota: &Quota) -> Result<Options, Failure> {
        let options = self.options()?;
        let check = options.check && self.given.has("check");
        Ok(Options { check, budget: driver::Budget::new(quota.operations()), ..options })
    }
}

/// The schedule that a command works on.
#[derive(Debug, Args)]
pub struct Subject {
    #[command(flatten)]
    file: ScheduleFile,
    /// Use the schedule that the optimizer finds instead of the original order; --scheduler says so as well
    #[arg(long, conflicts_with = "schedule")]
    optimize: bool,
    #[command(flatten)]
    choices: Choices,
}

impl Subject {
    /// The schedule of the file, what the optimizer finds, or the original order.
    ///
    /// It is restricted to what is executed: a tree may speak of kills, and of parameter values that do not occur.
    pub fn schedule(&self, scop: &Scop, quota: &Quota) -> Result<Schedule, Failure> {
        let schedule = match self.file.read(scop)? {
            Some(schedule) => schedule,
            None if self.optimize || self.choices.given.names_a_tree() => self.choices.optimize(scop, quota)?.tree,
            None => scop.schedule.clone(),
        };
        let domain = schedule.domain()?.intersect_params(scop.context.clone())?.subtract(scop.kill_domain()?)?;
        Ok(schedule.intersect_domain(domain)?)
    }
}
