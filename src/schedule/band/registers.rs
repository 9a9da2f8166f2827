//! How many registers the references of statements would take (unified report, section 4.7, "Carrying dependences to
//! avoid fusion").

use crate::schedule::graph::Graph;
use std::collections::BTreeMap;

/// The report's `h`: each reference that is different from the others counts as much as its statement has loops, or where it
/// is in several statements, as the one with most loops. A loop that runs once at most does not count.
pub(super) fn estimate(graph: &Graph) -> i64 {
    let mut different: BTreeMap<usize, usize> = BTreeMap::new();
    for node in &graph.nodes {
        for &reference in node.statement.references.iter().flat_map(|references| &references.distinct) {
            let loops = different.entry(reference).or_default();
            *loops = node.variables().max(*loops);
        }
    }
    different.values().fold(0, |sum: i64, &loops| sum.saturating_add(i64::try_from(loops).unwrap_or(i64::MAX)))
}
