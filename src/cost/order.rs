//! What an order of loops costs before there are tiles, to compare one layout of the arrays with another.

use super::counted::counted;
use super::model::{Outcome, Threads, compiled, total};
use super::path::{Path, collect, innermost};
use super::reuse::Uses;
use super::step::Locality;
use crate::isl::{Result, Schedule, ScheduleNode, UnionSet};
use crate::machine::Machine;
use crate::scop::{Scop, Statement};

/// What a tree without tiles and marks costs, each statement with the loop innermost that suits it best: the last one, or any that is
/// coincident, as those carry nothing wherever they are. Only coincident loops make vectors.
///
/// # Errors
/// Those of isl.
pub fn cost_of_order(scop: &Scop, tree: &Schedule, machine: &Machine, threads: Threads) -> Result<u64> {
    let mut nests = Vec::new();
    collect(&tree.root()?, &Path::default(), &mut nests)?;
    let mut costs = Vec::new();
    for counted in counted(scop)? {
        let mut worst = None;
        for (leaf, path) in &nests {
            worst = worst.max(cost_of_nest(scop, counted.statement, (leaf, path), (machine, threads))?);
        }
        costs.push((counted, worst.unwrap_or(0)));
    }
    Ok(total(costs))
}

/// The least cost of an instance of a statement in a nest; `None` where it has none there.
fn cost_of_nest(
    scop: &Scop,
    statement: &Statement,
    (leaf, path): (&ScheduleNode, &Path),
    (machine, threads): (&Machine, Threads),
) -> Result<Option<u64>> {
    let reached = leaf.domain()?;
    let domain = statement.domain.clone().to_union_set()?.intersect(reached.clone())?;
    if domain.is_empty()? {
        return Ok(None);
    }
    let last = path.loops.len().saturating_sub(1);
    let others = (0..last).filter(|j| path.coincident_loops[*j]);
    let mut least = None;
    for inner in others.chain([last]) {
        let cost = with_innermost(scop, statement, (&reached, &domain), &moved(path, inner), (machine, threads))?;
        least = least.into_iter().chain(cost).min();
    }
    Ok(least)
}

/// A path with one of its loops behind all others.
fn moved(path: &Path, inner: usize) -> Path {
    let mut path = path.clone();
    if inner < path.loops.len() {
        path.loops[inner..].rotate_left(1);
        path.coincident_loops[inner..].rotate_left(1);
        path.within[inner..].rotate_left(1);
    }
    path
}

fn with_innermost(
    scop: &Scop,
    statement: &Statement,
    (reached, domain): (&UnionSet, &UnionSet),
    path: &Path,
    (machine, threads): (&Machine, Threads),
) -> Result<Option<u64>> {
    let Some(uses) = Uses::new(scop, statement, reached, &path.loops, machine)? else { return Ok(None) };
    let carries = |j: usize| {
        let stays = |along: Option<Locality>| along == Some(Locality::Temporal);
        !path.coincident_loops[j] || uses.accesses.iter().any(|used| used.writes() && stays(used.along[j]))
    };
    let vector = innermost(&uses, path).is_some_and(|j| !carries(j));
    let outcome = Outcome { vector, parallel: threads == Threads::Several && path.coincident };
    compiled(&uses, path, &outcome, domain, machine).map(Some)
}
