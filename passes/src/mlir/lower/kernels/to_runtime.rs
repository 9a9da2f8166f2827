//! The pass `poly-kernels-to-runtime`: copies and launches become calls of the runtime.
//!
//! It takes what `poly-schedule` with `target=gpu` leaves, once kernels are a `gpu.binary` with PTX:
//!
//! | before | after |
//! |---|---|
//! | `scf.if {polyrs.kernels}` | `polyrs_gpu_begin`; with a run its code, up to `polyrs_gpu_end` |
//! | `gpu.alloc`, with `gpu.memcpy` to it and from it | `polyrs_gpu_buffer` with the host's memory, `IN`, `OUT` |
//! | `gpu.launch_func` | `polyrs_gpu_launch`, with pointers to its parameters |
//! | a memref that is no `gpu.alloc`, where buffers are resident | `polyrs_gpu_buffer`, `DEVICE` |
//!
//! Where that cannot be, the region is left to the code for the CPU, and a remark says why.

use std::collections::BTreeSet;

use melior::Context;
use melior::ir::OperationRef;
use mlir_sys::{
    MlirDialectHandle, mlirGetDialectHandle__arith__, mlirGetDialectHandle__func__, mlirGetDialectHandle__llvm__,
    mlirGetDialectHandle__memref__,
};

use super::KernelRegion;
use super::binary::kernel;
use super::globals::Globals;
use super::plan::plan;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-kernels-to-runtime`.
pub struct KernelsToRuntime;

impl Pass for KernelsToRuntime {
    const ARGUMENT: &'static str = "poly-kernels-to-runtime";
    const DESCRIPTION: &'static str = "Launch kernels (gpu.binary) by the runtime library, or run the code for the CPU";
    const OPERATION: &'static str = "builtin.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[
        mlirGetDialectHandle__arith__,
        mlirGetDialectHandle__func__,
        mlirGetDialectHandle__llvm__,
        mlirGetDialectHandle__memref__,
    ];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        Outcome::of(lower(context, module))
    }
}

/// Lowers all regions with kernels of a module; says how many there were.
fn lower<'c>(context: &'c Context, module: OperationRef<'c, '_>) -> Result<usize, String> {
    let Some(mut globals) = Globals::new(context, module) else { return Ok(0) };
    let regions = KernelRegion::all(module);
    let mut done = BTreeSet::new();
    for &region in &regions {
        done.extend(region.of_name("gpu.launch_func").into_iter().filter_map(|launch| Some(kernel(launch)?.0)));
        match plan(region, &globals) {
            Ok(plan) => plan.apply(context, &mut globals)?,
            Err(reason) => region.leave_to_cpu(context, &reason).map_err(|error| error.to_string())?,
        }
    }
    globals.forget_binaries(&done);
    Ok(regions.len())
}
