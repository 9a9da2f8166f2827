//! What must stay in order, and what need not run.

use crate::dependence::Dependences;
use crate::isl::UnionSet;

/// What every tree of a region has to keep.
#[derive(Clone)]
pub(super) struct Obligations {
    pub dependences: Dependences,
    /// The instances that are not scheduled, if any may be left out: `{ S[i] }`.
    pub dead: Option<UnionSet>,
}
