//! Kernels (`gpu.launch`) on the way to code that runs: on the CPU for tests, or on a device that may be missing.
//!
//! The pipeline `poly-lower-nvptx` is: [`prepare`] names the kernels of each region; upstream's outlining makes a
//! `gpu.module` of them, and upstream's passes, with [`instructions`], a `gpu.binary` with PTX of that; [`to_runtime`] puts the PTX into a
//! constant of the program, and calls of the runtime (`runtime/include/polyrs/gpu.h`) in the place of launches and
//! copies. What they give decides whether the code for the CPU, which the optimizer left beside the kernels
//! (`crate::mlir::emit`), runs as well.

mod binary;
mod buffers;
mod globals;
pub mod instructions;
mod parameters;
mod plan;
pub mod prepare;
pub mod to_loops;
pub mod to_runtime;

use melior::ir::{OperationRef, Value};

use crate::mlir::ir::operation::{is, nested, only_block, string_attribute};
use crate::mlir::marker::KERNELS;

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
        scopes.filter(|scope| is(*scope, "scf.if")).map(|scope| Self { scope }).collect()
    }

    /// The operations that run where there is a device, those in them included.
    fn inside(self) -> Vec<OperationRef<'c, 'a>> {
        let block = only_block(self.scope, 0);
        let outermost = block.map(crate::mlir::ir::operation::operations).unwrap_or_default();
        outermost.into_iter().flat_map(nested).collect()
    }

    /// Those of a name.
    fn of_name(self, name: &str) -> Vec<OperationRef<'c, 'a>> {
        self.inside().into_iter().filter(|operation| is(*operation, name)).collect()
    }

    /// Whether a value is made in there.
    fn makes(self, value: Value<'c, 'a>) -> bool {
        crate::mlir::ir::value::defining(value).is_some_and(|(maker, _)| self.inside().contains(&maker))
    }
}
