//! A region as one region for each of its arrays.

use crate::isl::Result;
use crate::schedule_tree::among;
use crate::scop::{AccessKind, Scop};
use std::collections::{BTreeMap, BTreeSet};

/// For each array that is written, the statements that access it, with these accesses alone, in their order. What is
/// only read has no dependences; reads of it are in a region of their own, as its values come from before.
pub(super) fn by_array(scop: &Scop) -> Result<Vec<Scop>> {
    let mut written: BTreeMap<String, bool> = BTreeMap::new();
    for access in scop.statements.iter().flat_map(|statement| &statement.accesses) {
        *written.entry(access.array()?).or_default() |= access.kind != AccessKind::Read;
    }
    let read: BTreeSet<String> =
        written.iter().filter(|(_, is_written)| !**is_written).map(|(array, _)| array.clone()).collect();
    let mut groups: Vec<BTreeSet<String>> =
        written.into_iter().filter(|(_, is_written)| *is_written).map(|(array, _)| BTreeSet::from([array])).collect();
    groups.push(read);
    let mut parts = Vec::new();
    for arrays in groups {
        parts.extend(part(scop, &arrays)?);
    }
    Ok(parts)
}

/// The statements that access some arrays, with these accesses alone, in their order. None: there are none.
pub(super) fn part(scop: &Scop, arrays: &BTreeSet<String>) -> Result<Option<Scop>> {
    let mut statements = Vec::new();
    for statement in &scop.statements {
        let kept = statement.with_accesses_to(|array| arrays.contains(array))?;
        if !kept.accesses.is_empty() {
            statements.push(kept);
        }
    }
    let names = statements.iter().map(|statement| statement.name.clone()).collect();
    let Some(schedule) = among(&scop.schedule, &names)? else { return Ok(None) };
    let (name, context, live_out) = (scop.name.clone(), scop.context.clone(), scop.live_out.clone());
    Ok(Some(Scop { name, context, arrays: scop.arrays.clone(), statements, schedule, live_out }))
}
