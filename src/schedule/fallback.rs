//! What is done where a strategy gives no schedule.

use super::error::{Error, Result};
use super::explain::{Event, Observer};
use super::scheduler::schedule_below;
use super::strategy::{Fusion, Strategy};
use crate::ilp::Budget;
use crate::isl::{Schedule, ScheduleConstraints, UnionPwAff};
use crate::locality::Group;

/// [`super::schedule_groups`]; where that fails, each strongly connected component is scheduled by itself, which needs much less work and
/// fewer compromises. Each attempt has `pivots` of its own, and ends at the context's deadline. The next step down, the original order, is the caller's.
///
/// # Errors
/// Those of the last attempt. A failure of isl ends it at once: its work has one bound for all attempts.
pub fn schedule_or_serialize(
    constraints: &ScheduleConstraints,
    groups: &[Group],
    strategy: &Strategy,
    pivots: u64,
    observer: Observer,
) -> Result<Schedule> {
    schedule_or_serialize_below(&[], constraints, groups, strategy, pivots, observer)
}

/// The same for what is inside of the members `above` of outer bands; see `schedule_below`.
///
/// # Errors
/// Those of [`schedule_or_serialize`].
pub fn schedule_or_serialize_below(
    above: &[UnionPwAff],
    constraints: &ScheduleConstraints,
    groups: &[Group],
    strategy: &Strategy,
    pivots: u64,
    observer: Observer,
) -> Result<Schedule> {
    let budget = || Budget::new(pivots).until(constraints.ctx().deadline());
    match schedule_below(above, constraints, groups, strategy, &mut budget(), observer) {
        Err(error) if strategy.fusion != Fusion::None && !matches!(error, Error::Isl(_)) => {
            observer(Event::Fallback { reason: error.to_string() });
            let serial = Strategy { fusion: Fusion::None, ..strategy.clone() };
            schedule_below(above, constraints, groups, &serial, &mut budget(), observer)
        }
        found => found,
    }
}
