//! The pass `poly-hoist-stack-buffers`: stack buffers made in loops are made once.
//!
//! A `memref.alloca` in a loop's body lives until the end of the iteration, but lowering drops the loop and with it that
//! end: the stack grows with every iteration, and LLVM keeps only buffers of a function's entry block in registers.
//! Iterations that run one after another can share one buffer. Loops that are parallel in name are included, so the pass
//! is for pipelines that run them sequentially.

use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{BlockLike, OperationRef, RegionLike};
use mlir_sys::MlirDialectHandle;

use crate::host::OptionRow;
use crate::mlir::ir::operation::{is, name, nested};
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};

/// The pass `poly-hoist-stack-buffers`.
pub struct HoistStackBuffers;

impl Pass for HoistStackBuffers {
    const ARGUMENT: &'static str = "poly-hoist-stack-buffers";
    const DESCRIPTION: &'static str = "Make stack buffers of loops once in the function's entry, for loops that run \
                                       sequentially";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(_context: &'c Context, function: OperationRef<'c, '_>, (): &()) -> Outcome {
        let Some(first) = first_operation(function) else { return Outcome::Unchanged };
        let mut outcome = Outcome::Unchanged;
        for operation in nested(function) {
            // Sizes that are computed could not be known at the entry.
            if is(operation, "memref.alloca") && operation.operand_count() == 0 && is_in_loops(operation, function) {
                // SAFETY: the operation is alive, and no other reference changes it meanwhile.
                unsafe { OperationRefMut::from_raw(operation.to_raw()) }.move_before(first);
                outcome = Outcome::Changed;
            }
        }
        outcome
    }
}

fn first_operation<'c, 'a>(function: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    function.first_region()?.first_block()?.first_operation()
}

/// Nothing but loops and conditions is between the operation and the function, and at least one loop.
fn is_in_loops(operation: OperationRef<'_, '_>, function: OperationRef<'_, '_>) -> bool {
    let mut loops = 0;
    let mut parent = operation.parent_operation();
    while let Some(outer) = parent.filter(|outer| *outer != function) {
        match name(outer).as_str() {
            "affine.for" | "affine.parallel" | "scf.for" | "scf.parallel" => loops += 1,
            "affine.if" | "scf.if" => {}
            _ => return false,
        }
        parent = outer.parent_operation();
    }
    loops > 0
}
