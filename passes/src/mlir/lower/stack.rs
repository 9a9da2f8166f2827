//! The pass `poly-hoist-stack-buffers`: stack buffers made in loops are made once.
//!
//! A `memref.alloca` in a loop's body lives until the end of the iteration, but lowering drops the loop and with it
//! that end: the stack grows with every iteration, and LLVM keeps only buffers of a function's entry block in
//! registers. Iterations that run one after another can share one buffer. Those of parallel loops cannot, unless the
//! loops are parallel in name only (`threads=false`).

use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{BlockLike, OperationRef, RegionLike};
use mlir_sys::MlirDialectHandle;

use crate::mlir::ir::operation::{is, name, nested};
use crate::options::value::option;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-hoist-stack-buffers`.
pub struct HoistStackBuffers;

impl Pass for HoistStackBuffers {
    const ARGUMENT: &'static str = "poly-hoist-stack-buffers";
    const DESCRIPTION: &'static str = "Make stack buffers of sequential loops once, at the start of the function or of \
                                       the parallel loop around";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] =
        &[option("threads", "true|false", "false", "Whether parallel loops run on threads")];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[];
    /// Whether parallel loops run on threads.
    type Options = bool;

    fn parse(values: &Values) -> Result<bool, OptionError> {
        values.boolean("threads")
    }

    fn run<'c>(_context: &'c Context, function: OperationRef<'c, '_>, threads: &bool) -> Outcome {
        let mut outcome = Outcome::Unchanged;
        for operation in nested(function) {
            // Sizes that are computed could not be known at the start.
            if !is(operation, "memref.alloca") || operation.operand_count() != 0 {
                continue;
            }
            if let Some(first) = start(operation, function, *threads) {
                // SAFETY: the operation is alive, and no other reference changes it meanwhile.
                unsafe { OperationRefMut::from_raw(operation.to_raw()) }.move_before(first);
                outcome = Outcome::Changed;
            }
        }
        outcome
    }
}

/// Where a buffer can be made once: the first operation of the function, or of the parallel loop around that runs on
/// threads. None where no sequential loop is in between, or something that is neither a loop nor a condition.
fn start<'c, 'a>(
    buffer: OperationRef<'c, 'a>,
    function: OperationRef<'c, 'a>,
    threads: bool,
) -> Option<OperationRef<'c, 'a>> {
    let mut loops = 0;
    let mut around = buffer.parent_operation()?;
    while around != function {
        match name(around).as_str() {
            "affine.parallel" | "scf.parallel" if threads => break,
            "affine.for" | "affine.parallel" | "scf.for" | "scf.parallel" => loops += 1,
            "affine.if" | "scf.if" => {}
            _ => return None,
        }
        around = around.parent_operation()?;
    }
    if loops > 0 { around.first_region()?.first_block()?.first_operation() } else { None }
}
