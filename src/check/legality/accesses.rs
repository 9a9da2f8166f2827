//! Accesses of a region as one relation.

use crate::isl;
use crate::scop::{Access, Scop};
use std::collections::BTreeSet;

/// The relation `{ S[i] -> A[a] }` of all accesses of some kinds to some arrays.
pub(super) fn accesses_to(scop: &Scop, keep: impl Fn(&Access, &str) -> bool) -> isl::Result<isl::UnionMap> {
    let mut all = isl::UnionMap::empty(scop.context.space()?)?;
    for statement in &scop.statements {
        for access in &statement.accesses {
            if keep(access, &access.array()?) {
                let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
                all = all.union(relation.to_union_map()?)?;
            }
        }
    }
    all.intersect_params(scop.context.clone())
}

/// The names of the arrays that are accessed.
pub(super) fn arrays(scop: &Scop) -> isl::Result<BTreeSet<String>> {
    scop.statements.iter().flat_map(|statement| &statement.accesses).map(Access::array).collect()
}
