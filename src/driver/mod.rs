//! From a region to code: the list of steps.
//!
//! Every step has its share of the region's [`Budget`], which is counted, so the same input meets the same fate on any
//! machine. The caller may set a deadline on the context as an outer net. Nothing is handed back unless every step
//! succeeded and, by default, the judge accepted the tree.

mod budget;
mod observer;
mod options;
mod phases;
mod post_tile;
mod refusal;
mod search;
#[cfg(test)]
mod tests;
mod unprofitable;

pub use budget::{Allowance, Budget};
pub use observer::{Observer, Stage};
pub use options::{Options, Scheduler};
pub use phases::{Phase, Phases};
pub use refusal::Refusal;
pub use unprofitable::{BestAlternative, Unprofitable};

use crate::check::interpret::{Trial, trial};
use crate::check::legality;
use crate::codegen::{self, Ast};
use crate::dependence::{Dependences, Mode, dead_instances};
use crate::isl::{self, Schedule, ScheduleConstraints, UnionSet};
use crate::locality::{Group, Line, Locality};
use crate::mapping::{self, Conflicts, Mapped};
use crate::schedule::{self, IslOptions, Strategy};
use crate::scop::Scop;
use crate::scop::text::{parse_schedule, schedule_to_text};
use crate::tree::{self, Statistics};
use observer::{Buffered, show};
use std::cell::{Cell, OnceCell};

/// What [`optimize`] found.
#[derive(Debug, Clone)]
pub struct Optimized {
    /// The final tree, tiles and marks included.
    pub tree: Schedule,
    /// The code for it.
    pub ast: Ast,
    /// What the tree has: bands, members, coincident members, tiles, parallel loops.
    pub statistics: Statistics,
    /// The code is that of the original order: there is nothing to rewrite.
    pub same_as_original: bool,
    /// Why, if it is, unless the tree was loaded.
    pub unprofitable: Option<Unprofitable>,
    /// Some loop could run in parallel, but has too little work to pay for starting threads.
    pub too_little_work: bool,
    /// What the change is expected to bring. Unknown for a loaded tree and for code that stays as it is.
    pub prediction: Option<Prediction>,
    /// How long each step took.
    pub phases: Phases,
}

/// What a change is expected to bring, in the units of [`tree::cost`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// The cost of the original code.
    pub before: u64,
    /// The cost of the new code.
    pub after: u64,
}

impl std::fmt::Display for Prediction {
    /// As a factor: `6.1x` is code that takes less than a sixth of the time.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = self.before.saturating_mul(10) / self.after.max(1);
        write!(f, "{}.{}x", tenths / 10, tenths % 10)
    }
}

/// Schedules, transforms, maps and judges a region, and generates its code.
///
/// # Errors
/// A [`Refusal`] that says which step gave up, why, and what would help. The region is to be left as it is.
pub fn optimize(scop: &Scop, options: &Options, observer: &mut dyn Observer) -> Result<Optimized, Refusal> {
    let ctx = scop.ctx();
    let before = ctx.operations();
    let found = options.budget.whole(ctx, || optimize_within(scop, options, observer));
    tracing::debug!(operations = ctx.operations() - before, "region");
    found
}

