//! Why no code can be generated.

use super::Overflow;
use crate::isl;

/// Why there is no AST for a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl failed, or a bound on its work struck.
    #[error(transparent)]
    Isl(#[from] isl::Error),
    /// The code is too large.
    #[error("the code would have more than {limit} nodes")]
    TooLarge {
        /// [`super::Options::max_nodes`].
        limit: usize,
    },
    /// A constant, a coefficient or their combination does not fit 64 bits.
    #[error(transparent)]
    Constant(#[from] Overflow),
    /// isl's AST holds something that the neutral AST has no word for.
    #[error("the generated code holds {what}, which cannot be emitted")]
    Unsupported {
        /// What it is.
        what: String,
    },
}

impl Error {
    /// A work bound struck (isl's quota, the deadline, the number of nodes): the question was not answered.
    pub fn is_exhausted(&self) -> bool {
        match self {
            Error::Isl(error) => error.is_exhausted(),
            Error::TooLarge { .. } => true,
            _ => false,
        }
    }

    pub(super) fn unsupported(what: impl Into<String>) -> Self {
        Error::Unsupported { what: what.into() }
    }
}
