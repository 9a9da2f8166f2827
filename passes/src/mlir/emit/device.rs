//! What the device needs around kernels: memory of its own, filled before the first of them and read back after the
//! last (ppcg report, section 5.2).
//!
//! The part of the code from the first to the last child with a kernel works on the device's copies. What comes before
//! and after it runs on the host. Whole arrays are copied: in, if a kernel accesses them, since a kernel need not write
//! all of an array that it writes; and back, if a kernel writes them.

use std::collections::BTreeSet;

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::r#type::DimSize;
use melior::ir::r#type::MemRefType;
use melior::ir::{ShapedTypeLike, Value, ValueLike};
use polyrs_core::codegen::Node;
use polyrs_core::dependence::{Dependences, Mode};
use polyrs_core::driver::Budget;
use polyrs_core::isl;
use polyrs_core::scop::StatementId;

use super::emitter::Emitter;
use super::error::EmitError;
use super::local::local_buffers;
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{ancestors, is, name};
use crate::mlir::ir::value::{id, is_dense};
use crate::mlir::region::ArrayBinding;

/// An array on the device.
struct Copied<'c, 'a> {
    /// Its position in the region.
    array: usize,
    /// The host's memory, if it is copied back to it.
    host: Option<Value<'c, 'a>>,
    device: Value<'c, 'a>,
    /// The memory that it had before.
    own: Option<Value<'c, 'a>>,
}

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Appends code with kernels, and the copies that they need.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub(super) fn with_device(&mut self, root: &Node, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let children = match root {
            Node::Block(children) => children.as_slice(),
            one => std::slice::from_ref(one),
        };
        let (Some(first), Some(last)) = (children.iter().position(has_kernel), children.iter().rposition(has_kernel))
        else {
            return self.node(root, builder);
        };
        if ancestors(self.region.anchor).any(|around| name(around).contains("parallel") || is(around, "scf.forall")) {
            // Others would copy other states of the same arrays at the same time.
            return Err(EmitError::Place("kernels are in a parallel loop"));
        }
        let part = &children[first..=last];
        if part.iter().any(has_host_call) {
            return Err(EmitError::Place("a statement would run on the host between kernels"));
        }
        let (before, after) = (&children[..first], &children[last + 1..]);
        if self.after_kernels.is_some() && !self.can_start_over(before)? {
            return Err(EmitError::Place(
                "statements run on the host before kernels and overwrite what they start from, so the code for the CPU \
                 could not take over; cpu-version=false has none",
            ));
        }
        let outside = self.known.clone();
        before.iter().try_for_each(|child| self.node(child, builder))?;
        let statements = called(part);
        let copies = self.copy_in(&statements, (before, after), builder)?;
        part.iter().try_for_each(|child| self.node(child, builder))?;
        self.copy_out(&statements, copies, builder)?;
        let Some(apart) = self.after_kernels else {
            return after.iter().try_for_each(|child| self.node(child, builder));
        };
        // What was known is in the other branch.
        self.known = outside;
        let written: Vec<_> = before.iter().chain(part).flat_map(|child| self.written(child)).collect();
        written.into_iter().for_each(|scalar| self.known[scalar] = None);
        let buffers = self.buffers_apart(&children[..=last], after, apart)?;
        after.iter().try_for_each(|child| self.node(child, apart))?;
        for buffer in buffers {
            apart.build("memref.dealloc", &[buffer], &[], &[])?;
        }
        Ok(())
    }

    /// Buffers of the region's own for what runs after kernels, in another branch; those that are to be freed.
    fn buffers_apart(
        &mut self,
        until_then: &[Node],
        after: &[Node],
        builder: Builder<'c, 'a>,
    ) -> Result<Vec<Value<'c, 'a>>, EmitError> {
        let (before, behind) = (called(until_then), called(after));
        for (known, binding) in self.region.scop.arrays.iter().zip(&self.region.arrays) {
            let used = |id: &StatementId| self.region.scop.statement(*id).uses(&known.name);
            if matches!(binding, ArrayBinding::Local { nested: true, .. }) && any(&before, used)? && any(&behind, used)?
            {
                return Err(EmitError::Place("a buffer of the region is used by kernels, and by the host after them"));
            }
        }
        local_buffers(self, after, builder)
    }

    /// Whether the original does what it should after this code has run.
    fn can_start_over(&self, before: &[Node]) -> isl::Result<bool> {
        let (statements, scop) = (called(before), &self.region.scop);
        if statements.is_empty() {
            return Ok(true);
        }
        let answer = || {
            let mode = Mode { live_range_reordering: false };
            Dependences::compute(scop, mode)?.can_start_over(scop, &statements)
        };
        scop.ctx().with_quota(Budget::EMISSION, answer)
    }

    /// Memory on the device for the arrays that statements of kernels use. Buffers that were allocated in the region
    /// are copied only where the host uses them `around` the kernels, before or after.
    fn copy_in(
        &mut self,
        statements: &BTreeSet<StatementId>,
        around: (&[Node], &[Node]),
        builder: Builder<'c, 'a>,
    ) -> Result<Vec<Copied<'c, 'a>>, EmitError> {
        let (before, after) = (called(around.0), called(around.1));
        let mut copies = Vec::new();
        for (array, known) in self.region.scop.arrays.iter().enumerate() {
            let binding = &self.region.arrays[array];
            let in_values = matches!(binding, ArrayBinding::Scalar { .. }) && !self.memory.contains(&array);
            let resident = self.device_memory && matches!(binding, ArrayBinding::Memory { .. });
            let used = |id: &StatementId| self.region.scop.statement(*id).uses(&known.name);
            if in_values || resident || !any(statements, used)? {
                continue;
            }
            let host = self.memory_of(&known.name).ok_or(EmitError::Place("an array of a kernel has no memory"))?;
            let device = allocate(builder, host)?;
            let local = matches!(binding, ArrayBinding::Local { nested: true, .. });
            if !local || any(&before, used)? {
                builder.build("gpu.memcpy", &[device, host], &[], &[])?;
            }
            let host = (!local || any(&after, used)?).then_some(host);
            let own = self.buffer(array);
            self.on_device.push(id(device));
            self.redirect(array, Some(device));
            copies.push(Copied { array, host, device, own });
        }
        Ok(copies)
    }

    /// Copies back what they write.
    fn copy_out(
        &mut self,
        statements: &BTreeSet<StatementId>,
        copies: Vec<Copied<'c, 'a>>,
        builder: Builder<'c, 'a>,
    ) -> Result<(), EmitError> {
        for Copied { array, host, device, own } in copies {
            let scop = &self.region.scop;
            let written = any(statements, |id| scop.statement(*id).writes(&scop.arrays[array].name))?;
            if let Some(host) = host.filter(|_| written) {
                builder.build("gpu.memcpy", &[host, device], &[], &[])?;
            }
            builder.build("gpu.dealloc", &[device], &[], &[])?;
            self.redirect(array, own);
        }
        Ok(())
    }
}

