//! Why a region is not rewritten.

use polyrs_core::{codegen, isl};

/// Why no code was emitted. The IR is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// The core could not finish the code, or its quota struck.
    #[error(transparent)]
    Code(#[from] codegen::Error),
    /// MLIR refused to build an operation.
    #[error("an operation could not be built: {0}")]
    Build(#[from] melior::Error),
    /// Some number of the new code may not fit the index type whatever the parameters are bounded by.
    #[error("it cannot be proved that the new code's indices stay within {bits} bits")]
    Overflow {
        /// The width of the index type.
        bits: u32,
    },
    /// A parameter is a value that affine operations at this place cannot use.
    #[error("the parameter `{name}` is no valid dimension or symbol at the new code's place")]
    Parameter {
        /// The parameter's name in the model.
        name: String,
    },
    /// An array that each iteration should have its own copy of cannot be copied.
    #[error("`{name}` cannot have private copies: {why}")]
    Private {
        /// The array's name in the model.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// The IR around the region has a form that the new code does not fit into.
    #[error("the new code does not fit: {0}")]
    Place(&'static str),
    /// The sizes are known, and kernels with their copies are expected to take longer than the CPU.
    #[error(
        "the CPU is expected to take {by} ns less than the GPU, copies included; profitability=off has kernels all the same"
    )]
    Unprofitable {
        /// Nanoseconds.
        by: u64,
    },
    /// The new code was read back, and is not what the schedule says: an error of polyrs.
    #[error("the new code differs from its schedule: {0}")]
    Differs(String),
    /// MLIR's verifier refused the new code: an error of polyrs.
    #[error("the new code is not valid")]
    Invalid,
}

impl EmitError {
    /// A work bound struck: the question was not answered.
    pub fn is_exhausted(&self) -> bool {
        matches!(self, EmitError::Code(error) if error.is_exhausted())
    }
}

impl From<isl::Error> for EmitError {
    fn from(error: isl::Error) -> Self {
        EmitError::Code(error.into())
    }
}

impl From<codegen::Overflow> for EmitError {
    fn from(error: codegen::Overflow) -> Self {
        EmitError::Code(error.into())
    }
}
