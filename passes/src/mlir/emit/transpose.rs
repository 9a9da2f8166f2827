//! Vectors of rows made vectors of columns.

use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{Value, ValueLike};

use super::error::EmitError;
use crate::mlir::ir::Builder;

/// The columns of a square whose rows are vectors, as many as each has elements, a power of two.
///
/// For each bit of their numbers, rows and lanes exchange that bit: each pair of rows that differ in it alone becomes
/// another pair, in two shuffles that processors have for many of the bits.
///
/// # Errors
/// MLIR refuses an operation.
pub fn transpose<'c, 'a>(rows: Vec<Value<'c, 'a>>, at: Builder<'c, 'a>) -> Result<Vec<Value<'c, 'a>>, EmitError> {
    let lanes = rows.len();
    let mut rows = rows;
    let mut bit = 1;
    while bit < lanes {
        for first in (0..lanes).filter(|row| row & bit == 0) {
            let pair = (rows[first], rows[first | bit]);
            // Elements of the second vector count on from those of the first.
            let low = (0..lanes).map(|lane| if lane & bit == 0 { lane } else { lanes + lane - bit });
            let high = (0..lanes).map(|lane| if lane & bit == 0 { lane + bit } else { lanes + lane });
            rows[first] = shuffle(pair, low, at)?;
            rows[first | bit] = shuffle(pair, high, at)?;
        }
        bit *= 2;
    }
    Ok(rows)
}

fn shuffle<'c, 'a>(
    (one, other): (Value<'c, 'a>, Value<'c, 'a>),
    lanes: impl Iterator<Item = usize>,
    at: Builder<'c, 'a>,
) -> Result<Value<'c, 'a>, EmitError> {
    let lanes: Vec<i64> = lanes.filter_map(|lane| i64::try_from(lane).ok()).collect();
    let mask = DenseI64ArrayAttribute::new(at.context(), &lanes).into();
    Ok(at.value("vector.shuffle", &[one, other], one.r#type(), &[("mask", mask)])?)
}
