//! What blocks of points keep in registers: the extent of a block, and the members of a band that it is made of.

use super::innermost::{Formula, best_innermost};
use super::reuse::Uses;
use super::step::Locality;
use crate::isl::{Result, ScheduleNode, UnionPwAff};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, leaves_below, point_members_above};
use crate::scop::Scop;
use std::collections::BTreeSet;

/// The extent of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RegisterBlock {
    /// Along the member that is not a vector; 1 where there is none.
    pub rows: u32,
    /// Along the innermost member.
    pub columns: u32,
}

/// A block that takes half of the vector registers for accumulators: two vectors by as many rows as that leaves, for so
/// many accumulators of so many bits at each point. `None` where it would have one row only, unless there is but one.
pub(crate) fn block_for(machine: &Machine, accumulators: u32, bits: u32, has_rows: bool) -> Option<RegisterBlock> {
    const VECTORS: u32 = 2;
    let lanes = machine.vector_bits.checked_div(bits).filter(|lanes| *lanes > 1)?;
    let rows = (machine.vector_registers / 2).checked_div(accumulators * VECTORS)?;
    let columns = VECTORS * lanes;
    match has_rows {
        // A power of two, so that blocks fit into tiles.
        true => (rows > 1).then(|| RegisterBlock { rows: 1 << rows.ilog2(), columns }),
        false => (rows > 0).then_some(RegisterBlock { rows: 1, columns }),
    }
}

/// The most rows that a block has.
pub(crate) fn most_rows(machine: &Machine) -> u32 {
    block_for(machine, 1, machine.vector_bits / 2, true).map_or(1, |block| block.rows)
}

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
    let block = found.and_then(|(accumulators, bits)| block_for(machine, accumulators, bits, false));
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
    /// One that leaves in place what is updated.
    pub recurrence: usize,
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
        Ok(recurrence.filter(|_| enough).map(|recurrence| Members { vector, jam, recurrence }))
    }

    /// The members that a block has points along, outermost first.
    pub fn in_block(self) -> Vec<usize> {
        self.jam.into_iter().chain([self.vector]).collect()
    }
}

/// How many arrays have an element that a point of a block updates, and how many bits the largest element has; `None`
/// where nothing is updated that the recurrence leaves in place and both members of the block move, one of them along a
/// row.
pub(crate) fn accumulators(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    members: Members,
    machine: &Machine,
) -> Result<Option<(u32, u32)>> {
    let above = point_members_above(node)?;
    let (mut arrays, mut bits) = (BTreeSet::new(), 0);
    for uses in uses_below(scop, node, band, &above, machine)? {
        for used in uses.accesses.iter().filter(|used| used.role.is_update()) {
            let along = |member: usize| used.along[above.len() + member];
            let moves = |jam| matches!(along(jam), Some(Locality::Spatial | Locality::Strided(_) | Locality::None));
            let is_block = along(members.vector) == Some(Locality::Spatial) && members.jam.is_none_or(moves);
            if is_block && along(members.recurrence) == Some(Locality::Temporal) {
                let array = used.access.array()?;
                bits = scop.array_by_name(&array).map_or(bits, |array| bits.max(array.element.bits));
                arrays.insert(array);
            }
        }
    }
    let count = u32::try_from(arrays.len()).unwrap_or(u32::MAX);
    Ok((count > 0).then_some((count, bits)))
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
            let crosses = along(members.recurrence) == Some(Locality::None);
            if crosses && along(members.vector) == Some(Locality::Spatial) && !uses.comes_back(used, &points)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What the members `above` a band, its own, and those below do to the accesses of each statement.
fn uses_below<'s>(
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
