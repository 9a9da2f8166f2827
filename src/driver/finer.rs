//! Clusters cut where they cost members or parallel loops (Baghdadi and Cohen 2020, section 9: online clustering).
//!
//! A band that has fewer coincident members than its statements have loops may lack them because statements are
//! scheduled as one that need not stay together. So these clusters are cut, first into strongly connected components of
//! their statements, which no schedule can tear apart, then, where statements are few, into single ones, and what the
//! cost model prefers is taken. A band with one member, inside of which all loops are coincident, is a loop over time,
//! which no cut makes parallel.

use super::analysis::obligations;
use super::obligations::Obligations;
use super::phases::Phase;
use super::refusal::Refusal;
use super::steps::Steps;
use crate::clustering::{CoarseRegion, Decision, components};
use crate::dependence::Mode;
use crate::isl::{self, NodeType, Schedule, ScheduleNode};
use crate::schedule;
use crate::schedule_tree::names;
use std::collections::BTreeSet;

/// Regions of at most so many statements are tried with each by itself.
const FEW_STATEMENTS: usize = 40;

/// The clusters, by the names of their macro-statements, that a tree has fewer coincident members for than loops.
pub(super) fn short(region: &CoarseRegion, tree: &Schedule) -> isl::Result<BTreeSet<String>> {
    let macros = region.names();
    let mut found = BTreeSet::new();
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == NodeType::Band && falls_short(node)? {
            found.extend(names(&node.universe_domain()?)?.intersection(&macros).cloned());
        }
        Ok(true)
    })?;
    Ok(found)
}

fn falls_short(band: &ScheduleNode) -> isl::Result<bool> {
    let coincident = band.band_coincident()?;
    let mut bands_below = 0;
    let mut all_below = true;
    band.clone().first_child()?.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == NodeType::Band {
            bands_below += 1;
            all_below &= node.band_coincident()?.iter().all(|coincident| *coincident);
        }
        Ok(true)
    })?;
    let is_over_time = coincident.len() == 1 && bands_below > 0 && all_below;
    Ok(!is_over_time && coincident.iter().any(|coincident| !coincident))
}

/// Decisions with these clusters cut, coarser ones first; those that cut nothing are left out.
pub(super) fn cuts(
    steps: &mut Steps<'_>,
    decision: &Decision,
    short: &BTreeSet<String>,
    region: &CoarseRegion,
    mode: Mode,
) -> Result<Vec<Decision>, Refusal> {
    let scop = steps.scop;
    let Obligations { dependences, dead } = obligations(steps, mode)?;
    let constraints = steps.step(Phase::Constraints, || schedule::constraints(scop, &dependences, dead.as_ref()))?;
    let numbers = steps.step(Phase::Cluster, || components(&constraints))?;
    let cut = decision.with_cuts(|statement| {
        short.contains(&region.name_of(statement)).then(|| numbers.get(statement).copied().unwrap_or(0))
    });
    let mut found = Vec::new();
    if cut != *decision {
        found.push(cut.clone());
    }
    if scop.statements.len() <= FEW_STATEMENTS {
        let mut number = 0;
        let single = cut.with_cuts(|statement| {
            number += 1;
            short.contains(&region.name_of(statement)).then_some(number)
        });
        if single != cut {
            found.push(single);
        }
    }
    Ok(found)
}
