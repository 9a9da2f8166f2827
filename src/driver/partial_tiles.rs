//! Where all tiles of a short loop nest are cut, and none is whole: code in tiles takes longer there than the code as it is.
//!
//! Where each loop's bounds depend on another one, as in a decomposition of a matrix, a nest of less than two tiles a side has no
//! whole tile, and next to no whole block for registers. Where one loop is free of the others its tiles are whole in that direction,
//! and code in blocks gains for any length. Measured on a Zen 4 in tiles of 32, in times of clang's speed: lu, ludcmp and cholesky 0.6
//! to 0.8 up to 50 a side, 1.0 to 1.1 at 64, 1.1 to 1.6 at 80; products with one triangular matrix 1.3 at 10 a side, 2.6 at 20.

use super::realize::Realized;
use super::refusal::Refusal;
use super::steps::Steps;
use super::worth::lengths;
use crate::isl::{self, DimType, Set};
use crate::layout::{SizeCondition, Term};
use crate::schedule_tree::Statistics;
use crate::scop::Scop;

/// The least depth of nests that this is about. A single loop has no bounds that depend on others.
const DEPTH: usize = 2;

/// The sizes that have whole tiles; `None` where that is all, or there are none to be cut.
///
/// # Errors
/// Those of isl, and where a size cannot be said.
pub(super) fn condition(steps: &mut Steps<'_>, realized: &Realized) -> Result<Option<SizeCondition>, Refusal> {
    let (scop, machine) = (steps.scop, &steps.options.machine);
    let has_tiles = Statistics::new(&realized.arranged.scheduled.tree, &realized.tree)?.tiled > 0;
    if !has_tiles {
        return Ok(None);
    }
    let Some(deepest) = deepest_bound(scop)? else { return Ok(None) };
    let depth = u32::try_from(deepest.dim(DimType::SET)?).unwrap_or(u32::MAX);
    let side = 2 * i64::from(machine.tile_size());
    let term = Term { lengths: lengths(scop, &deepest)?, each: 1 };
    Ok(Some(SizeCondition { terms: vec![term], least: side.saturating_pow(depth) }))
}

/// The instances of the first statement that has as many loops as any, if these are several and all such statements have no loop that
/// is free of the others.
fn deepest_bound(scop: &Scop) -> isl::Result<Option<Set>> {
    let found = deepest(scop)?;
    for domain in &found {
        let depth = domain.dim(DimType::SET)?;
        if (0..depth).try_fold(false, |any, loop_number| Ok::<_, isl::Error>(any || is_free(domain, loop_number)?))? {
            return Ok(None);
        }
    }
    Ok(found.into_iter().next())
}

/// The instances of each statement that has as many loops as any, if these are several.
pub(super) fn deepest(scop: &Scop) -> isl::Result<Vec<Set>> {
    let mut found: Vec<Set> = Vec::new();
    let mut depth = DEPTH;
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        let domain = statement.domain.clone().intersect_params(scop.context.clone())?;
        let own = domain.dim(DimType::SET)?;
        if own > depth {
            found.clear();
            depth = own;
        }
        if own == depth {
            found.push(domain);
        }
    }
    Ok(found)
}

/// A loop's bounds depend on no other loop, nor do those of others on it.
fn is_free(domain: &Set, loop_number: usize) -> isl::Result<bool> {
    let all = domain.dim(DimType::SET)?;
    let others = domain.clone().drop_constraints_involving_dims(DimType::SET, loop_number, 1)?;
    let own = domain.clone().drop_constraints_involving_dims(DimType::SET, 0, loop_number)?;
    let own = own.drop_constraints_involving_dims(DimType::SET, loop_number + 1, all - loop_number - 1)?;
    others.intersect(own)?.is_equal(domain)
}
