//! What is known of a region before there are candidates. Nothing in it changes.

use super::{Budget, Phase, Refusal, Steps};
use crate::dependence::{Dependences, Mode, dead_instances};
use crate::isl::{Schedule, ScheduleConstraints, UnionSet};
use crate::proximity::{Group, Line, Proximity};
use crate::schedule;
use crate::transform::Conflicts;

/// What must stay in order, and what need not run.
pub(super) struct Obligations {
    pub dependences: Dependences,
    /// The instances that are not scheduled, if any may be left out: `{ S[i] }`.
    pub dead: Option<UnionSet>,
}

/// What all candidates are made from.
pub(super) struct Analysis {
    pub constraints: ScheduleConstraints,
    /// The original order, its bands found anew.
    pub original: Result<Schedule, Refusal>,
    /// The groups of references; none for a scheduler that does not look at them.
    pub groups: Result<Vec<Group>, Refusal>,
    /// What conflicts on memory.
    pub conflicts: Conflicts,
}

impl Obligations {
    /// The dependences of what is to be scheduled, and the dead instances if they are not.
    pub fn of(steps: &mut Steps<'_>, mode: Mode) -> Result<Self, Refusal> {
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
}

impl Analysis {
    /// Everything that candidates have in common, at the expense of all of them alike.
    pub fn of(steps: &mut Steps<'_>, obligations: &Obligations) -> Result<Self, Refusal> {
        let (scop, ctx) = (steps.scop, steps.scop.ctx());
        let Obligations { dependences, dead } = obligations;
        let dead = dead.as_ref();
        let constraints = steps.step(Phase::Constraints, || schedule::constraints(scop, dependences, dead))?;
        ctx.with_quota(Budget::search(ctx), || {
            let groups = ctx.with_quota(Budget::preparation(ctx), || groups(steps, dead));
            let conflicts = ctx.with_quota(Budget::preparation(ctx), || {
                steps.step(Phase::Map, || Conflicts::new(scop, dependences))
            })?;
            let original = ctx.with_quota(Budget::preparation(ctx), || original(steps, &constraints, dead));
            Ok(Analysis { constraints, original, groups, conflicts })
        })
    }
}

/// The groups of references of what is scheduled.
fn groups(steps: &mut Steps<'_>, dead: Option<&UnionSet>) -> Result<Vec<Group>, Refusal> {
    let (scop, options) = (steps.scop, steps.options);
    let looks = |strategy: schedule::Strategy| strategy.looks_at_references();
    if !options.aims().is_some_and(looks) {
        return Ok(Vec::new());
    }
    let proximity = steps.step(Phase::Proximity, || Proximity::compute(scop, dead, Line::of(&options.machine)))?;
    if proximity.given_up > 0 {
        tracing::debug!(relations = proximity.given_up, "proximity left out for the work that it takes");
    }
    Ok(proximity.groups)
}

/// The original order of what is scheduled, its bands found anew.
fn original(
    steps: &mut Steps<'_>,
    constraints: &ScheduleConstraints,
    dead: Option<&UnionSet>,
) -> Result<Schedule, Refusal> {
    let scop = steps.scop;
    steps.step(Phase::Schedule, || {
        let mut domain = scop.domain()?;
        if let Some(dead) = dead {
            domain = domain.subtract(dead.clone())?;
        }
        schedule::original(&scop.schedule.clone().intersect_domain(domain)?, constraints)
    })
}
