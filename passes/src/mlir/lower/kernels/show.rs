//! The pass `poly-show-kernels`: kernels as LLVM's code generator gets them, on standard error.

use melior::Context;
use melior::ir::OperationRef;
use mlir_sys::MlirDialectHandle;

use crate::mlir::ir::operation::{is, nested};
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-show-kernels`.
pub struct ShowKernels;

impl Pass for ShowKernels {
    const ARGUMENT: &'static str = "poly-show-kernels";
    const DESCRIPTION: &'static str = "Show the kernels of all gpu.modules on standard error";
    const OPERATION: &'static str = "builtin.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(_context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        // In one pass for all of them: as a pass of each, they would be shown side by side.
        for kernels in nested(module).into_iter().filter(|operation| is(*operation, "gpu.module")) {
            eprint!("# kernels\n{kernels}\n");
        }
        Outcome::Unchanged
    }
}
