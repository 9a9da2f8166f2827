//! Integer values as LLVM's scalar evolution describes them.

use super::ids::{LoopId, ValueId};

/// How a number is made of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the least of them, as an upper bound is.
    Upper,
    /// It is the greatest of them, as a lower bound is.
    Lower,
}

impl Bound {
    /// The other one.
    pub fn opposite(self) -> Self {
        match self {
            Bound::Upper => Bound::Lower,
            Bound::Lower => Bound::Upper,
        }
    }
}

/// Whether a number that is computed may be none of its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// As a signed number it may wrap around.
    May,
    /// As a signed number it does not (`nsw`).
    Never,
}

impl Wrap {
    /// As a flag says.
    pub fn unless(nsw: bool) -> Self {
        if nsw { Wrap::Never } else { Wrap::May }
    }
}

/// An integer of so many bits, computed modulo 2^bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scev {
    /// The width.
    pub bits: u32,
    /// How it is computed.
    pub form: Form,
    /// A value from before the innermost loop around its use that is the same number, if there is one.
    pub computed: Option<ValueId>,
}

impl Scev {
    /// Some bits that are no number of their own, as of a mask: to assume that the others are zero would be in vain.
    pub fn is_low_bits(&self) -> bool {
        match &self.form {
            Form::ZeroExtend(inner) => inner.is_low_bits(),
            Form::Truncate(_) => !matches!(self.bits, 8 | 16 | 32),
            _ => false,
        }
    }
}

/// How an integer is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number, sign-extended.
    Constant(i64),
    /// A value.
    Value(ValueId),
    /// A sum.
    Add(Vec<Scev>, Wrap),
    /// A product.
    Mul(Vec<Scev>, Wrap),
    /// The first value, and what each iteration of a loop adds.
    AddRec(Box<Scev>, Box<Scev>, LoopId, Wrap),
    /// The low bits of a wider one.
    Truncate(Box<Scev>),
    /// A narrower one, taken as unsigned.
    ZeroExtend(Box<Scev>),
    /// A narrower one, taken as signed.
    SignExtend(Box<Scev>),
    /// The least or the greatest of several.
    MinMax(MinMax, Vec<Scev>),
    /// The quotient of unsigned numbers.
    Divide(Box<Scev>, Box<Scev>),
    /// Something else.
    Other,
}

/// Which of several numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinMax {
    /// The greatest signed one.
    SMax,
    /// The least signed one.
    SMin,
    /// The greatest unsigned one.
    UMax,
    /// The least unsigned one.
    UMin,
}

impl MinMax {
    /// Whether it is the least or the greatest.
    pub fn bound(self) -> Bound {
        match self {
            MinMax::SMin | MinMax::UMin => Bound::Upper,
            MinMax::SMax | MinMax::UMax => Bound::Lower,
        }
    }

    /// Whether numbers are taken as unsigned.
    pub fn is_unsigned(self) -> bool {
        matches!(self, MinMax::UMax | MinMax::UMin)
    }
}
