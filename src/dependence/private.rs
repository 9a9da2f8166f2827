//! Arrays that may be given private copies.

use super::Dependences;
use crate::isl::{Result, UnionMap};
use crate::scop::{ArrayKind, Scop};
use std::collections::BTreeSet;

impl Dependences {
    /// The names of the arrays of which each iteration of a loop could have its own copy, if no value flows from one
    /// iteration to another: arrays that belong to the region, into which no value comes from before it and out of
    /// which none is needed after it.
    pub fn private_candidates(&self, scop: &Scop) -> Result<BTreeSet<String>> {
        let mut names: BTreeSet<String> = scop
            .arrays
            .iter()
            .filter(|a| matches!(a.kind, ArrayKind::Scalar | ArrayKind::Local))
            .map(|a| a.name.clone())
            .collect();
        for relation in [&self.may_live_in, &self.may_live_out] {
            for array in accessed_arrays(relation)? {
                names.remove(&array);
            }
        }
        Ok(names)
    }
}

/// The names of the arrays in the range of an access relation `{ S[i] -> A[a] }`.
pub(crate) fn accessed_arrays(accesses: &UnionMap) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for set in accesses.clone().range()?.set_list()?.to_vec()? {
        if !set.is_empty()? {
            names.extend(set.tuple_name()?);
        }
    }
    Ok(names)
}
