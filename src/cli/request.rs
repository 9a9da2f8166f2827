//! What is to be scheduled, and how: shared by `polyrs schedule` and `polyrs explain`.

use crate::choices::Choices;
use crate::failure::Failure;
use crate::input::{Input, Quota, read};
use clap::Args;
use polyrs::clustering::{Clustering, Clusters};
use polyrs::dependence::{Dependences, Mode};
use polyrs::driver::{Optimized, Options, Scheduler, Target};
use polyrs::isl::{self, Ctx, Schedule, ScheduleConstraints};
use polyrs::proximity::{Line, Proximity, ReferenceGroup};
use polyrs::schedule::{
    Event, IslOptions, OptionError, Strategy, as_aimed, check_names, constraints, isl_schedule, original,
    schedule_explained, schedule_groups,
};
use polyrs::scop::Scop;
use polyrs::scop::text::{ConstraintsText, OptionWord, ParseError, parse_constraints};

/// A file and how to schedule what it holds.
#[derive(Debug, Args)]
pub struct Request {
    #[command(flatten)]
    pub input: Input,
    /// Set an option of the scheduler by its isl name, such as --option=--schedule-whole-component
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    option: Vec<String>,
    /// Read what our schedulers aim at from a file (`polyrs strategies`); what it does not say is the scheduler's own
    #[arg(long, value_name = "FILE")]
    strategy: Option<String>,
    #[command(flatten)]
    pub choices: Choices,
    #[command(flatten)]
    pub quota: Quota,
}

/// Our scheduler, with explanations or without.
type OwnScheduler =
    fn(&ScheduleConstraints, &[ReferenceGroup], &Strategy, &mut dyn FnMut(Event)) -> polyrs::schedule::Result<Schedule>;

/// What a file holds.
pub struct Problem {
    pub constraints: ScheduleConstraints,
    /// The region that they are of, if they are of one.
    pub scop: Option<Scop>,
    /// The options of isl's scheduler that the file gives.
    words: Vec<OptionWord>,
    /// The optimizer's options, with the scheduler that is the default for what the file holds.
    options: Options,
}

impl Problem {
    /// The same for a GPU, whatever the options say.
    pub fn for_gpu(mut self) -> Problem {
        self.options.target = Target::Gpu;
        self
    }
}

impl Request {
    /// Reads the file: a region, or schedule constraints if its name ends in `.sc`. Bounds on the work are the
    /// caller's.
    pub fn read(&self) -> Result<Problem, Failure> {
        let options = self.choices.options()?;
        if options.candidate.is_some() {
            return Err(Failure::Input("error: --candidate is about final trees: `polyrs schedule --final`".into()));
        }
        if self.input.name().ends_with(".sc") {
            let ConstraintsText { constraints, options: words } =
                parse_constraints(&Ctx::new(), &self.input.text()?).map_err(|error| self.input.located(&error))?;
            let is_chosen = self.choices.given.has("scheduler");
            // Constraints are scheduled as isl's own tool schedules them.
            let as_isl = Scheduler::named("isl-defaults").unwrap_or(Scheduler::Isl);
            let scheduler = if is_chosen { options.scheduler } else { as_isl };
            return Ok(Problem { constraints, scop: None, words, options: Options { scheduler, ..options } });
        }
        let scop = self.input.read()?;
        self.reject_strangers(&options.clustering, &scop)?;
        let mode = Mode { live_range_reordering: options.live_range_reordering, ..Mode::default() };
        let aims = self.aims(&options)?;
        let made = scop.ctx().with_quota(self.quota.operations(), || -> isl::Result<_> {
            let dependences = Dependences::compute(&scop, mode)?;
            let made = constraints(&scop, &dependences, None)?;
            match &aims {
                Some(aims) => as_aimed(made, &scop, &dependences, aims),
                None => Ok(made),
            }
        })?;
        Ok(Problem { constraints: made, scop: Some(scop), words: Vec::new(), options })
    }

    /// A decision that names statements is about this region. (Passes have one file for many regions.)
    fn reject_strangers(&self, clustering: &Clustering, scop: &Scop) -> Result<(), Failure> {
        let Clustering::Given(decision) = clustering else { return Ok(()) };
        let is_known = |name: &str| scop.statements.iter().any(|statement| statement.name == name);
        let stranger = decision.clusters().iter().flatten().find(|name| !is_known(name));
        let Some(stranger) = stranger else { return Ok(()) };
        let known = scop.statements.iter().filter(|statement| !statement.is_kill());
        let known = known.map(|statement| statement.name.as_str()).collect::<Vec<_>>().join(", ");
        let help = format!("{} has {known}", self.input.name());
        Err(Failure::Input(format!("error: --cluster: there is no statement `{stranger}`: {help}")))
    }

    /// The scheduler is given options that the optimizer's search knows nothing of.
    pub fn has_own_options(&self) -> bool {
        !self.option.is_empty()
    }

