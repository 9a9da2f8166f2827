//! The work of our own solvers, counted where isl counts its own: one bound holds for both.

use super::error::{Error, Result};
use crate::ilp::Budget;
use crate::isl::Ctx;

/// Runs a search with what is left of the context's bound, and counts there what it takes.
pub(super) fn counted<T>(ctx: &Ctx, search: impl FnOnce(&mut Budget) -> T) -> T {
    let all = ctx.remaining();
    let mut budget = Budget::new(all);
    let found = search(&mut budget);
    // Where nothing is left, the search says so, and so does the next call into isl.
    let _ = ctx.charge(all - budget.left());
    found
}

/// Runs what may do without an answer with a part of what is left. None: the part did not suffice.
pub(super) fn within<T>(ctx: &Ctx, operations: u64, search: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    match ctx.with_quota(operations, search) {
        Err(error) if error.is_spent() && ctx.remaining() > 0 => Ok(None),
        found => found.map(Some),
    }
}

impl Error {
    /// A counted bound struck.
    pub(super) fn is_spent(&self) -> bool {
        match self {
            Error::Budget => true,
            Error::Isl(error) => error.kind == crate::isl::ErrorKind::Quota,
            _ => false,
        }
    }
}
