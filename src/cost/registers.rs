//! What blocks of points keep in registers, and the members of a band that blocks are made of.

use super::block_size::{Accumulators, best_block};
use super::innermost::{Formula, best_innermost};
use super::operation_cost::OperationCosts;
use super::reuse::Uses;
use super::step::Locality;
use super::width::Width;
use crate::isl::{Result, ScheduleNode, UnionMap, UnionPwAff};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, leaves_below, point_members_above, tuple};
use crate::scop::Scop;
use std::collections::BTreeSet;

/// The member along which several points at a time make as many recurrences of updates, in a band of two where the
/// other one makes one recurrence; `None` where there is no such member, or no block for it.
pub(crate) fn rows_of_recurrences(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    machine: &Machine,
) -> Result<Option<usize>> {
    let members = Members::of(scop, node, band, machine)?.filter(|members| members.jam.is_none());
    let Some(members) = members else { return Ok(None) };
    let found = accumulators(scop, node, band, members, machine)?;
    let block = found.and_then(|accumulators| best_block(machine, accumulators, None, None, &|_| true));
    Ok(block.map(|_| members.vector))
}

/// Which members of a band do what for a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members {
    /// The one that suits the innermost place best of those that move what is updated: what a loop along updates saves
    /// elsewhere does not make up for its operations waiting for each other.
    pub vector: usize,
    /// The one that a block has several rows along; none where there are two members only.
    pub jam: Option<usize>,
    /// One that leaves in place what is updated; none where that is the last loop below the band.
    pub recurrence: Option<usize>,
}

impl Members {
    pub fn of(scop: &Scop, node: &ScheduleNode, band: &Band, machine: &Machine) -> Result<Option<Self>> {
        if !band.permutable || band.members.len() < 2 {
            return Ok(None);
        }
        let best = best_innermost(scop, node, band, Formula::of(machine))?;
        let moves = |i: &usize| !best.updating.contains(i);
        let Some(vector) = best.ranking.iter().copied().find(moves) else { return Ok(None) };
        let jam = (0..band.members.len()).rev().find(|i| *i != vector && moves(i));
        let recurrence = best.updating.last().copied();
        // A block of one loop is for bands of two members; longer ones without a second loop for it stay as they are.
        let enough = jam.is_some() || band.members.len() == 2;
        Ok(recurrence.filter(|_| enough).map(|_| Members { vector, jam, recurrence }))
    }

    /// Those for blocks below all loops that follow the band, best first: of the members that may go there, the one that
    /// suits the innermost place best of those that move what is updated, with each other one, first those that have rows
    /// of a block share most.
    pub fn below(
        scop: &Scop,
        node: &ScheduleNode,
        band: &Band,
        free: &[usize],
        machine: &Machine,
    ) -> Result<Vec<Self>> {
        let best = best_innermost(scop, node, band, Formula::of(machine))?;
        let moves = |i: &usize| free.contains(i) && !best.updating.contains(i);
        let Some(vector) = best.ranking.iter().copied().find(moves) else { return Ok(Vec::new()) };
        let mut jams = Vec::new();
        for jam in (0..band.members.len()).filter(|i| *i != vector && moves(i)) {
            jams.push((shared_by_rows(scop, node, band, (vector, jam), machine)?, jam));
        }
        jams.sort_unstable();
        let jams = jams.into_iter().rev().map(|(_, jam)| Some(jam)).chain([None]);
        Ok(jams.map(|jam| Members { vector, jam, recurrence: None }).collect())
    }

    /// The same without rows that have nothing in common.
    pub fn with_rows_that_share(
        self,
        scop: &Scop,
        node: &ScheduleNode,
        band: &Band,
        machine: &Machine,
    ) -> Result<Self> {
        let shares = |jam| Ok(shared_by_rows(scop, node, band, (self.vector, jam), machine)? > 0);
        let jam = self.jam.map_or(Ok(None), |jam| shares(jam).map(|shares| shares.then_some(jam)))?;
        Ok(Members { jam, ..self })
    }

    /// The members that a block has points along, outermost first.
    pub fn in_block(self) -> Vec<usize> {
        self.jam.into_iter().chain([self.vector]).collect()
    }
}

