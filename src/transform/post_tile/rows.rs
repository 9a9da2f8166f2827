//! The rows of matrices that nests pass through.

use crate::isl::{DimType, Id, Result, UnionMap};
use crate::machine::Machine;
use crate::scop::{AccessKind, Scop};
use std::collections::BTreeMap;

/// The rows of large arrays, all subscripts but the last, of which several statements use each element once:
/// `{ S[i] -> A[r] }`. What a statement comes back to, tiles of its own bring nearer.
///
/// # Errors
/// Those of isl.
pub fn rows_passed(scop: &Scop, machine: &Machine) -> Result<UnionMap> {
    let mut of_arrays: BTreeMap<String, BTreeMap<&str, UnionMap>> = BTreeMap::new();
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill() && !statement.copy) {
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            let array = scop.array_of(access)?;
            let is_small = array.used_bytes()?.is_some_and(|bytes| machine.fits_nearest_cache(bytes));
            if array.rank() < 2 || is_small {
                continue;
            }
            let used = access.relation.clone().intersect_domain(statement.domain.clone())?;
            if !used.is_injective()? {
                continue;
            }
            let rows = used.project_out(DimType::Out, array.rank() - 1, 1)?;
            let rows = rows.set_tuple_id(DimType::Out, Id::new(scop.ctx(), &array.name)?)?.to_union_map()?;
            let known = of_arrays.entry(array.name.clone()).or_default();
            let all = match known.remove(statement.name.as_str()) {
                Some(other) => other.union(rows)?,
                None => rows,
            };
            known.insert(&statement.name, all);
        }
    }
    let mut all = UnionMap::empty(scop.context.space()?)?;
    for rows in of_arrays.into_values().filter(|statements| statements.len() > 1).flat_map(BTreeMap::into_values) {
        all = all.union(rows)?;
    }
    Ok(all)
}
