//! What is wrong with a request.

use crate::isl;
use std::fmt;

/// A request that makes no sense, or names what is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The column of the command that it is about, in characters, from 1; `None` where it is about all of it.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What would help; may be empty.
    pub help: String,
}

impl Wrong {
    /// About the whole command.
    pub fn new(message: impl Into<String>) -> Self {
        Wrong { column: None, message: message.into(), help: String::new() }
    }

    /// About what stands at a column.
    pub fn at(column: usize, message: impl Into<String>) -> Self {
        Wrong { column: Some(column), ..Wrong::new(message) }
    }

    /// The same with what would help.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Wrong { help: help.into(), ..self }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "; {}", self.help) }
    }
}

/// Why a step was not done.
#[derive(Debug, Clone)]
pub enum NotDone {
    /// The request is wrong.
    Wrong(Wrong),
    /// isl failed, or a bound on the work struck.
    Isl(isl::Error),
}

impl From<Wrong> for NotDone {
    fn from(wrong: Wrong) -> Self {
        NotDone::Wrong(wrong)
    }
}

impl From<isl::Error> for NotDone {
    fn from(error: isl::Error) -> Self {
        NotDone::Isl(error)
    }
}
