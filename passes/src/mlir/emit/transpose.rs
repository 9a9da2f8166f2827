//! Vectors of rows made vectors of columns.

use melior::ir::Value;

use super::error::EmitError;
use super::lanes::shuffle;
use crate::mlir::ir::Builder;

/// The columns of a square whose rows are vectors, as many as each has elements, a power of two.
///
/// For each bit of their numbers, rows and lanes exchange that bit: each pair of rows that differ in it alone becomes
/// another pair, in two shuffles that processors have for many of the bits.
///
/// # Errors
/// MLIR refuses an operation.
pub fn transpose<'c, 'a>(rows: Vec<Value<'c, 'a>>, at: Builder<'c, 'a>) -> Result<Vec<Value<'c, 'a>>, EmitError> {
    let count = rows.len();
    let lanes = i64::try_from(count).unwrap_or_default();
    let mut rows = rows;
    let mut bit = 1;
    while bit < count {
        for first in (0..count).filter(|row| row & bit == 0) {
            let pair = (rows[first], rows[first | bit]);
            let distance = i64::try_from(bit).unwrap_or_default();
            // Elements of the second vector count on from those of the first.
            let low = (0..lanes).map(|lane| if lane & distance == 0 { lane } else { lanes + lane - distance });
            let high = (0..lanes).map(|lane| if lane & distance == 0 { lane + distance } else { lanes + lane });
            rows[first] = shuffle(pair, low, at)?;
            rows[first | bit] = shuffle(pair, high, at)?;
        }
        bit *= 2;
    }
    Ok(rows)
}
