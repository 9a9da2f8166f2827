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

mod completion;
mod groups;
mod lines;
mod nearest;
mod patterns;
mod print;
mod references;
mod spatial;
mod subscripts;
mod temporal;
#[cfg(test)]
mod tests;

use crate::isl::{Map, Result, UnionMap, UnionSet};
use crate::machine::Machine;
use crate::scop::{Scop, StatementId};
use references::references;
use std::borrow::Cow;
use std::collections::BTreeSet;
pub(crate) use subscripts::Subscripts;

/// The size of what memory hands over at once. Where lines begin is not known; see `lines.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The size in bytes.
    pub bytes: u32,
}

impl Line {
    /// The lines of a machine.
    pub fn of(machine: &Machine) -> Self {
        Line { bytes: machine.line_bytes }
    }
}

impl Default for Line {
    /// Those of [`Machine::generic`].
    fn default() -> Self {
        Line::of(&Machine::generic())
    }
}

/// The references of one statement to one array whose subscripts are the same but for constants, and what is near them.
///
/// A relation between two references belongs to the group of the later one, so that each pair is in one group alone:
/// that is where reuse happens, of what the earlier one brought.
#[derive(Debug, Clone)]
pub struct Group {
    /// The statement.
    pub statement: StatementId,
    /// The name of the array. Scalars have groups, too, as they are near in time, but nothing is near them in space.
    pub array: String,
    /// The names of the references, in the order of the statement's accesses.
    pub references: Vec<String>,
    /// The number of references. A read and a write of the same element are two (the unified report, 4.5).
    pub multiplicity: usize,
    /// The same number stands for groups of the same array whose subscripts are, constants aside, the same functions of
    /// the iterators by position, whatever the statement.
    pub alike: usize,
    /// What each of them touches, each number once: the same number, here or in another group, stands for the same
    /// array with the same subscripts as functions of the iterators by position, whatever the statement.
    pub distinct: BTreeSet<usize>,
    /// The first of them: `{ S[i] -> A[a] }`, a function. It is not restricted to the instances where it is affine, so
    /// that its equalities are those of the subscripts alone.
    pub access: Map,
    /// Uses of an element and the next use, which is in this group: `{ T[j] -> S[i] }`. Both at other instances, from
    /// the earlier to the later in the original order. Within the statement only pairs of this group at a constant
    /// distance (4.3).
    pub temporal: UnionMap,
    /// Uses of a line and the next use, which is in this group: `{ T[j] -> S[i] }`, as above. Only uses of the same
    /// pattern are related, and only where all iterators but one stay as they are, in terms of what the subscripts tell
    /// (4.2).
    pub spatial: UnionMap,
}

/// The groups of a region, in the order of statements and of the first reference of each.
#[derive(Debug, Clone)]
pub struct Proximity {
    /// The groups.
    pub groups: Vec<Group>,
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
        let mut given_up = 0;
        given_up += temporal::relate(&scop, &references, &members, &mut groups)?;
        given_up += spatial::relate(&scop, &references, &members, &mut groups, line)?;
        Ok(Proximity { groups, given_up })
    }
}
