//! Weakly and strongly connected components (ppcg report, section 6.1), without recursion.

use crate::schedule::graph::Graph;
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

/// A partition of nodes, in topological order: a component only follows components before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// The component of each node.
    pub of: Vec<usize>,
    /// How many there are.
    pub count: usize,
}

impl Components {
    /// Nodes connected by any constraints.
    pub fn weak(graph: &Graph) -> Components {
        let mut follows = vec![Vec::new(); graph.nodes.len()];
        for edge in &graph.edges {
            follows[edge.target].push(edge.source);
            follows[edge.source].push(edge.target);
        }
        Components::of(follows)
    }

    /// Nodes on cycles of validity constraints, the conditioned ones included.
    pub fn strong(graph: &Graph) -> Components {
        let mut follows = vec![Vec::new(); graph.nodes.len()];
        for edge in graph.edges.iter().filter(|edge| edge.kinds.orders()) {
            follows[edge.target].push(edge.source);
        }
        Components::of(follows)
    }

    /// The strongly connected components, given for each node those that it follows. Nodes are visited from the last to
    /// the first, which decides between topological orders.
    pub fn of(follows: Vec<Vec<usize>>) -> Components {
        let mut leads = DiGraphMap::<usize, ()>::new();
        for node in (0..follows.len()).rev() {
            leads.add_node(node);
        }
        let mut of = vec![0; follows.len()];
        for (node, mut before) in follows.into_iter().enumerate() {
            // Of the neighbours of a node, petgraph visits the one that came last first.
            before.sort_unstable();
            for other in before {
                leads.add_edge(other, node, ());
            }
        }
        let found = kosaraju_scc(&leads);
        for (number, members) in found.iter().rev().enumerate() {
            for &member in members {
                of[member] = number;
            }
        }
        Components { of, count: found.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_follow() {
        // 0 and 2 follow each other, 1 follows 2, 3 follows nothing.
        let components = Components::of(vec![vec![2], vec![2, 1], vec![0], vec![]]);
        assert_eq!(components.count, 3);
        assert_eq!(components.of[0], components.of[2]);
        assert!(components.of[1] > components.of[2]);
        // The last node is visited first.
        assert_eq!(components.of[3], 0);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let chain = (0..200_000usize).map(|node| node.checked_sub(1).into_iter().collect()).collect();
        let components = Components::of(chain);
        assert_eq!(components.count, 200_000);
        assert!(components.of.is_sorted());
    }
}
