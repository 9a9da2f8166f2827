//! The use before each use, by exact dataflow (the unified report, 4.2 and 4.3).

use crate::isl::{Error, ErrorKind, Result, Schedule, UnionAccessInfo, UnionMap};

/// Operations that one analysis may use. The relations only steer the choice among legal schedules, so that an analysis that
/// takes longer than this is given up.
const OPERATIONS: u64 = 2_000_000;

/// The instances that use something next before `later` does, both `{ S[i] -> X[x] }`, with these instances: `{ T[j] -> S[i] }`.
///
/// Every use cuts, be it a read or a write: dependences of all kinds at once, and reads after reads. A pair that has uses in
/// between follows from the pairs given. Uses in the same instance are not before each other. `None`: it would have taken too
/// many operations.
pub(super) fn nearest(earlier: &UnionMap, later: &UnionMap, order: &Schedule) -> Result<Option<UnionMap>> {
    nearest_within(OPERATIONS, earlier, later, order)
}

fn nearest_within(operations: u64, earlier: &UnionMap, later: &UnionMap, order: &Schedule) -> Result<Option<UnionMap>> {
    let analysis = || {
        UnionAccessInfo::from_sink(later.clone())?
            .set_must_source(earlier.clone())?
            .set_schedule(order.clone())?
            .compute_flow()?
            .must_dependence()
    };
    match order.ctx().with_quota(operations, analysis) {
        Err(Error { kind: ErrorKind::Quota, .. }) => Ok(None),
        result => result.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dependence::samples;

    #[test]
    fn what_takes_too_long_is_given_up() {
        let scop = samples::seidel_2d();
        let uses = scop.reads().unwrap();
        let found = |operations| nearest_within(operations, &uses, &uses, &scop.schedule).unwrap();
        assert!(found(100).is_none());
        assert!(!found(0).unwrap().is_empty().unwrap());
    }
}
