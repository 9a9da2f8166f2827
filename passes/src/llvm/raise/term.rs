//! Integer values as LLVM's scalar evolution describes them.

use super::code::{LoopId, ValueId};
use super::no_wrap::Bound;

/// An integer of so many bits, computed modulo 2^bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The width.
    pub bits: u32,
    /// How it is computed.
    pub form: Form,
}

/// How an integer is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number, sign-extended.
    Constant(i64),
    /// A value.
    Value(ValueId),
    /// A sum; does not wrap around as a signed number if so marked.
    Add(Vec<Term>, bool),
    /// A product; does not wrap around as a signed number if so marked.
    Mul(Vec<Term>, bool),
    /// The first value, and what each iteration of a loop adds; does not wrap around as a signed number if so marked.
    Recurrence(Box<Term>, Box<Term>, LoopId, bool),
    /// The low bits of a wider one.
    Truncate(Box<Term>),
    /// A narrower one, taken as unsigned.
    ZeroExtend(Box<Term>),
    /// A narrower one, taken as signed.
    SignExtend(Box<Term>),
    /// The least or the greatest of several.
    Extreme(Extreme, Vec<Term>),
    /// The quotient of unsigned numbers.
    Divide(Box<Term>, Box<Term>),
    /// Something else.
    Other,
}

/// Which of several numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The greatest signed one.
    SMax,
    /// The least signed one.
    SMin,
    /// The greatest unsigned one.
    UMax,
    /// The least unsigned one.
    UMin,
}

impl Extreme {
    /// Whether it is the least or the greatest.
    pub fn bound(self) -> Bound {
        match self {
            Extreme::SMin | Extreme::UMin => Bound::Upper,
            Extreme::SMax | Extreme::UMax => Bound::Lower,
        }
    }

    /// Whether numbers are taken as unsigned.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Extreme::UMax | Extreme::UMin)
    }
}
