//! What is known of a region before there are candidates. Nothing in it changes.

use super::budget::Budget;
use super::findings::Found;
use super::obligations::Obligations;
use super::options::Effort;
use super::phases::Phase;
use super::refusal::Refusal;
use super::steps::Steps;
use crate::dependence::{Dependences, Mode, dead_instances, is_large};
use crate::isl::{self, ScheduleConstraints, UnionSet};
use crate::proximity::{Line, Proximity, ReferenceGroup};
use crate::schedule;
use crate::transform::Conflicts;
use std::borrow::Cow;
use std::rc::Rc;

/// What all candidates are made from. What takes more than its share of the work is not known here; each candidate
/// that needs it finds it out with its own.
pub(super) struct Analysis {
    pub obligations: Obligations,
    pub constraints: ScheduleConstraints,
    groups: Option<Vec<ReferenceGroup>>,
    conflicts: Option<Conflicts>,
    /// No order of loops can cost so much less than the original that it would be taken.
    pub original_is_best: bool,
    /// What is found out once.
    pub found: Rc<Found>,
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
    let (scop, findings) = (steps.scop, steps.findings.of(mode));
    let compute = || findings.dependences.get(scop.ctx(), || Dependences::compute(scop, mode));
    let dependences = steps.step(Phase::Dependences, compute)?;
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
        let found = steps.findings.of(dependences.mode);
        let make = || {
            let made = schedule::constraints(scop, dependences, dead.as_ref())?;
            match &aims {
                Some(aims) => schedule::as_aimed(made, scop, dependences, aims),
                None => Ok(made),
            }
        };
        let constraints = steps.step(Phase::Constraints, || found.constraints.get(ctx, make))?;
        Ok(ctx.with_quota(Budget::search(ctx), || {
            let is_late = steps.options.effort == Effort::Low;
            let groups = match is_late {
                true => None,
                false => known(ctx.with_quota(Budget::preparation(ctx), || groups(steps, &obligations))),
            };
            let conflicts = known(ctx.with_quota(Budget::preparation(ctx), || conflicts(steps, &obligations)));
            Analysis { obligations, constraints, groups, conflicts, original_is_best: false, found }
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
    let (ctx, found) = (scop.ctx(), steps.findings.of(obligations.dependences.mode));
    let compute = || {
        let proximity = Proximity::compute(scop, dead, Line::of(&options.machine))?;
        if proximity.given_up > 0 {
            tracing::debug!(relations = proximity.given_up, "proximity left out for the work that it takes");
        }
        Ok::<_, isl::Error>(proximity.groups)
    };
    // How much of a large region is looked at depends on what is left.
    if is_large(scop) {
        return steps.step(Phase::Proximity, compute);
    }
    let left = ctx.remaining();
    let groups = steps.step(Phase::Proximity, || {
        if left <= found.too_few_for_groups.get() {
            ctx.charge(left)?;
        }
        found.groups.get_if_left(ctx, compute)
    });
    if groups.is_err() && ctx.remaining() == 0 {
        found.too_few_for_groups.set(left.max(found.too_few_for_groups.get()));
    }
    groups
}

fn conflicts(steps: &mut Steps<'_>, obligations: &Obligations) -> Result<Conflicts, Refusal> {
    let (scop, found) = (steps.scop, steps.findings.of(obligations.dependences.mode));
    steps.step(Phase::Map, || found.conflicts.get(scop.ctx(), || Conflicts::new(scop, &obligations.dependences)))
}
