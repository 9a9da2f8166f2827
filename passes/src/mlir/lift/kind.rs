//! The kinds of operations that lifting knows.

use melior::ir::{OperationRef, Value};

use crate::mlir::ir::affine::Access;
use crate::mlir::ir::operation::{attribute, is, name, nested, operands, regions, results};
use crate::mlir::ir::{AffineFor, AffineIf, AffineParallel, captures};
use crate::mlir::marker::PURE;

/// The kinds of operations that lifting knows.
pub(super) enum Kind<'c, 'a> {
    /// A loop.
    For(AffineFor<'c, 'a>),
    /// A nest of parallel loops.
    Parallel(AffineParallel<'c, 'a>),
    /// A condition.
    If(AffineIf<'c, 'a>),
    /// A load or store of the affine dialect.
    Affine(Access<'c, 'a>),
    /// A load or store with values as subscripts.
    Indexed(Indexed<'c, 'a>),
    /// `memref.alloc` or `memref.alloca`.
    Allocation,
    /// `memref.dealloc`.
    Deallocation,
    /// `memref.copy`.
    Copy,
    /// Something that may be left out.
    Hint,
    /// No effect on memory, and no effect by running twice or later.
    Pure,
    /// Control flow that is no loop nest of ours, around loads, stores and pure operations.
    Atomic,
    /// Anything else.
    Other,
}

/// A `memref.load`, `memref.store`, `vector.load` or `vector.store`.
pub(super) struct Indexed<'c, 'a> {
    /// Stores rather than loads.
    pub stores: bool,
    /// Moves a vector along the innermost dimensions.
    pub vector: bool,
    /// The buffer.
    pub memref: Value<'c, 'a>,
    /// The subscripts.
    pub subscripts: Vec<Value<'c, 'a>>,
    /// The value stored or loaded.
    pub value: Value<'c, 'a>,
}

impl<'c, 'a> Indexed<'c, 'a> {
    fn new(operation: OperationRef<'c, 'a>) -> Option<Self> {
        let (stores, vector) = match name(operation).as_str() {
            "memref.load" => (false, false),
            "memref.store" => (true, false),
            "vector.load" => (false, true),
            "vector.store" => (true, true),
            _ => return None,
        };
        let mut rest = operands(operation);
        let value = if stores { rest.remove(0) } else { *results(operation).first()? };
        let memref = rest.remove(0);
        Some(Self { stores, vector, memref, subscripts: rest, value })
    }
}

impl<'c, 'a> Kind<'c, 'a> {
    /// The kind of an operation.
    pub fn of(operation: OperationRef<'c, 'a>) -> Self {
        if let Some(view) = AffineFor::new(operation) {
            Kind::For(view)
        } else if let Some(view) = AffineParallel::new(operation) {
            Kind::Parallel(view)
        } else if let Some(view) = AffineIf::new(operation) {
            Kind::If(view)
        } else if let Some(view) = Access::new(operation) {
            Kind::Affine(view)
        } else if let Some(view) = Indexed::new(operation) {
            Kind::Indexed(view)
        } else if is_allocation(operation) {
            Kind::Allocation
        } else if is(operation, "memref.dealloc") {
            Kind::Deallocation
        } else if is(operation, "memref.copy") {
            Kind::Copy
        } else if is(operation, "affine.prefetch") || is(operation, "memref.prefetch") {
            Kind::Hint
        } else if is_repeatable(operation) {
            Kind::Pure
        } else if is_atomic(operation) {
            Kind::Atomic
        } else {
            Kind::Other
        }
    }
}

/// Neither memory nor time matters to the operation, nor how often it runs.
fn is_repeatable(operation: OperationRef<'_, '_>) -> bool {
    // Freezing chooses a value, which has to be the same everywhere.
    let chooses = |inner| name(inner).ends_with(".freeze");
    is_effect_free(operation) && !has_affine_loop(operation) && !nested(operation).into_iter().any(chooses)
}

/// Nothing can be noticed of the operation but its results: it says so, or it is a call that is marked so.
pub(super) fn is_effect_free(operation: OperationRef<'_, '_>) -> bool {
    polyrs_host::is_memory_effect_free(operation.to_raw()) || is_pure_call(operation)
}

/// A call of a function that neither touches memory nor fails to return.
pub(super) fn is_pure_call(operation: OperationRef<'_, '_>) -> bool {
    is(operation, "func.call") && attribute(operation, PURE).is_some()
}

/// `memref.alloc` or `memref.alloca`.
pub(super) fn is_allocation(operation: OperationRef<'_, '_>) -> bool {
    is(operation, "memref.alloc") || is(operation, "memref.alloca")
}

/// An affine loop, or something that holds one.
pub(super) fn has_affine_loop(operation: OperationRef<'_, '_>) -> bool {
    nested(operation).into_iter().any(|inner| is(inner, "affine.for") || is(inner, "affine.parallel"))
}

/// Structured control flow that ends, around nothing but loads, stores, buffers of its own and pure operations.
fn is_atomic(operation: OperationRef<'_, '_>) -> bool {
    const CONTROL: [&str; 3] = ["scf.if", "scf.for", "scf.index_switch"];
    let control = |operation| CONTROL.iter().any(|known| is(operation, known));
    control(operation)
        && !has_affine_loop(operation)
        && nested(operation).into_iter().all(|inner| {
            control(inner)
                || is(inner, "affine.if")
                || is_allocation(inner)
                || is(inner, "memref.dealloc")
                || Access::new(inner).is_some()
                || Indexed::new(inner).is_some()
                || (regions(inner).is_empty() && is_effect_free(inner))
        })
}

/// Control flow of the scf dialect, which regions are looked for in.
pub(super) fn is_known_control(operation: OperationRef<'_, '_>) -> bool {
    const KNOWN: [&str; 7] =
        ["scf.for", "scf.if", "scf.while", "scf.parallel", "scf.forall", "scf.execute_region", "scf.index_switch"];
    KNOWN.iter().any(|known| is(operation, known))
}

/// Everything that an operation uses from outside of itself.
pub(super) fn needs<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let mut values = operands(operation);
    if !regions(operation).is_empty() {
        values.extend(captures(operation));
    }
    values
}
