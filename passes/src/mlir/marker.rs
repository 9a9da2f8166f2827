//! Markers in emitted code, for the developer's check that reads it back.
//!
//! A marker stands in front of the operations of one instance and says which it is. A statement may come out without
//! an operation of its own (a copy of a scalar that stays in SSA), so a marker is one more operation rather than an
//! attribute of another: an `affine.min` that nobody uses, whose attribute names the statement, and whose map gives
//! zero (a map needs a result) and then the instance vector, from the iterators and parameters at this place:
//!
//! ```mlir
//! %0 = affine.min affine_map<(d0, d1) -> (0, d0, d1 + 32)>(%i, %j) {polyrs.instance = "S3"}
//! ```

use melior::ir::OperationRef;
use melior::ir::attribute::StringAttribute;

use super::ir::builder::map_attribute;
use super::ir::operation::{erase, nested, string_attribute};
use super::ir::{Apply, Bound, Builder};

/// The attribute that names the statement.
const STATEMENT: &str = "polyrs.instance";

/// The attribute of buffers on the stack that hold footprints of arrays.
pub const PROMOTED: &str = "polyrs.promoted";

/// The attribute of those whose rows have room for whole vectors (`super::emit`).
pub const PADDED: &str = "polyrs.padded";

/// The attribute of calls of functions that return, do not touch memory, and give the same result for the same
/// operands.
pub const PURE: &str = "polyrs.pure";

/// The attribute of the `scf.if` around kernels and their copies, beside which the original stays (`super::emit`). It
/// says where the kernels' buffers are: [`COPIED`] or [`RESIDENT`].
pub const KERNELS: &str = "polyrs.kernels";

/// The attribute of the `scf.if` around code with another layout, which is not looked at again (`super::emit`).
pub const RELAID: &str = "polyrs.relaid";

/// The attribute of the `scf.if` around the code that runs where a layout that was chosen does not pay, until that has
/// been worked on.
pub const WITHOUT_LAYOUT: &str = "polyrs.without_layout";

/// The attribute of the `scf.if` around code for some sizes and, as its other branch, the code as it is for the others,
/// until that has been worked on.
pub const FOR_SIZES: &str = "polyrs.for_sizes";

/// The attribute of a copy from a device, all of which kernels have written.
pub const ALL_WRITTEN: &str = "polyrs.all_written";

/// The attribute of the `arith.andi` whose second operand says that kernels are expected to be faster than the CPU.
pub const WORTH: &str = "polyrs.worth";

/// Kernels work on copies of the host's buffers.
pub const COPIED: &str = "copied";

/// Kernels work on the buffers themselves.
pub const RESIDENT: &str = "resident";

/// A marker that was found.
pub struct Marker<'c, 'a> {
    /// The statement's name in the model.
    pub statement: String,
    /// Zero, then the instance vector.
    pub instance: Bound<'c, 'a>,
}

impl<'c, 'a> Marker<'c, 'a> {
    /// The marker that an operation is, if it is one.
    pub fn new(operation: OperationRef<'c, 'a>) -> Option<Self> {
        let statement = string_attribute(operation, STATEMENT)?;
        Some(Self { statement, instance: Apply::new(operation)?.argument })
    }
}

/// Appends a marker.
///
/// # Errors
/// MLIR refuses to build it.
pub fn build<'c, 'a>(builder: Builder<'c, 'a>, statement: &str, instance: &Bound<'c, 'a>) -> Result<(), melior::Error> {
    let statement = StringAttribute::new(builder.context(), statement).into();
    let attributes = [("map", map_attribute(instance.map)), (STATEMENT, statement)];
    builder.build("affine.min", &instance.operands, &[builder.index()], &attributes)?;
    Ok(())
}

/// The operation is a marker or holds one.
pub fn is_marked(operation: OperationRef<'_, '_>) -> bool {
    nested(operation).into_iter().any(|inner| Marker::new(inner).is_some())
}

/// Removes the markers at and below operations, which are left out of the result if they are markers themselves.
pub fn remove<'c, 'a>(operations: Vec<OperationRef<'c, 'a>>) -> Vec<OperationRef<'c, 'a>> {
    let (markers, rest): (Vec<_>, Vec<_>) =
        operations.into_iter().partition(|operation| Marker::new(*operation).is_some());
    let inner = rest.iter().flat_map(|operation| nested(*operation));
    let all: Vec<_> = inner.filter(|operation| Marker::new(*operation).is_some()).chain(markers).collect();
    for marker in all {
        // SAFETY: nobody uses a marker's result, and the list has each marker once.
        unsafe { erase(marker) }
    }
    rest
}
