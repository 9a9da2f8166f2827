//! What packed tiles are for: reads that a vector crosses rows with, although it could walk along rows of a copy; and
//! reads that it leaves in place, of values that are scaled before they are used, each time again.

use super::path::vector_nests;
use super::reuse::{Use, Uses};
use super::step::Locality;
use crate::isl::{Result, ScheduleNode, UnionPwAff};
use crate::machine::Machine;
use crate::schedule_tree::PackedArray;
use crate::scop::{AccessKind, Scop, Statement};

/// The references of the statements below a node that vectors cross rows with, in the layout that lets them walk along
/// rows, and those that they leave in place but scale, in the layout that they have.
///
/// # Errors
/// Those of isl.
pub(crate) fn worth_packing(scop: &Scop, node: &ScheduleNode, machine: &Machine) -> Result<Vec<PackedArray>> {
    let leaves = vector_nests(node)?;
    let mut found: Vec<PackedArray> = Vec::new();
    for (leaf, loops) in &leaves {
        for statement in &scop.statements {
            for packed in of_statement(scop, statement, (leaf, loops), machine)? {
                if !found.contains(&packed) {
                    found.push(packed);
                }
            }
        }
    }
    Ok(found)
}

fn of_statement(
    scop: &Scop,
    statement: &Statement,
    (leaf, loops): (&ScheduleNode, &[UnionPwAff]),
    machine: &Machine,
) -> Result<Vec<PackedArray>> {
    let domain = leaf.domain()?;
    let Some(uses) = Uses::new(scop, statement, &domain, loops, machine)? else { return Ok(Vec::new()) };
    let Some(inner) = loops.len().checked_sub(1).filter(|inner| uses.iterates(*inner)) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for used in uses.accesses.iter().filter(|used| used.access.kind == AccessKind::Read && used.is_large(0)) {
        if used.along[inner] == Some(Locality::Temporal) && used.access.scaled {
            let (name, reference) = (used.array.name.clone(), Some(used.access.reference.clone()));
            found.push(PackedArray { name, reference, order: (0..used.array.rank()).collect() });
        }
        if !matches!(used.along[inner], Some(Locality::None | Locality::Strided(_))) {
            continue;
        }
        for last in 0..used.array.rank() {
            let order = (0..used.array.rank()).filter(|dimension| *dimension != last).chain([last]).collect();
            let (name, reference) = (used.array.name.clone(), Some(used.access.reference.clone()));
            let packed = [PackedArray { name, reference, order }];
            let again = Uses::with_packed(scop, statement, &domain, (loops, &packed), machine)?;
            let same = |other: &&Use<'_>| other.access.reference == used.access.reference;
            let along = again.as_ref().and_then(|uses| uses.accesses.iter().find(same)).map(|used| used.along[inner]);
            if along == Some(Some(Locality::Spatial)) {
                found.extend(packed);
                break;
            }
        }
    }
    Ok(found)
}
