//! Whether a layout is for the sizes that there are, when the program runs: [`SizeCondition`]s in floating point. Nothing
//! but the choice between two codes that are both right depends on it.

use melior::ir::Value;
use polyrs_core::codegen::Expr;
use polyrs_core::layout::SizeCondition;

use super::emitter::Emitter;
use super::error::EmitError;
use crate::mlir::estimate::{Amount, Operator};
use crate::mlir::ir::Builder;

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Whether the region's layout is for the sizes; `None` where that is known.
    ///
    /// # Errors
    /// [`EmitError::Place`] if it is known not to be.
    pub(super) fn suits_sizes(&self, at: Builder<'c, 'a>) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let mut conditions = Vec::new();
        for condition in &self.region.conditions {
            conditions.extend(self.holds(condition, at)?);
        }
        self.all(conditions, at)
    }

    fn holds(&self, condition: &SizeCondition, at: Builder<'c, 'a>) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let mut sum = Amount::Known(0.0);
        for term in &condition.terms {
            sum = sum.with(Operator::Add, self.product(&term.lengths, term.each, at)?, at)?;
        }
        let least = condition.least as f64;
        match sum {
            Amount::Known(sum) if sum < least => Err(EmitError::Place("the code is not for such sizes")),
            Amount::Known(_) => Ok(None),
            computed @ Amount::Computed(_) => Ok(Some(computed.at_least(least, at)?)),
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
