//! What the device needs around kernels: memory of its own, filled before the first of them and read back after the
//! last (ppcg report, section 5.2).
//!
//! The part of the code from the first to the last child with a kernel works on the device's copies. What comes before
//! and after it runs on the host. Arrays are copied ([`super::transfer`]): in, if a kernel accesses them, unless it is
//! known that kernels write all that is copied, and before they read it; and back, if a kernel writes them. Where it does
//! not write all that is copied, only what it changed may be written back, since the rest can be another thread's.

use std::collections::BTreeSet;

use melior::ir::{Attribute, Value};
use polyrs_core::codegen::Node;
use polyrs_core::dependence::{Dependences, Mode};
use polyrs_core::driver::Budget;
use polyrs_core::isl;
use polyrs_core::scop::StatementId;

use super::emitter::Emitter;
use super::error::EmitError;
use super::local::local_buffers;
use super::transfer::DeviceArray;
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{ancestors, is, name};
use crate::mlir::ir::value::id;
use crate::mlir::marker::ALL_WRITTEN;
use crate::mlir::region::ArrayBinding;

/// An array on the device.
struct Copied<'c, 'a> {
    /// Its position in the region.
    array: usize,
    memory: DeviceArray<'c, 'a>,
    /// Whether the host looks at it afterwards.
    is_seen: bool,
    /// The memory that it had before.
    own: Option<Value<'c, 'a>>,
}

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Appends code with kernels, and the copies that they need.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub(super) fn with_device(&mut self, root: &Node, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let (children, kernels) = on_device(root);
        let Some((first, last)) = kernels else { return self.node(root, builder) };
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
            let mode = Mode { live_range_reordering: false, ..Mode::default() };
            Dependences::compute(scop, mode)?.can_start_over(scop, &statements)
        };
        scop.ctx().with_quota(Budget::EMISSION, answer)
    }

    /// Memory on the device for the arrays that statements of kernels use. Buffers that were allocated in the region, or
    /// that a layout asks for, are copied only where the host uses them `around` the kernels, before or after.
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
            let memory = match (binding, self.memory_of(&known.name)) {
                (_, Some(host)) => self.device_array(array, host, builder)?,
                (ArrayBinding::Field { r#type, sizes, .. }, None) => self.device_field((*r#type, sizes), builder)?,
                (_, None) => return Err(EmitError::Place("an array of a kernel has no memory")),
            };
            let local = matches!(binding, ArrayBinding::Local { nested: true, .. } | ArrayBinding::Field { .. });
            // What the host did before has to be there.
            let is_fresh = local || self.transfers.fresh.contains(&array);
            if !is_fresh || any(&before, used)? {
                builder.build("gpu.memcpy", &[memory.copy, memory.host()?], &[], &[])?;
            }
            let is_seen = !local || any(&after, used)?;
            let own = self.buffer(array);
            self.on_device.push(id(memory.device));
            self.redirect(array, Some(memory.device));
            copies.push(Copied { array, memory, is_seen, own });
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
        for Copied { array, memory, is_seen, own } in copies {
            let scop = &self.region.scop;
            if is_seen && any(statements, |id| scop.statement(*id).writes(&scop.arrays[array].name))? {
                let written = self.transfers.written.contains(&array);
                let all = (ALL_WRITTEN, Attribute::unit(self.context));
                builder.build("gpu.memcpy", &[memory.host()?, memory.copy], &[], &[all][..usize::from(written)])?;
            }
            builder.build("gpu.dealloc", &[memory.allocated], &[], &[])?;
            self.redirect(array, own);
        }
        Ok(())
    }
}

/// The parts of code, and the first and the last of them with a kernel.
fn on_device(root: &Node) -> (&[Node], Option<(usize, usize)>) {
    let children = match root {
        Node::Block(children) => children.as_slice(),
        one => std::slice::from_ref(one),
    };
    (children, children.iter().position(Node::has_kernel).zip(children.iter().rposition(Node::has_kernel)))
}

/// The parts of code that run on the host: before the first kernel and after the last one, or all of it.
pub(super) fn on_host(root: &Node) -> (&[Node], &[Node]) {
    match on_device(root) {
        (children, Some((first, last))) => (&children[..first], &children[last + 1..]),
        (children, None) => (children, &[]),
    }
}

/// The statements of code that run on the device.
pub(super) fn called_by_kernels(root: &Node) -> BTreeSet<StatementId> {
    let (children, kernels) = on_device(root);
    kernels.map(|(first, last)| called(&children[first..=last])).unwrap_or_default()
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
    part.iter().flat_map(Node::statements).collect()
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
