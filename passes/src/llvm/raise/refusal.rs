//! Why something is left as it is.

use polyrs_core::isl;
use polyrs_interface::Outlook;

use crate::llvm::raise::code::function::SourceLocation;
use crate::llvm::raise::code::ids::BlockId;

/// Why a part of a function cannot be raised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Control flow that is neither a loop with one exit nor a condition.
    #[error("the control flow is neither a loop nor a condition whose ways meet again")]
    Unstructured,
    /// A loop that is left in the middle.
    #[error("the loop is left from more than one place, or in the middle")]
    Exits,
    /// A loop whose number of iterations is not known.
    #[error("the number of iterations is not known when the loop starts")]
    Count,
    /// A bound that is not affine.
    #[error("the loop's bound is not affine in loop variables and parameters")]
    Bound,
    /// Something that is no affine function; who asked says what.
    #[error("a value is not affine in loop variables and parameters")]
    NotAffine,
    /// A value that another region computes and does not hand on.
    #[error("a bound or subscript is computed by loops before, which are a region of their own")]
    OtherRegion,
    /// A loop that may run forever.
    #[error("the loop may not end")]
    Infinite,
    /// An instruction that cannot be described.
    #[error("{0} cannot be described")]
    Instruction(&'static str),
    /// A loop in code that depends on data.
    #[error("the loop runs only under a condition that is not affine")]
    LoopUnderData,
    /// An error under a condition that is not affine, or always.
    #[error("the program ends with an error here, and when cannot be checked before the loops")]
    Failure,
    /// Memory is copied to where it may still have to be read.
    #[error("memory is moved within one array")]
    Moves,
    /// Memory is set or copied in pieces that are no whole elements or rows of the array.
    #[error("the memory that is set or copied is not whole elements or rows of an array, or not aligned as they are")]
    Length,
    /// Memory is copied between arrays of different shape.
    #[error("memory is copied between arrays of different shapes")]
    Copy,
    /// A value of a kind that regions cannot use.
    #[error("a value has a type that is not supported")]
    Type,
    /// An access through a pointer that changes.
    #[error("the pointer does not start from one object that is known before the loops")]
    Base,
    /// An access whose place is not known.
    #[error("the subscript is not affine in loop variables and parameters")]
    Subscript,
    /// Accesses of one array that have no common shape.
    #[error("no shape of the array fits all accesses")]
    Shape,
    /// Accesses of different size to one array.
    #[error("the array is accessed as elements of different sizes")]
    Sizes,
    /// Arrays that may overlap, with no bound on what is accessed.
    #[error("it cannot be checked at run time that the arrays do not overlap")]
    Overlap,
    /// Variables that live in turn would have to live at once.
    #[error("variables of several scopes, which share one place on the stack, would need a place each")]
    Lives,
    /// Something would have to hold that never does.
    #[error("an integer may wrap around")]
    Wraps,
    /// More or less than one of two versions of a loop; nobody is told.
    #[error("what is loaded in the loop may change there, and the loop as a whole cannot be taken")]
    Part,
    /// A loop that computes numbers only.
    #[error("nothing is loaded or stored in the loop")]
    Idle,
    /// A loop with no other one in it or beside it, of those that load or store.
    #[error("a single loop has no other order worth taking in sequence (see single-loops)")]
    Single,
    /// Loops in a row, with no other one in them, of those that load or store.
    #[error("loops in a row with none in them are left as they are with little effort (see single-loops, effort=high)")]
    Row,
    /// Too much work.
    #[error("too complicated: {0}")]
    Exhausted(String),
}

impl Reason {
    /// Why loops are left as they are that are less than what is wanted.
    pub fn of_unwanted(outlook: Outlook) -> Reason {
        match outlook {
            Outlook::Nothing => Reason::Idle,
            Outlook::Single => Reason::Single,
            Outlook::Row | Outlook::Nest => Reason::Row,
        }
    }
}

/// A reason with the place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason.
    pub reason: Reason,
    /// Where, if that is known.
    pub location: Option<SourceLocation>,
    /// The block.
    pub block: BlockId,
}

/// The result of a step of raising.
pub type Step<T> = Result<T, Reason>;

impl From<isl::Error> for Reason {
    fn from(error: isl::Error) -> Self {
        Reason::Exhausted(error.to_string())
    }
}
