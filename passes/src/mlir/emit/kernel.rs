//! Kernels: `gpu.launch` with the numbers of block and thread as iterators.

use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Value};
use polyrs_core::codegen::{Axis, Kernel, Node};

use super::emitter::Emitter;
use super::error::EmitError;
use super::operand::Operands;
use super::shared_memory::SharedMemory;
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{arguments, name};
use crate::mlir::ir::value::{id, is_memref};
use crate::mlir::ir::{Builder, captures};

/// What cannot be in a kernel.
const ON_HOST: [&str; 9] = [
    "func.call",
    "func.call_indirect",
    "llvm.call",
    "memref.alloc",
    "memref.alloca",
    "memref.copy",
    "memref.dealloc",
    "memref.get_global",
    "memref.realloc",
];

/// Axes that blocks and threads have.
const AXES: usize = 3;

/// The most blocks that a grid has along x, and along y or z, on any GPU.
const MOST_BLOCKS: [i64; 2] = [i32::MAX as i64, 65535];

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Appends a kernel.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub(super) fn kernel(&mut self, kernel: &Kernel, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        self.refuse_calls(&kernel.body)?;
        let mut sizes = [builder.constant_index(1)?; 2 * AXES];
        let mut starts = [None; 2 * AXES];
        for (first, axes) in [(0, &kernel.blocks), (AXES, &kernel.threads)] {
            for (from_x, axis) in axes.iter().rev().enumerate() {
                sizes[first + from_x] = self.extent(axis, builder)?;
            }
        }
        let mut place = builder;
        let mut around = Vec::new();
        for (from_x, axis) in kernel.blocks.iter().rev().enumerate() {
            if !axis.extent.is_empty() {
                let part = in_parts(place, sizes[from_x], MOST_BLOCKS[from_x.min(1)])?;
                (sizes[from_x], starts[from_x]) = (part.size, Some(part.start));
                around.push(part.body);
                place = part.body;
            }
        }
        let shared = self.shared_types(&kernel.body)?;
        let mut parameters = vec![(builder.index(), builder.location()); 4 * AXES];
        parameters.extend(shared.values().map(|kind| (*kind, builder.location())));
        let (region, body) = builder.region(&parameters);
        let numbers = arguments(body.block());
        self.shared_memory = SharedMemory::of_kernel(kernel);
        self.shared_memory.buffers = shared.keys().copied().zip(numbers[4 * AXES..].iter().copied()).collect();
        let mut bound = Vec::new();
        for (first, axes) in [(0, &kernel.blocks), (AXES, &kernel.threads)] {
            for (from_x, axis) in axes.iter().rev().enumerate() {
                let own = numbers[first + from_x];
                let number = match starts[first + from_x] {
                    Some(start) => body.value("arith.addi", &[start, own], builder.index(), &[])?,
                    None => own,
                };
                bound.push((axis.iterator, number));
            }
        }
        for (iterator, number) in &bound {
            self.scope.iterators[iterator.0] = Some(*number);
        }
        let outside = self.known.clone();
        self.node(&kernel.body, body)?;
        body.build("gpu.terminator", &[], &[], &[])?;
        self.shared_memory = SharedMemory::default();
        self.known = outside;
        for scalar in self.written(&kernel.body) {
            self.known[scalar] = None;
        }
        for (iterator, _) in &bound {
            self.scope.iterators[iterator.0] = None;
        }
        // Tokens, the sizes of the grid and of blocks, no clusters, no dynamic shared memory.
        let segments = DenseI32ArrayAttribute::new(self.context, &[0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]).into();
        let mut attributes = vec![("operandSegmentSizes", segments)];
        if !shared.is_empty() {
            let count = i64::try_from(shared.len()).unwrap_or(i64::MAX);
            let count = IntegerAttribute::new(IntegerType::new(self.context, 64).into(), count).into();
            attributes.push(("workgroup_attributions", count));
        }
        let launch = place.build_with("gpu.launch", &sizes, &[], &attributes, vec![region])?;
        self.refuse_host_memory(launch)?;
        for part in around {
            part.build("scf.yield", &[], &[], &[])?;
        }
        Ok(())
    }

    /// How many blocks or threads there are along an axis.
    fn extent(&self, axis: &Axis, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        let most = axis.most.map(|most| builder.constant_index(most)).transpose()?;
        if let (true, Some(most)) = (axis.extent.is_empty(), most) {
            return Ok(most);
        }
        let bound = Operands::map(self.context, self, &axis.extent)?;
        let map = ("map", map_attribute(bound.map));
        let needed = builder.value("affine.max", &bound.operands, builder.index(), &[map])?;
        match most {
            Some(most) => Ok(builder.value("arith.minsi", &[needed, most], builder.index(), &[])?),
            None => Ok(needed),
        }
    }

    /// A kernel works on the device's copies alone: what it knew of a buffer under another name would be the host's.
    fn refuse_host_memory(&self, launch: OperationRef<'c, 'a>) -> Result<(), EmitError> {
        let known = |value: &Value<'c, 'a>| self.device_memory || self.on_device.contains(&id(*value));
        if captures(launch).into_iter().filter(|value| is_memref(*value)).all(|value| known(&value)) {
            Ok(())
        } else {
            Err(EmitError::Place("a kernel accesses a buffer through a view of it, or under another name"))
        }
    }

    /// What a statement calls is no code for the device, and what it allocates or finds by name is on the host.
    fn refuse_calls(&self, node: &Node) -> Result<(), EmitError> {
        if let Node::Call(call) = node {
            let mut all = self.region.statement(call.statement).operations.iter();
            let calls = |operation: OperationRef<'_, '_>| ON_HOST.contains(&name(operation).as_str());
            if all.any(|operation| crate::mlir::ir::operation::nested(*operation).into_iter().any(calls)) {
                return Err(EmitError::Place("a kernel calls a function, copies a buffer, or uses memory of its own"));
            }
        }
        node.children().try_for_each(|child| self.refuse_calls(child))
    }
}

/// A loop over parts of the blocks along an axis.
struct Part<'c, 'a> {
    /// The number of its first block.
    start: Value<'c, 'a>,
    /// How many blocks it has.
    size: Value<'c, 'a>,
    /// Appends to the loop's body, which lacks its `scf.yield`.
    body: Builder<'c, 'a>,
}

/// A loop over parts of so many blocks at most: nobody starts more of them at once, nor a grid without blocks.
fn in_parts<'c, 'a>(builder: Builder<'c, 'a>, all: Value<'c, 'a>, most: i64) -> Result<Part<'c, 'a>, EmitError> {
    let (zero, most) = (builder.constant_index(0)?, builder.constant_index(most)?);
    let (region, body) = builder.region(&[(builder.index(), builder.location())]);
    builder.build_with("scf.for", &[zero, all, most], &[], &[], vec![region])?;
    let start = arguments(body.block())[0];
    let left = body.value("arith.subi", &[all, start], builder.index(), &[])?;
    let size = body.value("arith.minsi", &[left, most], builder.index(), &[])?;
    Ok(Part { start, size, body })
}
