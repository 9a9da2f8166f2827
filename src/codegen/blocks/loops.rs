//! Where loops over the points of blocks are.

use super::super::translate::contains_loop;
use polyrs_model::ast::{IteratorId, Node};
use std::collections::BTreeSet;

/// Where in a body blocks are that no condition is around.
pub(super) fn places_of_blocks(body: &Node) -> Vec<usize> {
    let Node::Block(children) = body else { return Vec::new() };
    let blocks = children.iter().enumerate().filter(|(_, child)| matches!(child, Node::For(inner) if inner.block));
    blocks.map(|(place, _)| place).collect()
}

/// There are loops in a body, and all of them are over blocks.
pub(super) fn is_around_blocks(body: &Node) -> bool {
    fn all_blocks(node: &Node) -> bool {
        let other = matches!(node, Node::Kernel(_)) || matches!(node, Node::For(inner) if !inner.block);
        !other && node.children().all(all_blocks)
    }
    contains_loop(body) && all_blocks(body)
}

/// Adds the iterators of the loops in a node.
pub(super) fn iterators(node: &Node, all: &mut BTreeSet<IteratorId>) {
    if let Node::For(node) = node {
        all.insert(node.iterator);
    }
    node.children().for_each(|child| iterators(child, all));
}

/// There are loops over blocks in a node.
pub(super) fn has_blocks(node: &Node) -> bool {
    matches!(node, Node::For(inner) if inner.block) || node.children().any(has_blocks)
}
