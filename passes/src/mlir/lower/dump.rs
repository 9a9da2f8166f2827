//! The option `dump` of the lowering pipelines.

use crate::options::value::option;
use crate::options::{OptionError, Values};
use polyrs_host::OptionRow;

/// What can be shown on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// What LLVM is told of new code, and why it holds.
    Facts,
    /// Kernels as LLVM's code generator gets them.
    Kernels,
}

/// The option of pipelines without kernels.
pub const DUMP: OptionRow = option("dump", "facts", "", "Show what LLVM is told, and why it holds, on standard error");

/// The option of pipelines with kernels.
pub const DUMP_ALL: OptionRow = option(
    "dump",
    "facts,kernels",
    "",
    "Show what LLVM is told, and why it holds, or kernels in the LLVM dialect, on standard error",
);

/// Whether something is to be shown.
///
/// # Errors
/// The option asks for what there is not.
pub fn shows(values: &Values, wanted: Shown) -> Result<bool, OptionError> {
    let words = [("facts", Some(Shown::Facts)), ("kernels", Some(Shown::Kernels))];
    Ok(values.keywords("dump", &words)?.contains(&wanted))
}
