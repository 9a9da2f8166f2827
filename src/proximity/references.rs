//! The references that proximity is about.

use super::subscripts::Subscripts;
use crate::isl::{Error, Map, Result};
use crate::scop::{AccessKind, Array, Scop, StatementId};

/// A reference that touches one element at each instance.
pub(super) struct Reference<'s> {
    pub name: &'s String,
    pub statement: StatementId,
    pub array: &'s Array,
    /// `{ S[i] -> A[a] }`, restricted to the instances and the context.
    pub relation: Map,
    /// The subscripts, where they are affine.
    pub subscripts: Option<Subscripts>,
}

/// The reads and writes of a region, in the order of the statements and their accesses.
///
/// A reference that may touch several elements says nothing about what is near what, and is left out.
pub(super) fn references(scop: &Scop) -> Result<Vec<Reference<'_>>> {
    let mut found = Vec::new();
    for (index, statement) in scop.statements.iter().enumerate() {
        let domain = statement.domain.clone().intersect_params(scop.context.clone())?;
        if domain.is_empty()? {
            continue;
        }
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            let relation = access.relation.clone().intersect_domain(domain.clone())?;
            if relation.is_empty()? || !relation.is_single_valued()? {
                continue;
            }
            let array = access.array()?;
            let unknown = || Error::invalid(format!("reference {} is to no array of the region", access.reference));
            let array = scop.array_by_name(&array).ok_or_else(unknown)?;
            let subscripts = Subscripts::of(&access.relation, &relation, &domain)?;
            let name = &access.reference;
            found.push(Reference { name, statement: StatementId(index), array, relation, subscripts });
        }
    }
    Ok(found)
}
