//! Weakly and strongly connected components (ppcg report, section 6.1), without recursion.

use crate::schedule::graph::Graph;

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
        let mut follows = follows;
        for (node, before) in follows.iter_mut().enumerate() {
            before.retain(|&other| other != node);
            before.sort_unstable_by(|a, b| b.cmp(a));
            before.dedup();
        }
        let mut tarjan = Tarjan {
            follows: &follows,
            index: vec![None; follows.len()],
            low: vec![0; follows.len()],
            visited: 0,
            open: Vec::new(),
            found: Components { of: vec![OPEN; follows.len()], count: 0 },
        };
        for root in (0..follows.len()).rev() {
            if tarjan.index[root].is_none() {
                tarjan.visit(root);
            }
        }
        tarjan.found
    }
}

/// The component of a node that is not in one yet.
const OPEN: usize = usize::MAX;

/// Tarjan's algorithm.
struct Tarjan<'g> {
    follows: &'g [Vec<usize>],
    /// The order in which nodes were visited.
    index: Vec<Option<usize>>,
    /// The least index of an open node that is known to be reached.
    low: Vec<usize>,
    visited: usize,
    /// Visited nodes without a component.
    open: Vec<usize>,
    found: Components,
}

impl Tarjan<'_> {
    fn open(&mut self, node: usize) {
        self.index[node] = Some(self.visited);
        self.low[node] = self.visited;
        self.visited += 1;
        self.open.push(node);
    }

    /// Visits what can be reached from a node.
    fn visit(&mut self, root: usize) {
        self.open(root);
        // Nodes on the way down, with the position of the next one to look at.
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some(&other) = self.follows[node].get(*next) else {
                path.pop();
                self.close(node);
                if let Some(&(above, _)) = path.last() {
                    self.low[above] = self.low[above].min(self.low[node]);
                }
                continue;
            };
            *next += 1;
            match self.index[other] {
                None => {
                    self.open(other);
                    path.push((other, 0));
                }
                Some(index) if self.found.of[other] == OPEN => self.low[node] = self.low[node].min(index),
                Some(_) => {}
            }
        }
    }

    /// Takes the component of a node off the open ones, if the node is the first of its component.
    fn close(&mut self, node: usize) {
        if self.index[node] != Some(self.low[node]) {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.found.of[member] = self.found.count;
            if member == node {
                break;
            }
        }
        self.found.count += 1;
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
