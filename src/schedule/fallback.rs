//! What is done where a strategy gives no schedule.

use super::error::{Error, Result};
use super::explain::{Event, Observer};
use super::strategy::{Fusion, Strategy};
use crate::isl::{Schedule, ScheduleConstraints, UnionPwAff};
use crate::proximity::ReferenceGroup;
use crate::schedule::scheduler::schedule_below;

/// [`super::schedule_groups`]; where that fails, each strongly connected component is scheduled by itself, which needs
/// much less work and fewer compromises. The first attempt may take three quarters of what is left of the context's
/// bound. The next step down, the original order, is the caller's.
///
/// # Errors
/// Those of the last attempt. A failure of isl that is not for the work ends it at once.
pub fn schedule_or_serialize(
    constraints: &ScheduleConstraints,
    groups: &[ReferenceGroup],
    strategy: &Strategy,
    observer: Observer,
) -> Result<Schedule> {
    schedule_or_serialize_below(&[], constraints, groups, strategy, observer)
}

/// The same for what is inside of the members `above` of outer bands; see `schedule_below`.
///
/// # Errors
/// Those of [`schedule_or_serialize`].
pub fn schedule_or_serialize_below(
    above: &[UnionPwAff],
    constraints: &ScheduleConstraints,
    groups: &[ReferenceGroup],
    strategy: &Strategy,
    observer: Observer,
) -> Result<Schedule> {
    let ctx = constraints.ctx();
    let first = || schedule_below(above, constraints, groups, strategy, observer);
    match ctx.with_quota(ctx.remaining() / FIRST.1 * FIRST.0, first) {
        // What is not there, or not possible, is not so without fusion either.
        Err(error) if error.is_of_request() => Err(error),
        Err(error) if strategy.fusion != Fusion::None && (!matches!(error, Error::Isl(_)) || error.is_spent()) => {
            observer(Event::Fallback { reason: error.to_string() });
            let serial = Strategy { fusion: Fusion::None, ..strategy.clone() };
            schedule_below(above, constraints, groups, &serial, observer)
        }
        found => found,
    }
}

/// The part of the work that the first attempt may take: numerator and denominator.
const FIRST: (u64, u64) = (3, 4);
