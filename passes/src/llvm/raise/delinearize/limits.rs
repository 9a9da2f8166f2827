//! Numbers that must be below limits: the greatest of those with one limit is looked for.

use super::numbers::Numbers;
use crate::llvm::raise::affine::describe::Description;
use crate::llvm::raise::affine::limit::Limit;
use crate::llvm::raise::affine::polynomial::{Polynomial, Symbol};
use crate::llvm::raise::refusal::{Reason, Step};

/// Numbers with one limit.
#[derive(Clone, Debug)]
pub struct Limited {
    /// The numbers.
    pub numbers: Numbers,
    /// All of them are to be less than this.
    pub limit: Polynomial,
}

/// Finds the shapes of the numbers of a region, those with one limit together.
///
/// # Errors
/// [`Reason::Failure`] if there is none; isl's.
pub fn find(description: &mut Description, varies: &dyn Fn(Symbol) -> bool) -> Step<Vec<Limited>> {
    let limits = std::mem::take(&mut description.limits);
    let mut found: Vec<Limited> = Vec::new();
    for Limit { limit, .. } in &limits {
        if !found.iter().any(|known| known.limit == *limit) {
            let same = limits.iter().filter(|other| other.limit == *limit);
            let same: Vec<_> = same.map(|one| (&one.number, &one.domain)).collect();
            let numbers = Numbers::of(&same, &mut description.assumptions, varies).map_err(|reason| match reason {
                Reason::Shape | Reason::Subscript | Reason::NotAffine | Reason::Wraps => Reason::Failure,
                other => other,
            })?;
            found.push(Limited { numbers, limit: limit.clone() });
        }
    }
    Ok(found)
}
