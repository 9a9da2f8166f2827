//! A statement: instances that all do the same, each to its own elements.

use super::{Access, AccessKind};
use crate::isl;

/// The position of a statement in [`super::Scop::statements`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub usize);

/// A statement. What it computes is known to the front end alone.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The name: the tuple name of its instances `S[i]`.
    pub name: String,
    /// The instances: `[p] -> { S[i] : ... }`.
    pub domain: isl::Set,
    /// The references, in the order of execution (reads before writes).
    pub accesses: Vec<Access>,
    /// An instance does something besides its writes, so it is never dead.
    pub side_effect: bool,
    /// An instance may trap, so that dropping or adding one can be noticed.
    pub may_trap: bool,
    /// An instance writes what it reads: it moves one element.
    pub copy: bool,
    /// A line of text for people, such as the source of the statement; may be empty.
    pub text: String,
}

impl Statement {
    /// The statement only kills: it is not executed, and steers the dataflow analysis alone.
    pub fn is_kill(&self) -> bool {
        !self.side_effect && !self.accesses.is_empty() && self.accesses.iter().all(|a| a.kind == AccessKind::Kill)
    }

    /// The statement reads or writes an array of this name, or may.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn uses(&self, array: &str) -> isl::Result<bool> {
        self.has_access(array, |kind| kind != AccessKind::Kill)
    }

    /// The statement writes an array of this name, or may.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn writes(&self, array: &str) -> isl::Result<bool> {
        self.has_access(array, AccessKind::is_write)
    }

    fn has_access(&self, array: &str, wanted: impl Fn(AccessKind) -> bool) -> isl::Result<bool> {
        for access in self.accesses.iter().filter(|access| wanted(access.kind)) {
            if access.array()? == array {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
