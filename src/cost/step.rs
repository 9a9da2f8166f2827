//! The effect of one step of a loop on an access: the same element, one near it in its row, or another.

use crate::isl::{DimType, Map, Result, Set, UnionMap, UnionPwAff, UnionSet};
use crate::schedule_tree::band::tuple;
use crate::scop::{Access, AccessKind, Array, Statement};

/// The longest step, in elements, that counts as near: as many vectors are shuffled into one.
pub(super) const LONGEST_STEP: i64 = 4;

/// What an access is to its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It writes what the statement reads, so many operations later.
    Update {
        /// The read's delay.
        delay: u32,
    },
    /// Any other.
    Plain,
}

/// The role of an access of a statement.
pub(super) fn role(statement: &Statement, access: &Access) -> Result<Role> {
    if access.kind == AccessKind::Read {
        return Ok(Role::Plain);
    }
    for read in statement.accesses.iter().filter(|a| a.kind == AccessKind::Read) {
        if read.relation.is_equal(&access.relation)? {
            return Ok(Role::Update { delay: read.delay });
        }
    }
    Ok(Role::Plain)
}

impl Role {
    /// It writes what the statement reads.
    pub fn is_update(self) -> bool {
        matches!(self, Role::Update { .. })
    }
}

/// How many operations an iteration waits for where a step `{ S[i] -> S[i'] }` leads to one that reads, by another
/// reference than it writes it by, what the one before has written; `None` where none does.
pub(super) fn wait(statement: &Statement, step: &UnionMap) -> Result<Option<u32>> {
    let mut longest = None;
    for write in statement.accesses.iter().filter(|access| access.kind.is_write()) {
        let written = step.clone().apply_domain(write.relation.clone().to_union_map()?)?;
        for read in statement.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
            if read.array()? != write.array()? || read.relation.is_equal(&write.relation)? {
                continue;
            }
            // { A[a] -> A[a'] } from what is written to what the next iteration reads
            let apart = written.clone().apply_range(read.relation.clone().to_union_map()?)?;
            if !apart.is_empty()? && is_in_place(&apart.as_map()?.deltas()?)? {
                longest = longest.max(Some(read.delay));
            }
        }
    }
    Ok(longest)
}

/// A step changes several subscripts of an access.
pub(super) fn is_diagonal(access: &Access, step: &UnionMap) -> Result<bool> {
    let moves = moves(access, step)?;
    if moves.is_empty()? {
        return Ok(false);
    }
    let deltas = moves.deltas()?.as_set()?;
    let mut changed = 0;
    for dimension in 0..deltas.dim(DimType::SET)? {
        let stays = deltas.is_subset(&Set::universe(deltas.space()?)?.fix_si(DimType::SET, dimension, 0)?)?;
        changed += usize::from(!stays);
    }
    Ok(changed > 1)
}

/// Differences of subscripts `{ A[a' - a] }` are all zero.
fn is_in_place(deltas: &Set) -> Result<bool> {
    let rank = deltas.dim(DimType::SET)?;
    let zero = (0..rank).try_fold(Set::universe(deltas.space()?)?, |set, i| set.fix_si(DimType::SET, i, 0))?;
    deltas.is_subset(&zero)
}

/// Where a step leads an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locality {
    /// The same element.
    Temporal,
    /// The next element of the last dimension.
    Spatial,
    /// An element so many further on, in its row or in one of the short rows behind it: the same member of the next
    /// structure.
    Strided(u32),
    /// Neither.
    None,
}

/// From the element of an access to the one after a step `{ S[i] -> S[i'] }`: `{ A[a] -> A[a'] }`.
pub(super) fn moves(access: &Access, step: &UnionMap) -> Result<UnionMap> {
    let elements = access.relation.clone().to_union_map()?;
    step.clone().apply_domain(elements.clone())?.apply_range(elements)
}

/// What a step `{ S[i] -> S[i'] }` does to an access to an array; `None` when it never leads from an access to another.
pub(super) fn step_locality(array: &Array, access: &Access, step: &UnionMap) -> Result<Option<Locality>> {
    let moves = moves(access, step)?;
    if moves.is_empty()? { Ok(None) } else { locality(array, &moves.as_map()?).map(Some) }
}

/// What a step does to an access: `moves` is `{ A[a] -> A[a'] }`.
fn locality(array: &Array, moves: &Map) -> Result<Locality> {
    let deltas = moves.clone().deltas()?;
    let rank = deltas.dim(DimType::SET)?;
    if is_in_place(&deltas)? {
        return Ok(Locality::Temporal);
    }
    let fix = |set: Set, dims: usize| (0..dims).try_fold(set, |set, i| set.fix_si(DimType::SET, i, 0));
    let universe = Set::universe(deltas.space()?)?;
    if rank > 0 && deltas.is_subset(&fix(universe, rank - 1)?.fix_si(DimType::SET, rank - 1, 1)?)? {
        return Ok(Locality::Spatial);
    }
    Ok(further_on(array, &deltas)?.map_or(Locality::None, Locality::Strided))
}

/// How many elements further on a step leads, if that is always as many and not far: `deltas` is `{ A[a' - a] }`.
fn further_on(array: &Array, deltas: &Set) -> Result<Option<u32>> {
    let (mut step, mut size) = (0i128, 1i128);
    for dimension in (0..array.rank()).rev() {
        let position = i32::try_from(dimension).unwrap_or(i32::MAX);
        let (least, greatest) = (deltas.clone().dim_min_val(position)?, deltas.clone().dim_max_val(position)?);
        if !least.is_int()? || !greatest.is_int()? {
            return Ok(None);
        }
        let difference = least.to_i128()?;
        if difference != greatest.to_i128()? || difference != 0 && size > i128::from(LONGEST_STEP) {
            return Ok(None);
        }
        step += difference.saturating_mul(size);
        // Where it is not known how long rows are, only what is in one is near.
        let length = array.known_extent(dimension)?.map_or(i128::MAX, i128::from);
        size = size.saturating_mul(length.max(1));
    }
    Ok((1..=i128::from(LONGEST_STEP)).contains(&step).then(|| u32::try_from(step).unwrap_or(u32::MAX)))
}

/// Pairs of instances one apart along `member` and equal along the others: `{ S[i] -> S[i'] }`; `None` when there are
/// none, that is when the member is no loop for the statement.
pub(super) fn unit_step(domain: &UnionSet, others: &[UnionPwAff], member: &UnionPwAff) -> Result<Option<UnionMap>> {
    let ctx = domain.ctx();
    let mut functions = others.to_vec();
    functions.push(member.clone());
    let times = UnionMap::from_multi_union_pw_aff(tuple(ctx, &functions)?.intersect_domain(domain.clone())?)?;
    if times.is_empty()? {
        return Ok(None);
    }
    let names: Vec<String> = (0..functions.len()).map(|i| format!("t{i}")).collect();
    let list = names.join(", ");
    let next = Map::parse(ctx, &format!("{{ [{list}] -> [{list} + 1] }}"))?.to_union_map()?;
    let step = times.clone().apply_range(next)?.apply_range(times.reverse()?)?;
    Ok(if step.is_empty()? { None } else { Some(step) })
}
