//! The post-tile phase: more trees to choose from ([`crate::post_tile`]).

use super::search::First;
use super::{Candidate, Order, Phase, Problem, Refusal, Run, Scheduler};
use crate::isl::{self, Schedule};
use crate::post_tile::{Request, points, share};

impl Run<'_> {
    /// Only the unified strategy has aims that the first phase cannot pursue inside of tiles, and only where it is
    /// asked.
    pub(super) fn has_post_tile(&self, order: Order) -> bool {
        let options = self.options;
        let wanted = options.post_tile && options.tile && options.scheduler == Scheduler::Unified;
        wanted && matches!(order, Order::Found { .. })
    }

    /// The trees of the post-tile phase: the points of tiles scheduled anew, in the tiles that there are, and in tiles
    /// that several nests share. Those that cannot cost less than the limit are left out.
    pub(super) fn post_tile(
        &mut self,
        problem: &Problem,
        first: &First,
        limit: u64,
    ) -> Result<Vec<Candidate>, Refusal> {
        let (constraints, sizes) = (&problem.constraints, &self.options.tile_sizes);
        let shared = self.step(Phase::PostTile, || share(&first.scheduled, constraints, sizes))?;
        let shared = shared.map(|shared| self.tile(&shared, constraints)).transpose()?;
        let (mut known, mut limit) = (vec![first.ordered.clone()], limit);
        let mut candidates = Vec::new();
        for tiled in std::iter::once(&first.tiled).chain(&shared) {
            let Some(tree) = self.points(problem, tiled)? else { continue };
            let ordered = self.ordered(&tree)?;
            if contains(&known, &ordered)? {
                continue;
            }
            known.push(ordered.clone());
            if self.cost_unmapped(&ordered)? >= limit {
                continue;
            }
            let candidate = self.candidate(problem, first.order, &first.scheduled, &ordered)?;
            limit = limit.min(candidate.cost);
            candidates.push(candidate);
        }
        Ok(candidates)
    }

    /// A tree with the points of its tiles scheduled anew; `None` where it has no tiles.
    fn points(&mut self, problem: &Problem, tiled: &Schedule) -> Result<Option<Schedule>, Refusal> {
        let preset = self.options.scheduler.strategy(&self.options.target);
        let Some(strategy) = self.options.strategy.clone().or(preset) else { return Ok(None) };
        let constraints = &problem.constraints;
        let request = Request { constraints, groups: self.groups(problem)?, strategy: &strategy };
        let mut observer = |event| tracing::debug!(?event, "post-tile phase");
        self.step(Phase::PostTile, || points(tiled, request, &mut observer))
    }
}

/// One of the trees is the same.
fn contains(trees: &[Schedule], tree: &Schedule) -> isl::Result<bool> {
    for other in trees {
        if other.plain_is_equal(tree)? {
            return Ok(true);
        }
    }
    Ok(false)
}
