//! Whether a layout that was chosen pays, when the program runs: [`Worth`]'s formula in floating point. Nothing but the
//! choice depends on it.

use melior::ir::Value;
use polyrs_core::codegen::Expr;
use polyrs_core::driver::Worth;

use super::emitter::Emitter;
use super::error::EmitError;
use crate::mlir::estimate::{Amount, Operator};
use crate::mlir::ir::Builder;

/// The numbers that the formula has.
pub fn lengths(worth: &Worth) -> impl Iterator<Item = &Expr> {
    worth.terms.iter().flat_map(|term| &term.lengths)
}

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Whether a layout pays; `None` where that is known.
    ///
    /// # Errors
    /// [`EmitError::Place`] if it is known not to.
    pub(super) fn pays(&self, worth: &Worth, at: Builder<'c, 'a>) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let mut gain = Amount::Known(-(worth.fixed as f64));
        for term in &worth.terms {
            gain = gain.with(Operator::Add, self.product(&term.lengths, term.each, at)?, at)?;
        }
        match gain {
            Amount::Known(gain) if gain < 0.0 => Err(EmitError::Place("another layout does not pay for such sizes")),
            Amount::Known(_) => Ok(None),
            computed @ Amount::Computed(_) => Ok(Some(computed.at_least(0.0, at)?)),
        }
    }

    /// The product of extents and a factor.
    fn product(&self, extents: &[Expr], factor: i64, at: Builder<'c, 'a>) -> Result<Amount<'c, 'a>, EmitError> {
        let mut product = Amount::Known(factor as f64);
        for extent in extents {
            let amount = match extent.as_constant() {
                Some(extent) => Amount::Known(extent as f64),
                None => Amount::of_index(self.number(extent, at)?, at)?,
            };
            product = product.with(Operator::Multiply, amount, at)?;
        }
        Ok(product)
    }
}
