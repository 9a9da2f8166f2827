//! What is near what, in time and in memory: the relations that the unified scheduler brings together (Zinenko et al.,
//! *Unified polyhedral modeling of temporal and spatial proximity*, 2017; here "the unified report").
//!
//! *Temporal proximity* relates uses of the same element, *spatial proximity* uses of the same line of memory, both
//! only where no other use is between them in the original order. They steer the choice among legal schedules and never
//! decide what is legal.
//!
//! | file | what | section |
//! |---|---|---|
//! | `references.rs` | the references of a region whose element is known | 2 |
//! | `subscripts.rs` | subscripts as affine expressions of the iterators | 2 |
//! | `lines.rs` | from elements to lines | 4.1 |
//! | `patterns.rs` | which references are looked at together | 4.2 |
//! | `completion.rs` | iterators that the subscripts do not tell | 4.2 |
//! | `spatial.rs` | spatial proximity | 4.2 |
//! | `temporal.rs` | temporal proximity | 4.3 |
//! | `groups.rs` | groups of references, multiplicity | 4.5 |
//! | `orders.rs` | the order of copies of a layout, and that of the rest | |

mod completion;
mod group;
mod groups;
mod line;
mod lines;
mod nearest;
mod orders;
mod patterns;
mod print;
mod references;
mod spatial;
mod subscripts;
mod temporal;
#[cfg(test)]
mod tests;

use crate::isl::{Result, UnionSet};
use crate::scop::Scop;
pub use group::ReferenceGroup;
pub use line::Line;
use orders::Orders;
use references::references;
use std::borrow::Cow;
pub(crate) use subscripts::{Subscript, Subscripts};

/// The groups of a region, in the order of statements and of the first reference of each.
#[derive(Debug, Clone)]
pub struct Proximity {
    /// The groups.
    pub groups: Vec<ReferenceGroup>,
    /// The number of relations left empty because they would have taken too many operations.
    pub given_up: usize,
}

impl Proximity {
    /// What is near what in a region without its dead instances `{ S[i] }`.
    ///
    /// Instances that may touch several elements by one reference have no place in this: those references are left out.
    ///
    /// # Errors
    /// Those of isl; one that is exhausted is about a bound of the caller's.
    pub fn compute(scop: &Scop, dead: Option<&UnionSet>, line: Line) -> Result<Proximity> {
        let scop = match dead {
            Some(dead) => Cow::Owned(scop.without(dead)?),
            None => Cow::Borrowed(scop),
        };
        let references = references(&scop)?;
        let (mut groups, members) = groups::combine(&scop, &references)?;
        let orders = Orders::of(&scop)?;
        let mut given_up = 0;
        given_up += temporal::relate(&scop, &references, &members, &mut groups, &orders)?;
        given_up += spatial::relate(&scop, &references, &members, &mut groups, (line, &orders))?;
        Ok(Proximity { groups, given_up })
    }
}