/// The arrays that have an element that a point of a block updates, as many as are updated in the same iterations; `None`
/// where nothing is updated that the recurrence leaves in place and both members of the block move, one of them along a
/// row.
pub(crate) fn accumulators(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    members: Members,
    machine: &Machine,
) -> Result<Option<Accumulators>> {
    let above = point_members_above(node)?;
    // Of each statement, what it updates.
    let (mut updated, mut bits) = (Vec::new(), 0);
    for uses in uses_below(scop, node, band, &above, machine)? {
        let mut arrays = BTreeSet::new();
        for used in uses.accesses.iter().filter(|used| used.role.is_update()) {
            let along = |member: usize| used.along[above.len() + member];
            let moves = |jam| matches!(along(jam), Some(Locality::Spatial | Locality::Strided(_) | Locality::None));
            let is_block = along(members.vector) == Some(Locality::Spatial) && members.jam.is_none_or(moves);
            let around = members.recurrence.map(|member| above.len() + member).or(used.along.len().checked_sub(1));
            if is_block && around.and_then(|around| used.along[around]) == Some(Locality::Temporal) {
                bits = bits.max(used.array.element.bits);
                arrays.insert(used.access.array()?);
            }
        }
        if !arrays.is_empty() {
            updated.push((arrays, uses));
        }
    }
    let count = u32::try_from(most_at_once(node, &above, band, &updated)?).unwrap_or(u32::MAX);
    Ok((count > 0).then_some(Accumulators { count, bits }))
}

/// How many arrays are updated by statements that have iterations in common, at most: as blocks on one side of a diagonal
/// are never whole together with those on the other, they share registers.
fn most_at_once(
    node: &ScheduleNode,
    above: &[UnionPwAff],
    band: &Band,
    updated: &[(BTreeSet<String>, Uses<'_>)],
) -> Result<usize> {
    let all: BTreeSet<&String> = updated.iter().flat_map(|(arrays, _)| arrays).collect();
    if all.len() < 2 {
        return Ok(all.len());
    }
    // { S[i] -> [t] }
    let loops: Vec<UnionPwAff> = above.iter().chain(&band.members).cloned().collect();
    let times = UnionMap::from_multi_union_pw_aff(tuple(node.ctx(), &loops)?)?.intersect_domain(node.domain()?)?;
    let mut iterations = Vec::new();
    for (_, uses) in updated {
        iterations.push(uses.domain()?.apply(times.clone())?);
    }
    let mut most = 0;
    for one in &iterations {
        let mut at_once = BTreeSet::new();
        for ((arrays, _), other) in updated.iter().zip(&iterations) {
            if !one.is_disjoint(other)? {
                at_once.extend(arrays);
            }
        }
        most = most.max(at_once.len());
    }
    Ok(most)
}

/// The loop along the updates goes from row to row in an array that is larger than one, whose rows the block walks
/// along, and that the points of the band do not come back to.
pub(crate) fn is_across_rows(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    members: Members,
    machine: &Machine,
) -> Result<bool> {
    let above = point_members_above(node)?;
    let points = above.len()..above.len() + band.members.len();
    for uses in uses_below(scop, node, band, &above, machine)? {
        for used in uses.accesses.iter().filter(|used| used.is_large(0)) {
            let along = |member: usize| used.along[above.len() + member];
            let crosses = members.recurrence.is_some_and(|member| along(member) == Some(Locality::None));
            if crosses && along(members.vector) == Some(Locality::Spatial) && !uses.comes_back(used, &points)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What accesses cost along one member that another one leaves in place, and so are shared by the rows of a block.
fn shared_by_rows(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    (vector, jam): (usize, usize),
    machine: &Machine,
) -> Result<u64> {
    let above = point_members_above(node)?;
    let mut shared = 0;
    for uses in uses_below(scop, node, band, &above, machine)? {
        let costs = OperationCosts::new(machine, uses.accesses.iter().map(|used| used.array));
        for used in &uses.accesses {
            let along = |member: usize| used.along[above.len() + member];
            if let (Some(locality), Some(Locality::Temporal)) = (along(vector), along(jam)) {
                shared += costs.access(locality, used.role, Width::Vector);
            }
        }
    }
    Ok(shared)
}

/// What the members `above` a band, its own, and those below do to the accesses of each statement.
pub(super) fn uses_below<'s>(
    scop: &'s Scop,
    node: &ScheduleNode,
    band: &Band,
    above: &[UnionPwAff],
    machine: &Machine,
) -> Result<Vec<Uses<'s>>> {
    let mut all = Vec::new();
    for (leaf, below) in leaves_below(node)? {
        let loops: Vec<UnionPwAff> = above.iter().chain(&band.members).chain(&below).cloned().collect();
        for statement in &scop.statements {
            all.extend(Uses::new(scop, statement, &leaf, &loops, machine)?);
        }
    }
    Ok(all)
}
