//! The loops that hand elements on, once all code is emitted: as lanes of vectors where rows can be lanes, else one by one.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{BlockRef, OperationRef};

use super::carry::Carrying;
use super::error::EmitError;
use super::promote::{element, parallel_body, stack_around, stack_buffer};
use super::rows::Rows;
use super::unroll::{can_unroll_plain, unroll_plain};
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{is, only_block};

/// An emitted loop, and what it may hand on.
pub struct CarryingLoop<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    carrying: Vec<Carrying<'c, 'a>>,
    /// The outermost loops of the blocks in it.
    blocks: Vec<OperationRef<'c, 'a>>,
    /// The loops in it that carry no dependence.
    vectors: Vec<OperationRef<'c, 'a>>,
}

impl<'c, 'a> CarryingLoop<'c, 'a> {
    /// A loop with the outermost loops of the blocks in it, and those loops that carry no dependence.
    pub fn new(
        operation: OperationRef<'c, 'a>,
        carrying: Vec<Carrying<'c, 'a>>,
        (blocks, vectors): (Vec<OperationRef<'c, 'a>>, Vec<OperationRef<'c, 'a>>),
    ) -> Self {
        CarryingLoop { operation, carrying, blocks, vectors }
    }

    /// Keeps what iterations hand on in buffers. `start` is the block for stack buffers of code that is in no parallel loop;
    /// `at_start` gets those that were made there.
    ///
    /// # Errors
    /// MLIR refuses an operation.
    pub fn fill(
        self,
        context: &'c Context,
        start: BlockRef<'c, 'a>,
        at_start: &mut Vec<OperationRef<'c, 'a>>,
    ) -> Result<(), EmitError> {
        let operation = self.operation;
        let [block] = self.blocks[..] else { return Ok(()) };
        let windows = self.carrying.iter().map(|carrying| Some((carrying, carrying.window(operation)?)));
        let Some(windows) = windows.collect::<Option<Vec<_>>>() else { return Ok(()) };
        if windows.is_empty() || !can_unroll_plain(block)? {
            return Ok(());
        }
        let lost = || EmitError::Place("a loop that hands elements on is in no block");
        let body = only_block(operation, 0).filter(|_| is(operation, "affine.for")).ok_or_else(lost)?;
        let is_parallel = parallel_body(operation).is_some();
        let stack = stack_around(context, operation, start)?;
        let before = Builder::before(context, operation).ok_or_else(lost)?.with_location(operation.location());
        let rows = if self.vectors.contains(&block) { Rows::of(block, &windows)? } else { None };
        let mut buffers = Vec::new();
        for (carrying, window) in &windows {
            let r#type: MemRefType<'c> = MemRefType::new(element(carrying.memref())?, &window.extent, None, None);
            let made = stack_buffer(stack, r#type, &[])?;
            at_start.extend((!is_parallel).then_some(made));
            buffers.push(made.result(0)?.into());
        }
        for ((carrying, window), buffer) in windows.iter().zip(&buffers) {
            carrying.begin(before, window, *buffer)?;
        }
        if let Some(rows) = rows {
            let made = rows.emit(&buffers, (stack, before), body)?;
            at_start.extend(made.into_iter().filter(|_| !is_parallel));
            return Ok(());
        }
        for ((carrying, window), buffer) in windows.iter().zip(&buffers) {
            carrying.inside(context, body, (window, *buffer))?;
        }
        unroll_plain(context, operation, block)
    }
}
