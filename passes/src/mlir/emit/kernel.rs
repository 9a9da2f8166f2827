//! Kernels: `gpu.launch` with the numbers of block and thread as iterators.

use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Value, ValueLike};
use polyrs_core::codegen::{Axis, Kernel, Node};

use super::emitter::Emitter;
use super::error::EmitError;
use super::operand::Operands;
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{arguments, name};
use crate::mlir::ir::{Bound, Builder};

/// `arith.cmpi`'s number for signed "greater".
const GREATER: i64 = 4;

/// Axes that blocks and threads have.
const AXES: usize = 3;

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Appends a kernel.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub(super) fn kernel(&mut self, kernel: &Kernel, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        self.refuse_calls(&kernel.body)?;
        let mut sizes = [builder.constant_index(1)?; 2 * AXES];
        let mut open = Vec::new();
        for (first, axes) in [(0, &kernel.blocks), (AXES, &kernel.threads)] {
            for (from_x, axis) in axes.iter().rev().enumerate() {
                let size = self.extent(axis, builder)?;
                sizes[first + from_x] = size;
                open.extend((!axis.extent.is_empty()).then_some(size));
            }
        }
        // No device starts a grid without blocks.
        let place = at_least_one(builder, &open)?;
        let (region, body) = builder.region(&[(builder.index(), builder.location()); 4 * AXES]);
        let numbers = arguments(body.block());
        let axes = |first: usize, axes: &[Axis]| {
            axes.iter().rev().enumerate().map(|(i, axis)| (axis.iterator, numbers[first + i])).collect::<Vec<_>>()
        };
        let bound = [axes(0, &kernel.blocks), axes(AXES, &kernel.threads)].concat();
        for (iterator, number) in &bound {
            self.scope.iterators[iterator.0] = Some(*number);
        }
        let outside = self.known.clone();
        self.node(&kernel.body, body)?;
        body.build("gpu.terminator", &[], &[], &[])?;
        self.known = outside;
        for scalar in self.written(&kernel.body) {
            self.known[scalar] = None;
        }
        for (iterator, _) in &bound {
            self.scope.iterators[iterator.0] = None;
        }
        // Tokens, the sizes of the grid and of blocks, no clusters, no dynamic shared memory.
        let segments = DenseI32ArrayAttribute::new(self.context, &[0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]).into();
        let at = place.unwrap_or(builder);
        at.build_with("gpu.launch", &sizes, &[], &[("operandSegmentSizes", segments)], vec![region])?;
        if let Some(place) = place {
            place.build("scf.yield", &[], &[], &[])?;
        }
        Ok(())
    }

    /// How many blocks or threads there are along an axis.
    fn extent(&self, axis: &Axis, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        if axis.extent.is_empty() {
            return Ok(builder.constant_index(axis.most)?);
        }
        let of = |kind: &str, bound: &Bound<'c, 'a>| {
            builder.value(kind, &bound.operands, builder.index(), &[("map", map_attribute(bound.map))])
        };
        let needed = of("affine.max", &Operands::map(self.context, self, &axis.extent)?)?;
        let most = builder.constant_index(axis.most)?;
        Ok(builder.value("arith.minsi", &[needed, most], builder.index(), &[])?)
    }

    /// What a statement calls is no code for the device.
    fn refuse_calls(&self, node: &Node) -> Result<(), EmitError> {
        if let Node::Call(call) = node {
            let mut all = self.region.statement(call.statement).operations.iter();
            let calls = |operation: melior::ir::OperationRef<'_, '_>| {
                ["func.call", "func.call_indirect", "llvm.call"].contains(&name(operation).as_str())
            };
            if all.any(|operation| crate::mlir::ir::operation::nested(*operation).into_iter().any(calls)) {
                return Err(EmitError::Place("a kernel calls a function"));
            }
        }
        node.children().try_for_each(|child| self.refuse_calls(child))
    }
}

/// The branch of a new condition in which all numbers are positive; nothing where there are none.
fn at_least_one<'c, 'a>(
    builder: Builder<'c, 'a>,
    numbers: &[Value<'c, 'a>],
) -> Result<Option<Builder<'c, 'a>>, EmitError> {
    let mut all: Option<Value<'c, 'a>> = None;
    let zero = builder.constant_index(0)?;
    for number in numbers {
        let predicate = IntegerAttribute::new(IntegerType::new(builder.context(), 64).into(), GREATER).into();
        let bit = IntegerType::new(builder.context(), 1).into();
        let holds = builder.value("arith.cmpi", &[*number, zero], bit, &[("predicate", predicate)])?;
        all = Some(match all {
            None => holds,
            Some(all) => builder.value("arith.andi", &[all, holds], all.r#type(), &[])?,
        });
    }
    Ok(match all {
        None => None,
        Some(condition) => Some(super::code::scf_if(builder, condition, false)?.0),
    })
}
