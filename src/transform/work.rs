//! How much there is to do in a loop, where that is known before the program runs.

use super::conflicts::Loop;
use crate::isl::{DimType, Result, UnionMap};
use crate::scop::{AccessKind, Scop};

/// What one run of a loop does at most, in operations: each access of an instance counts as one, and the least box
/// around the instances for the instances themselves. `None` where no such number is known.
///
/// What is computed on the way from access to access is not known here, so that work on dear functions is taken for
/// less than it is.
pub(super) fn most_work(scop: &Scop, member_loop: &Loop) -> Result<Option<u64>> {
    let mut sum = 0u64;
    for statement in scop.statements.iter().filter(|s| !s.is_kill()) {
        let domain = statement.domain.clone().to_union_set()?.intersect(member_loop.domain.clone())?;
        if domain.is_empty()? {
            continue;
        }
        // { S[i] -> S[i'] } in one run
        let pairs = member_loop.together(&UnionMap::from_domain_and_range(domain.clone(), domain)?)?;
        // { S[i' - i] }
        let distances = pairs.deltas()?.as_set()?;
        let accesses = statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill).count();
        let mut work = u64::try_from(accesses.max(1)).unwrap_or(u64::MAX);
        for k in 0..distances.dim(DimType::SET)? {
            let longest = distances.clone().dim_max_val(i32::try_from(k).unwrap_or(i32::MAX))?;
            if !longest.is_int()? {
                return Ok(None);
            }
            let length = u64::try_from(longest.to_i128()?.saturating_add(1)).unwrap_or(u64::MAX);
            work = work.saturating_mul(length);
        }
        sum = sum.saturating_add(work);
    }
    Ok(Some(sum))
}
