//! The pass `poly-schedule`: every affine region of a function goes through the polyhedral core.

use melior::Context;
use melior::ir::OperationRef;
use mlir_sys::{
    mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__, mlirGetDialectHandle__func__,
    mlirGetDialectHandle__memref__, mlirGetDialectHandle__scf__, mlirGetDialectHandle__vector__,
};

use std::time::Instant;

use super::diagnostic;
use super::ir::operation::string_attribute;
use super::lift::{Settings, lift_function};
use crate::host::OptionRow;
use crate::options::{Dump, OptionError, Options, Values};
use crate::pass::{Outcome, Pass};

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
        mlirGetDialectHandle__memref__,
        mlirGetDialectHandle__scf__,
        mlirGetDialectHandle__vector__,
    ];
    type Options = Options;

    fn parse(values: &Values) -> Result<Options, OptionError> {
        Options::parse(values)
    }

    fn run<'c>(context: &'c Context, operation: OperationRef<'c, '_>, options: &Options) -> Outcome {
        schedule_function(context, operation, options)
    }
}

/// Lifts, schedules, checks and rewrites the affine regions of one `func.func`.
pub fn schedule_function<'c>(_context: &'c Context, function: OperationRef<'c, '_>, options: &Options) -> Outcome {
    let name = string_attribute(function, "sym_name").unwrap_or_default();
    if !options.selects(&name) {
        return Outcome::Unchanged;
    }
    let settings = Settings {
        assume_noalias: options.assume_noalias,
        deadline: Instant::now().checked_add(options.time_budget),
        ..Settings::default()
    };
    for region in lift_function(function, settings) {
        match region {
            Ok(region) => {
                let statements = region.scop.statements.iter().filter(|statement| !statement.is_kill()).count();
                diagnostic::remark(region.location, &format!("poly-schedule: scop: {statements} statements"));
                if options.dump.contains(&Dump::Scop) {
                    match region.scop.to_text() {
                        Ok(text) => eprint!("{text}"),
                        Err(error) => diagnostic::warning(region.location, &format!("poly-schedule: {error}")),
                    }
                }
            }
            Err(refusal) => diagnostic::remark(refusal.location, &refusal.text()),
        }
    }
    Outcome::Unchanged
}
