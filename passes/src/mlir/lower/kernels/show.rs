//! The pass `poly-show-kernels`: kernels as LLVM's code generator gets them, on standard error.

use melior::Context;
use melior::ir::OperationRef;
use mlir_sys::MlirDialectHandle;

use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-show-kernels`.
pub struct ShowKernels;

impl Pass for ShowKernels {
    const ARGUMENT: &'static str = "poly-show-kernels";
    const DESCRIPTION: &'static str = "Show the kernels of a gpu.module on standard error";
    const OPERATION: &'static str = "gpu.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(_context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        // Written at once: modules are worked on side by side.
        let text = format!("# kernels\n{module}\n");
        eprint!("{text}");
        Outcome::Unchanged
    }
}
