//! What is known of a region before there are candidates. Nothing in it changes.

use super::budget::Budget;
use super::obligations::Obligations;
use super::options::Effort;
use super::phases::Phase;
use super::refusal::Refusal;
use super::steps::Steps;
use crate::dependence::{Dependences, Mode, dead_instances};
use crate::isl::{ScheduleConstraints, UnionSet};
use crate::proximity::{Line, Proximity, ReferenceGroup};
use crate::schedule;
use crate::transform::Conflicts;
use std::borrow::Cow;

/// What all candidates are made from. What takes more than its share of the work is not known here; each candidate
/// that needs it finds it out with its own.
pub(super) struct Analysis {
    pub obligations: Obligations,
    pub constraints: ScheduleConstraints,
    groups: Option<Vec<ReferenceGroup>>,
    conflicts: Option<Conflicts>,
    /// No order of loops can cost so much less than the original that it would be taken.
    pub original_is_best: bool,
}

/// What is known of the region.
pub(super) enum Basis {
    /// Nothing: the region is best as it is.
    Unknown,
    /// A tree was loaded.
    Loaded(Obligations),
    Analyzed(Analysis),
}

impl Basis {
    /// The instances that are not scheduled.
    pub fn dead(&self) -> Option<&UnionSet> {
        match self {
            Basis::Unknown => None,
            Basis::Loaded(obligations) | Basis::Analyzed(Analysis { obligations, .. }) => obligations.dead.as_ref(),
        }
    }

    /// No order of loops can cost so much less than the original that it would be taken.
    pub fn original_is_best(&self) -> bool {
        match self {
            Basis::Unknown => true,
            Basis::Loaded(_) => false,
            Basis::Analyzed(analysis) => analysis.original_is_best,
        }
    }
}

/// The dependences of what is to be scheduled, and the dead instances if they are not. They are found once for all
/// that plan with the region's statements.
pub(super) fn obligations(steps: &mut Steps<'_>, mode: Mode) -> Result<Obligations, Refusal> {
    if let Some(known) = steps.obligations.as_ref().filter(|known| known.dependences.mode == mode) {
        return Ok(known.clone());
    }
    let found = found(steps, mode)?;
    steps.obligations = Some(found.clone());
    Ok(found)
}

fn found(steps: &mut Steps<'_>, mode: Mode) -> Result<Obligations, Refusal> {
    let scop = steps.scop;
    let dependences = steps.step(Phase::Dependences, || Dependences::compute(scop, mode))?;
    if !steps.options.remove_dead {
        return Ok(Obligations { dependences, dead: None });
    }
    let dead = steps.step(Phase::Dependences, || dead_instances(scop, &dependences))?;
    // Pairs that others imply are left out. If a dead instance is in one of those others, they are needed.
    let among_live = || Dependences::compute(&scop.without(&dead)?, mode);
    let dependences = steps.step(Phase::Dependences, among_live)?;
    Ok(Obligations { dependences, dead: Some(dead) })
}

impl Analysis {
    /// Everything that candidates have in common, at the expense of all of them alike; with [`Effort::Low`] but for groups
    /// of references.
    pub fn of(steps: &mut Steps<'_>, obligations: Obligations) -> Result<Self, Refusal> {
        let (scop, ctx) = (steps.scop, steps.scop.ctx());
        let Obligations { dependences, dead } = &obligations;
        let aims = steps.options.aims();
        let constraints = steps.step(Phase::Constraints, || {
            let made = schedule::constraints(scop, dependences, dead.as_ref())?;
            match &aims {
                Some(aims) => schedule::as_aimed(made, scop, dependences, aims),
                None => Ok(made),
            }
        })?;
        Ok(ctx.with_quota(Budget::search(ctx), || {
            let is_late = steps.options.effort == Effort::Low;
            let groups = match is_late {
                true => None,
                false => known(ctx.with_quota(Budget::preparation(ctx), || groups(steps, &obligations))),
            };
            let conflicts = known(ctx.with_quota(Budget::preparation(ctx), || conflicts(steps, &obligations)));
            Analysis { obligations, constraints, groups, conflicts, original_is_best: false }
        }))
    }

    /// Finds the groups of references where that was put off, as only candidates of a scheduler need them.
    pub fn with_groups(self, steps: &mut Steps<'_>) -> Self {
        if steps.options.effort != Effort::Low {
            return self;
        }
        let ctx = steps.scop.ctx();
        ctx.with_quota(Budget::search(ctx), || {
            let groups = ctx.with_quota(Budget::preparation(ctx), || groups(steps, &self.obligations));
            Analysis { groups: known(groups), ..self }
        })
    }

    #[cfg(test)]
    pub fn is_known(&self) -> bool {
        self.groups.is_some() && self.conflicts.is_some()
    }

    /// The groups of references; none for a scheduler that does not look at them.
    pub fn groups(&self, steps: &mut Steps<'_>) -> Result<Cow<'_, [ReferenceGroup]>, Refusal> {
        match &self.groups {
            Some(known) => Ok(Cow::Borrowed(known)),
            None => groups(steps, &self.obligations).map(Cow::Owned),
        }
    }

    /// What conflicts on memory.
    pub fn conflicts(&self, steps: &mut Steps<'_>) -> Result<Cow<'_, Conflicts>, Refusal> {
        match &self.conflicts {
            Some(known) => Ok(Cow::Borrowed(known)),
            None => conflicts(steps, &self.obligations).map(Cow::Owned),
        }
    }
}

fn known<T>(found: Result<T, Refusal>) -> Option<T> {
    found.inspect_err(|refusal| tracing::debug!(%refusal, "not found out for all candidates")).ok()
}

/// The groups of references of what is scheduled.
fn groups(steps: &mut Steps<'_>, obligations: &Obligations) -> Result<Vec<ReferenceGroup>, Refusal> {
    let (scop, options, dead) = (steps.scop, steps.options, obligations.dead.as_ref());
    if !options.has_groups() {
        return Ok(Vec::new());
    }
    let proximity = steps.step(Phase::Proximity, || Proximity::compute(scop, dead, Line::of(&options.machine)))?;
    if proximity.given_up > 0 {
        tracing::debug!(relations = proximity.given_up, "proximity left out for the work that it takes");
    }
    Ok(proximity.groups)
}

fn conflicts(steps: &mut Steps<'_>, obligations: &Obligations) -> Result<Conflicts, Refusal> {
    let scop = steps.scop;
    steps.step(Phase::Map, || Conflicts::new(scop, &obligations.dependences))
}
