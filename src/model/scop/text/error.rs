//! What can be wrong with a text, and where.

use crate::isl;
use std::fmt;

/// A text that is no region or no schedule tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What would help, if that is known.
    pub help: Option<String>,
    /// A bound on the work struck before the text was understood, so that nothing is known about it.
    pub exhausted: bool,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// A place in a text, both numbers from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub line: usize,
    pub column: usize,
}

impl Position {
    /// An error at this place.
    pub fn error(self, message: impl Into<String>) -> ParseError {
        let Position { line, column } = self;
        ParseError { line, column, message: message.into(), help: None, exhausted: false }
    }

    /// The error of an isl call that concerns what stands at this place.
    pub fn isl(self, error: isl::Error) -> ParseError {
        ParseError { exhausted: error.is_exhausted(), ..self.error(error.to_string()) }
    }
}

impl ParseError {
    /// The same with a hint.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
