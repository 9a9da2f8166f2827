//! Dependences on some of the arrays.

use super::tags::untag;
use super::{Dependences, ordering, parts};
use crate::isl::{Result, UnionMap, UnionSet};
use crate::scop::Scop;
use std::collections::BTreeSet;

impl Dependences {
    /// The order dependences on arrays that a predicate holds of: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn order_on(&self, scop: &Scop, is_meant: impl Fn(&String) -> bool) -> Result<UnionMap> {
        from(scop, &self.tagged_order, is_meant)
    }

    /// The flow dependences on some arrays: `{ S[i] -> T[j] }`.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn flow_on(&self, scop: &Scop, arrays: &BTreeSet<String>) -> Result<UnionMap> {
        untag(from(scop, &self.tagged_flow, |array| arrays.contains(array))?)?.coalesce()
    }

    /// The false dependences on some arrays, if somebody looks at false dependences: `{ S[i] -> T[j] }`. Pairs that other
    /// pairs imply are left out, so that the scop is to have no other instances than those that are scheduled.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn false_on(&self, scop: &Scop, arrays: &BTreeSet<String>) -> Result<UnionMap> {
        match parts::part(scop, arrays)? {
            Some(part) if self.mode.has_false() => ordering::dep_false(&part),
            _ => UnionMap::empty(scop.context.space()?),
        }
    }

    /// Pairs of reads of the same value in some arrays, as [`Dependences::input`] has them: `{ S[i] -> T[j] }`.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn input_on(&self, scop: &Scop, arrays: &BTreeSet<String>) -> Result<UnionMap> {
        match parts::part(scop, arrays)? {
            Some(part) => self.input(&part),
            None => UnionMap::empty(scop.context.space()?),
        }
    }
}

/// The pairs from references to arrays that a predicate holds of: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
fn from(scop: &Scop, pairs: &UnionMap, is_meant: impl Fn(&String) -> bool) -> Result<UnionMap> {
    let mut references = UnionSet::empty(scop.context.space()?)?;
    for access in scop.statements.iter().flat_map(|s| &s.accesses) {
        if is_meant(&access.array()?) {
            let tags = access.tag(access.relation.clone())?.domain()?.to_union_set()?.universe()?;
            references = references.union(tags)?;
        }
    }
    pairs.clone().intersect_domain(references)
}
