//! The second phase: more trees to choose from ([`crate::second`]).

use super::{Candidate, Order, Phase, Problem, Refusal, Run, Scheduler};
use crate::isl::Schedule;
use crate::second::{Request, points, share};

impl Run<'_> {
    /// Only the unified strategy has aims that the first phase cannot pursue inside of tiles, and only where it is asked.
    pub(super) fn has_second_phase(&self, order: Order) -> bool {
        let options = self.options;
        let wanted = options.second_phase && options.tile && options.scheduler == Scheduler::Unified;
        wanted && matches!(order, Order::Found { .. })
    }

    /// The trees of the second phase: the points of tiles scheduled anew, in the tiles that there are, and in tiles that
    /// several nests share.
    pub(super) fn second_phase(
        &mut self,
        problem: &Problem,
        order: Order,
        scheduled: &Schedule,
        tiled: &Schedule,
    ) -> Result<Vec<Candidate>, Refusal> {
        let (constraints, sizes) = (&problem.constraints, &self.options.tile_sizes);
        let shared = self.step(Phase::Second, || share(scheduled, constraints, sizes))?;
        let shared = shared.map(|shared| self.tile(&shared, constraints)).transpose()?;
        let mut candidates = Vec::new();
        for tiled in std::iter::once(tiled).chain(&shared) {
            if let Some(tree) = self.points(problem, tiled)? {
                candidates.push(self.candidate(problem, order, scheduled, &tree)?);
            }
        }
        Ok(candidates)
    }

    /// A tree with the points of its tiles scheduled anew; `None` where it has no tiles.
    fn points(&mut self, problem: &Problem, tiled: &Schedule) -> Result<Option<Schedule>, Refusal> {
        let preset = self.options.scheduler.strategy(&self.options.target);
        let Some(strategy) = self.options.strategy.clone().or(preset) else { return Ok(None) };
        let (constraints, pivots) = (&problem.constraints, self.options.pivots);
        let request = Request { constraints, groups: self.groups(problem)?, strategy: &strategy, pivots };
        let mut observer = |event| tracing::debug!(?event, "second phase");
        self.step(Phase::Second, || points(tiled, request, &mut observer))
    }
}
