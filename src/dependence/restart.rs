//! Regions that can be run again after a part of them has run.

use std::collections::BTreeSet;

use crate::isl::Result;
use crate::scop::{Scop, StatementId};

use super::Dependences;

impl Dependences {
    /// Whether the whole region does what it should after some instances of these statements have run already: they
    /// wrote nothing that the region reads from before it, and have no other effect.
    ///
    /// # Errors
    /// Those of isl.
    pub fn can_start_over(&self, scop: &Scop, ran: &BTreeSet<StatementId>) -> Result<bool> {
        let exposed = self.may_live_in.clone().range()?;
        for &id in ran {
            let statement = scop.statement(id);
            if statement.side_effect {
                return Ok(false);
            }
            for access in statement.accesses.iter().filter(|access| access.kind.is_write()) {
                // { A[a] }
                let written = access.relation.clone().intersect_domain(statement.domain.clone())?.range()?;
                if !written.to_union_set()?.intersect(exposed.clone())?.is_empty()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
