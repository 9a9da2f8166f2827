//! The trees to choose from.

use super::budget::equal_part;
use super::{Candidate, Order, Phase, Problem, Refusal, Run, Scheduler};
use crate::isl::Schedule;
use crate::mapping::Mapped;
use crate::tree::{self, Mark};

/// A tree of the first phase, and what the second one starts from.
#[derive(Clone)]
pub(super) struct First {
    pub order: Order,
    /// As the scheduler found it.
    pub scheduled: Schedule,
    /// Tiled.
    pub tiled: Schedule,
    /// Points in order, with blocks for registers.
    pub ordered: Schedule,
    candidate: Candidate,
}

/// What candidates are compared by: their cost, or what it counts as if the code stays as it is.
fn rank(candidate: &Candidate) -> u64 {
    let stays = candidate.is_original && tree::is_rewritten(&candidate.tree).is_ok_and(|rewritten| !rewritten);
    if stays { certain(candidate.cost) } else { candidate.cost }
}

/// To leave the code as it is risks nothing; so others have to save more than what predictions are easily wrong by, a
/// tenth.
fn certain(cost: u64) -> u64 {
    cost - cost / 10
}

impl Run<'_> {
    /// The trees to try, sorted by [`rank`], of equals the first that [`Run::orders`] names in front. An attempt
    /// that fails is no tree.
    pub(super) fn search(&mut self, problem: &Problem) -> Result<Vec<Candidate>, Refusal> {
        let mut failure = Refusal::new("there is no schedule");
        let mut first = Vec::new();
        // At the expense of all orders alike.
        self.prepare(problem);
        // Backwards, since the last one may tell that the one before it is the same.
        let ctx = self.scop.ctx();
        for (before, order) in self.orders().into_iter().enumerate().rev() {
            match ctx.with_quota(equal_part(ctx, before + 1), || self.first_phase(problem, order, &first)) {
                Ok(found) => first.extend(found),
                Err(refusal) => failure = refusal,
            }
        }
        first.reverse();
        if first.is_empty() && self.preset().is_some() {
            tracing::debug!(%failure, "the original order instead");
            first.extend(self.first_phase(problem, Order::Original, &[])?);
        }
        if first.is_empty() {
            return Err(failure);
        }
        let limit = first.iter().map(|first| first.candidate.cost).min().unwrap_or(0);
        let sequential = self.instead_of_wavefronts(problem, &first, limit);
        let limit = sequential.iter().map(|candidate| candidate.cost).fold(limit, u64::min);
        let mut ranked = self.with_post_tile(problem, first, limit);
        ranked.extend(sequential);
        tracing::debug!(costs = ?ranked.iter().map(|candidate| candidate.cost).collect::<Vec<_>>(), "candidates");
        ranked.sort_by_cached_key(rank);
        Ok(ranked)
    }

    /// Where trees come from. Only what beats the original order gains; where it is open whether outermost members must
    /// be coincident, both are tried.
    fn orders(&self) -> Vec<Order> {
        let options = self.options;
        let outer_coincidence = match options.scheduler {
            Scheduler::None => return vec![Order::Original],
            // The strategy says it, or leaves no choice.
            Scheduler::Pluto | Scheduler::Feautrier => Some(false),
            Scheduler::Ppcg | Scheduler::Unified if options.strategy.is_some() => Some(true),
            Scheduler::Ppcg | Scheduler::Unified | Scheduler::Isl => options.outer_coincidence,
        };
        let choices = outer_coincidence.map_or(vec![true, false], |choice| vec![choice]);
        let found = choices.into_iter().map(|outer_coincidence| Order::Found { outer_coincidence });
        options.profitability.then_some(Order::Original).into_iter().chain(found).collect()
    }

    /// The tree that an order leads to, with the points of tiles in the order that a heuristic gives them; `None` where
    /// the scheduler found the same one before.
    fn first_phase(&mut self, problem: &Problem, order: Order, known: &[First]) -> Result<Option<First>, Refusal> {
        if matches!(order, Order::Found { outer_coincidence: true }) && problem.any_coincidence.get() {
            return Ok(None);
        }
        let scheduled = self.schedule(problem, order)?;
        let is_original = matches!(order, Order::Original);
        for other in known {
            if !other.scheduled.plain_is_equal(&scheduled)? {
                continue;
            }
            if is_original == other.candidate.is_original {
                return Ok(None);
            }
            let candidate = Candidate { is_original, ..other.candidate.clone() };
            return Ok(Some(First { order, candidate, ..other.clone() }));
        }
        let tiled = self.tile(&scheduled, &problem.constraints)?;
        let ordered = self.ordered(&tiled)?;
        let candidate = self.candidate(problem, order, &scheduled, &ordered)?;
        Ok(Some(First { order, scheduled, tiled, ordered, candidate }))
    }

    /// Trees that run sequentially, in the original order or with blocks for registers, which wavefronts of tiles do
    /// not have, where that may cost less than the limit. Whoever asks for wavefronts gets them.
    fn instead_of_wavefronts(&mut self, problem: &Problem, first: &[First], limit: u64) -> Vec<Candidate> {
        let options = self.options;
        let mut candidates = Vec::new();
        if options.parallel
            && options.tile
            && options.register_tiles
            && options.profitability
            && options.wavefront.is_none()
        {
            for first in first {
                match self.sequential(problem, first, limit) {
                    Ok(found) => candidates.extend(found),
                    Err(refusal) => tracing::debug!(%refusal, "no tiles in sequence"),
                }
            }
        }
        candidates
    }

    /// The same tree as a wavefront's without the wavefront, if it has blocks or is the original, and may cost less
    /// than the limit.
    fn sequential(&mut self, problem: &Problem, first: &First, limit: u64) -> Result<Option<Candidate>, Refusal> {
        if !tree::has_mark(&first.tiled, &Mark::Wavefront)? {
            return Ok(None);
        }
        let tiled = self.tile_with(&first.scheduled, &problem.constraints, 0)?;
        let ordered = self.ordered(&tiled)?;
        let is_original = matches!(first.order, Order::Original);
        if !is_original && !tree::has_mark(&ordered, &Mark::Register)? {
            return Ok(None);
        }
        let least = self.cost_unmapped(&ordered)?;
        if (if is_original { certain(least) } else { least }) >= limit {
            return Ok(None);
        }
        self.candidate(problem, first.order, &first.scheduled, &ordered).map(Some)
    }

    /// What a tree costs at least.
    pub(super) fn cost_unmapped(&mut self, ordered: &Schedule) -> Result<u64, Refusal> {
        let (scop, options) = (self.scop, self.options);
        self.step(Phase::Map, || tree::cost_unmapped(scop, ordered, &options.target, options.parallel))
    }

    /// The candidates, each with what the post-tile phase makes of it if it is wanted: that is, of the trees that cost
    /// least, until something is found that costs less, unless no order of loops can do that.
    fn with_post_tile(&mut self, problem: &Problem, first: Vec<First>, limit: u64) -> Vec<Candidate> {
        let costs = first.iter().filter(|first| self.has_post_tile(first.order)).map(|first| first.candidate.cost);
        let least = costs.min();
        let mut open = least.is_some() && self.may_be_beaten(limit);
        let mut all = Vec::new();
        for first in first {
            let wanted = open && self.has_post_tile(first.order) && least == Some(first.candidate.cost);
            let second = if wanted { self.post_tile(problem, &first, limit) } else { Ok(Vec::new()) };
            all.push(first.candidate);
            match second {
                Ok(found) => {
                    open &= found.iter().all(|candidate| candidate.cost >= limit);
                    all.extend(found);
                }
                Err(refusal) => tracing::debug!(%refusal, "no post-tile phase"),
            }
        }
        all
    }

    /// An order of loops may cost less than this. Where that cannot be told, one may.
    fn may_be_beaten(&mut self, cost: u64) -> bool {
        let (scop, options) = (self.scop, self.options);
        let (parallel, blocks) = (options.parallel, options.register_tiles);
        let least = self.step(Phase::PostTile, || tree::cost_lower_bound(scop, &options.target, parallel, blocks));
        tracing::debug!(?least, cost, "bound");
        least.map_or(true, |least| least < cost)
    }

    /// A tiled tree with its points in the order that a heuristic gives them, and blocks for registers.
    pub(super) fn ordered(&mut self, tiled: &Schedule) -> Result<Schedule, Refusal> {
        let (scop, target) = (self.scop, &self.options.target);
        let (sizes, blocks) = (&self.options.tile_sizes, self.options.tile && self.options.register_tiles);
        self.step(Phase::Tile, || {
            let ordered = tree::interchange(scop, tiled, target)?;
            if blocks { tree::register_tile(scop, &ordered, sizes, target) } else { Ok(ordered) }
        })
    }

    /// A tree as the scheduler found it and as it is after the rewrites, made ready for code.
    pub(super) fn candidate(
        &mut self,
        problem: &Problem,
        order: Order,
        scheduled: &Schedule,
        ordered: &Schedule,
    ) -> Result<Candidate, Refusal> {
        let Mapped { tree, too_little_work } = self.map(ordered, problem)?;
        let cost = self.cost(&tree)?;
        tracing::trace!(cost, %tree, "candidate");
        let is_original = matches!(order, Order::Original);
        Ok(Candidate { cost, scheduled: scheduled.clone(), tree, too_little_work, is_original })
    }
}
