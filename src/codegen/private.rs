//! Private copies need all of an iteration in one place.
//!
//! A parallel loop gives each iteration its own copy of some arrays. AST generation may cut the loop in pieces, or run a
//! part of an iteration before or after the loop, which keeps the order but not the copies.

use super::{Error, Node};
use crate::scop::{AccessKind, Scop, StatementId};
use std::collections::BTreeSet;

/// Makes the parallel loops in the code of a mark sequential if one of its private arrays is accessed in more than one of
/// them, or in one and outside: each iteration finds what it wrote in the shared array then, for no value passes from
/// one iteration to another through a private array.
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
            Node::Block(children) => children.iter().try_for_each(|child| self.visit(child, place)),
            Node::For(node) if node.parallel.is_some() => {
                self.loops += 1;
                self.visit(&node.body, self.loops)
            }
            Node::For(node) => self.visit(&node.body, place),
            Node::If(branch) => {
                self.visit(&branch.then, place)?;
                branch.otherwise.as_ref().map_or(Ok(()), |node| self.visit(node, place))
            }
            Node::Call(call) => {
                if self.accesses(call.statement)? {
                    self.found.insert(place);
                }
                Ok(())
            }
        }
    }

    fn accesses(&self, statement: StatementId) -> Result<bool, Error> {
        for access in &self.scop.statement(statement).accesses {
            if access.kind != AccessKind::Kill && access.array()? == self.array {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn make_sequential(node: &mut Node) {
    match node {
        Node::Block(children) => children.iter_mut().for_each(make_sequential),
        Node::For(node) => {
            node.parallel = None;
            make_sequential(&mut node.body);
        }
        Node::If(branch) => {
            make_sequential(&mut branch.then);
            branch.otherwise.iter_mut().for_each(make_sequential);
        }
        Node::Call(_) => {}
    }
}
