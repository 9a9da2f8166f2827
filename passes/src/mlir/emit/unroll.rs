//! Blocks unrolled, with vectors for their innermost loops.
//!
//! What a loop holds in a buffer ends up in registers only if a compiler sees every subscript of the buffer as a
//! constant, and uses whole vectors. LLVM unrolls and vectorizes such nests as well, but along which loop, and whether
//! at all, hangs on how the other operands lie in memory. So it is done here, mechanically: loops from zero to a
//! constant are unrolled (`unroller`), and an innermost one that carries no dependence becomes operations on vectors
//! (`pieces`, `lanes`; `columns`). In kernels a loop may ask at each of its points whether that exists.

use melior::Context;
use melior::ir::{OperationRef, Value};

use super::beyond::{Memory, may_run_beyond};
use super::columns::Columns;
use super::error::EmitError;
use super::nest::{Loops, Nest};
use super::unroller::{Constants, Fixed, Unroller};
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::erase;

/// The greatest number of operations that a nest becomes.
const MOST_OPERATIONS: i64 = 2048;

/// The loops in a loop that holds footprints.
pub struct Inside<'c, 'a> {
    /// Those that carry no dependence.
    pub vectors: Vec<OperationRef<'c, 'a>>,
    /// The outermost loops of the blocks.
    pub blocks: Vec<OperationRef<'c, 'a>>,
    /// Those over points that may end before.
    pub ends: Vec<OperationRef<'c, 'a>>,
    /// The arrays of which rows that are read side by side are fetched ahead.
    pub ahead: Vec<Value<'c, 'a>>,
}

/// Unrolls the blocks in a loop, if all of them can be made vectors: of those that may end before the points beyond are
/// executed like all others, where nobody notices (`beyond`). Says whether it was done.
///
/// # Errors
/// MLIR refuses an operation.
pub fn unroll<'c, 'a>(
    context: &'c Context,
    around: OperationRef<'c, 'a>,
    inside: &Inside<'c, 'a>,
) -> Result<bool, EmitError> {
    let mut nests = Vec::new();
    for block in &inside.blocks {
        let nest = Nest::of(*block, Loops::Vector { innermost: &inside.vectors, ends: &inside.ends, elements: &[] })?;
        let Some(mut nest) = nest.filter(|nest| nest.size() <= MOST_OPERATIONS) else { return Ok(false) };
        if nest.may_end() {
            if !may_run_beyond(&Memory::Stack, &nest)? {
                return Ok(false);
            }
            nest.run_beyond();
        }
        nests.push((*block, nest));
    }
    replace(context, around, nests, &inside.ahead)?;
    Ok(true)
}

/// Unrolls those of the blocks in a loop of a kernel that can be: each thread of a GPU has one element at a time. Points
/// beyond an end are executed like all others where nobody notices (`beyond`).
///
/// # Errors
/// MLIR refuses an operation.
pub fn unroll_scalars<'c, 'a>(
    context: &'c Context,
    around: OperationRef<'c, 'a>,
    inside: &Inside<'c, 'a>,
) -> Result<(), EmitError> {
    let mut nests = Vec::new();
    let kernel = Memory::of_kernels(context);
    for block in &inside.blocks {
        let nest = Nest::of(*block, Loops::Scalar { ends: &inside.ends })?;
        let Some(mut nest) = nest.filter(|nest| nest.size() <= MOST_OPERATIONS) else { continue };
        if may_run_beyond(&kernel, &nest)? {
            nest.run_beyond();
        }
        nests.push((*block, nest));
    }
    replace(context, around, nests, &[])
}

/// Blocks of this loop can be unrolled, point by point.
///
/// # Errors
/// A number does not fit.
pub fn can_unroll_plain(block: OperationRef<'_, '_>) -> Result<bool, EmitError> {
    let nest = Nest::of(block, Loops::Scalar { ends: &[] })?;
    Ok(nest.is_some_and(|nest| nest.size() <= MOST_OPERATIONS))
}

/// Unrolls a block in a loop point by point, if that can be done.
///
/// # Errors
/// MLIR refuses an operation.
pub fn unroll_plain<'c, 'a>(
    context: &'c Context,
    around: OperationRef<'c, 'a>,
    block: OperationRef<'c, 'a>,
) -> Result<(), EmitError> {
    let nests = Nest::of(block, Loops::Scalar { ends: &[] })?.map(|nest| (block, nest));
    replace(context, around, nests.into_iter().collect(), &[])
}

/// Puts unrolled code in the place of nests in a loop.
fn replace<'c, 'a>(
    context: &'c Context,
    around: OperationRef<'c, 'a>,
    nests: Vec<(OperationRef<'c, 'a>, Nest<'c, 'a>)>,
    ahead: &[Value<'c, 'a>],
) -> Result<(), EmitError> {
    let lost = || EmitError::Place("a loop to unroll is in no block");
    let mut constants = Constants::new(Builder::before(context, around).ok_or_else(lost)?);
    for (operation, nest) in nests {
        let at = Builder::before(context, operation).ok_or_else(lost)?;
        let mut unroller = Unroller::new(at, &mut constants);
        match Columns::of(operation, &nest)?.filter(|columns| columns.size(&nest) <= MOST_OPERATIONS) {
            Some(columns) => columns.emit(&mut unroller, &nest, ahead)?,
            None => unroller.nest(&nest, &mut Fixed::new())?,
        }
        // SAFETY: nobody uses what is in the loop, and it is not looked at again.
        unsafe { erase(operation) }
    }
    Ok(())
}
