//! What a nest finds in a core's own cache, as others have brought it there in the same tile.

use super::counted::typical_extent;
use super::path::{CommonTiles, Path};
use crate::isl::{Result, ScheduleNode, UnionMap};
use crate::machine::Machine;
use crate::schedule_tree::band::tuple;
use crate::scop::{AccessKind, Scop};

/// A line from there takes this part of the time that one from memory takes. Measured: a matrix times a vector, and then its transpose
/// times the result, takes 1.8 times as long with one after the other as with 32 rows of both in turns, which is 1.25 times as long as
/// the first alone (2,000 by 2,000 doubles, a Zen 4).
pub(super) const OWN_CACHE: u64 = 4;

/// The tiles `{ S[i] -> [t] }` that a nest shares with others, and what those before it use in one of them, `{ [t] -> A[a] }`; `None`
/// where it shares none, is the first, all of them together use more than half of a core's own cache holds, or short pieces of rows.
pub(super) fn brought(
    scop: &Scop,
    nests: &[(ScheduleNode, Path)],
    number: usize,
    machine: &Machine,
) -> Result<Option<(UnionMap, UnionMap)>> {
    let Some(common) = nests[number].1.common.as_ref().filter(|common| common.first < number) else { return Ok(None) };
    let is_same = |other: &CommonTiles| other.first == common.first && other.depth == common.depth;
    let shares = |nest: &&(ScheduleNode, Path)| nest.1.common.as_ref().is_some_and(is_same);
    let tiles = UnionMap::from_multi_union_pw_aff(tuple(scop.ctx(), &common.members)?)?;
    let mut before = UnionMap::empty(scop.context.space()?)?;
    let mut all = before.clone();
    for (place, (leaf, _)) in nests.iter().enumerate().skip(common.first).filter(|(_, nest)| shares(nest)) {
        let used = tiles.clone().intersect_domain(leaf.domain()?)?.reverse()?.apply_range(elements(scop)?)?;
        all = all.union(used.clone())?;
        before = if place < number { before.union(used)? } else { before };
    }
    let is_held = bytes_in_rows(scop, &all, machine)?.is_some_and(|bytes| bytes <= machine.own_cache() / 2);
    Ok(is_held.then_some((tiles, before)))
}

/// What all statements use: `{ S[i] -> A[a] }`.
fn elements(scop: &Scop) -> Result<UnionMap> {
    let mut all = UnionMap::empty(scop.context.space()?)?;
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            let used = access.relation.clone().intersect_domain(statement.domain.clone())?;
            all = all.union(used.to_union_map()?)?;
        }
    }
    Ok(all)
}

/// How much memory a tile uses, `{ [t] -> A[a] }`: of each array the least box around its elements; `None` where that has short
/// pieces of rows, which take as long to come as what is saved.
fn bytes_in_rows(scop: &Scop, elements: &UnionMap, machine: &Machine) -> Result<Option<u64>> {
    let mut bytes = 0u64;
    for (name, used) in elements.clone().reverse()?.apply_range(elements.clone())?.deltas()?.named_sets()? {
        let Some(array) = scop.arrays.iter().find(|array| array.name == name) else { continue };
        let mut all = u64::from(array.element.bytes());
        for dimension in 0..array.rank() {
            let most = used.clone().dim_max_val(i32::try_from(dimension).unwrap_or(i32::MAX))?;
            let most = if most.is_int()? { u64::try_from(most.to_i128()? + 1).ok() } else { None };
            let extent = typical_extent(array, dimension)?;
            let length = most.map_or(extent, |most| most.min(extent));
            let is_row = array.rank() >= 2 && dimension + 1 == array.rank();
            if is_row && length < extent.min(machine.strip_length().into()) {
                return Ok(None);
            }
            all = all.saturating_mul(length);
        }
        bytes = bytes.saturating_add(all);
    }
    Ok(Some(bytes))
}
