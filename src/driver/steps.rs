//! The steps of a run over a region: each on the clock, and with its share of the budget.

use super::options::Options;
use super::phases::{Phase, Phases};
use super::refusal::Refusal;
use crate::scop::Scop;

/// One run over a region.
pub(super) struct Steps<'r> {
    pub scop: &'r Scop,
    pub options: &'r Options,
    phases: Phases,
}

impl<'r> Steps<'r> {
    /// A run that has not begun.
    pub fn new(scop: &'r Scop, options: &'r Options) -> Self {
        Steps { scop, options, phases: Phases::default() }
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

    /// Takes what the steps of another run took.
    pub fn count(&mut self, other: Steps<'_>) {
        self.phases.add(&other.phases);
    }

    /// How long the steps took.
    pub fn into_phases(self) -> Phases {
        self.phases
    }
}
