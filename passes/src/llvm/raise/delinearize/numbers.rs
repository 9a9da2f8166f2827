//! Numbers that are sums of products, as places of an array are, which has bytes for elements: the array has a shape that
//! fits them, and its least and greatest element are the least and the greatest number.

use super::footprint::Footprint;
use super::shape::{Offset, Stride, recover};
use crate::llvm::raise::affine::assumptions::{Assumptions, Domain};
use crate::llvm::raise::affine::polynomial::{Polynomial, Symbol};
use crate::llvm::raise::refusal::Step;

/// Numbers, none of which is negative, or the original has to run.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// The extents of the array, but for that of the first dimension.
    pub extents: Vec<Stride>,
    /// The distances of neighbours, the last one 1.
    pub strides: Vec<Stride>,
    /// The elements that are numbers.
    pub footprint: Footprint,
}

impl Numbers {
    /// The numbers that there are, each wherever a domain runs.
    ///
    /// # Errors
    /// [`Reason::Shape`](crate::llvm::raise::refusal::Reason::Shape) if no shape fits all of them; isl's.
    pub fn of(
        all: &[(&Polynomial, &Domain)],
        assumptions: &mut Assumptions,
        varies: &dyn Fn(Symbol) -> bool,
    ) -> Step<Self> {
        let offsets = all.iter().map(|(number, domain)| Offset { elements: (*number).clone(), domain, length: None });
        let offsets: Vec<Offset<'_>> = offsets.collect();
        let shape = recover(&offsets, assumptions, varies)?;
        for (fitted, invalid) in shape.fitted.iter().zip(shape.invalid) {
            assumptions.add_invalid(&fitted.domain, invalid)?;
        }
        let footprint = Footprint::of(assumptions, &shape.extents, &shape.fitted)?;
        Ok(Self { extents: shape.extents, strides: shape.strides, footprint })
    }
}
