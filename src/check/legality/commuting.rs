//! Updates that may change places.
//!
//! Statements that gather integers in one element by the same operation, of which the order never counts (minima, maxima, bits),
//! may do that in any order, as long as nothing else sees or sets the element in between. So of the pairs on such
//! an array, those that must keep their order are all but two updates by the same operation, on the element that both gather in. What
//! is left says all: everything that sets or sees the element otherwise keeps its place among the updates, and
//! has the same ones before it.
//!
//! They are conflicts all the same: none may run at the same time as another one.

use super::accesses::accesses_to;
use crate::isl::{Result, UnionMap};
use crate::scop::{AccessKind, Array, ElementKind, Operator, Role, Scop, Statement};
use std::collections::BTreeMap;

/// What is done to an array, `{ I -> A[a] }` each.
struct Uses {
    /// Reads but for those of elements that updates gather in.
    reads: UnionMap,
    /// Writes but for those of updates.
    writes: UnionMap,
    /// What updates gather in, by their operation.
    updates: Vec<UnionMap>,
}

/// The pairs `{ I -> I' }`, in both directions or in one, that must keep their order on an array. `None` where these are all
/// that conflict.
///
/// # Errors
/// Those of isl.
pub(super) fn ordered(scop: &Scop, array: &Array) -> Result<Option<UnionMap>> {
    let Some(Uses { reads, writes, updates }) = uses(scop, array)? else { return Ok(None) };
    let pairs = |one: &UnionMap, other: &UnionMap| one.clone().apply_range(other.clone().reverse()?);
    let mut all = pairs(&writes, &writes)?;
    let mut add = |one: &UnionMap, other: &UnionMap| -> Result<()> {
        let both = pairs(one, other)?;
        all = all.clone().union(both.clone())?.union(both.reverse()?)?;
        Ok(())
    };
    add(&writes, &reads)?;
    for (number, update) in updates.iter().enumerate() {
        add(update, &reads)?;
        add(update, &writes)?;
        for other in &updates[..number] {
            add(update, other)?;
        }
    }
    Ok(Some(all))
}

/// `None` where no statement gathers values in any order.
fn uses(scop: &Scop, array: &Array) -> Result<Option<Uses>> {
    if array.element.kind != ElementKind::Int {
        return Ok(None);
    }
    let none = UnionMap::empty(scop.context.space()?)?;
    let mut updates: BTreeMap<String, UnionMap> = BTreeMap::new();
    // The accesses of updates, by their positions.
    let mut gathered = BTreeMap::new();
    for (number, statement) in scop.statements.iter().enumerate() {
        let Some(operator) = free_update(statement) else { continue };
        let Some((read, write)) = statement.gathered()? else { continue };
        let relation = statement.accesses[write].relation.clone().intersect_domain(statement.domain.clone())?;
        if statement.accesses[write].array()? != array.name || !relation.is_single_valued()? {
            continue;
        }
        let relation = relation.to_union_map()?.intersect_params(scop.context.clone())?;
        let known = updates.entry(operator.to_string()).or_insert_with(|| none.clone());
        *known = known.clone().union(relation)?;
        gathered.insert(number, [read, write]);
    }
    if updates.is_empty() {
        return Ok(None);
    }
    let mut rest = scop.clone();
    for (number, positions) in gathered {
        let accesses = rest.statements[number].accesses.iter().enumerate();
        let others = accesses.filter(|(position, _)| !positions.contains(position));
        rest.statements[number].accesses = others.map(|(_, access)| access.clone()).collect();
    }
    let reads = accesses_to(&rest, |access, name| name == array.name && access.kind == AccessKind::Read)?;
    let writes = accesses_to(&rest, |access, name| name == array.name && access.kind.is_write())?;
    Ok(Some(Uses { reads, writes, updates: updates.into_values().collect() }))
}

/// The operation by which a statement gathers values, if its order never counts.
fn free_update(statement: &Statement) -> Option<Operator> {
    let reduction = statement.reduction.filter(|reduction| reduction.role == Role::Update)?;
    reduction.operator.is_free_of_order().then_some(reduction.operator)
}
