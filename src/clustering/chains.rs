//! Statements in sequence, each of which uses what the one before computed in the same iteration (ppcg report, 7.4).

use super::decision::Decision;
use super::validity::same_iteration;
use crate::isl::{self, DimType, Map, ScheduleConstraints, Set};
use crate::schedule_tree::Positions;
use std::collections::BTreeMap;

/// The chains in the sequences of the original order: neighbours are compared from the last to the first, and what has
/// become one is compared again with what follows it.
///
/// # Errors
/// Failures of isl.
pub fn chains(constraints: &ScheduleConstraints, positions: &Positions) -> isl::Result<Decision> {
    let links = Links::new(constraints)?;
    let mut clusters = Vec::new();
    for sequence in &positions.sequences {
        // The groups behind the child that is looked at, the nearest last; nothing is in front of a child with loops.
        let mut behind: Vec<Vec<String>> = Vec::new();
        for child in sequence.iter().rev() {
            let Some(name) = child.as_ref().filter(|name| positions.depth(name).is_some()) else {
                clusters.append(&mut behind);
                continue;
            };
            let mut group = vec![name.clone()];
            while let Some(next) = behind.last() {
                if !links.are_chained(&group, next, positions)? {
                    break;
                }
                group.extend(behind.pop().unwrap_or_default());
            }
            behind.push(group);
        }
        clusters.append(&mut behind);
    }
    Ok(Decision::new(clusters, positions))
}

/// What must keep its order and should be near, between two statements.
struct Links {
    by_ends: BTreeMap<(String, String), Map>,
    domains: BTreeMap<String, Set>,
}

impl Links {
    fn new(constraints: &ScheduleConstraints) -> isl::Result<Links> {
        let both = constraints.validity()?.intersect(constraints.proximity()?)?;
        let mut by_ends = BTreeMap::new();
        for map in both.map_list()?.to_vec()? {
            if let (Some(source), Some(sink)) = (map.tuple_name(DimType::In)?, map.tuple_name(DimType::Out)?) {
                by_ends.insert((source, sink), map);
            }
        }
        Ok(Links { by_ends, domains: constraints.domain()?.named_sets()? })
    }

    /// Some statement of the first group is linked to one of the second.
    fn are_chained(&self, first: &[String], second: &[String], positions: &Positions) -> isl::Result<bool> {
        for source in first {
            for sink in second {
                if self.are_linked(source, sink, positions)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The pairs are all instances of both, each in one pair, of the same iteration.
    fn are_linked(&self, source: &str, sink: &str, positions: &Positions) -> isl::Result<bool> {
        let Some(map) = self.by_ends.get(&(source.to_owned(), sink.to_owned())) else { return Ok(false) };
        let (Some(from), Some(to)) = (self.domains.get(source), self.domains.get(sink)) else { return Ok(false) };
        let depth = positions.depth(source);
        if depth.is_none() || depth != positions.depth(sink) || !map.is_bijective()? {
            return Ok(false);
        }
        let depth = depth.unwrap_or(0);
        let is_together = depth == 0 || map.is_subset(&same_iteration(source, sink, depth, positions)?)?;
        Ok(is_together && from.is_subset(&map.clone().domain()?)? && to.is_subset(&map.clone().range()?)?)
    }
}
