//! The steps of a run over a region: each on the clock, and with its share of the budget.

use super::findings::Findings;
use super::obligations::Obligations;
use super::options::Options;
use super::phases::{Phase, Phases};
use super::refusal::Refusal;
use super::step_down::StepDown;
use crate::scop::Scop;

/// One run over a region.
pub(super) struct Steps<'r> {
    pub scop: &'r Scop,
    pub options: &'r Options,
    phases: Phases,
    down: Vec<StepDown>,
    /// What `analysis::obligations` found last.
    pub obligations: Option<Obligations>,
    /// What is found out once, by this run or by one before it with the same region.
    pub findings: Findings,
}

impl<'r> Steps<'r> {
    /// A run that has not begun.
    pub fn new(scop: &'r Scop, options: &'r Options) -> Self {
        Steps::with(scop, options, Findings::default())
    }

    /// A run that has not begun, with what is known of the region.
    pub fn with(scop: &'r Scop, options: &'r Options, findings: Findings) -> Self {
        Steps { scop, options, phases: Phases::default(), down: Vec::new(), obligations: None, findings }
    }

    /// Runs a step with its share of the budget, on the clock, and says which step it was when it fails.
    pub fn step<T, E: Into<Refusal>>(
        &mut self,
        phase: Phase,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, Refusal> {
        let ctx = self.scop.ctx();
        let share = self.options.budget.of(phase, ctx);
        let result = self.phases.time(phase, ctx, || ctx.with_quota(share, work));
        result.map_err(|error| {
            // When time is up, that is the reason, whatever the step made of it.
            let refusal = ctx.check_deadline().err().map_or_else(|| error.into(), Refusal::from);
            refusal.in_phase(phase)
        })
    }

    /// Keeps in mind that less is done than was wanted.
    pub fn step_down(&mut self, step: StepDown) {
        tracing::debug!(%step, "step down");
        if !self.down.contains(&step) {
            self.down.push(step);
        }
    }

    /// How many steps down there were.
    pub fn depth(&self) -> usize {
        self.down.len()
    }

    /// Forgets all steps down but for the first ones, as what they led to is not taken.
    pub fn forget_below(&mut self, depth: usize) {
        self.down.truncate(depth);
    }

    /// Takes what the steps of another run took, and its steps down.
    pub fn join(&mut self, other: Steps<'_>) {
        self.phases.add(&other.phases);
        other.down.into_iter().for_each(|step| self.step_down(step));
    }

    /// How long the steps took, and what was done with less than was wanted.
    pub fn into_record(self) -> (Phases, Vec<StepDown>) {
        (self.phases, self.down)
    }
}
