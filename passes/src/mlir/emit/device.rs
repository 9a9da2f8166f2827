//! What the device needs around kernels: memory of its own, filled before the first of them and read back after the
//! last (ppcg report, section 5.2).
//!
//! The part of the code from the first to the last child with a kernel works on the device's copies. What comes before
//! and after it runs on the host. Whole arrays are copied: in, if a kernel accesses them, since a kernel need not write
//! all of an array that it writes; and back, if a kernel writes them.

use std::collections::BTreeSet;

use melior::ir::attribute::{BoolAttribute, DenseI32ArrayAttribute, StringAttribute};
use melior::ir::r#type::DimSize;
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{ShapedTypeLike, Value, ValueLike};
use polyrs_core::codegen::overflow::Guard;
use polyrs_core::codegen::{Ast, Node};
use polyrs_core::isl;
use polyrs_core::scop::StatementId;

use super::Branches;
use super::code::scf_if;
use super::emitter::Emitter;
use super::error::EmitError;
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{ancestors, is, name};
use crate::mlir::ir::value::id;
use crate::mlir::marker::{COPIED, KERNELS, RESIDENT};
use crate::mlir::region::ArrayBinding;

/// An array on the device.
struct Copied<'c, 'a> {
    /// Its position in the region.
    array: usize,
    host: Value<'c, 'a>,
    device: Value<'c, 'a>,
    /// The memory that it had before.
    before: Option<Value<'c, 'a>>,
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
        let statements = called(part);
        children[..first].iter().try_for_each(|child| self.node(child, builder))?;
        let copies = self.copy_in(&statements, builder)?;
        part.iter().try_for_each(|child| self.node(child, builder))?;
        self.copy_out(&statements, copies, builder)?;
        children[last + 1..].iter().try_for_each(|child| self.node(child, builder))
    }

    /// Copies of the arrays that statements of kernels use.
    fn copy_in(
        &mut self,
        statements: &BTreeSet<StatementId>,
        builder: Builder<'c, 'a>,
    ) -> Result<Vec<Copied<'c, 'a>>, EmitError> {
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
            builder.build("gpu.memcpy", &[device, host], &[], &[])?;
            let before = self.buffer(array);
            self.on_device.push(id(device));
            self.redirect(array, Some(device));
            copies.push(Copied { array, host, device, before });
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
        for Copied { array, host, device, before } in copies {
            let scop = &self.region.scop;
            if any(statements, |id| scop.statement(*id).writes(&scop.arrays[array].name))? {
                builder.build("gpu.memcpy", &[host, device], &[], &[])?;
            }
            builder.build("gpu.dealloc", &[device], &[], &[])?;
            self.redirect(array, before);
        }
        Ok(())
    }
}

/// Writes code with kernels so that the original can run in its place:
///
///     %done = scf.if %within -> i1 { kernels and copies; yield true } else { yield false }
///     scf.if %done {} else { the original }
///
/// Here kernels always run, but for the guard. Lowering to a device that may be missing yields what came of it
/// (`crate::mlir::lower::kernels`), and finds the first `scf.if` by its attribute. Canonicalization leaves the kernels.
pub(super) fn beside<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    ast: &Ast,
    at: Builder<'c, 'a>,
    guard: Option<&Guard>,
) -> Result<Branches<'c, 'a>, EmitError> {
    let bit = |builder: Builder<'c, 'a>, value: bool| {
        let value = BoolAttribute::new(builder.context(), value).into();
        let kind = IntegerType::new(builder.context(), 1).into();
        builder.value("arith.constant", &[], kind, &[("value", value)])
    };
    let within = match guard {
        Some(guard) => emitter.within(guard, at)?,
        None => bit(at, true)?,
    };
    let ((on_device, new), (not_at_all, otherwise)) = (at.region(&[]), at.region(&[]));
    super::body(emitter, ast, new)?;
    new.build("scf.yield", &[bit(new, true)?], &[], &[])?;
    otherwise.build("scf.yield", &[bit(otherwise, false)?], &[], &[])?;
    let memory = if emitter.device_memory { RESIDENT } else { COPIED };
    let attribute = (KERNELS, StringAttribute::new(at.context(), memory).into());
    let kind = IntegerType::new(at.context(), 1).into();
    let regions = vec![on_device, not_at_all];
    let done = at.build_with("scf.if", &[within], &[kind], &[attribute], regions)?.result(0)?.into();
    let (nothing, original) = scf_if(at, done, true)?;
    nothing.build("scf.yield", &[], &[], &[])?;
    Ok(Branches { new: Some(new), original })
}

/// Memory on the device like a buffer of the host's.
fn allocate<'c, 'a>(builder: Builder<'c, 'a>, host: Value<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
    let kind = MemRefType::try_from(host.r#type())?;
    // SAFETY: the map is that of a living type.
    let plain = unsafe { mlir_sys::mlirAffineMapIsIdentity(kind.affine_map().to_raw()) };
    if !plain || kind.memory_space().is_some() {
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
