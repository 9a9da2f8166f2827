//! Legality of a schedule tree, from the accesses alone.
//!
//! # The idea
//! A tree is legal when the region computes the same as before. Two instances *conflict* when they touch the same
//! element and one of them writes it. If every conflicting pair keeps its order, every read sees the same value: that
//! is the cheap sufficient test, done for all arrays at once (`order`). Arrays that fail it may still be fine, because
//! whole live ranges changed places or because a parallel loop has private copies. For those the dataflow is computed
//! anew under the final tree, and must be that of the original order (`dataflow`):
//!
//! - every read has the same possible last writers, in the same relative order;
//! - every live-out element has the same final writers, in the same relative order;
//! - the same reads see what was there before the region.
//!
//! # Steps
//! 1. `coverage`: every instance is executed exactly once (less the dead ones, proved dead).
//! 2. `order`: pairs left unordered (parallel members, set nodes, equal dates) have no conflict on shared storage.
//! 3. `order`: conflicting pairs keep their order, or `dataflow` is unchanged.
//! 4. `flags`: bands marked permutable and members marked coincident are; `vector` marks hold.
//!
//! Scalars that hand on values within an iteration, in both orders, need none of this (`handed_on`). Minima and maxima of integers
//! are gathered in any order (`commuting`).
//!
//! # Private copies
//! `parallel private(A)` gives each iteration its own copy of `A`: its storage is `[A[a] -> copyN[p, t]]`, `t` the value of
//! the parallel member and `p` those of the loops around it (`storage`). A private copy starts undefined, so a read of it without a writer in its own
//! iteration is a violation, and so is a live-out element last written in a private copy.
//!
//! # What is not proved here
//! That subscripts and bounds do not overflow (that is `codegen::overflow`), and that the AST does what the tree says
//! (AST generation is isl's; the interpreter in `check::interpret` tests it).
//!
//! The work is bounded by a counted quota; running out of it is an error, never an acceptance.

mod accesses;
mod commuting;
mod constraints;
mod coverage;
mod dataflow;
mod flags;
mod handed_on;
mod order;
mod storage;
mod violation;

#[cfg(test)]
mod tests;

pub use constraints::check_constraints;
pub(super) use order::{Conflicts, Parts, classify};
pub use violation::{CheckError, Instance, Rule, Violation};
pub(super) use violation::{sample_instance, sample_pair};

use crate::isl::{Schedule, UnionMap, UnionSet};
use crate::scop::Scop;
use std::collections::BTreeSet;

/// What the checker may take into account besides the scop and the tree.
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    /// Instances that were removed as dead, `{ S[i] }`; the checker proves that they are.
    pub dead: Option<UnionSet>,
    /// The quota of isl operations for the whole check; 0 means unbounded.
    pub quota: u64,
}

/// Proves that executing the scop by `tree` computes the same as its original order.
///
/// # Errors
/// [`CheckError::Illegal`] with what is wrong, [`CheckError::Budget`] when the quota or deadline struck first,
/// [`CheckError::Unsupported`] for a tree with nodes that the checker does not know.
pub fn check(scop: &Scop, tree: &Schedule, assumptions: &Assumptions) -> Result<(), CheckError> {
    check_with(scop, tree, assumptions, None)
}

/// The pairs of instances that touch one element of an array, one of them writing it, and that a tree does not run in their
/// original order: `{ S[i] -> T[j] }`, the earlier one first; those that it turns round, and those that it leaves
/// without an order. Not all of them are wrong, as whole live ranges may change places: this tells what [`check`] found.
///
/// # Errors
/// As [`check`].
pub fn turned(scop: &Scop, tree: &Schedule, array: &str) -> Result<[UnionMap; 2], CheckError> {
    let conflicts = Conflicts::of_scop(scop)?;
    let none = UnionMap::empty(scop.context.space()?)?;
    let Some(pairs) = conflicts.on(array) else { return Ok([none.clone(), none]) };
    let order = classify(pairs.clone(), &tree.root()?, Parts::TURNED)?;
    Ok([order.backward, order.unordered])
}

/// What may be known before a tree is checked.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// The conflicts of the region.
    pub conflicts: &'a Conflicts,
    /// The arrays on which they keep their order in the tree.
    pub kept: &'a BTreeSet<String>,
}

/// The same where something is known already.
pub(super) fn check_with(
    scop: &Scop,
    tree: &Schedule,
    assumptions: &Assumptions,
    known: Option<Known<'_>>,
) -> Result<(), CheckError> {
    let violations = scop.ctx().with_quota(assumptions.quota, || match known {
        None if assumptions.dead.is_none() => {
            // Scalars about which nothing is left to ask.
            let handed_on = handed_on::in_both(scop, tree)?;
            if handed_on.is_empty() {
                return violations(scop, tree, assumptions, known);
            }
            violations(&scop.without_accesses_to(&handed_on)?, tree, assumptions, known)
        }
        _ => violations(scop, tree, assumptions, known),
    })?;
    if violations.is_empty() { Ok(()) } else { Err(CheckError::Illegal(violations)) }
}

fn violations(
    scop: &Scop,
    tree: &Schedule,
    assumptions: &Assumptions,
    known: Option<Known<'_>>,
) -> Result<Vec<Violation>, CheckError> {
    let root = tree.root()?;
    order::refuse_unknown_nodes(&root)?;
    // { S[i] }
    let alive = match &assumptions.dead {
        Some(dead) => scop.domain()?.subtract(dead.clone())?,
        None => scop.domain()?,
    };
    let missing = coverage::violations(&alive, &scop.context, &root)?;
    if !missing.is_empty() {
        // The other steps take a total order for granted.
        return Ok(missing);
    }
    let storage = storage::Storage::of_tree(&root)?;
    let found;
    let conflicts = match known {
        Some(known) => known.conflicts,
        None => {
            found = Conflicts::of_scop(scop)?;
            &found
        }
    };
    let mut violations = Vec::new();
    let mut moved = storage.private_arrays();
    // Copies of what nobody accesses, or of what nothing is left to ask about, are of no matter.
    let accessed = accesses::arrays(scop)?;
    moved.retain(|array| accessed.contains(array));
    moved.extend(dataflow::arrays_written_by_dead(scop, assumptions.dead.as_ref())?);
    for array in conflicts.arrays() {
        let kept = !moved.contains(&array)
            && match known {
                Some(known) => known.kept.contains(&array),
                None => conflicts.keep_order(&array, &root)?,
            };
        // What keeps its order has one.
        if !kept || conflicts.is_unordered(&array) {
            violations.extend(order::unordered_conflicts(scop, &array, &storage, &alive, &root)?);
        }
        if !kept {
            moved.insert(array);
        }
    }
    violations.extend(dataflow::violations(scop, tree, &moved, &storage, assumptions.dead.as_ref())?);
    violations.extend(flags::violations(scop, conflicts, &moved, &storage, &alive, &root)?);
    Ok(violations)
}