fn optimize_within(scop: &Scop, options: &Options, observer: &mut dyn Observer) -> Result<Optimized, Refusal> {
    let mut run = Run { scop, options, phases: Phases::default() };

    let mut buffered = Buffered::new(observer);
    let accepted = match run.attempt(options.live_range_reordering, &mut buffered) {
        // isl's scheduler forgets live ranges that go from one part of its graph to another, and then may let a write
        // into them; or the judge cannot tell whether they stayed whole. Without reordering there is nothing to forget.
        Err(refusal)
            if options.live_range_reordering && options.load_schedule.is_none() && refusal.is_about_order() =>
        {
            tracing::debug!(%refusal, "without live-range reordering instead");
            buffered.forget();
            run.attempt(false, &mut buffered)
        }
        found => found,
    };
    buffered.release();
    let Accepted { candidate, best_alternative, ast, dead, problem } = accepted?;
    show(observer, Stage::Ast, || Ok(ast.to_text(scop)))?;
    let statistics = Statistics::new(&candidate.scheduled, &candidate.tree)?;
    let same_as_original = run.is_original(&ast);
    if options.check && !same_as_original {
        run.try_code(&ast, dead.as_ref())?;
    }
    let prediction = match problem {
        Some(problem) if !same_as_original => run.prediction(&problem, candidate.cost),
        _ => None,
    };
    let too_little_work = candidate.too_little_work;
    let unprofitable = (same_as_original && options.load_schedule.is_none()).then(|| Unprofitable {
        machine: options.target.name.clone(),
        best_alternative: best_alternative.map(|other| BestAlternative { original: candidate.cost, other }),
        short: too_little_work,
    });
    // An attempt that the clock cut short may have decided what was chosen after it, so that nothing counts any more.
    scop.ctx().check_deadline()?;
    Ok(Optimized {
        tree: candidate.tree,
        ast,
        statistics,
        same_as_original,
        unprofitable,
        too_little_work,
        prediction,
        phases: run.phases,
    })
}

/// What the schedulers are given.
struct Problem {
    dependences: Dependences,
    /// What is not scheduled.
    dead: Option<UnionSet>,
    constraints: ScheduleConstraints,
    /// The original order, its bands found anew, once it was asked for.
    original: OnceCell<Schedule>,
    /// The groups of references, once they were asked for.
    groups: OnceCell<Vec<Group>>,
    /// What conflicts on memory, once it was asked for.
    conflicts: OnceCell<Conflicts>,
    /// Our scheduler has found a tree without being forced to have coincident outermost members, and would have found
    /// the same one if it had been.
    any_coincidence: Cell<bool>,
}

/// A tree that may be taken.
#[derive(Clone)]
struct Candidate {
    /// As the scheduler found it.
    scheduled: Schedule,
    /// Tiled and mapped.
    tree: Schedule,
    /// What it seems to cost; 0 for a loaded tree, which nothing competes with.
    cost: u64,
    /// Threads would not pay for some loop that could run in parallel.
    too_little_work: bool,
    /// It has the original order, its bands found anew.
    is_original: bool,
}

/// What the judge accepted.
struct Accepted {
    candidate: Candidate,
    /// The least cost of another order, if the candidate has the original one.
    best_alternative: Option<u64>,
    ast: Ast,
    /// What is not scheduled.
    dead: Option<UnionSet>,
    /// None for a loaded tree.
    problem: Option<Problem>,
}

/// Where a tree comes from.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// From the scheduler.
    Found {
        /// Outermost members are coincident where that is possible at all.
        outer_coincidence: bool,
    },
    /// The original order, its bands found anew.
    Original,
}

/// One run over a region.
struct Run<'r> {
    scop: &'r Scop,
    options: &'r Options,
    phases: Phases,
}

