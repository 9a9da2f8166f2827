//! What a nest finds in a core's own cache, as others have brought it there in the same tile, or a statement nearer still, in the
//! same iteration.

use super::counted::typical_extent;
use super::path::{Common, Path};
use crate::isl::{Result, ScheduleNode, Set, UnionMap};
use crate::machine::Machine;
use crate::schedule_tree::band::{position, tuple};
use crate::scop::{AccessKind, Array, Scop};

/// A line from there takes this part of the time that one from memory takes. Measured: a matrix times a vector, and then its transpose
/// times the result, takes 1.8 times as long with one after the other as with 32 rows of both in turns, which is 1.25 times as long as
/// the first alone (2,000 by 2,000 doubles, a Zen 4).
pub(super) const OWN_CACHE: u64 = 4;

/// What is near when a nest begins in a tile, or an iteration, that it shares with others.
pub(super) struct Brought {
    /// `{ S[i] -> [t] }`
    pub tiles: UnionMap,
    /// What the nests before use in a tile of the arrays that have rows: `{ [t] -> A[a] }`.
    pub elements: UnionMap,
}

/// For each of all nests what others have brought in the same tile; `None` where it shares none, is the first, all of them together
/// use more than half of what the cache holds, or short pieces of rows.
pub(super) fn in_tile(scop: &Scop, nests: &[(ScheduleNode, Path)], machine: &Machine) -> Result<Vec<Option<Brought>>> {
    let fits = |all: UnionMap| {
        let bytes = bytes_in_rows(scop, &all.coalesce()?, machine)?;
        Ok(bytes.is_some_and(|bytes| bytes <= machine.own_cache() / 2))
    };
    before(scop, nests, |path| path.common.as_ref(), &fits)
}

/// The same in an iteration of loops that statements share.
pub(super) fn in_iteration(scop: &Scop, nests: &[(ScheduleNode, Path)]) -> Result<Vec<Option<Brought>>> {
    before(scop, nests, |path| path.fused.as_ref(), &|_| Ok(true))
}

/// What the nests before use of what they have in common, if that fits.
fn before(
    scop: &Scop,
    nests: &[(ScheduleNode, Path)],
    of: fn(&Path) -> Option<&Common>,
    fits: &dyn Fn(UnionMap) -> Result<bool>,
) -> Result<Vec<Option<Brought>>> {
    let mut found: Vec<Option<Brought>> = nests.iter().map(|_| None).collect();
    let mut rows = None;
    for (number, (_, path)) in nests.iter().enumerate() {
        let Some(common) = of(path).filter(|common| common.first == number) else { continue };
        let is_same = |other: &Common| other.first == common.first && other.depth == common.depth;
        let shares = |number: &usize| of(&nests[*number].1).is_some_and(is_same);
        let sharing: Vec<usize> = (number..nests.len()).filter(shares).collect();
        if sharing.len() < 2 {
            continue;
        }
        let rows = match &rows {
            Some(rows) => rows,
            None => rows.insert(elements_in_rows(scop)?),
        };
        let tiles = UnionMap::from_multi_union_pw_aff(tuple(scop.ctx(), &common.members)?)?;
        let used = |number: &usize| {
            tiles.clone().intersect_domain(nests[*number].0.domain()?)?.reverse()?.apply_range(rows.clone())
        };
        let used = sharing.iter().map(used).collect::<Result<Vec<_>>>()?;
        let all = used.iter().skip(1).try_fold(used[0].clone(), |all, one| all.union(one.clone()))?;
        if !fits(all)? {
            continue;
        }
        let mut elements = used[0].clone();
        for (number, used) in sharing.into_iter().zip(used).skip(1) {
            found[number] = Some(Brought { tiles: tiles.clone(), elements: elements.clone() });
            elements = elements.union(used)?.coalesce()?;
        }
    }
    Ok(found)
}

/// What all statements use of arrays that have rows: `{ S[i] -> A[a] }`.
pub(super) fn elements_in_rows(scop: &Scop) -> Result<UnionMap> {
    let mut all = UnionMap::empty(scop.context.space()?)?;
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            if scop.array_of(access)?.rank() >= 2 {
                let used = access.relation.clone().intersect_domain(statement.domain.clone())?;
                all = all.union(used.to_union_map()?)?;
            }
        }
    }
    all.coalesce()
}

/// How much memory a tile uses, `{ [t] -> A[a] }`: of each array the least box around its elements; `None` where that has short
/// pieces of rows, which take as long to come as what is saved.
fn bytes_in_rows(scop: &Scop, elements: &UnionMap, machine: &Machine) -> Result<Option<u64>> {
    let mut bytes = 0u64;
    for (array, lengths) in boxes(scop, elements)? {
        if let Some(last) = lengths.last() {
            let extent = typical_extent(array, lengths.len() - 1)?;
            if *last < extent.min(machine.strip_length().into()) {
                return Ok(None);
            }
        }
        bytes = bytes.saturating_add(lengths.into_iter().fold(array.element.bytes().into(), u64::saturating_mul));
    }
    Ok(Some(bytes))
}

/// For each array the lengths of the least box around the elements that are used at a time, `{ [t] -> A[a] }`.
pub(super) fn boxes<'s>(scop: &'s Scop, elements: &UnionMap) -> Result<Vec<(&'s Array, Vec<u64>)>> {
    let mut found = Vec::new();
    for (name, apart) in elements.clone().reverse()?.apply_range(elements.clone())?.deltas()?.named_sets()? {
        if let Some(array) = scop.arrays.iter().find(|array| array.name == name) {
            found.push((array, lengths(array, &apart)?));
        }
    }
    Ok(found)
}

/// The lengths of the least box around elements of an array that are so far apart, `{ A[d] }`.
fn lengths(array: &Array, distances: &Set) -> Result<Vec<u64>> {
    let length = |dimension: usize| {
        let most = distances.clone().dim_max_val(position(dimension)?)?;
        let most = if most.is_int()? { u64::try_from(most.to_i128()? + 1).ok() } else { None };
        let extent = typical_extent(array, dimension)?;
        Ok(most.map_or(extent, |most| most.min(extent)))
    };
    (0..array.rank()).map(length).collect()
}
