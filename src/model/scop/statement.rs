//! A statement: instances that all do the same, each to its own elements.

use super::{Access, AccessKind, Reduction};
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
    /// What an instance does is a part of a reduction, whose order does not count.
    pub reduction: Option<Reduction>,
    /// The basic block: statements with the same number follow each other in the program, in the same iterations of the
    /// same loops and under the same conditions. `None` for one that is alone in its block, or of which that is not known.
    pub block: Option<usize>,
    /// It is one of so many parts of a statement of the program; 1 for one that is whole. Parts are predicted to cost as much together
    /// as that.
    pub parts: u32,
    /// A line of text for people, such as the source of the statement; may be empty.
    pub text: String,
}

impl Statement {
    /// The read and the write of what a reduction gathers values in, by their positions: the accesses of one element by
    /// the statement's only write and by a read. Other reads of that array are of other elements. `None` for a statement
    /// of which that is not so, or whose part in a reduction is none.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn gathered(&self) -> isl::Result<Option<(usize, usize)>> {
        let mut writes = self.accesses.iter().enumerate().filter(|(_, access)| access.kind != AccessKind::Read);
        let (Some((write, written)), None) = (writes.next(), writes.next()) else { return Ok(None) };
        if self.reduction.is_none() || written.kind != AccessKind::MustWrite {
            return Ok(None);
        }
        let (array, own) =
            (written.array()?, |relation: &isl::Map| relation.clone().intersect_domain(self.domain.clone()));
        let target = own(&written.relation)?;
        let mut found = None;
        for (position, access) in self.accesses.iter().enumerate().filter(|(position, _)| *position != write) {
            if access.array()? != array {
                continue;
            }
            if found.is_none() && access.relation.is_equal(&written.relation)? {
                found = Some((position, write));
            } else if !own(&access.relation)?.is_disjoint(&target)? {
                return Ok(None);
            }
        }
        Ok(found)
    }

    /// The same of a statement that has no other accesses to that array.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn gathered_alone(&self) -> isl::Result<Option<(usize, usize)>> {
        let Some((read, write)) = self.gathered()? else { return Ok(None) };
        let array = self.accesses[write].array()?;
        for (position, access) in self.accesses.iter().enumerate() {
            if position != read && position != write && access.array()? == array {
                return Ok(None);
            }
        }
        Ok(Some((read, write)))
    }

    /// The statement with its accesses to some arrays alone. One that is left with kills alone is no kill if it was none.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn with_accesses_to(&self, keep: impl Fn(&str) -> bool) -> isl::Result<Statement> {
        let mut rest = self.clone();
        rest.accesses.clear();
        for access in &self.accesses {
            if keep(&access.array()?) {
                rest.accesses.push(access.clone());
            }
        }
        rest.side_effect |= rest.accesses.len() < self.accesses.len() && !self.is_kill();
        Ok(rest)
    }

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