    /// Optimizes a region, with the strategy of the file. The tree is only checked where that was asked for.
    pub fn optimize(&self, scop: &Scop) -> Result<Optimized, Failure> {
        let options = self.choices.bounded(&self.quota)?;
        let strategy = if self.strategy.is_some() { self.aims(&options)? } else { None };
        self.choices.optimize_with(scop, Options { strategy, ..options })
    }

    /// Refuses options of steps behind the scheduler; `instead` says what takes them.
    pub fn refuse_later(&self, instead: &str) -> Result<(), Failure> {
        match self.choices.given.later() {
            Some(name) => Err(Failure::Input(format!("error: --{name} is about final trees: {instead}"))),
            None => Ok(()),
        }
    }

    /// Schedules.
    pub fn schedule(&self, problem: &Problem) -> Result<Schedule, Failure> {
        self.schedule_as(problem, schedule_groups, &mut |_| ())
    }

    /// Schedules. `observer` is told what our scheduler decides, and what makes it decide so.
    pub fn explain(&self, problem: &Problem, observer: &mut dyn FnMut(Event)) -> Result<Schedule, Failure> {
        self.schedule_as(problem, schedule_explained, observer)
    }

    fn schedule_as(
        &self,
        problem: &Problem,
        own: OwnScheduler,
        observer: &mut dyn FnMut(Event),
    ) -> Result<Schedule, Failure> {
        let options = &problem.options;
        let aims = self.aims(options)?;
        problem.constraints.ctx().with_quota(self.quota.operations(), || match (aims, options.scheduler) {
            (Some(strategy), _) => self.schedule_by(problem, strategy, own, observer),
            (None, Scheduler::Isl) => {
                let mut options = match problem.scop {
                    Some(_) => IslOptions {
                        outer_coincidence: options.outer_coincidence.unwrap_or(true),
                        ..IslOptions::default()
                    },
                    None => IslOptions::isl(),
                };
                self.apply(problem, &mut |words| options.apply(words))?;
                Ok(isl_schedule(problem.constraints.clone(), options)?)
            }
            (None, _) => {
                let Some(scop) = &problem.scop else {
                    return Err(Failure::Input("error: constraints have no original order to keep".into()));
                };
                Ok(original(&scop.schedule, &problem.constraints)?)
            }
        })
    }

    fn schedule_by(
        &self,
        problem: &Problem,
        mut strategy: Strategy,
        own: OwnScheduler,
        observer: &mut dyn FnMut(Event),
    ) -> Result<Schedule, Failure> {
        self.apply(problem, &mut |words| strategy.apply(words))?;
        check_names(&strategy, &problem.constraints, problem.scop.as_ref())?;
        let groups = match (&problem.scop, strategy.looks_at_references()) {
            (Some(scop), true) => Proximity::compute(scop, None, Line::of(&problem.options.machine))?.groups,
            // Constraints do not say what is near in memory.
            _ => Vec::new(),
        };
        let clusters = match &problem.scop {
            // Macro-statements have other names.
            _ if strategy.is_of_a_region() => Clusters::default(),
            Some(scop) => problem.options.clustering.decide(scop, &problem.constraints)?,
            None => Clusters::default(),
        };
        Ok(clusters.schedule(&problem.constraints, &groups, |constraints, groups| {
            own(constraints, groups, &strategy, observer)
        })?)
    }

    /// What our scheduler aims at: a preset, changed by options and a file; nothing for a scheduler that is not ours.
    fn aims(&self, options: &Options) -> Result<Option<Strategy>, Failure> {
        let preset = options.scheduler.strategy(options.target, &options.machine);
        let preset = match (preset, options.outer_coincidence) {
            (Some(preset), Some(outer_coincidence)) => Strategy { outer_coincidence, ..preset },
            (Some(preset), None) => preset,
            (None, _) if self.strategy.is_none() => return Ok(None),
            (None, _) => {
                let all = Strategy::families().collect::<Vec<_>>().join(", ");
                return Err(Failure::Input(format!("error: --strategy needs one of our schedulers: {all}")));
            }
        };
        let Some(file) = &self.strategy else { return Ok(Some(preset)) };
        let misplaced = |error: polyrs::schedule::ParseError| {
            Failure::Input(format!("{file}:{}:1: error: {}", error.line, error.problem))
        };
        preset.with_text(&read(file)?, &options.machine).map(Some).map_err(misplaced)
    }

    /// Applies the file's own options, and those of the command line.
    fn apply(
        &self,
        problem: &Problem,
        apply: &mut dyn FnMut(&[&str]) -> Result<(), OptionError>,
    ) -> Result<(), Failure> {
        let words: Vec<&str> = problem.words.iter().map(|word| word.text.as_str()).collect();
        let misplaced = |error: OptionError| -> ParseError { problem.words[error.word].error(error.message) };
        apply(&words).map_err(|error| self.input.located(&misplaced(error)))?;
        let words: Vec<&str> = self.option.iter().flat_map(|words| words.split_whitespace()).collect();
        apply(&words).map_err(|error| Failure::Input(format!("error: --option: {error}")))
    }
}
