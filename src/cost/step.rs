//! The effect of one step of a loop on an access: the same element, one near it in its row, or another.

use crate::isl::{DimType, Map, Result, Set, UnionMap, UnionPwAff, UnionSet};
use crate::schedule_tree::band::tuple;
use crate::scop::{Access, AccessKind, Statement};

/// Strides, in elements, that count as spatial locality.
const STRIDES: std::ops::RangeInclusive<i32> = 1..=4;

/// What an access is to its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It writes what the statement reads.
    Update,
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
            return Ok(Role::Update);
        }
    }
    Ok(Role::Plain)
}

/// Where a step leads an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locality {
    /// The same element.
    Temporal,
    /// A near element of the last dimension.
    Spatial,
    /// Neither.
    None,
}

/// From the element of an access to the one after a step `{ S[i] -> S[i'] }`: `{ A[a] -> A[a'] }`.
pub(super) fn moves(access: &Access, step: &UnionMap) -> Result<UnionMap> {
    let elements = access.relation.clone().to_union_map()?;
    step.clone().apply_domain(elements.clone())?.apply_range(elements)
}

/// What a step `{ S[i] -> S[i'] }` does to an access; `None` when it never leads from an access to another.
pub(super) fn step_locality(access: &Access, step: &UnionMap) -> Result<Option<Locality>> {
    let moves = moves(access, step)?;
    if moves.is_empty()? { Ok(None) } else { locality(&moves.as_map()?).map(Some) }
}

/// What a step does to an access: `moves` is `{ A[a] -> A[a'] }`.
fn locality(moves: &Map) -> Result<Locality> {
    let deltas = moves.clone().deltas()?;
    let rank = deltas.dim(DimType::SET)?;
    let fix = |set: Set, dims: usize| (0..dims).try_fold(set, |set, i| set.fix_si(DimType::SET, i, 0));
    let universe = Set::universe(deltas.space()?)?;
    if deltas.is_subset(&fix(universe.clone(), rank)?)? {
        return Ok(Locality::Temporal);
    }
    if rank > 0 {
        for stride in STRIDES {
            let row = fix(universe.clone(), rank - 1)?.fix_si(DimType::SET, rank - 1, stride)?;
            if deltas.is_subset(&row)? {
                return Ok(Locality::Spatial);
            }
        }
    }
    Ok(Locality::None)
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
