//! Strongly connected components of statements.

use super::validity::orders;
use crate::isl::{self, DimType, ScheduleConstraints};
use crate::schedule::Components;
use std::collections::BTreeMap;

/// The strongly connected components of all statements, by number: what must keep its order leads from each
/// statement of one to each other.
///
/// # Errors
/// Failures of isl.
pub fn components(constraints: &ScheduleConstraints) -> isl::Result<BTreeMap<String, usize>> {
    let mut numbers = BTreeMap::new();
    for set in constraints.domain()?.set_list()?.to_vec()? {
        let number = numbers.len();
        numbers.extend(set.tuple_name()?.map(|name| (name, number)));
    }
    let mut follows = vec![Vec::new(); numbers.len()];
    for map in orders(constraints)?.map_list()?.to_vec()? {
        let ends = (map.tuple_name(DimType::In)?, map.tuple_name(DimType::Out)?);
        let (Some(source), Some(sink)) = ends else { continue };
        if let (Some(source), Some(sink)) = (numbers.get(&source), numbers.get(&sink)) {
            follows[*sink].push(*source);
        }
    }
    let components = Components::of(follows);
    Ok(numbers.into_iter().map(|(name, number)| (name, components.of[number])).collect())
}
