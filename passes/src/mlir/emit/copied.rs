//! What of arrays is copied for kernels: all, or the span of what they access ([`super::transfer`]).
//!
//! What lies between two elements that a program accesses through one pointer belongs to the same object, whatever way
//! the program computes addresses: so it can be read, unless the program took away the right to.

use std::collections::{BTreeMap, BTreeSet};

use polyrs_core::codegen::{Accessed, Part, Span};
use polyrs_core::dependence::{Dependences, Mode};
use polyrs_core::driver::Budget;
use polyrs_core::isl;
use polyrs_core::scop::{Scop, StatementId};

use super::error::EmitError;
use crate::mlir::lower::facts::is_raised;
use crate::mlir::region::{ArrayBinding, LiftedRegion};

/// What is copied for kernels.
#[derive(Debug, Default)]
pub struct Transfers {
    /// The spans of arrays of which nobody knows how large they are, by the array's position.
    pub spans: BTreeMap<usize, Span>,
    /// The arrays of which all that is copied is written.
    pub written: BTreeSet<usize>,
    /// The arrays of which kernels write all that is copied before they read it.
    pub fresh: BTreeSet<usize>,
    /// The arrays that are there before kernels, and how often each is copied: to the device unless it is fresh, and
    /// back if it is written.
    pub copies: BTreeMap<usize, u32>,
}

/// The most nodes of a span's expressions.
const MOST_NODES: usize = 2_000;

impl Transfers {
    /// What is copied for statements of kernels.
    ///
    /// # Errors
    /// An array of which it is not known what is accessed; those of isl.
    pub fn of(region: &LiftedRegion<'_, '_>, statements: &BTreeSet<StatementId>) -> Result<Self, EmitError> {
        let (scop, mut found) = (&region.scop, Self::default());
        let is_certain = |id: StatementId| region.is_certain(id);
        for (number, (array, binding)) in scop.arrays.iter().zip(&region.arrays).enumerate() {
            let part = match binding {
                ArrayBinding::Memory { buffer } if is_raised(*buffer) => Part::Span,
                ArrayBinding::Memory { .. } | ArrayBinding::Local { .. } | ArrayBinding::Field { .. } => Part::Whole,
                ArrayBinding::Scalar { .. } => continue,
            };
            let find = || -> Result<_, EmitError> {
                let Some(accessed) = Accessed::by(scop, array, statements, &is_certain)? else { return Ok(None) };
                let span = match part {
                    Part::Whole => None,
                    Part::Span => {
                        let unknown = "it is not known which elements of an array kernels access";
                        Some(accessed.span(MOST_NODES)?.ok_or(EmitError::Place(unknown))?)
                    }
                };
                Ok(Some((accessed, span)))
            };
            let Some((accessed, span)) = scop.ctx().with_quota(Budget::EMISSION, find)? else { continue };
            // No answer is as good as no.
            let is_written = scop.ctx().with_quota(Budget::EMISSION, || accessed.is_all_written(part));
            found.written.extend(is_written.unwrap_or(false).then_some(number));
            found.spans.extend(span.map(|span| (number, span)));
            if matches!(binding, ArrayBinding::Memory { .. }) {
                let mut is_written = false;
                for id in statements {
                    is_written |= scop.statement(*id).writes(&array.name)?;
                }
                found.copies.insert(number, if is_written { 2 } else { 1 });
            }
        }
        // No answer is as good as no array.
        found.fresh = scop.ctx().with_quota(Budget::EMISSION, || found.find_fresh(scop)).unwrap_or_default();
        for (number, copies) in &mut found.copies {
            *copies -= u32::from(found.fresh.contains(number));
        }
        Ok(found)
    }

    /// The arrays that are there before kernels, all of what is copied of them is written, and none of it is read
    /// before.
    fn find_fresh(&self, scop: &Scop) -> isl::Result<BTreeSet<usize>> {
        let mut fresh = BTreeSet::new();
        let candidates: Vec<_> = self.written.iter().filter(|number| self.copies.contains_key(number)).collect();
        if candidates.is_empty() {
            return Ok(fresh);
        }
        let dependences = Dependences::compute(scop, Mode { live_range_reordering: false, ..Mode::default() })?;
        for &number in candidates {
            if !dependences.is_exposed(scop, &scop.arrays[number].name)? {
                fresh.insert(number);
            }
        }
        Ok(fresh)
    }
}
