//! Arrays whose values from before a region are read in it.

use crate::isl::Result;
use crate::scop::{AccessKind, Scop};

use super::Dependences;

impl Dependences {
    /// Whether a region may read an element of an array that it has not written before.
    ///
    /// # Errors
    /// Those of isl.
    pub fn is_exposed(&self, scop: &Scop, array: &str) -> Result<bool> {
        // { A[a] }
        let exposed = self.may_live_in.clone().range()?;
        for statement in &scop.statements {
            for access in statement.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
                if access.array()? != array {
                    continue;
                }
                let read = access.relation.clone().intersect_domain(statement.domain.clone())?.range()?;
                if !read.to_union_set()?.intersect(exposed.clone())?.is_empty()? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
