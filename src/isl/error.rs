//! isl's errors as values.

use std::fmt;

/// What went wrong, as isl classifies it, plus our own deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operations of [`super::Ctx::with_quota`], or the memory of [`super::Ctx::with_memory`], ran out.
    Quota,
    /// The deadline of [`super::Ctx::set_deadline`] passed.
    Deadline,
    /// The call's arguments do not fit together (spaces, positions) or a text does not parse.
    Invalid,
    /// isl does not support the request.
    Unsupported,
    /// Memory ran out, or isl failed internally.
    Internal,
}

/// A failed isl call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The class of the failure.
    pub kind: ErrorKind,
    /// isl's message, or ours.
    pub message: String,
}

/// The result of a call into isl.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An [`ErrorKind::Invalid`] error of our own making.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Invalid, message: message.into() }
    }

    pub(super) fn quota() -> Self {
        Self { kind: ErrorKind::Quota, message: "the quota of counted operations ran out".into() }
    }

    pub(super) fn memory() -> Self {
        Self { kind: ErrorKind::Quota, message: "the memory that may be used ran out".into() }
    }

    pub(super) fn deadline() -> Self {
        Self { kind: ErrorKind::Deadline, message: "deadline".into() }
    }

    /// True when a work bound struck (quota or deadline): the question was not answered, which is not a "no".
    pub fn is_exhausted(&self) -> bool {
        matches!(self.kind, ErrorKind::Quota | ErrorKind::Deadline)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::Quota => f.write_str(&self.message),
            ErrorKind::Deadline => write!(f, "the time budget ran out"),
            _ => write!(f, "isl: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}
