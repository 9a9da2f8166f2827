//! Whether emitted code is what the tree says, from what was read back of the code.
//!
//! A front end that has written code for a tree reads it again: which loops are there, and for each place that executes
//! a statement, which instance runs there in terms of the new iterators, and what it touches. [`check`] then proves:
//!
//! 1. The new instances are the tree's: each is executed exactly once, and no others are.
//! 2. Each touches what the original one touches, array by array. Of an array of kind [`ArrayKind::Scalar`] the code
//!    may keep a value in a register, so there it may touch less, and never anything else. The same holds where the
//!    original may go to any element, because nothing is known about the subscripts.
//! 3. Executing the region in the order of the code is legal ([`legality`] checks it, the private copies that the code
//!    makes included), and every two instances that conflict and that the tree orders have the tree's order.
//!
//! What is computed from the values read is not looked at: the code's operations are copies of the original's.

mod emitted;
mod instances;
mod model;
mod order;
#[cfg(test)]
mod tests;

pub use emitted::{Emitted, Place};
pub use order::Order;

pub(crate) use instances::check_instances;

use self::model::Model;
use super::legality::{
    self, Assumptions, CheckError, Conflicts, Instance, Known, Parts, classify, sample_instance, sample_pair,
};
use crate::isl::{self, DimType, Map, Schedule, Set, UnionMap};
use crate::scop::{AccessKind, ArrayKind, Scop, Statement};

/// How code differs from the tree that it was made for.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ValidationError {
    /// An instance is not executed.
    #[error("the code does not execute {0}")]
    Missing(Instance),
    /// An instance is executed more than once.
    #[error("the code executes {0} twice")]
    Twice(Instance),
    /// Something is executed that is no instance.
    #[error("the code executes {0}, which the schedule does not")]
    Stray(Instance),
    /// An instance is executed somewhere else than the tree says.
    #[error("the code executes {0} on the other side, or in another block or thread than the schedule says")]
    Place(Instance),
    /// A tile of shared memory is not what is read from it.
    #[error("the code's shared memory: {what} (array {array})")]
    Shared {
        /// What is wrong.
        what: &'static str,
        /// The array.
        array: String,
    },
    /// An instance touches other elements than the statement does.
    #[error(
        "the code's {kind} of {array} for {statement} differs from the statement's where it is executed as {example}"
    )]
    Access {
        /// The statement.
        statement: String,
        /// What is done to the element.
        kind: AccessKind,
        /// The array.
        array: String,
        /// An execution in the code.
        example: Instance,
    },
    /// Two conflicting instances have another order than in the tree.
    #[error("the code executes {first} and {second}, which touch the same element of {array}, in another order")]
    Order {
        /// The array.
        array: String,
        /// The one that the tree executes first.
        first: Instance,
        /// The other.
        second: Instance,
    },
    /// The order of the code is illegal.
    #[error("the order of the code: {0}")]
    Illegal(CheckError),
    /// isl failed, or its bounds on work struck: the question is open.
    #[error(transparent)]
    Isl(#[from] isl::Error),
}

impl ValidationError {
    /// A work bound struck, or isl failed: the question was not answered.
    pub fn is_open(&self) -> bool {
        match self {
            ValidationError::Isl(_) => true,
            ValidationError::Illegal(error) => matches!(error, CheckError::Budget | CheckError::Isl(_)),
            _ => false,
        }
    }
}

/// Proves that code does what a legal tree says. Each part of the proof may use `quota` operations of isl; 0 means that
/// they are not bounded.
///
/// # Errors
/// [`ValidationError`]: the first difference found, with an example, or that a bound struck.
pub fn check(scop: &Scop, tree: &Schedule, emitted: &Emitted, quota: u64) -> Result<(), ValidationError> {
    let Some((model, order)) = scop.ctx().with_quota(quota, || model(scop, tree, emitted))? else { return Ok(()) };
    let assumptions = Assumptions { quota, ..Assumptions::default() };
    let conflicts = scop.ctx().with_quota(quota, || Conflicts::of_scop(scop)).map_err(ValidationError::Illegal)?;
    let conflicts = scop.ctx().with_quota(quota, || model.conflicts(&conflicts))?;
    let kept = scop.ctx().with_quota(quota, || conflicts.kept(&order.root()?))?;
    let known = Known { conflicts: &conflicts, kept: &kept };
    legality::check_with(&model.scop, &order, &assumptions, Some(known)).map_err(ValidationError::Illegal)?;
    scop.ctx().with_quota(quota, || check_order(known, &model.pull_back(tree)?, &order))
}

