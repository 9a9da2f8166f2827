//! Private copies need all of an iteration in one place.
//!
//! A parallel loop gives each iteration its own copy of some arrays. AST generation may cut the loop in pieces, or run
//! a part of an iteration before or after the loop, which keeps the order but not the copies.

use super::{Error, Node};
use crate::scop::Scop;
use std::collections::BTreeSet;

/// Makes the parallel loops in the code of a mark sequential if one of its private arrays is accessed in more than one
/// of them, or in one and outside: each iteration finds what it wrote in the shared array then, for no value passes
/// from one iteration to another through a private array.
pub(super) fn keep_together(scop: &Scop, node: &mut Node, private: &[String]) -> Result<(), Error> {
    for array in private {
        let mut places = Places { scop, array, found: BTreeSet::new(), loops: 0 };
        places.visit(node, 0)?;
        if places.found.len() > 1 {
            make_sequential(node);
            return Ok(());
        }
    }
    Ok(())
}

struct Places<'a> {
    scop: &'a Scop,
    array: &'a str,
    /// The numbers of the parallel loops with accesses; 0 stands for outside of all.
    found: BTreeSet<usize>,
    loops: usize,
}

impl Places<'_> {
    fn visit(&mut self, node: &Node, place: usize) -> Result<(), Error> {
        match node {
            // Iterations of a loop inside of a parallel one are parts of its iterations.
            Node::For(node) if node.parallel.is_some() && place == 0 => {
                self.loops += 1;
                self.visit(&node.body, self.loops)
            }
            Node::Call(call) => {
                if self.scop.statement(call.statement).uses(self.array)? {
                    self.found.insert(place);
                }
                Ok(())
            }
            _ => node.children().try_for_each(|child| self.visit(child, place)),
        }
    }
}

fn make_sequential(node: &mut Node) {
    if let Node::For(node) = node {
        node.parallel = None;
    }
    node.children_mut().for_each(make_sequential);
}
