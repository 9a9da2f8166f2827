//! A group of references.

use crate::isl::{Map, UnionMap};
use crate::scop::StatementId;
use std::collections::BTreeSet;

/// The references of one statement to one array whose subscripts are the same but for constants, and what is near them.
///
/// A relation between two references belongs to the group of the later one, so that each pair is in one group alone:
/// that is where reuse happens, of what the earlier one brought.
#[derive(Debug, Clone)]
pub struct ReferenceGroup {
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
