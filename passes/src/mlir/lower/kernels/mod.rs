//! Kernels (`gpu.launch`) on the way to code that runs: on the CPU for tests, or on a device that may be missing.
//!
//! The pipeline `poly-lower-nvptx` is: [`prepare`] names the kernels of each region; upstream's outlining makes a
//! `gpu.module` of them, and upstream's passes, with [`instructions`] and [`facts`], a `gpu.binary` with PTX of that;
//! [`to_runtime`] puts the PTX into a constant of the program, and calls of the runtime
//! (`runtime/include/polyrs/gpu.h`) in the place of launches and copies. What they give decides whether the code for
//! the CPU, which the optimizer left beside the kernels (`crate::mlir::emit`), runs as well.

mod allocations;
mod binary;
mod buffers;
pub mod facts;
mod globals;
pub mod instructions;
mod memory;
mod numbers;
mod parameters;
mod phases;
mod plan;
pub mod prepare;
mod private;
mod shared;
pub mod show;
pub mod to_loops;
pub mod to_runtime;

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockLike, OperationRef, Value, ValueLike};

use crate::mlir::diagnostic;
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{erase, is, nested, only_block, operations, results, string_attribute};
use crate::mlir::ir::value::defining;
use crate::mlir::marker::KERNELS;

/// How remarks start that say why a region runs on the CPU after all.
pub const LEFT_TO_CPU: &str = "poly-lower-nvptx: left to the CPU";

/// A region with kernels, and the original beside it.
#[derive(Clone, Copy)]
struct KernelRegion<'c, 'a> {
    /// The `scf.if` around what kernels need.
    scope: OperationRef<'c, 'a>,
}

impl<'c, 'a> KernelRegion<'c, 'a> {
    /// All of an operation, in textual order.
    fn all(root: OperationRef<'c, 'a>) -> Vec<Self> {
        let scopes = nested(root).into_iter().filter(|operation| string_attribute(*operation, KERNELS).is_some());
        let known = |scope: &OperationRef<'c, 'a>| match &results(*scope)[..] {
            [done] => is(*scope, "scf.if") && done.r#type().to_string() == "i1",
            _ => false,
        };
        scopes.filter(known).map(|scope| Self { scope }).collect()
    }

    /// The operations that run where there is a device, those in them included.
    fn inside(self) -> Vec<OperationRef<'c, 'a>> {
        let block = only_block(self.scope, 0);
        let outermost = block.map(operations).unwrap_or_default();
        outermost.into_iter().flat_map(nested).collect()
    }

    /// Those of a name.
    fn of_name(self, name: &str) -> Vec<OperationRef<'c, 'a>> {
        self.inside().into_iter().filter(|operation| is(*operation, name)).collect()
    }

    /// Whether a value is made in there.
    fn makes(self, value: Value<'c, 'a>) -> bool {
        defining(value).is_some_and(|(maker, _)| self.inside().contains(&maker))
    }

    /// Removes the kernels, as if there were no device, and says why.
    fn leave_to_cpu(self, context: &'c Context, reason: &str) -> Result<(), melior::Error> {
        diagnostic::remark(self.scope.location(), &format!("{LEFT_TO_CPU}: {reason}"));
        let Some(block) = only_block(self.scope, 0) else { return Ok(()) };
        let Some(last) = block.terminator() else { return Ok(()) };
        let Some(builder) = Builder::before(context, last) else { return Ok(()) };
        let inside: Vec<_> = operations(block).into_iter().filter(|operation| *operation != last).collect();
        let kind = IntegerType::new(context, 1).into();
        let no = builder.value("arith.constant", &[], kind, &[("value", IntegerAttribute::new(kind, 0).into())])?;
        // SAFETY: the terminator is alive, and no other reference changes it meanwhile.
        unsafe { OperationRefMut::from_raw(last.to_raw()) }.set_operand(0, no);
        // SAFETY: as above. There is no such attribute only if somebody removed it before.
        let _ = unsafe { OperationRefMut::from_raw(self.scope.to_raw()) }.remove_attribute(KERNELS);
        for operation in inside.into_iter().rev() {
            // SAFETY: what used its results came after it, and is gone.
            unsafe { erase(operation) }
        }
        Ok(())
    }
}
