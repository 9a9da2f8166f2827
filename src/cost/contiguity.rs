//! How many accesses walk along memory in the innermost loops of a tree.

use super::step::{moves, role};
use crate::isl::{DimType, Map, NodeType, Result, Schedule, Set, UnionMap, UnionPwAff, UnionSet, Val};
use crate::schedule_tree::band::{point_members, tuple};
use crate::scop::{Access, AccessKind, Scop, Statement, StatementId};
use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::Add;

/// A number of accesses, and how many of them are contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contiguity {
    /// The innermost loop takes them to the same element, or to a neighbour in the last dimension.
    pub contiguous: usize,
    /// All.
    pub accesses: usize,
    /// Elements that an iteration updates and the next one updates again: operations that wait for each other.
    pub recurrences: usize,
}

impl Add for Contiguity {
    type Output = Contiguity;

    fn add(self, other: Contiguity) -> Contiguity {
        Contiguity {
            contiguous: self.contiguous + other.contiguous,
            accesses: self.accesses + other.accesses,
            recurrences: self.recurrences + other.recurrences,
        }
    }
}

impl Sum for Contiguity {
    fn sum<I: Iterator<Item = Contiguity>>(all: I) -> Contiguity {
        all.fold(Contiguity::default(), Contiguity::add)
    }
}

/// The accesses of the statements at the leaves that they reach, in the order of the leaves; statements without loops
/// are not there.
///
/// The innermost loop of a statement at a leaf is the last member on the way to the leaf that still varies while those
/// before are fixed. Members over tiles do not count: a tile's points have them all. Along that loop an access is
/// contiguous when the next iteration goes to the same element, or to a neighbour of it in the array's last dimension,
/// on either side. Where a domain is not a whole lattice, its affine hull says which iteration is next.
pub fn contiguity(scop: &Scop, tree: &Schedule) -> Result<Vec<(StatementId, Contiguity)>> {
    let counted = |(id, step): (StatementId, UnionMap)| Ok((id, along(&scop.statements[id.0], &step)?));
    steps(scop, tree)?.into_iter().map(counted).collect()
}

/// The statements at the leaves that they reach, in the order of the leaves, with an iteration of their innermost loop and
/// the next one: `{ S[i] -> S[i'] }`.
fn steps(scop: &Scop, tree: &Schedule) -> Result<Vec<(StatementId, UnionMap)>> {
    let mut found = Vec::new();
    let mut open = vec![(tree.root()?, Vec::new())];
    while let Some((node, mut loops)) = open.pop() {
        if node.node_type()? == NodeType::Leaf {
            let reached = node.domain()?;
            for (index, statement) in scop.statements.iter().enumerate().filter(|(_, s)| !s.is_kill()) {
                let step = innermost_step(statement, &reached, &loops)?;
                found.extend(step.map(|step| (StatementId(index), step)));
            }
            continue;
        }
        loops.extend(point_members(&node)?);
        let children = node.children()?;
        open.extend(children.into_iter().rev().map(|child| (child, loops.clone())));
    }
    Ok(found)
}

/// By array: how the subscripts of references change from an iteration of innermost loops to the next one, where that is the
/// same for all references that change at all, of statements with as many loops as any.
///
/// # Errors
/// Those of isl.
pub fn directions(scop: &Scop, tree: &Schedule) -> Result<BTreeMap<String, Vec<i64>>> {
    let mut depth = 0;
    for statement in &scop.statements {
        depth = depth.max(statement.domain.dim(DimType::SET)?);
    }
    let mut found: BTreeMap<String, Option<Vec<i64>>> = BTreeMap::new();
    for (statement, step) in steps(scop, tree)? {
        let statement = &scop.statements[statement.0];
        if statement.domain.dim(DimType::SET)? < depth {
            continue;
        }
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            let direction = direction(access, &step)?;
            if direction.as_ref().is_some_and(|direction| direction.iter().all(|one| *one == 0)) {
                continue;
            }
            let known = found.entry(access.array()?).or_insert_with(|| direction.clone());
            if *known != direction {
                *known = None;
            }
        }
    }
    Ok(found.into_iter().filter_map(|(name, direction)| Some((name, direction?))).collect())
}

