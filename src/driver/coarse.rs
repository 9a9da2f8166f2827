//! What is planned with macro-statements in place of statements ([`crate::clustering`]).
//!
//! Where a decision makes clusters of a region's statements, all steps up to the choice of trees are done for the region
//! of macro-statements; the trees are expanded before the checker sees them, so nothing that follows knows of clusters.
//! Where that gives nothing, the statements are planned by themselves with what is left of the budget.

use super::analysis::obligations;
use super::obligations::Obligations;
use super::options::Target;
use super::phases::Phase;
use super::realize::Realized;
use super::refusal::Refusal;
use super::scheduled::{Arranged, Scheduled};
use super::steps::Steps;
use crate::clustering::{Clustering, CoarseRegion, Decision, MANY_STATEMENTS, basic_blocks};
use crate::dependence::Mode;
use crate::isl;
use crate::schedule;
use crate::schedule_tree::Positions;

/// A region of macro-statements, and what made it.
pub(super) struct Clustered {
    pub region: CoarseRegion,
    pub decision: Decision,
}

/// The region of macro-statements, if there are any.
pub(super) fn region(steps: &mut Steps<'_>, mode: Mode) -> Result<Option<Clustered>, Refusal> {
    let options = steps.options;
    // Macro-statements have other names.
    let names = options.strategy.as_ref().is_some_and(schedule::Strategy::is_of_a_region);
    let is_open = options.target == Target::Cpu && options.load_schedule.is_none() && !options.remove_dead && !names;
    if !is_open || options.clustering == Clustering::None {
        return Ok(None);
    }
    let decision = decide(steps, mode)?;
    of_decision(steps, decision)
}

/// The region that a decision makes; `None` if it makes nothing.
pub(super) fn of_decision(steps: &mut Steps<'_>, decision: Decision) -> Result<Option<Clustered>, Refusal> {
    let scop = steps.scop;
    if decision.is_empty() {
        return Ok(None);
    }
    let region = steps.step(Phase::Cluster, || CoarseRegion::new(scop, &decision))?;
    if let Some(region) = &region {
        tracing::debug!(statements = scop.statements.len(), left = region.scop.statements.len(), %decision, "clusters");
    }
    Ok(region.map(|region| Clustered { region, decision }))
}

fn decide(steps: &mut Steps<'_>, mode: Mode) -> Result<Decision, Refusal> {
    let (scop, clustering) = (steps.scop, &steps.options.clustering);
    match clustering {
        // Statements that follow each other need no proof that they may.
        Clustering::BasicBlock => blocks(steps),
        Clustering::Auto if scop.statements.len() >= MANY_STATEMENTS => blocks(steps),
        Clustering::Auto | Clustering::None => Ok(Decision::default()),
        Clustering::Chains | Clustering::Scc | Clustering::Given(_) => {
            let Obligations { dependences, dead } = obligations(steps, mode)?;
            let constraints = || schedule::constraints(scop, &dependences, dead.as_ref());
            let constraints = steps.step(Phase::Constraints, constraints)?;
            Ok(steps.step(Phase::Cluster, || clustering.decide(scop, &constraints))?.decision)
        }
    }
}

fn blocks(steps: &mut Steps<'_>) -> Result<Decision, Refusal> {
    let scop = steps.scop;
    steps.step(Phase::Cluster, || Ok::<_, isl::Error>(basic_blocks(scop, &Positions::of(&scop.schedule)?)))
}

/// Trees of macro-statements as trees of statements.
pub(super) fn expanded(region: &CoarseRegion, ranked: &[Realized]) -> Result<Vec<Realized>, Refusal> {
    let expand = |realized: &Realized| -> isl::Result<Realized> {
        let tree = region.expand(realized.tree.clone())?;
        let scheduled = Scheduled {
            tree: region.expand(realized.arranged.scheduled.tree.clone())?,
            ..realized.arranged.scheduled.clone()
        };
        let arranged = Arranged { scheduled, tiled: tree.clone(), ordered: tree.clone(), ..realized.arranged.clone() };
        Ok(Realized { arranged, tree, ..realized.clone() })
    };
    Ok(ranked.iter().map(expand).collect::<isl::Result<_>>()?)
}
