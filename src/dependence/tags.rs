//! Access relations and schedule in terms of references instead of instances (ppcg report, section 3.2.4).

use crate::isl::{Result, Schedule, UnionMap, UnionPwMultiAff};
use crate::scop::{AccessKind, Scop};

/// The tagged input of the dataflow analysis.
pub(super) struct Tags {
    /// The original order of references, references of one instance not ordered.
    pub schedule: Schedule,
    /// `{ [S[i] -> R[]] -> A[a] }`.
    pub reads: UnionMap,
    /// `{ [S[i] -> R[]] -> A[a] }`, definite writes included.
    pub may_writes: UnionMap,
    /// `{ [S[i] -> R[]] -> A[a] }`.
    pub must_writes: UnionMap,
    /// `{ [S[i] -> R[]] -> A[a] }`.
    pub kills: UnionMap,
}

impl Tags {
    pub(super) fn new(scop: &Scop) -> Result<Self> {
        let schedule = scop.schedule.clone().pullback_union_pw_multi_aff(tagger(scop)?)?;
        Ok(Tags {
            schedule,
            reads: scop.tagged_accesses(&[AccessKind::Read])?,
            may_writes: scop.tagged_accesses(&[AccessKind::MayWrite, AccessKind::MustWrite])?,
            must_writes: scop.tagged_accesses(&[AccessKind::MustWrite])?,
            kills: scop.tagged_accesses(&[AccessKind::Kill])?,
        })
    }

    /// What no value passes, definite writes and kills: `{ [S[i] -> R[]] -> A[a] }`.
    pub fn cuts(&self) -> Result<UnionMap> {
        self.must_writes.clone().union(self.kills.clone())
    }
}

/// The function `{ [S[i] -> R[]] -> S[i] }` on all references of the scop.
pub(crate) fn tagger(scop: &Scop) -> Result<UnionPwMultiAff> {
    let kinds = [AccessKind::Read, AccessKind::MayWrite, AccessKind::MustWrite, AccessKind::Kill];
    // { S[i] -> R[] }
    let references = scop.tagged_accesses(&kinds)?.domain()?.unwrap_map()?;
    references.domain_map_union_pw_multi_aff()
}

/// A relation between references as a relation between instances:
/// `{ [S[i] -> R[]] -> [T[j] -> Q[]] }` to `{ S[i] -> T[j] }`.
pub fn untag(relation: UnionMap) -> Result<UnionMap> {
    relation.factor_domain()
}

/// The accesses to arrays that others access as well, which are all that an analysis of both needs:
/// `{ S[i] -> A[a] }`.
pub(super) fn to_arrays_of(accesses: UnionMap, others: &UnionMap) -> Result<UnionMap> {
    // { A[a] }, all elements
    let arrays = others.clone().universe()?.range()?;
    accesses.intersect_range(arrays)
}
