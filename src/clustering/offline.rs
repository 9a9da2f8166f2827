//! Macro-statements scheduled as statements are (section 5).

use super::decision::Decision;
use super::quotient::Quotient;
use crate::isl::{self, Schedule, ScheduleConstraints};
use crate::proximity::ReferenceGroup;
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
    /// What any scheduler makes of macro-statements, as a tree of statements.
    ///
    /// # Errors
    /// Those of the scheduler, and failures of isl.
    pub fn schedule<E: From<isl::Error>>(
        &self,
        constraints: &ScheduleConstraints,
        groups: &[ReferenceGroup],
        scheduler: impl FnOnce(&ScheduleConstraints, &[ReferenceGroup]) -> Result<Schedule, E>,
    ) -> Result<Schedule, E> {
        if self.decision.is_empty() {
            return scheduler(constraints, groups);
        }
        let quotient = Quotient::new(constraints, &self.positions, &self.decision)?;
        let tree = scheduler(quotient.constraints(), &quotient.groups(groups)?)?;
        Ok(quotient.expand(tree)?)
    }
}
