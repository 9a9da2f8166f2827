//! The pass `poly-parallel-threshold`: a parallel loop with little work runs sequentially.
//!
//! Starting threads takes as long as some thousands of operations, and sizes are mostly known at run time only. So the
//! loop becomes two, one parallel and one sequential, and an estimate of the operations in it chooses between them
//! each time. The estimate follows the bounds ([`of_parallel`]) in floating point: it cannot overflow, and nothing but the
//! choice depends on it. A loop whose work cannot be estimated stays as it is.

use melior::Context;
use melior::ir::{OperationRef, Region};
use mlir_sys::{
    MlirDialectHandle, mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__, mlirGetDialectHandle__scf__,
};

use crate::mlir::estimate::{Amount, of_parallel};
use crate::mlir::ir::affine::AffineParallel;
use crate::mlir::ir::operation::{ancestors, erase, name, nested, operations};
use crate::mlir::ir::{Builder, ValueMap};
use crate::options::machine::{MACHINE, machine};
use crate::options::value::option;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-parallel-threshold`.
pub struct ParallelThreshold;

/// The option of the pass and of the pipeline that has it.
///
/// The default is about what the cores do while threads start and wait for each other, for vector loops on data in the
/// first-level cache, the fastest code there is ([`polyrs_core::machine::Machine::parallel_threshold`]).
pub const THRESHOLD: OptionRow = option(
    "parallel-threshold",
    "N",
    "",
    "Operations below which a parallel loop runs sequentially; 0 makes all loops parallel (default: the machine's)",
);

/// Reads the option, or looks at the machine.
///
/// # Errors
/// A value that is no number, or no machine.
pub fn threshold(values: &Values) -> Result<u64, OptionError> {
    match values.optional("parallel-threshold") {
        Some(_) => values.number("parallel-threshold", 0),
        None => Ok(machine(values)?.parallel_threshold()),
    }
}

impl Pass for ParallelThreshold {
    const ARGUMENT: &'static str = "poly-parallel-threshold";
    const DESCRIPTION: &'static str = "Run affine.parallel loops sequentially where an estimate at run time says that \
                                       they have too little work for threads";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] = &[THRESHOLD, MACHINE];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] =
        &[mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__, mlirGetDialectHandle__scf__];
    /// The number of operations.
    type Options = u64;

    fn parse(values: &Values) -> Result<u64, OptionError> {
        threshold(values)
    }

    fn run<'c>(context: &'c Context, function: OperationRef<'c, '_>, threshold: &u64) -> Outcome {
        if *threshold == 0 {
            return Outcome::Unchanged;
        }
        let mut outcome = Outcome::Unchanged;
        for parallel in outermost(function) {
            match choose(context, &parallel, *threshold) {
                Ok(false) => {}
                Ok(true) => outcome = Outcome::Changed,
                Err(error) => return Outcome::Failed(error.to_string()),
            }
        }
        outcome
    }
}

/// The parallel loops that are in no other and reduce nothing.
pub(super) fn outermost<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<AffineParallel<'c, 'a>> {
    let views = nested(function).into_iter().filter_map(AffineParallel::new);
    views.filter(|view| view.reductions.is_empty() && !is_in_parallel(view.operation)).collect()
}

fn is_in_parallel(operation: OperationRef<'_, '_>) -> bool {
    ancestors(operation)
        .any(|parent| matches!(name(parent).as_str(), "affine.parallel" | "scf.parallel" | "scf.forall"))
}

/// Lets the loop's work decide how it runs. Says whether anything was changed.
fn choose<'c>(context: &'c Context, parallel: &AffineParallel<'c, '_>, threshold: u64) -> Result<bool, melior::Error> {
    let Some(builder) = Builder::before(context, parallel.operation) else { return Ok(false) };
    match of_parallel(parallel, builder)? {
        None => return Ok(false),
        Some(Amount::Known(work)) if work >= threshold as f64 => return Ok(false),
        Some(Amount::Known(_)) => sequential(parallel, builder)?,
        Some(work) => {
            let enough = work.at_least(threshold as f64, builder)?;
            let (many, few) = (builder.region(&[]), builder.region(&[]));
            ValueMap::new().clone_into(parallel.operation, many.1.block());
            many.1.build("scf.yield", &[], &[], &[])?;
            sequential(parallel, few.1)?;
            few.1.build("scf.yield", &[], &[], &[])?;
            builder.build_with("scf.if", &[enough], &[], &[], Vec::<Region<'c>>::from([many.0, few.0]))?;
        }
    }
    // SAFETY: the loop has no results, and neither it nor what is in it is looked at again.
    unsafe { erase(parallel.operation) }
    Ok(true)
}

/// Builds the same loop as a sequential nest.
fn sequential<'c, 'a>(parallel: &AffineParallel<'c, 'a>, builder: Builder<'c, 'a>) -> Result<(), melior::Error> {
    let mut map = ValueMap::new();
    let mut bodies = vec![builder];
    for (number, variable) in parallel.variables.iter().enumerate() {
        let (lower, upper) = (&parallel.lowers[number], &parallel.uppers[number]);
        let built = bodies[number].affine_for(lower, upper, parallel.steps[number], &[])?;
        map.insert(*variable, built.variables[0]);
        bodies.push(built.body);
    }
    let innermost = bodies[parallel.variables.len()];
    let mut copied = operations(parallel.body);
    copied.pop();
    for operation in copied {
        map.clone_into(operation, innermost.block());
    }
    for body in &bodies[1..] {
        body.affine_yield(&[])?;
    }
    Ok(())
}
