//! Loops over the numbers of blocks and threads.

use melior::ir::Value;

use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::arguments;

/// The order in which the threads of a kernel run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// By their numbers.
    Forward,
    /// By their numbers, from the last to the first.
    Backward,
}

/// A loop over all numbers of an axis; a builder for its body, and the number.
pub fn all_numbers<'c, 'a>(
    builder: Builder<'c, 'a>,
    size: Value<'c, 'a>,
    direction: Direction,
) -> Result<(Builder<'c, 'a>, Value<'c, 'a>), melior::Error> {
    let (zero, one) = (builder.constant_index(0)?, builder.constant_index(1)?);
    let (region, body) = builder.region(&[(builder.index(), builder.location())]);
    let last = body.build("scf.yield", &[], &[], &[])?;
    builder.build_with("scf.for", &[zero, size, one], &[], &[], vec![region])?;
    let body = Builder::before(builder.context(), last).unwrap_or(body);
    let counter = arguments(body.block())[0];
    let number = match direction {
        Direction::Forward => counter,
        Direction::Backward => {
            let from_end = body.value("arith.subi", &[size, counter], builder.index(), &[])?;
            body.value("arith.subi", &[from_end, one], builder.index(), &[])?
        }
    };
    Ok((body, number))
}
