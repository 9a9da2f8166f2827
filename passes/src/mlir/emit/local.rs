//! Buffers that were allocated in what is replaced: the new code has its own.

use melior::ir::Value;
use polyrs_core::codegen::Node;
use polyrs_core::isl;
use polyrs_core::scop::Scop;

use super::emitter::Emitter;
use super::error::EmitError;
use crate::mlir::ir::Builder;
use crate::mlir::region::ArrayBinding;

/// Makes those that some code uses; the ones that are to be freed behind it.
///
/// # Errors
/// As [`super::emit`].
pub fn local_buffers<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    code: &[Node],
    at: Builder<'c, 'a>,
) -> Result<Vec<Value<'c, 'a>>, EmitError> {
    let region = emitter.region;
    let mut frees = Vec::new();
    for (number, (binding, array)) in region.arrays.iter().zip(&region.scop.arrays).enumerate() {
        if let ArrayBinding::Local { allocation, nested: true } = binding
            && any_uses_shared(code.iter(), &region.scop, &array.name)?
        {
            let (buffer, free) = emitter.local_buffer(*allocation, at)?;
            emitter.set_buffer(number, buffer);
            frees.extend(free.then_some(buffer));
        }
    }
    Ok(frees)
}

/// Makes the buffers of a layout that code of the host uses, before kernels and after them, if there are any; they are to
/// be freed behind it.
///
/// # Errors
/// As [`super::emit`].
pub fn field_buffers<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    (before, after): (&[Node], &[Node]),
    at: Builder<'c, 'a>,
) -> Result<Vec<Value<'c, 'a>>, EmitError> {
    let region = emitter.region;
    let mut frees = Vec::new();
    for (number, (binding, array)) in region.arrays.iter().zip(&region.scop.arrays).enumerate() {
        if let ArrayBinding::Field { r#type, sizes, .. } = binding
            && any_uses_shared(before.iter().chain(after), &region.scop, &array.name)?
        {
            let small = emitter.small_field(number)?;
            let buffer = small.map_or_else(|| emitter.field_buffer((*r#type, sizes), at), Ok)?;
            emitter.set_buffer(number, buffer);
            frees.extend(small.is_none().then_some(buffer));
        }
    }
    Ok(frees)
}

/// An array is accessed outside of all parallel loops that make it private.
pub fn used_shared(node: &Node, scop: &Scop, array: &str) -> isl::Result<bool> {
    match node {
        Node::Call(call) => scop.statement(call.statement).uses(array),
        Node::For(node) if node.parallel.iter().flat_map(|p| &p.private).any(|name| name == array) => Ok(false),
        _ => any_uses_shared(node.children(), scop, array),
    }
}

fn any_uses_shared<'n>(nodes: impl Iterator<Item = &'n Node>, scop: &Scop, array: &str) -> isl::Result<bool> {
    for node in nodes {
        if used_shared(node, scop, array)? {
            return Ok(true);
        }
    }
    Ok(false)
}
