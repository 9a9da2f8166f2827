//! Code as it is read back.

use super::order::Order;
use crate::isl::{self, Map, Set};
use crate::scop::{AccessKind, Scop, StatementId};

/// Code that was read back.
#[derive(Debug, Clone)]
pub struct Emitted {
    /// The places that execute statements; their names differ.
    pub places: Vec<Place>,
    /// The order of their executions.
    pub order: Vec<Order>,
}

/// A place in the code that executes a statement.
#[derive(Debug, Clone)]
pub struct Place {
    /// The statement of the region.
    pub statement: StatementId,
    /// The iterations in which the place is reached: `[p] -> { N[j] : ... }`.
    pub domain: Set,
    /// The instance that each executes: `[p] -> { N[j] -> S[i] }`. Not restricted to the domain.
    pub instances: Map,
    /// What it touches: `[p] -> { N[j] -> A[a] }`. Not restricted to the domain.
    pub accesses: Vec<(AccessKind, Map)>,
}

impl Place {
    /// The iterations in which the place is reached for parameter values of the context: `{ N[j] }`.
    pub(super) fn executed(&self, scop: &Scop) -> isl::Result<Set> {
        self.domain.clone().intersect_params(scop.context.clone())
    }
}