/// How the subscripts of an access change, if they do so by numbers.
fn direction(access: &Access, step: &UnionMap) -> Result<Option<Vec<i64>>> {
    let moves = moves(access, step)?;
    if moves.is_empty()? {
        return Ok(None);
    }
    let deltas = moves.deltas()?.as_set()?.project_out_all_params()?;
    let mut direction = Vec::new();
    for dimension in 0..deltas.dim(DimType::SET)? {
        let value = deltas.plain_get_val_if_fixed(DimType::SET, dimension)?;
        let Some(value) = (if value.is_int()? { value.as_i64()? } else { None }) else { return Ok(None) };
        direction.push(value);
    }
    Ok(Some(direction))
}

/// What becomes of a statement's accesses when an iteration is followed by the next one, `{ S[i] -> S[i'] }`.
pub fn along(statement: &Statement, step: &UnionMap) -> Result<Contiguity> {
    let mut count = Contiguity::default();
    for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
        count.accesses += 1;
        count.contiguous += usize::from(moves_at_most(access, step, 1)?);
        count.recurrences += usize::from(role(statement, access)?.is_update() && moves_at_most(access, step, 0)?);
    }
    Ok(count)
}

/// From each instance to the next one of the innermost loop that is one for the statement.
fn innermost_step(statement: &Statement, reached: &UnionSet, loops: &[UnionPwAff]) -> Result<Option<UnionMap>> {
    let domain = statement.domain.clone().to_union_set()?.intersect(reached.clone())?;
    if domain.is_empty()? {
        return Ok(None);
    }
    let domain = domain.affine_hull()?;
    for (position, member) in loops.iter().enumerate().rev() {
        let step = next_along(&domain, &loops[..position], member)?;
        if step.is_some() {
            return Ok(step);
        }
    }
    Ok(None)
}

/// Pairs of instances of one statement that are equal along the outer loops and as near along `member` as any:
/// `{ S[i] -> S[i'] }`; `None` when the outer loops leave it no choice.
pub fn next_along(domain: &UnionSet, outer: &[UnionPwAff], member: &UnionPwAff) -> Result<Option<UnionMap>> {
    let ctx = domain.ctx();
    let member = tuple(ctx, std::slice::from_ref(member))?;
    let mut pairs = UnionMap::from_domain_and_range(domain.clone(), domain.clone())?;
    if !outer.is_empty() {
        pairs = pairs.eq_at(tuple(ctx, outer)?)?;
    }
    let pairs = pairs.lex_lt_at(member.clone())?;
    if pairs.is_empty()? {
        return Ok(None);
    }
    // { S[i] -> [t] }
    let times = UnionMap::from_multi_union_pw_aff(member)?.intersect_domain(domain.clone())?;
    // { [t' - t] }
    let distances = pairs.clone().apply_domain(times.clone())?.apply_range(times.clone())?.deltas()?;
    let least = distances.as_set()?.project_out_all_params()?.lexmin()?;
    let least = least.plain_get_val_if_fixed(DimType::SET, 0)?.to_i64()?;
    let next = Map::parse(ctx, &format!("{{ [t] -> [t + {least}] }}"))?.to_union_map()?;
    pairs.intersect(times.clone().apply_range(next)?.apply_range(times.reverse()?)?).map(Some)
}

/// A step takes the access to the same element, or to one of its row that is no farther than `farthest`.
fn moves_at_most(access: &Access, step: &UnionMap, farthest: i64) -> Result<bool> {
    let moves = moves(access, step)?;
    if moves.is_empty()? {
        return Ok(true);
    }
    let deltas = moves.deltas()?.as_set()?;
    let rank = deltas.dim(DimType::SET)?;
    let near = (0..rank).try_fold(Set::universe(deltas.space()?)?, |near, i| {
        let farthest = if i + 1 == rank { farthest } else { 0 };
        let bound = |value| Val::int(deltas.ctx(), value);
        near.lower_bound_val(DimType::SET, i, bound(-farthest)?)?.upper_bound_val(DimType::SET, i, bound(farthest)?)
    })?;
    deltas.is_subset(&near)
}
