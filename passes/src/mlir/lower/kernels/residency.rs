//! The pass `poly-kernel-residency`: kernels with barriers leave registers for another block.
//!
//! A block that waits at a barrier for its copies to shared memory leaves a multiprocessor idle unless another one is
//! there. The compiler of PTX does not know of that choice: it gave a product of f32 matrices with 64 sums for each of
//! 256 threads 220 registers, so that there was one block, and less than half of an H100's arithmetic was used; with 128
//! it took 5.2 instead of 6.3 milliseconds for 4,096 rows. Where threads hold less, the compiler's own choice was better:
//! 32 sums of half as many registers each, 80 registers, three blocks.

use melior::Context;
use melior::ir::OperationRef;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::r#type::IntegerType;
use mlir_sys::MlirDialectHandle;

use crate::mlir::ir::operation::{attribute, is, nested, operands};
use crate::mlir::ir::value::defining;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-kernel-residency`.
pub struct KernelResidency;

/// The bytes of sums from which on a thread takes so many registers.
const SUMS: i64 = 256;

/// The threads that a multiprocessor shall hold of a kernel with barriers, at least: with 65,536 registers for them, a
/// thread has up to 168.
const THREADS: i64 = 384;

impl Pass for KernelResidency {
    const ARGUMENT: &'static str = "poly-kernel-residency";
    const DESCRIPTION: &'static str = "Have kernels with barriers leave registers for another block";
    const OPERATION: &'static str = "gpu.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        let all = nested(module);
        let mut changes = 0;
        for kernel in all.into_iter().filter(|operation| is(*operation, "llvm.func") && is_large(*operation)) {
            let Some(threads) = threads(kernel).filter(|threads| *threads > 0) else { continue };
            let blocks = IntegerAttribute::new(IntegerType::new(context, 32).into(), (THREADS + threads - 1) / threads);
            // SAFETY: the kernel is alive, and no other reference changes it meanwhile.
            unsafe { OperationRefMut::from_raw(kernel.to_raw()) }.set_attribute("nvvm.minctasm", blocks.into());
            changes += 1;
        }
        if changes == 0 { Outcome::Unchanged } else { Outcome::Changed }
    }
}

/// Whether threads wait for each other, and hold many sums.
fn is_large(kernel: OperationRef<'_, '_>) -> bool {
    let inside = nested(kernel);
    let waits = inside.iter().any(|operation| is(*operation, "nvvm.barrier") || is(*operation, "nvvm.barrier0"));
    waits && inside.into_iter().filter_map(private_bytes).sum::<i64>() >= SUMS
}

/// The bytes of a thread's own memory, which LLVM keeps in registers.
fn private_bytes(operation: OperationRef<'_, '_>) -> Option<i64> {
    let kind = attribute(operation, "elem_type").filter(|_| is(operation, "llvm.alloca"))?.to_string();
    let bits: i64 = kind.trim_start_matches(['f', 'i']).parse().ok()?;
    let (size, _) = defining(*operands(operation).first()?)?;
    let count = IntegerAttribute::try_from(attribute(size, "value")?).ok()?.value();
    Some(count * bits / 8)
}

/// The threads of a block, if they are known.
fn threads(kernel: OperationRef<'_, '_>) -> Option<i64> {
    let sizes = DenseI32ArrayAttribute::try_from(attribute(kernel, "nvvm.maxntid")?).ok()?;
    (0..sizes.len()).map(|axis| sizes.element(axis).ok().map(i64::from)).product()
}
