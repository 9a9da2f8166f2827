//! Instances whose work nobody sees (ppcg report, section 2).

use super::Dependences;
use crate::isl::{Result, UnionSet};
use crate::scop::Scop;

/// Exact steps before the closure is widened.
const EXACT_STEPS: usize = 16;

/// The instances that may be left out: `{ S[i] }`, a subset of [`Scop::domain`].
///
/// An instance is live when it writes what is live-out, has a side effect, may trap, or writes what a live instance may
/// read. The closure over the flow dependences is exact for a number of steps; if it has not ended by then, the live
/// instances of each statement are widened to their affine hull within the domain after every step, which ends because
/// the dimension of a hull can only grow. Widening only makes more instances live.
pub fn dead_instances(scop: &Scop, dependences: &Dependences) -> Result<UnionSet> {
    let domain = scop.domain()?;
    // { T[j] -> S[i] }
    let suppliers = dependences.flow.clone().reverse()?;
    let mut live = always_live(scop)?.union(dependences.may_live_out.clone().domain()?)?.intersect(domain.clone())?;
    let mut step = 0;
    loop {
        let next = live.clone().apply(suppliers.clone())?.intersect(domain.clone())?;
        if next.is_subset(&live)? {
            return domain.subtract(live)?.coalesce();
        }
        live = live.union(next)?.coalesce()?;
        step += 1;
        if step >= EXACT_STEPS {
            live = live.affine_hull()?.intersect(domain.clone())?;
        }
    }
}

/// The instances of statements that are executed whatever becomes of their results: `{ S[i] }`.
fn always_live(scop: &Scop) -> Result<UnionSet> {
    let mut live = UnionSet::empty(scop.context.space()?)?;
    for statement in scop.statements.iter().filter(|s| s.side_effect || s.may_trap) {
        live = live.union(statement.domain.clone().to_union_set()?)?;
    }
    Ok(live)
}
