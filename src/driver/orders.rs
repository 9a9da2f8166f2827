//! Orders that were found for a region as it is, for layouts that depend on one: contractions are right in the order that
//! they are for, and maybe in no other. Partial results are for what does not run in parallel in one.

use super::analysis::{Analysis, obligations};
use super::findings::Findings;
use super::options::Options;
use super::realize::Realized;
use super::refusal::Refusal;
use super::search::search;
use super::steps::Steps;
use crate::isl::{self, NodeType, Schedule, UnionSet};
use crate::layout::{Error, Layout};
use crate::machine::Machine;
use crate::schedule_tree::Mark;
use crate::scop::Scop;
use crate::transform;

/// The candidates for a region, best first, whether or not the checker will accept them, and what was found out of it.
pub(super) fn ranked(scop: &Scop, options: &Options) -> Result<(Vec<Realized>, Findings), Refusal> {
    // Loops over rows have a price of their own: it says nothing about layouts. Nor do tiles around all of an order.
    let options = &Options { common_rows: false, left_looking: false, ..options.clone() };
    options.budget.whole(scop.ctx(), || {
        let mut steps = Steps::new(scop, options);
        let mode = options.mode(options.live_range_reordering);
        let obligations = obligations(&mut steps, mode)?;
        let analysis = Analysis::of(&mut steps, obligations)?.with_groups(&mut steps);
        Ok((search(&mut steps, &analysis, None)?, steps.findings))
    })
}

/// The orders of candidates, without tiles, each once.
pub(super) fn schedules(ranked: &[Realized]) -> isl::Result<Vec<Schedule>> {
    let mut all: Vec<Schedule> = Vec::new();
    for realized in ranked {
        let tree = &realized.arranged.scheduled.tree;
        let known = all.iter().map(|known| known.plain_is_equal(tree)).collect::<isl::Result<Vec<_>>>()?;
        if !known.contains(&true) {
            all.push(tree.clone());
        }
    }
    Ok(all)
}

/// An order that walks along rows as the tiles of a tree do, whichever of its loops may run in parallel.
pub(super) fn by_rows(scop: &Scop, tree: &Schedule, machine: &Machine) -> isl::Result<Schedule> {
    transform::interchange_for_rows(scop, tree, machine)
}

/// What of a tree runs in parallel: `{ S[i] }`.
pub(super) fn parallel(tree: &Schedule) -> isl::Result<UnionSet> {
    let mut all = UnionSet::empty(tree.domain()?.space()?)?;
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        let is_mark = node.node_type()? == NodeType::Mark;
        let found = if is_mark { node.mark_id()?.name()?.and_then(|name| name.parse().ok()) } else { None };
        if matches!(found, Some(Mark::Parallel { .. })) {
            all = all.clone().union(node.domain()?)?;
            return Ok(false);
        }
        Ok(true)
    })?;
    Ok(all)
}

/// A layout that is asked for: `read` has it, for the region's own order or for another one. Contractions that are wrong
/// in the region's own order may be right in one that is found for it.
///
/// # Errors
/// What is wrong with the layout, in the region's own order.
pub fn in_some_order(
    scop: &Scop,
    options: &Options,
    read: &dyn Fn(Option<&Schedule>) -> Result<Layout, Error>,
) -> Result<Layout, Error> {
    let first = read(None);
    if !matches!(first, Err(Error::Alive(_))) {
        return first;
    }
    // What is right for a CPU is no error for a GPU.
    let options = &options.for_cpu();
    let found = ranked(scop, options).and_then(|(ranked, _)| Ok(schedules(&ranked)?));
    let found = found.unwrap_or_else(|refusal| {
        tracing::debug!(%refusal, "no other order");
        Vec::new()
    });
    for tree in found {
        match read(Some(&by_rows(scop, &tree, &options.machine)?)) {
            Err(Error::Alive(_)) => {}
            other => return other,
        }
    }
    first
}
