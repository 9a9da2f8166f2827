//! The longest runs of nodes that can be raised.

use super::arrays::Array;
use super::code::{Code, LoopId};
use super::describe::{Description, blocks_of};
use super::refusal::{Obstacle, Reason};
use super::region::{Region, raise};
use super::structure::{Node, loop_place, loops_inside, structure};

/// How often raising is tried in one function.
const ATTEMPTS: usize = 100;

/// The regions of a function, and what was in the way of others, in textual order. `singles`: a loop by itself, with none in
/// it and none beside it, is one too.
pub fn search(
    code: &Code,
    function: &str,
    singles: bool,
    apart: &dyn Fn(&Array, &Array, &Description) -> bool,
) -> Vec<Result<Region, Obstacle>> {
    let mut search = Search { code, function, singles, apart, found: Vec::new(), attempts: 0, regions: 0 };
    for nodes in structure(code) {
        search.run(&nodes);
    }
    search.found
}

struct Search<'a> {
    code: &'a Code,
    function: &'a str,
    singles: bool,
    apart: &'a dyn Fn(&Array, &Array, &Description) -> bool,
    found: Vec<Result<Region, Obstacle>>,
    attempts: usize,
    regions: usize,
}

impl Search<'_> {
    /// Raises a run of nodes, or parts of it.
    fn run(&mut self, nodes: &[Node]) {
        let Some(first) = nodes.iter().position(Node::has_loop) else { return };
        let last = nodes.iter().rposition(Node::has_loop).unwrap_or(first);
        let nodes = &nodes[first..=last];
        self.attempts += 1;
        if self.attempts > ATTEMPTS {
            return;
        }
        let name = format!("{}.poly.{}", self.function, self.regions);
        // What can be told without describing anything comes first.
        let obstacle = self.joined(nodes).or_else(|| nodes.iter().find_map(|node| node.obstacle(self.code)));
        let raised = match obstacle.or_else(|| self.single(nodes)) {
            Some(obstacle) => Err(obstacle),
            None => raise(self.code, nodes, &name, self.apart),
        };
        let obstacle = match raised {
            Ok(region) => {
                self.regions += 1;
                self.found.push(Ok(region));
                return;
            }
            Err(obstacle) => obstacle,
        };
        let at = nodes.iter().position(|node| self.holds(node, &obstacle)).unwrap_or(0);
        self.run(&nodes[..at]);
        let known = |found: &Result<Region, Obstacle>| found.as_ref().is_err_and(|known| *known == obstacle);
        if !self.found.iter().any(known) {
            self.found.push(Err(obstacle));
        }
        self.inside(&nodes[at]);
        self.run(&nodes[at + 1..]);
    }

    /// Whether the last node ends where other code joins in: then it has no end of its own.
    fn joined(&self, nodes: &[Node]) -> Option<Obstacle> {
        let Some(Node::If { block, join, .. }) = nodes.last() else { return None };
        let blocks = blocks_of(self.code, nodes);
        let own = self.code.blocks[join.0].predecessors.iter().all(|before| blocks.contains(before));
        (!own).then(|| Obstacle {
            reason: Reason::Unstructured,
            place: nodes.last().and_then(|node| node.place(self.code)),
            block: *block,
        })
    }

    /// Whether there is but one loop, and such are left as they are.
    fn single(&self, nodes: &[Node]) -> Option<Obstacle> {
        if self.singles || nodes.iter().map(Node::loops).sum::<usize>() > 1 {
            return None;
        }
        let number = nodes.iter().find_map(Node::first_loop)?;
        let block = self.code.loops[number.0].header;
        Some(Obstacle { reason: Reason::Single, place: loop_place(self.code, number), block })
    }

    fn holds(&self, node: &Node, obstacle: &Obstacle) -> bool {
        match node {
            Node::Opaque { block, .. } => {
                let inside = |number: LoopId| self.code.is_within(self.code.blocks[obstacle.block.0].around, number);
                *block == obstacle.block || self.code.loop_at(*block).is_some_and(inside)
            }
            Node::Straight { block, .. } => *block == obstacle.block,
            Node::If { .. } | Node::Loop { .. } => {
                blocks_of(self.code, std::slice::from_ref(node)).contains(&obstacle.block)
            }
        }
    }

    /// Looks for regions in a node that is none itself.
    fn inside(&mut self, node: &Node) {
        match node {
            Node::Straight { .. } => {}
            Node::If { then, otherwise, .. } => {
                self.run(&then.nodes);
                self.run(&otherwise.nodes);
            }
            Node::Loop { body, .. } => self.run(body),
            Node::Opaque { block, .. } => {
                for nodes in loops_inside(self.code, *block) {
                    self.run(&nodes);
                }
            }
        }
    }
}
