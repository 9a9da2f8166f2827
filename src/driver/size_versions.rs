//! For which sizes new code is better than the code as it is, which stays beside it for the others.
//!
//! Both run in one program where sizes are known only then; where they are known, one of them is chosen. A prediction is about large
//! sizes: what it leaves out is said by the conditions of `in_caches.rs`, `partial_tiles.rs` and `short_rows.rs`.

use super::analysis::Analysis;
use super::optimized::Optimized;
use super::options::Options;
use super::ranking::{may_stay, stays};
use super::realize::Realized;
use super::refusal::Refusal;
use super::steps::Steps;
use super::worth::{stays_near, worth};
use super::{in_caches, partial_tiles, short_rows};
use crate::cost::cost_parts;
use crate::layout::{Applied, SizeCondition};
use crate::scop::Scop;

/// The sizes for which a tree is expected to be better than the code as it is.
enum Gain {
    /// Those for which all of these hold.
    Where(Vec<SizeCondition>),
    /// None that there are.
    Never,
}

/// A ranking with the trees that never gain behind the code as it is.
pub(super) fn with_gaining_first(steps: &mut Steps<'_>, analysis: &Analysis, ranked: Vec<Realized>) -> Vec<Realized> {
    let Some(as_it_is) = ranked.iter().position(stays) else { return ranked };
    let never =
        ranked[..as_it_is].iter().take_while(|one| matches!(gain(steps, analysis, one), Ok(Gain::Never))).count();
    let mut ranked = ranked;
    // Those behind them that may gain come first then, as they did among themselves.
    ranked[..=as_it_is].rotate_left(never);
    ranked
}

/// The sizes for which a tree that was taken is better than the code as it is: those for which all of these hold. Where they cannot be
/// said, it is taken for all.
pub(super) fn pays_where(steps: &mut Steps<'_>, analysis: &Analysis, realized: &Realized) -> Vec<SizeCondition> {
    match gain(steps, analysis, realized) {
        Ok(Gain::Where(conditions)) => conditions,
        Ok(Gain::Never) => Vec::new(),
        Err(refusal) => {
            tracing::debug!(%refusal, "nothing is known of small sizes");
            Vec::new()
        }
    }
}

/// The sizes for which a region with a layout, `relaid`, is better than the best code for the one without it: those for which all of
/// these hold.
///
/// # Errors
/// Those of isl, and where a size cannot be said; there are no such sizes.
pub(super) fn layout_pays_where(
    (scop, without): (&Scop, &Optimized),
    (relaid, with): (&Applied, &Optimized),
    options: &Options,
) -> Result<Vec<SizeCondition>, Refusal> {
    let machine = &options.machine;
    let before = cost_parts(scop, &without.tree, machine)?;
    let after = cost_parts(&relaid.scop, &with.tree, machine)?;
    let mut conditions = vec![worth(relaid, &before, &after, machine)?];
    conditions.extend(stays_near(relaid, &with.tree, machine)?);
    conditions.extend(in_caches::condition_of_layout((scop, without), (relaid, with), options)?);
    conditions.extend(with.pays_where.iter().cloned());
    Ok(conditions)
}

/// For which sizes a tree is better than the code as it is.
fn gain(steps: &mut Steps<'_>, analysis: &Analysis, realized: &Realized) -> Result<Gain, Refusal> {
    let options = steps.options;
    let is_said = options.candidate.is_some() || options.load_schedule.is_some();
    if is_said || !options.size_versions || !may_stay(options, steps.scop) {
        return Ok(Gain::Where(Vec::new()));
    }
    let mut open = Vec::new();
    let data = in_caches::condition(steps, analysis, realized)?;
    let tiles = partial_tiles::condition(steps, realized)?;
    let rows = short_rows::conditions(steps, realized)?;
    for condition in data.into_iter().chain(tiles).chain(rows) {
        match condition.known() {
            Some(true) => {}
            Some(false) => return Ok(Gain::Never),
            None => open.push(condition),
        }
    }
    Ok(Gain::Where(open))
}