/// Memory on the device like a buffer of the host's.
fn allocate<'c, 'a>(builder: Builder<'c, 'a>, host: Value<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
    let kind = MemRefType::try_from(host.r#type())?;
    if !is_dense(host) {
        return Err(EmitError::Place("a buffer with strides, or in a memory space, cannot be copied to a device"));
    }
    let mut sizes = Vec::new();
    for dimension in 0..kind.rank() {
        if matches!(kind.dim_size(dimension)?, DimSize::Dynamic) {
            let number = i64::try_from(dimension).unwrap_or(i64::MAX);
            let number = builder.constant_index(number)?;
            sizes.push(builder.value("memref.dim", &[host, number], builder.index(), &[])?);
        }
    }
    let count = i32::try_from(sizes.len()).unwrap_or(i32::MAX);
    let segments = DenseI32ArrayAttribute::new(builder.context(), &[0, count, 0]).into();
    let allocation = builder.build("gpu.alloc", &sizes, &[host.r#type()], &[("operandSegmentSizes", segments)])?;
    Ok(allocation.result(0)?.into())
}

/// There is a kernel at or below a node.
pub(super) fn has_kernel(node: &Node) -> bool {
    matches!(node, Node::Kernel(_)) || node.children().any(has_kernel)
}

/// There is a statement at or below a node that is in no kernel.
fn has_host_call(node: &Node) -> bool {
    match node {
        Node::Kernel(_) => false,
        Node::Call(_) => true,
        _ => node.children().any(has_host_call),
    }
}

/// The statements that code calls.
fn called(part: &[Node]) -> BTreeSet<StatementId> {
    fn collect(node: &Node, all: &mut BTreeSet<StatementId>) {
        if let Node::Call(call) = node {
            all.insert(call.statement);
        }
        node.children().for_each(|child| collect(child, all));
    }
    let mut all = BTreeSet::new();
    part.iter().for_each(|node| collect(node, &mut all));
    all
}

/// Some statement is as asked for.
fn any(statements: &BTreeSet<StatementId>, holds: impl Fn(&StatementId) -> isl::Result<bool>) -> isl::Result<bool> {
    for statement in statements {
        if holds(statement)? {
            return Ok(true);
        }
    }
    Ok(false)
}
