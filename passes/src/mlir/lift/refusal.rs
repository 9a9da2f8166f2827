//! Why something was not lifted.

use melior::ir::operation::OperationLike;
use melior::ir::{Location, OperationRef};
use polyrs_core::isl;

use super::kind::is_known_control;
use crate::mlir::ir::operation::{name, nested};
use crate::remark::{Key, Name, Remark};

/// A region, or a part of one, that stays as it is.
#[derive(Debug)]
pub struct LiftRefusal<'c> {
    /// Where the obstacle is.
    pub location: Location<'c>,
    /// The name of the operation that is the obstacle.
    pub operation: String,
    /// The fault.
    pub reason: Reason,
}

impl<'c> LiftRefusal<'c> {
    /// A refusal because of an operation.
    pub fn new(operation: OperationRef<'c, '_>, reason: Reason) -> Self {
        Self { location: operation.location(), operation: name(operation), reason }
    }

    /// The remark: which operation, why, and what would help.
    pub fn remark(&self) -> Remark {
        let remark = Remark::new(Name::NotLifted).text("refused: '").argument(Key::Operation, &self.operation);
        let remark = remark.text("' ").argument(Key::Reason, &self.reason);
        remark.text("; ").argument(Key::Help, self.reason.help())
    }
}

/// The fault of an operation. The text continues a sentence that starts with the operation's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The operation may do something that is not known.
    #[error("may do more than read and write known memory")]
    Effects,
    /// The operation has regions whose meaning is not known.
    #[error("holds code that runs in a way that is not known")]
    UnknownRegions,
    /// The operation is control flow around loops, but not affine.
    #[error("is control flow that is not affine")]
    Control,
    /// A bound or condition is not affine in the iterators and parameters.
    #[error("has a bound or condition that is not affine in loop iterators and parameters")]
    NotAffine,
    /// A reduction of `affine.parallel`.
    #[error("reduces values in an order that is left open")]
    Reduction,
    /// The buffer may be any other one.
    #[error("accesses memory of unknown origin, which may overlap any other")]
    UnknownBuffer,
    /// Two buffers may overlap, and the user does not promise that they do not.
    #[error("accesses memory that may overlap another buffer of the region")]
    MayOverlap,
    /// Two subscripts of a buffer that is written may be one element.
    #[error("writes to a buffer whose layout may show an element twice")]
    Layout,
    /// A value that crosses statements has a type that memory cannot hold.
    #[error("passes on a value of a type that cannot be kept in memory")]
    ValueType,
    /// A buffer made in a loop is used by more than loads and stores.
    #[error("makes a buffer that is used by more than loads and stores of its loop")]
    Escapes,
    /// A buffer made in a loop has a size that changes.
    #[error("makes a buffer whose size is not known before the loops")]
    VaryingSize,
    /// The region has too many operations or statements.
    #[error("is part of a region of more than {0} {1}")]
    TooLarge(usize, &'static str),
    /// isl's work was too much.
    #[error("is part of a region whose description took too long ({0})")]
    Exhausted(isl::Error),
    /// isl refused.
    #[error("is part of a region that could not be described ({0})")]
    Isl(isl::Error),
}

impl Reason {
    /// Why an operation that nothing is known of cannot be part of a region.
    pub(super) fn of_unknown(operation: OperationRef<'_, '_>) -> Self {
        if is_known_control(operation) {
            Self::Control
        } else if nested(operation).len() > 1 {
            Self::UnknownRegions
        } else {
            Self::Effects
        }
    }

    /// The remedy, as a clause.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Effects => "move it out of the loops, or inline what it calls",
            Self::UnknownRegions => "lower it to affine loops first",
            Self::Control => "regions are looked for inside of it",
            Self::NotAffine => "use bounds and conditions that are affine in outer iterators and values from outside",
            Self::Reduction => "use affine.for with iter_args",
            Self::UnknownBuffer => "use function arguments, allocations and globals directly",
            Self::MayOverlap => "set assume-noalias=true if buffers do not overlap",
            Self::Layout => "give it strides that step over what is inside of them",
            Self::ValueType => "pass on numbers, vectors of numbers or indices",
            Self::Escapes => "allocate it outside of the loops",
            Self::VaryingSize => "allocate it outside of the loops, with the largest size",
            Self::TooLarge(..) => "split the function",
            Self::Exhausted(_) => "simplify the subscripts and bounds",
            Self::Isl(_) => "please report it",
        }
    }
}

/// Why reading a region ended early.
#[derive(Debug)]
pub(super) enum Stop<'c, 'a> {
    /// The operation is an obstacle.
    Refused(OperationRef<'c, 'a>, Reason),
    /// The region has to start anew at this top-level operation, which needs a value computed before it.
    Cut(OperationRef<'c, 'a>),
    /// isl failed.
    Isl(isl::Error),
}

impl From<isl::Error> for Stop<'_, '_> {
    fn from(error: isl::Error) -> Self {
        Stop::Isl(error)
    }
}

/// A step of lifting.
pub(super) type Step<'c, 'a, T> = Result<T, Stop<'c, 'a>>;
