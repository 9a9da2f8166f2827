//! Why there is no schedule.

use crate::isl;
use crate::linear::Overflow;

/// Why the scheduler gave up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A question about a relation was not answered.
    #[error(transparent)]
    Isl(#[from] isl::Error),
    /// The counted bound on the work struck in a linear problem.
    #[error("the quota of counted operations ran out")]
    Budget,
    /// A band has no member, and no step of Feautrier's algorithm carries anything: an affine schedule with these
    /// constraints does not exist, or the bounds on coefficients are too narrow.
    #[error("no affine function carries any of the constraints that are left")]
    NothingCarried,
    /// The same within the constraints on coefficients that the strategy has for all members.
    #[error(
        "within the strategy's constraints on coefficients no affine function carries any of the constraints that are left"
    )]
    NothingWithin,
    /// Statements need more members, and nothing is left that a step of Feautrier's algorithm could carry.
    #[error("no step of the strategy gives {0} the members that are missing, and there is nothing to carry for them")]
    NoStep(String),
    /// The strategy names what is not there.
    #[error("the strategy names {0}")]
    NoName(String),
    /// The members that the strategy begins with are not possible.
    #[error("member {member} of the strategy's prefix {problem}")]
    Prefix {
        /// Counted from 1.
        member: usize,
        /// Why not.
        problem: String,
    },
    /// A coefficient does not fit 64 bits.
    #[error("a coefficient does not fit 64 bits")]
    Overflow,
    /// The strategy asks for something that is not there.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
}

impl From<Overflow> for Error {
    fn from(_: Overflow) -> Self {
        Error::Overflow
    }
}

/// The result of a part of the scheduler.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// What a strategy says of a region is not so, or not possible.
    pub fn is_of_request(&self) -> bool {
        matches!(self, Error::NoName(_) | Error::Prefix { .. })
    }

    /// A bound on the work struck: the question was not answered, which is not a "no".
    pub fn is_exhausted(&self) -> bool {
        match self {
            Error::Budget => true,
            Error::Isl(error) => error.is_exhausted(),
            _ => false,
        }
    }
}
