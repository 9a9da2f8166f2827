//! The pass `poly-schedule`: every affine region of a function goes through the polyhedral core.

mod files;
mod records;
mod refusal;
mod relaid;
mod remark;
mod rewrite;
mod run;
mod scripted;
mod show;
mod tuned;
mod wanted;

pub use refusal::Failure;
pub use run::{Report, Scheduled, schedule_cpu_version, schedule_regions};
pub use wanted::{LAYOUT, Missing, forget};

use melior::Context;
use melior::ir::OperationRef;
use mlir_sys::{
    mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__, mlirGetDialectHandle__func__,
    mlirGetDialectHandle__memref__, mlirGetDialectHandle__scf__, mlirGetDialectHandle__vector__,
};

use crate::options::{OptionError, Options, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::{OptionRow, mlirGetDialectHandle__gpu__};

/// The pass `poly-schedule`.
pub struct Schedule;

impl Pass for Schedule {
    const ARGUMENT: &'static str = "poly-schedule";
    const DESCRIPTION: &'static str = "Reschedule, tile and parallelize affine loops with the polyhedral model";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] = Options::ROWS;
    const DIALECTS: &'static [unsafe extern "C" fn() -> mlir_sys::MlirDialectHandle] = &[
        mlirGetDialectHandle__affine__,
        mlirGetDialectHandle__arith__,
        mlirGetDialectHandle__func__,
        mlirGetDialectHandle__gpu__,
        mlirGetDialectHandle__memref__,
        mlirGetDialectHandle__scf__,
        mlirGetDialectHandle__vector__,
    ];
    type Options = Options;

    fn parse(values: &Values) -> Result<Options, OptionError> {
        Options::parse(values)
    }

    fn run<'c>(context: &'c Context, operation: OperationRef<'c, '_>, options: &Options) -> Outcome {
        run::schedule_function(context, operation, options)
    }
}
