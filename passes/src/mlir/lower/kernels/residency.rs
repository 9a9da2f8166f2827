//! The pass `poly-kernel-residency`: kernels with barriers leave registers for another block.
//!
//! A block that waits at a barrier for its copies to shared memory leaves a multiprocessor idle unless another one is
//! there. The compiler of PTX does not know of that choice: it gave a product of f32 matrices 220 registers for each of
//! 256 threads, so that there was one block, and less than half of the device's arithmetic was used.

use melior::Context;
use melior::ir::OperationRef;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::r#type::IntegerType;
use mlir_sys::MlirDialectHandle;

use crate::mlir::ir::operation::{attribute, is, nested};
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-kernel-residency`.
pub struct KernelResidency;

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
        for kernel in all.into_iter().filter(|operation| is(*operation, "llvm.func") && waits(*operation)) {
            let Some(threads) = threads(kernel).filter(|threads| *threads > 0) else { continue };
            let blocks = IntegerAttribute::new(IntegerType::new(context, 32).into(), (THREADS + threads - 1) / threads);
            // SAFETY: the kernel is alive, and no other reference changes it meanwhile.
            unsafe { OperationRefMut::from_raw(kernel.to_raw()) }.set_attribute("nvvm.minctasm", blocks.into());
            changes += 1;
        }
        if changes == 0 { Outcome::Unchanged } else { Outcome::Changed }
    }
}

fn waits(kernel: OperationRef<'_, '_>) -> bool {
    nested(kernel).into_iter().any(|operation| is(operation, "nvvm.barrier") || is(operation, "nvvm.barrier0"))
}

/// The threads of a block, if they are known.
fn threads(kernel: OperationRef<'_, '_>) -> Option<i64> {
    let sizes = DenseI32ArrayAttribute::try_from(attribute(kernel, "nvvm.maxntid")?).ok()?;
    (0..sizes.len()).map(|axis| sizes.element(axis).ok().map(i64::from)).product()
}