impl Run<'_> {
    /// Runs a step with its share of the budget, on the clock, and says which step it was when it fails.
    fn step<T, E: Into<Refusal>>(&mut self, phase: Phase, work: impl FnOnce() -> Result<T, E>) -> Result<T, Refusal> {
        let ctx = self.scop.ctx();
        let share = self.options.budget.of(phase, ctx);
        let result = self.phases.time(phase, ctx, || ctx.with_quota(share, work));
        result.map_err(|error| self.why(error.into(), phase))
    }

    /// Why a step failed. When time is up, that is the reason, whatever the step made of it.
    fn why(&self, refusal: Refusal, phase: Phase) -> Refusal {
        let refusal = self.scop.ctx().check_deadline().err().map_or(refusal, Refusal::from);
        refusal.in_phase(phase)
    }

    /// The first tree that the judge accepts and that has code.
    fn attempt(&mut self, live_range_reordering: bool, observer: &mut dyn Observer) -> Result<Accepted, Refusal> {
        let scop = self.scop;
        let (dependences, dead) = self.dependences(Mode { live_range_reordering })?;
        show(observer, Stage::Dependences, || dependences.to_text(&[]))?;
        if let Some(text) = &self.options.load_schedule {
            let tree = parse_schedule(scop, text).map_err(|error| Refusal::new(format!("loaded schedule: {error}")))?;
            let scheduled = tree.clone();
            let loaded = Candidate { scheduled, tree, cost: 0, too_little_work: false, is_original: false };
            let (candidate, ast) = self.accept(vec![loaded], dead.as_ref(), observer)?;
            return Ok(Accepted { candidate, best_alternative: None, ast, dead, problem: None });
        }
        let problem = self.problem(dependences, dead)?;
        show(observer, Stage::Constraints, || Ok(problem.constraints.to_string()))?;
        let ctx = scop.ctx();
        let candidates = ctx.with_quota(Budget::search(ctx), || self.search(&problem))?;
        let best_alternative =
            candidates.iter().filter(|candidate| !candidate.is_original).map(|candidate| candidate.cost).min();
        let (candidate, ast) = self.accept(candidates, problem.dead.as_ref(), observer)?;
        let best_alternative = best_alternative.filter(|_| candidate.is_original);
        Ok(Accepted { candidate, best_alternative, ast, dead: problem.dead.clone(), problem: Some(problem) })
    }

    /// What the schedulers are given, with what was found out about the dependences.
    fn problem(&mut self, dependences: Dependences, dead: Option<UnionSet>) -> Result<Problem, Refusal> {
        let scop = self.scop;
        let constraints = self.step(Phase::Constraints, || schedule::constraints(scop, &dependences, dead.as_ref()))?;
        Ok(Problem {
            dependences,
            dead,
            constraints,
            original: OnceCell::new(),
            groups: OnceCell::new(),
            conflicts: OnceCell::new(),
            any_coincidence: Cell::new(false),
        })
    }

    /// The dependences of what is to be scheduled, and the dead instances if they are not.
    fn dependences(&mut self, mode: Mode) -> Result<(Dependences, Option<UnionSet>), Refusal> {
        let (scop, options) = (self.scop, self.options);
        let dependences = self.step(Phase::Dependences, || Dependences::compute(scop, mode))?;
        if !options.remove_dead {
            return Ok((dependences, None));
        }
        let dead = self.step(Phase::Dependences, || dead_instances(scop, &dependences))?;
        // Pairs that others imply are left out. If a dead instance is in one of those others, they are needed.
        let among_live = || Dependences::compute(&scop.without(&dead)?, mode);
        let dependences = self.step(Phase::Dependences, among_live)?;
        Ok((dependences, Some(dead)))
    }

    /// What a tree of this cost is expected to bring. Only a remark needs it: a region is not refused for the lack of
    /// it.
    fn prediction(&mut self, problem: &Problem, after: u64) -> Option<Prediction> {
        self.cost_before(problem).ok().map(|before| Prediction { before, after })
    }

    /// The cost of the code as it is, one thread running loops that may be vectors.
    fn cost_before(&mut self, problem: &Problem) -> Result<u64, Refusal> {
        let original = self.original(problem)?;
        let options = mapping::CpuOptions { parallel: false, vector: true, profitability: false };
        let mapped = self.map_with(&original, problem, options)?;
        self.cost(&mapped.tree)
    }

    fn cost(&mut self, tree: &Schedule) -> Result<u64, Refusal> {
        let scop = self.scop;
        let target = &self.options.target;
        self.step(Phase::Map, || tree::cost(scop, tree, target))
    }

    /// The tree that the scheduler finds, or the original one with its bands found anew.
    fn schedule(&mut self, problem: &Problem, order: Order) -> Result<Schedule, Refusal> {
        let constraints = &problem.constraints;
        match (order, self.preset()) {
            (Order::Original, _) => self.original(problem),
            (Order::Found { outer_coincidence }, None) => self.isl_schedule(constraints, outer_coincidence),
            (Order::Found { outer_coincidence }, Some(preset)) => {
                let strategy = match &self.options.strategy {
                    Some(strategy) => strategy.clone(),
                    // The report's own rule is a guess at which of the two is better; here their costs tell.
                    None => Strategy { outer_coincidence, register_limit: None, ..preset },
                };
                self.own(problem, &strategy)
            }
        }
    }

    /// A tree of our own scheduler.
    fn own(&mut self, problem: &Problem, strategy: &Strategy) -> Result<Schedule, Refusal> {
        let groups = match strategy.looks_at_references() {
            true => self.groups(problem)?,
            false => &[],
        };
        let mut is_free = !strategy.outer_coincidence;
        let mut observer = |event: schedule::Event| {
            is_free &= !event.depends_on_outer_coincidence();
            tracing::debug!(?event, "scheduler");
        };
        let found = self.step(Phase::Schedule, || {
            schedule::schedule_or_serialize(&problem.constraints, groups, strategy, &mut observer)
        })?;
        problem.any_coincidence.set(is_free);
        Ok(found)
    }

    /// The scheduler's own aims; `None` for one that has none.
    fn preset(&self) -> Option<Strategy> {
        self.options.scheduler.strategy(&self.options.target)
    }

    /// Finds out what all orders need. What takes more than its share is tried again by each of them.
    fn prepare(&mut self, problem: &Problem) {
        let ctx = self.scop.ctx();
        let strategy = self.options.strategy.clone().or_else(|| self.preset());
        if strategy.is_some_and(|strategy| strategy.looks_at_references())
            && let Err(refusal) = ctx.with_quota(Budget::preparation(ctx), || self.groups(problem).map(|_| ()))
        {
            tracing::debug!(%refusal, "no groups of references");
        }
        if let Err(refusal) = ctx.with_quota(Budget::preparation(ctx), || self.conflicts(problem).map(|_| ())) {
            tracing::debug!(%refusal, "no conflicts");
        }
    }

    /// The groups of references.
    fn groups<'p>(&mut self, problem: &'p Problem) -> Result<&'p [Group], Refusal> {
        if let Some(known) = problem.groups.get() {
            return Ok(known);
        }
        let scop = self.scop;
        let dead = problem.dead.as_ref();
        let line = Line::of(&self.options.target);
        let locality = self.step(Phase::Locality, || Locality::compute(scop, dead, line))?;
        if locality.given_up > 0 {
            tracing::debug!(relations = locality.given_up, "locality left out for the work that it takes");
        }
        Ok(problem.groups.get_or_init(|| locality.groups))
    }

    /// A tree of isl's scheduler.
    fn isl_schedule(
        &mut self,
        constraints: &ScheduleConstraints,
        outer_coincidence: bool,
    ) -> Result<Schedule, Refusal> {
        self.step(Phase::Schedule, || {
            let options = IslOptions { outer_coincidence, ..IslOptions::default() };
            schedule::isl_schedule_or_wide(constraints, options)
        })
    }

    /// The original order.
    fn original(&mut self, problem: &Problem) -> Result<Schedule, Refusal> {
        if let Some(known) = problem.original.get() {
            return Ok(known.clone());
        }
        let scop = self.scop;
        let tree = self.step(Phase::Schedule, || {
            let mut domain = scop.domain()?;
            if let Some(dead) = &problem.dead {
                domain = domain.subtract(dead.clone())?;
            }
            schedule::original(&scop.schedule.clone().intersect_domain(domain)?, &problem.constraints)
        })?;
        Ok(problem.original.get_or_init(|| tree).clone())
    }

    /// Tiles and wavefronts.
    fn tile(&mut self, tree: &Schedule, constraints: &ScheduleConstraints) -> Result<Schedule, Refusal> {
        let degrees = if self.options.parallel { self.options.wavefront.unwrap_or(1) } else { 0 };
        self.tile_with(tree, constraints, degrees)
    }

    /// Tiles, and wavefronts of so many degrees.
    fn tile_with(
        &mut self,
        tree: &Schedule,
        constraints: &ScheduleConstraints,
        degrees: usize,
    ) -> Result<Schedule, Refusal> {
        let (scop, options) = (self.scop, self.options);
        let (sizes, target) = (&options.tile_sizes, &options.target);
        self.step(Phase::Tile, || {
            let mut tree = tree.clone();
            if options.tile {
                tree = match options.profitability {
                    true => {
                        let tiled = tree::tile_gaining(scop, &tree, sizes, degrees > 0, target)?;
                        tree::strip_mine(scop, &tiled, target, options.register_tiles)?
                    }
                    false => tree::tile(&tree, sizes)?,
                };
                tree = tree::wavefront(&tree, constraints, sizes, degrees)?;
            } else if options.wavefront.is_some() {
                tree = tree::wavefront_of_points(&tree, constraints, degrees)?;
            }
            Ok::<_, isl::Error>(tree)
        })
    }

    /// Which members run in parallel and as vectors.
    fn map(&mut self, tree: &Schedule, problem: &Problem) -> Result<Mapped, Refusal> {
        let options = mapping::CpuOptions {
            parallel: self.options.parallel,
            vector: true,
            profitability: self.options.profitability,
        };
        self.map_with(tree, problem, options)
    }

    fn map_with(
        &mut self,
        tree: &Schedule,
        problem: &Problem,
        options: mapping::CpuOptions,
    ) -> Result<Mapped, Refusal> {
        let (scop, target) = (self.scop, &self.options.target);
        let conflicts = self.conflicts(problem)?;
        self.step(Phase::Map, || mapping::cpu_with(scop, conflicts, tree, options, target))
    }

    /// What conflicts on memory.
    fn conflicts<'p>(&mut self, problem: &'p Problem) -> Result<&'p Conflicts, Refusal> {
        if let Some(known) = problem.conflicts.get() {
            return Ok(known);
        }
        let scop = self.scop;
        let found = self.step(Phase::Map, || Conflicts::new(scop, &problem.dependences))?;
        Ok(problem.conflicts.get_or_init(|| found))
    }

    /// The first candidate that the judge accepts and that has code, with its code; else why the last is refused.
    fn accept(
        &mut self,
        candidates: Vec<Candidate>,
        dead: Option<&UnionSet>,
        observer: &mut dyn Observer,
    ) -> Result<(Candidate, Ast), Refusal> {
        let mut refusal = Refusal::new("there is no schedule");
        let mut rest = candidates.into_iter().peekable();
        while let Some(candidate) = rest.next() {
            let accepted = self.judged_code(&candidate.tree, dead);
            if accepted.is_ok() || rest.peek().is_none() {
                show(observer, Stage::Schedule, || schedule_to_text(&candidate.tree))?;
            }
            match accepted {
                Ok(ast) => return Ok((candidate, ast)),
                Err(error) => refusal = error,
            }
        }
        Err(refusal)
    }

    fn judged_code(&mut self, tree: &Schedule, dead: Option<&UnionSet>) -> Result<Ast, Refusal> {
        if self.options.check || self.options.load_schedule.is_some() {
            self.judge(tree, dead.cloned())?;
        }
        self.generate(tree)
    }

    fn judge(&mut self, tree: &Schedule, dead: Option<UnionSet>) -> Result<(), Refusal> {
        let scop = self.scop;
        let quota = self.options.budget.of(Phase::Check, scop.ctx());
        let assumptions = legality::Assumptions { dead, quota };
        self.phases
            .time(Phase::Check, scop.ctx(), || legality::check(scop, tree, &assumptions))
            .map_err(|error| self.why(error.into(), Phase::Check))
    }

    /// Runs the code at small sizes: the proof of the tree does not see what was made of it.
    fn try_code(&mut self, ast: &Ast, dead: Option<&UnionSet>) -> Result<(), Refusal> {
        let scop = self.scop;
        self.step(Phase::Check, || {
            let live = dead.map(|dead| scop.without(dead)).transpose()?;
            match trial(live.as_ref().unwrap_or(scop), ast) {
                Trial::Different(what) => {
                    Err(Refusal::new(format!("internal error: code against its schedule: {what}")))
                }
                Trial::Same(sizes) => {
                    tracing::debug!(sizes, "code tried");
                    Ok(())
                }
            }
        })
    }

    /// The code for the original order is the same, marks for vectors aside. Where that cannot be told it is not.
    fn is_original(&mut self, ast: &Ast) -> bool {
        let tree = self.scop.schedule.clone();
        self.generate(&tree).is_ok_and(|original| original.same_loops(ast))
    }

    fn generate(&mut self, tree: &Schedule) -> Result<Ast, Refusal> {
        let scop = self.scop;
        self.step(Phase::Codegen, || codegen::generate(scop, tree, &codegen::Options::default()))
    }
}
