//! Input dependences: pairs of reads of the same value (ppcg report, section 4.3).

use super::Dependences;
use crate::isl::{Error, ErrorKind, Result, UnionAccessInfo, UnionMap};
use crate::scop::Scop;

/// Operations that the analysis may use, unless the caller's own bound is reached first. Input dependences only steer
/// the choice among legal schedules, so that an analysis that takes longer than this is given up.
const OPERATIONS: u64 = 4_000_000;

impl Dependences {
    /// Reads and the next reads of the same value in the original order, from the earlier to the later:
    /// `{ S[i] -> T[j] }`.
    ///
    /// The value comes from the same write, or for live-in reads from the same element. Pairs that are not next to each
    /// other follow from the pairs given; leaving them out keeps distances small and the relation, too. Where the
    /// analysis would need too many operations the relation is empty: it is never needed for correctness.
    pub fn input(&self, scop: &Scop) -> Result<UnionMap> {
        let none = UnionMap::empty(scop.context.space()?)?;
        match scop.ctx().with_quota(OPERATIONS, || compute(scop)) {
            Err(Error { kind: ErrorKind::Quota, .. }) => Ok(none),
            result => result,
        }
    }
}

/// A definite write or kill between two reads, or in the instance of the first, makes their values differ; a read
/// between them makes them not adjacent.
fn compute(scop: &Scop) -> Result<UnionMap> {
    let reads = scop.reads()?;
    let ends = scop.must_writes()?.union(scop.kills()?)?;
    UnionAccessInfo::from_sink(reads.clone())?
        .set_may_source(reads.clone().subtract(ends.clone())?)?
        .set_kill(reads.union(ends)?)?
        .set_schedule(scop.schedule.clone())?
        .compute_flow()?
        .may_dependence()?
        .coalesce()
}
