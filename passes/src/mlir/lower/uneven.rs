//! The passes `poly-mark-uneven` and `poly-share-uneven`: threads share what a loop has to do evenly.
//!
//! OpenMP gives each thread as many iterations as the others, side by side. In a triangle, as in `for j <= i`, the thread with the
//! last rows has most of the work: of two threads three quarters. There threads take parts of what is left, each time smaller
//! ones (`schedule(guided)`). The first part is half of what a thread would get of as many iterations, so that even if it has the
//! longest rows of a triangle it is no more than a thread's share.
//!
//! Whether iterations differ is seen in affine loops, with sizes assumed where they are not known ([`is_uneven`]); how they are
//! shared is said of OpenMP's loop. In between goes a constant in the loop's body that has a mark, and when the body has become a
//! function of its own ([`super::outline`]), the mark is that of its call.

use melior::Context;
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, BlockLike, OperationRef};
use mlir_sys::{MlirDialectHandle, mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__};

use super::threshold::outermost;
use crate::mlir::estimate::is_uneven;
use crate::mlir::ir::Builder;
use crate::mlir::ir::affine::AffineParallel;
use crate::mlir::ir::operation::{ancestors, attribute, erase, is, nested};
use crate::mlir::ir::value::defining;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The mark.
pub const UNEVEN: &str = "polyrs.uneven";

/// How threads share iterations that differ.
const GUIDED: &str = "#omp<schedulekind guided>";

/// The pass `poly-mark-uneven`.
pub struct MarkUneven;

impl Pass for MarkUneven {
    const ARGUMENT: &'static str = "poly-mark-uneven";
    const DESCRIPTION: &'static str =
        "Mark outermost affine.parallel loops of which some iterations have more work than others";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] =
        &[mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, function: OperationRef<'c, '_>, (): &()) -> Outcome {
        let marked = outermost(function).iter().map(|parallel| mark(context, parallel)).collect::<Result<Vec<_>, _>>();
        Outcome::of(marked.map(|marked| marked.into_iter().filter(|marked| *marked).count()))
    }
}

/// Marks a loop if its iterations differ. Says whether they do.
fn mark<'c>(context: &'c Context, parallel: &AffineParallel<'c, '_>) -> Result<bool, melior::Error> {
    let (Some(builder), Some(first)) = (Builder::before(context, parallel.operation), parallel.body.first_operation())
    else {
        return Ok(false);
    };
    let is_marked = is_uneven(parallel, builder)?;
    if let Some(inside) = Builder::before(context, first).filter(|_| is_marked) {
        let mark = inside.constant_index(0)?;
        if let Some((constant, _)) = defining(mark) {
            set(constant, UNEVEN, Attribute::unit(context));
        }
    }
    Ok(is_marked)
}

/// Takes the mark out of the operations of a loop's body. Says whether there was one.
pub fn take_mark(body: &mut Vec<OperationRef<'_, '_>>) -> bool {
    let Some(found) = body.iter().position(|operation| attribute(*operation, UNEVEN).is_some()) else { return false };
    let mark = body.remove(found);
    // SAFETY: nobody uses it, and it is not looked at again.
    unsafe { erase(mark) }
    true
}

/// The pass `poly-share-uneven`.
pub struct ShareUneven;

impl Pass for ShareUneven {
    const ARGUMENT: &'static str = "poly-share-uneven";
    const DESCRIPTION: &'static str =
        "Let OpenMP's threads take parts of what is left of loops that poly-mark-uneven marked";
    const OPERATION: &'static str = "builtin.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        let mut outcome = Outcome::Unchanged;
        for call in nested(module).into_iter().filter(|call| attribute(*call, UNEVEN).is_some()) {
            if let Some(shared) = ancestors(call).find(|around| is(*around, "omp.wsloop")) {
                let Some(guided) = Attribute::parse(context, GUIDED) else {
                    return Outcome::Failed(format!("internal error: {GUIDED} is not known"));
                };
                set(shared, "schedule_kind", guided);
            }
            // SAFETY: the operation is alive, and no other reference changes it meanwhile.
            let _ = unsafe { OperationRefMut::from_raw(call.to_raw()) }.remove_attribute(UNEVEN);
            outcome = Outcome::Changed;
        }
        outcome
    }
}

fn set<'c>(operation: OperationRef<'c, '_>, name: &str, value: Attribute<'c>) {
    // SAFETY: the operation is alive, and no other reference changes it meanwhile.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }.set_attribute(name, value);
}
