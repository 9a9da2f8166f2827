//! The pass `poly-unroll-loads`: loops of a thread that only read fetch several iterations ahead.
//!
//! A thread that adds up a row or a column waits for each element, some hundred cycles, unless the loads of further
//! iterations are on their way. LLVM unrolls such loops by four; a kernel with as many threads as a matrix has rows needs
//! more to keep memory busy: one for 16,384 rows reached a quarter of the bandwidth of an H100 that way.

use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, BlockLike, OperationRef, Value, ValueLike};
use mlir_sys::{MlirDialectHandle, mlirGetDialectHandle__llvm__};

use super::phases::has_barrier;
use crate::mlir::ir::operation::{contains, is, name, nested, operands};
use crate::mlir::ir::value::{argument, defining};
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-unroll-loads`.
pub struct UnrollLoads;

/// How many iterations become one. What is left over runs one by one, so more would cost short loops more than it
/// gives long ones.
const ITERATIONS: u32 = 16;

/// The most operations of an iteration: their results are in registers all at once.
const LARGEST: usize = 24;

impl Pass for UnrollLoads {
    const ARGUMENT: &'static str = "poly-unroll-loads";
    const DESCRIPTION: &'static str =
        "Have LLVM unroll innermost loops of kernels that only read, so that loads overlap";
    const OPERATION: &'static str = "gpu.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[mlirGetDialectHandle__llvm__];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        let text = format!("#llvm.loop_annotation<unroll = <count = {ITERATIONS} : i32>>");
        let Some(annotation) = Attribute::parse(context, &text) else {
            return Outcome::of(Err(format!("MLIR does not know {text}")));
        };
        let loops: Vec<_> = nested(module).into_iter().filter(|operation| waits_for_loads(*operation)).collect();
        for operation in &loops {
            // SAFETY: the loop is alive, and no other reference changes it meanwhile.
            unsafe { OperationRefMut::from_raw(operation.to_raw()) }.set_attribute("llvm.loop_annotation", annotation);
        }
        Outcome::of(Ok::<_, String>(loops.len()))
    }
}

/// A loop without another one in it, of unknown length, that reads memory of the device and writes at most to places that
/// are the same in all iterations, which LLVM keeps in registers meanwhile.
fn waits_for_loads(operation: OperationRef<'_, '_>) -> bool {
    if !is(operation, "scf.for") || has_barrier(operation) || has_constant_bounds(operation) {
        return false;
    }
    let inside = nested(operation);
    let body = &inside[1..];
    let simple = |inner: &OperationRef<'_, '_>| match name(*inner).as_str() {
        "memref.store" => operands(*inner).iter().skip(1).all(|place| is_fixed(operation, *place)),
        "scf.yield" | "memref.load" => true,
        other => ["arith.", "math."].iter().any(|dialect| other.starts_with(dialect)),
    };
    body.len() <= LARGEST && body.iter().all(simple) && body.iter().any(|inner| reads_device_memory(*inner))
}

fn has_constant_bounds(operation: OperationRef<'_, '_>) -> bool {
    let constant = |value| defining(value).is_some_and(|(maker, _)| is(maker, "arith.constant"));
    operands(operation).into_iter().take(2).all(constant)
}

/// Whether a value is the same in all iterations of a loop: arithmetic on what comes from outside.
fn is_fixed<'c, 'a>(outer: OperationRef<'c, 'a>, value: Value<'c, 'a>) -> bool {
    let Some((maker, _)) = defining(value) else {
        let of = argument(value).and_then(|(block, _)| block.parent_operation());
        return of.is_some_and(|of| !contains(outer, of));
    };
    let arithmetic = name(maker).starts_with("arith.") && operands(maker).iter().all(|from| is_fixed(outer, *from));
    !contains(outer, maker) || arithmetic
}

fn reads_device_memory(operation: OperationRef<'_, '_>) -> bool {
    let near = |kind: String| kind.contains("workgroup") || kind.contains("private");
    is(operation, "memref.load") && operands(operation).first().is_some_and(|from| !near(from.r#type().to_string()))
}
