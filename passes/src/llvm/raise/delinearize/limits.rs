//! Numbers that must be below limits, as places of an array are: the array has a shape that fits the numbers, and what is
//! looked for is the greatest of its elements that is one of them.

use super::footprint::Footprint;
use super::shape::{Offset, Stride, recover};
use crate::llvm::raise::affine::describe::Description;
use crate::llvm::raise::affine::limit::Limit;
use crate::llvm::raise::affine::polynomial::{Polynomial, Symbol};
use crate::llvm::raise::refusal::{Reason, Step};

/// Numbers with one limit. None of them is negative, or the original has to run.
#[derive(Clone, Debug)]
pub struct Limited {
    /// The extents of the array, but for that of the first dimension.
    pub extents: Vec<Stride>,
    /// The distances of neighbours, the last one 1.
    pub strides: Vec<Stride>,
    /// The elements that are numbers.
    pub footprint: Footprint,
    /// All numbers are to be less than this.
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
            found.push(limited(description, limit, &same.collect::<Vec<_>>(), varies)?);
        }
    }
    Ok(found)
}

fn limited(
    description: &mut Description,
    limit: &Polynomial,
    all: &[&Limit],
    varies: &dyn Fn(Symbol) -> bool,
) -> Step<Limited> {
    let offsets = all.iter().map(|one| Offset { elements: one.number.clone(), domain: &one.domain, length: None });
    let offsets: Vec<Offset<'_>> = offsets.collect();
    let unknown = |reason| match reason {
        Reason::Shape | Reason::Subscript | Reason::NotAffine | Reason::Wraps => Reason::Failure,
        other => other,
    };
    let shape = recover(&offsets, &description.assumptions, varies).map_err(unknown)?;
    for (fitted, invalid) in shape.fitted.iter().zip(shape.invalid) {
        description.assumptions.add_invalid(&fitted.domain, invalid).map_err(unknown)?;
    }
    let footprint = Footprint::of(&description.assumptions, &shape.extents, &shape.fitted)?;
    Ok(Limited { extents: shape.extents, strides: shape.strides, footprint, limit: limit.clone() })
}
