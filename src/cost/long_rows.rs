//! Rows that a loop over time comes back to.
//!
//! A row is taken to stay near where nothing is known of its length: next to matrices, of which it is a small part, it does. In a region
//! that has nothing but rows, a stencil in one dimension that is repeated, the rows are all the data, and long ones come from memory in each
//! step. Whether they are long is a condition of the new code then, as for any other array (`src/driver/in_caches.rs`). Measured on a Xeon
//! with 2 MiB a core (three points, doubles, between two rows; written by hand in tiles of 32 steps by 1,024): 1.7 times clang's speed with
//! rows of 100,000, 2.7 with 4,000,000.

use crate::isl::{DimType, Map, Result, Set};
use crate::scop::{Array, Scop};

/// The loops of a stencil in one dimension: over time, and along the row.
const LOOPS: usize = 2;

/// Each step has as many instances: a row that grows with the steps is no longer than there are steps, and short where these are not too
/// many to be waited for.
fn is_rectangle(domain: &Set) -> Result<bool> {
    let id = || domain.tuple_id();
    // { S[t, i] -> S[t', i'] }
    let any =
        |text| Map::parse(domain.ctx(), text)?.set_tuple_id(DimType::In, id()?)?.set_tuple_id(DimType::Out, id()?);
    let steps = domain.clone().apply(any("{ [t, i] -> [t, j] }")?)?;
    steps.intersect(domain.clone().apply(any("{ [t, i] -> [u, i] }")?)?)?.is_subset(domain)
}

/// An array is a row that a loop over time comes back to: the region has nothing but rows, and no more than two loops around each other, of
/// which the outer one leaves in place what a statement writes of the array.
pub(super) fn is_long_row(scop: &Scop, array: &Array) -> Result<bool> {
    if array.rank() != 1 || scop.arrays.iter().any(|array| array.rank() > 1) {
        return Ok(false);
    }
    let mut is_over_time = false;
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        let loops = statement.domain.dim(DimType::SET)?;
        if loops > LOOPS {
            return Ok(false);
        }
        for access in statement.accesses.iter().filter(|access| access.kind.is_write() && loops == LOOPS) {
            if access.array()? == array.name && !access.relation.involves_dims(DimType::In, 0, 1)? {
                is_over_time |= is_rectangle(&statement.domain)?;
            }
        }
    }
    Ok(is_over_time)
}