/// The code as a region of its own, with its order, after it was proved that its instances and accesses are right.
/// Nothing if it executes nothing.
fn model(scop: &Scop, tree: &Schedule, emitted: &Emitted) -> Result<Option<(Model, Schedule)>, ValidationError> {
    // { S[i] }
    let alive = tree.domain()?.intersect(scop.domain()?)?;
    let executed = emitted.places.iter().map(|place| place.executed(scop)).collect::<isl::Result<Vec<_>>>()?;
    // { N[j] -> S[i] }
    let instances = emitted.places.iter().zip(&executed);
    let instances = instances.map(|(place, executed)| place.instances.clone().intersect_domain(executed.clone()));
    check_instances(&alive, &instances.collect::<isl::Result<Vec<_>>>()?)?;
    for (place, executed) in emitted.places.iter().zip(&executed) {
        check_accesses(scop, place, executed)?;
    }
    if alive.is_empty()? {
        return Ok(None);
    }
    let Some(order) = order::schedule(&emitted.order, &executed)? else { return Ok(None) };
    Ok(Some((Model::new(scop, &emitted.places, &executed)?, order)))
}

/// A place touches what its instances of the statement touch.
fn check_accesses(scop: &Scop, place: &Place, executed: &Set) -> Result<(), ValidationError> {
    let statement = scop.statement(place.statement);
    for array in &scop.arrays {
        for kind in [AccessKind::Read, AccessKind::MayWrite, AccessKind::MustWrite] {
            let none = || UnionMap::empty(scop.context.space()?);
            // { N[j] -> A[a] }, twice
            let (mut expected, mut actual) = (none()?, none()?);
            for access in statement.accesses.iter().filter(|access| access.kind == kind) {
                if access.array()? == array.name {
                    let relation = place.instances.clone().apply_range(access.relation.clone())?;
                    expected = expected.union(relation.intersect_domain(executed.clone())?.to_union_map()?)?;
                }
            }
            for (_, relation) in place.accesses.iter().filter(|(own, _)| *own == kind) {
                if relation.tuple_name(DimType::Out)?.as_deref() == Some(&array.name) {
                    actual = actual.union(relation.clone().intersect_domain(executed.clone())?.to_union_map()?)?;
                }
            }
            let unknown = is_unknown(statement, &array.name, kind)?;
            let more = if unknown { none()? } else { actual.clone().subtract(expected.clone())? };
            let less = match array.kind {
                ArrayKind::Scalar => none()?,
                _ if unknown && kind != AccessKind::MustWrite => none()?,
                ArrayKind::Memory | ArrayKind::Local => expected.subtract(actual)?,
            };
            if let Some(example) = sample_instance(&more.union(less)?.domain()?)? {
                let (statement, array) = (statement.name.clone(), array.name.clone());
                return Err(ValidationError::Access { statement, kind, array, example });
            }
        }
    }
    Ok(())
}

/// Whether a statement may read or write any element of an array, because what it accesses is not known. It may be in
/// the code, whose loops have other bounds; then a write that may happen here is one that does happen there.
fn is_unknown(statement: &Statement, array: &str, kind: AccessKind) -> isl::Result<bool> {
    let known_as = if kind.is_write() { AccessKind::MayWrite } else { kind };
    for access in statement.accesses.iter().filter(|access| access.kind == known_as) {
        let relation = &access.relation;
        if access.array()? != array || relation.dim(DimType::Out)? == 0 {
            continue;
        }
        let anything = Set::universe(relation.space()?.range()?)?;
        if relation.is_equal(&Map::from_domain_and_range(relation.clone().domain()?, anything)?)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Conflicting instances that the tree orders have the same order in another tree.
fn check_order(known: Known<'_>, tree: &Schedule, other: &Schedule) -> Result<(), ValidationError> {
    let (root, other) = (tree.root()?, other.root()?);
    for array in known.conflicts.arrays() {
        let Some(pairs) = known.conflicts.on(&array) else { continue };
        let turned = classify(pairs.clone(), &root, Parts::BACKWARD)?.backward.reverse()?;
        let forward = if known.kept.contains(&array) && !known.conflicts.has_free(&array) {
            // All pairs have the original order in the other tree, and so have those that have it in this one.
            UnionMap::empty(pairs.space()?)?
        } else {
            classify(pairs.clone(), &root, Parts::FORWARD)?.forward
        };
        // { I -> I' }, I first in the tree
        for ordered in [forward, turned] {
            let found = classify(ordered, &other, Parts::TURNED)?;
            if let Some((first, second, _)) = sample_pair(&found.backward.union(found.unordered)?)? {
                return Err(ValidationError::Order { array, first, second });
            }
        }
    }
    Ok(())
}
