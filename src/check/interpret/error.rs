//! Why there is nothing to run.

use crate::isl;

/// Why a region, a tree or an AST cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A call into isl failed.
    #[error(transparent)]
    Isl(#[from] isl::Error),
    /// There is more to do than the bound allows.
    #[error("there are more than {0} steps to run; choose smaller parameters or a greater bound")]
    TooMuch(u64),
    /// A parameter has no value.
    #[error("the parameter `{0}` has no value")]
    MissingParameter(String),
    /// A value is given for something that is no parameter.
    #[error("there is no parameter `{0}`")]
    UnknownParameter(String),
    /// The parameter values are outside the region's context.
    #[error("the parameter values are outside the context {0}")]
    OutsideContext(String),
    /// An access touches infinitely many elements, and the array's extents do not bound it.
    #[error("the access `{0}` touches infinitely many elements")]
    Unbounded(String),
    /// A number of an AST does not fit.
    #[error("a number overflows: {0}")]
    Overflow(String),
    /// The tree or AST is not one of the region.
    #[error("{0}")]
    Malformed(String),
    /// The tree has a node that the interpreter does not know.
    #[error("a node of kind {0} cannot be run")]
    Unsupported(String),
}

impl Error {
    /// True when a bound struck, so that nothing is known about the question.
    pub fn is_exhausted(&self) -> bool {
        match self {
            Error::TooMuch(_) => true,
            Error::Isl(error) => error.is_exhausted(),
            _ => false,
        }
    }
}
