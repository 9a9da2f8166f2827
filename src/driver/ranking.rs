//! How realized candidates are compared.

use super::options::{Options, Target};
use super::realize::Realized;
use crate::schedule_tree::{self, TileSizes};
use crate::scop::Scop;

/// What candidates are compared by: their cost, or what it counts as if the code stays as it is, which is the best of equals.
pub(super) fn rank(realized: &Realized) -> (u64, bool) {
    match stays(realized) {
        true => (certain(realized.cost), false),
        false => (realized.cost, true),
    }
}

/// The code is meant to stay as it is: nothing is marked, nor are loops in another order.
pub(super) fn stays(realized: &Realized) -> bool {
    let is_rewritten = || schedule_tree::is_rewritten(&realized.tree).unwrap_or(true);
    realized.is_original() && realized.keeps_order() && !is_rewritten()
}

/// To leave the code as it is risks nothing; so others have to save more than what predictions are easily wrong by, a
/// tenth.
pub(super) fn certain(cost: u64) -> u64 {
    cost - cost.div_ceil(10)
}

/// The code as it is competes: nobody asked for other code whatever it gains. Whoever asks for wavefronts, or tiles of a size, gets them.
/// With copies of a layout, as without its dead instances, a region is another one.
pub(super) fn may_stay(options: &Options, scop: &Scop) -> bool {
    let is_asked_for = options.wavefront.is_some_and(|degrees| degrees > 0)
        || options.tile_sizes != TileSizes::for_machine(&options.machine);
    let is_another = options.remove_dead || scop.statements.iter().any(|statement| statement.copy);
    options.target == Target::Cpu && options.profitability && !is_asked_for && !is_another
}

/// Of a ranking, some tree behind the code as it is was expected to cost less for large sizes.
pub(super) fn gains_for_large_sizes(ranked: &[Realized]) -> bool {
    let Some(as_it_is) = ranked.iter().position(stays) else { return false };
    ranked[as_it_is..].iter().any(|other| rank(other) < rank(&ranked[as_it_is]))
}
