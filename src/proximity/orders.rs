//! The order of copies of a layout, and that of the rest, which is scheduled apart from them.

use crate::isl::{Result, Schedule};
use crate::schedule_tree::among;
use crate::scop::{Scop, Statement};

/// What comes when in the region. Copies in and out have nothing of the rest before or behind them; across those in between, where
/// arrays are redistributed, what is found to be near is not used (`schedule/apart.rs`).
pub(super) struct Orders {
    /// Of the copies, if there are any.
    pub of_copies: Schedule,
    /// Of all others.
    pub of_others: Schedule,
}

impl Orders {
    /// Those of a region.
    pub fn of(scop: &Scop) -> Result<Self> {
        if !scop.statements.iter().any(|statement| statement.copy) {
            return Ok(Orders { of_copies: scop.schedule.clone(), of_others: scop.schedule.clone() });
        }
        let among = |is_wanted: &dyn Fn(&Statement) -> bool| {
            let names = scop.statements.iter().filter(|statement| is_wanted(statement));
            let among = among(&scop.schedule, &names.map(|statement| statement.name.clone()).collect())?;
            Ok(among.unwrap_or_else(|| scop.schedule.clone()))
        };
        Ok(Orders { of_copies: among(&|statement| statement.copy)?, of_others: among(&|statement| !statement.copy)? })
    }
}
