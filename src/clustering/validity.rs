//! Whether the statements of a cluster can follow each other without any other between them (section 6.1).
//!
//! Within one iteration of the loops that statements share, what depends on what is a graph of statements. A cluster is
//! convex if no path in it leads out of the cluster and back; all are if the graph of clusters has no cycle. (Paths that
//! other iterations are on are no obstacle: macro-statements have to respect those as statements have.) Whoever found
//! the clusters, this is asked of them.

use super::decision::Decision;
use crate::isl::{self, DimType, Map, ScheduleConstraints, UnionMap};
use crate::schedule::Components;
use crate::schedule_tree::Positions;
use std::collections::BTreeMap;

/// The clusters of a decision that are valid together. Of those on a common cycle none is, nor is one whose statements
/// are in different numbers of loops.
///
/// # Errors
/// Failures of isl.
pub fn valid(decision: Decision, constraints: &ScheduleConstraints, positions: &Positions) -> isl::Result<Decision> {
    // What follows each other in the program with nothing in between may follow each other.
    if decision.is_empty() || decision.clusters().iter().all(|cluster| positions.are_adjacent(cluster)) {
        return Ok(decision);
    }
    let graph = Graph::new(&decision, constraints, positions)?;
    let has_one_depth = |cluster: &Vec<String>| {
        let mut depths = cluster.iter().map(|name| positions.depth(name));
        let first = depths.next().flatten();
        first.is_some() && depths.all(|depth| depth == first)
    };
    let kept = decision.clusters().iter().enumerate();
    let kept = kept.filter(|(number, cluster)| !graph.is_on_a_cycle(*number) && has_one_depth(cluster));
    Ok(Decision::new(kept.map(|(_, cluster)| cluster.clone()), positions))
}

/// What depends on what within an iteration: clusters first, then the other statements.
struct Graph {
    components: Components,
}

impl Graph {
    fn new(decision: &Decision, constraints: &ScheduleConstraints, positions: &Positions) -> isl::Result<Graph> {
        let mut nodes: BTreeMap<String, usize> = BTreeMap::new();
        for (number, cluster) in decision.clusters().iter().enumerate() {
            nodes.extend(cluster.iter().map(|name| (name.clone(), number)));
        }
        let mut follows = vec![Vec::new(); decision.clusters().len()];
        for map in orders(constraints)?.map_list()?.to_vec()? {
            let (Some(source), Some(sink)) = (map.tuple_name(DimType::In)?, map.tuple_name(DimType::Out)?) else {
                continue;
            };
            let mut node = |name: &String| {
                *nodes.entry(name.clone()).or_insert_with(|| {
                    follows.push(Vec::new());
                    follows.len() - 1
                })
            };
            let ends = (node(&source), node(&sink));
            let is_known = ends.0 == ends.1 || follows[ends.1].contains(&ends.0);
            if !is_known && relates_iterations(&map, &source, &sink, positions)? {
                follows[ends.1].push(ends.0);
            }
        }
        Ok(Graph { components: Components::of(follows) })
    }

    fn is_on_a_cycle(&self, cluster: usize) -> bool {
        self.components.of.iter().filter(|component| **component == self.components.of[cluster]).count() > 1
    }
}

/// What must keep its order, perhaps under a condition: `{ S[i] -> T[j] }`.
pub(super) fn orders(constraints: &ScheduleConstraints) -> isl::Result<UnionMap> {
    let untagged = |pairs: UnionMap| pairs.factor_domain();
    let conditional = untagged(constraints.conditional_validity()?)?;
    let live = untagged(constraints.conditional_validity_condition()?)?;
    constraints.validity()?.union(conditional)?.union(live)
}

/// Some pairs are in the same iteration of all loops that both statements are in. Where that is not known they may be.
fn relates_iterations(map: &Map, source: &str, sink: &str, positions: &Positions) -> isl::Result<bool> {
    let (Some(of_source), Some(of_sink)) = (positions.depth(source), positions.depth(sink)) else { return Ok(true) };
    let common = of_source.min(of_sink);
    if common == 0 {
        return Ok(true);
    }
    let together = same_iteration(source, sink, common, positions)?;
    Ok(!map.is_disjoint(&together)?)
}

/// Instances in the same iteration of the outermost so many loops: `{ S[i] -> T[j] }`.
pub(super) fn same_iteration(source: &str, sink: &str, loops: usize, positions: &Positions) -> isl::Result<Map> {
    positions.iterations(source, loops)?.apply_range(positions.iterations(sink, loops)?.reverse()?)
}
