//! What packed tiles are for: reads that a vector crosses rows with, although it could walk along rows of a copy; reads
//! that it leaves in place, of values that are scaled before they are used, each time again; and pieces of rows that all
//! rows of blocks use, each in the same few pages then.

use super::path::{Path, vector_nests};
use super::registers::{Members, uses_below};
use super::reuse::{Use, Uses};
use super::step::Locality;
use crate::isl::{Result, ScheduleNode, UnionPwAff, UnionSet};
use crate::machine::Machine;
use crate::schedule_tree::PackedArray;
use crate::schedule_tree::band::{Band, point_members_above};
use crate::scop::{AccessKind, Scop, Statement};

/// What may be packed, and for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub array: PackedArray,
    /// Only for where it lies: vectors walk along rows as it is, and nobody scales it.
    pub in_order: bool,
}

/// The references of the statements below a node that vectors cross rows with, in the layout that lets them walk along
/// rows; those that they leave in place but scale, in the layout that they have; and those that all rows of a block share.
///
/// # Errors
/// Those of isl.
pub(crate) fn worth_packing(scop: &Scop, node: &ScheduleNode, machine: &Machine) -> Result<Vec<Wanted>> {
    let leaves = vector_nests(node)?;
    let mut found: Vec<Wanted> = Vec::new();
    for nest in &leaves {
        for statement in &scop.statements {
            for wanted in of_statement(scop, statement, nest, machine)? {
                if !found.iter().any(|known| known.array == wanted.array) {
                    found.push(wanted);
                }
            }
        }
    }
    Ok(found)
}

fn of_statement(
    scop: &Scop,
    statement: &Statement,
    (leaf, path): &(ScheduleNode, Path),
    machine: &Machine,
) -> Result<Vec<Wanted>> {
    let (domain, loops) = (leaf.domain()?, &path.loops[..]);
    let Some(uses) = Uses::new(scop, statement, &domain, loops, machine)? else { return Ok(Vec::new()) };
    let Some(inner) = loops.len().checked_sub(1).filter(|inner| uses.iterates(*inner)) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for used in uses.accesses.iter().filter(|used| used.access.kind == AccessKind::Read && used.is_large(0)) {
        let as_it_is = || packed(used, (0..used.array.rank()).collect());
        match used.along[inner] {
            Some(Locality::Temporal) if used.access.scaled => {
                found.push(Wanted { array: as_it_is(), in_order: false });
            }
            Some(Locality::Spatial) if is_shared_by_rows(used, path) => {
                found.push(Wanted { array: as_it_is(), in_order: true });
            }
            Some(Locality::None | Locality::Strided(_)) => {
                found.extend(along_rows(scop, statement, used, (&domain, loops), machine)?);
            }
            _ => {}
        }
    }
    Ok(found)
}

/// What a reference reads, its dimensions in an order.
fn packed(used: &Use<'_>, order: Vec<usize>) -> PackedArray {
    PackedArray { name: used.array.name.clone(), reference: Some(used.access.reference.clone()), order }
}

/// What a reference reads in a layout that lets the innermost loop walk along rows; `None` where there is none.
fn along_rows(
    scop: &Scop,
    statement: &Statement,
    used: &Use<'_>,
    (domain, loops): (&UnionSet, &[UnionPwAff]),
    machine: &Machine,
) -> Result<Option<Wanted>> {
    for last in 0..used.array.rank() {
        let order = (0..used.array.rank()).filter(|dimension| *dimension != last).chain([last]).collect();
        let array = packed(used, order);
        let again = Uses::with_packed(scop, statement, domain, (loops, std::slice::from_ref(&array)), machine)?;
        let same = |other: &&Use<'_>| other.access.reference == used.access.reference;
        let again = again.as_ref().and_then(|uses| uses.accesses.iter().find(same));
        if again.and_then(|used| used.along.last().copied().flatten()) == Some(Locality::Spatial) {
            return Ok(Some(Wanted { array, in_order: false }));
        }
    }
    Ok(None)
}

/// All rows of a block read the same, and each iteration around the block reads a piece of another row.
fn is_shared_by_rows(used: &Use<'_>, path: &Path) -> bool {
    let Some(block) = path.block.filter(|block| block.rows > 1) else { return false };
    let rows = block.around + 1;
    used.along[rows] == Some(Locality::Temporal) && used.along[block.around] == Some(Locality::None)
}

/// What the statements of a band read that may be packed for blocks of its members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Operands {
    /// The arrays of which all rows of a block share what they read.
    pub shared: Vec<String>,
    /// How many references are scaled that each row of blocks has for itself.
    pub scaled: u32,
}

/// What blocks of these members read of large arrays, along one that updates.
///
/// # Errors
/// Those of isl.
pub(crate) fn operands(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    members: Members,
    machine: &Machine,
) -> Result<Operands> {
    let mut operands = Operands::default();
    let (Some(jam), Some(recurrence)) = (members.jam, members.recurrence) else { return Ok(operands) };
    let above = point_members_above(node)?;
    for uses in uses_below(scop, node, band, &above, machine)? {
        for used in uses.accesses.iter().filter(|used| used.access.kind == AccessKind::Read && used.is_large(0)) {
            let moves = |member: usize| !matches!(used.along[above.len() + member], None | Some(Locality::Temporal));
            match (moves(members.vector), moves(jam), moves(recurrence)) {
                (true, false, true) => operands.shared.push(used.array.name.clone()),
                (false, true, true) if used.access.scaled => operands.scaled += 1,
                _ => {}
            }
        }
    }
    Ok(operands)
}
