//! Macro-statements scheduled as statements are (section 5).

use super::decision::Decision;
use super::quotient::Quotient;
use crate::isl::{Schedule, ScheduleConstraints, UnionPwAff};
use crate::proximity::ReferenceGroup;
use crate::schedule::{self, Observer, Strategy, schedule_or_serialize_below};
use crate::schedule_tree::Positions;

/// What is scheduled as one in a region.
#[derive(Debug, Clone, Default)]
pub struct Clusters {
    /// Where its statements are.
    pub positions: Positions,
    /// Those that are one.
    pub decision: Decision,
}

impl Clusters {
    /// [`schedule_or_serialize_below`] on macro-statements. Where the members `above` tell statements of a cluster apart,
    /// on statements.
    ///
    /// # Errors
    /// Those of that function.
    pub fn schedule_below(
        &self,
        above: &[UnionPwAff],
        constraints: &ScheduleConstraints,
        groups: &[ReferenceGroup],
        strategy: &Strategy,
        observer: Observer,
    ) -> schedule::Result<Schedule> {
        let alone = |observer| schedule_or_serialize_below(above, constraints, groups, strategy, observer);
        if self.decision.is_empty() {
            return alone(observer);
        }
        let quotient = Quotient::new(constraints, &self.positions, &self.decision)?;
        let Some(above) = quotient.members(above)? else { return alone(observer) };
        let groups = quotient.groups(groups)?;
        let tree = schedule_or_serialize_below(&above, quotient.constraints(), &groups, strategy, observer)?;
        Ok(quotient.expand(tree)?)
    }
}
