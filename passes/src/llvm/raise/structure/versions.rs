//! Nodes of which one of two versions is left.
//!
//! Compilers and people write loops in two versions, for one of which there is a good form: the stride is 1, or it is not.
//! Where one version cannot be described, the region may be what the other one makes of it. The condition is one under
//! which the original has to run then, as if the program ended with an error there.

use super::members::{blocks_of, is_phi};
use super::nodes::{Branch, ControlNode};
use crate::llvm::raise::code::function::Code;
use crate::llvm::raise::code::ids::BlockId;

/// The nodes without one or the other of the two innermost versions of which one holds a block; nothing if there are none.
pub fn single_versions(code: &Code, nodes: &[ControlNode], block: BlockId) -> Vec<Vec<ControlNode>> {
    let holds = |node: &ControlNode| blocks_of(code, std::slice::from_ref(node)).contains(&block);
    let Some(at) = nodes.iter().position(holds) else { return Vec::new() };
    let instead: Vec<Vec<ControlNode>> = match &nodes[at] {
        ControlNode::Loop { number, body, exit } => {
            let node = |body| vec![ControlNode::Loop { number: *number, body, exit: *exit }];
            single_versions(code, body, block).into_iter().map(node).collect()
        }
        ControlNode::Version { branch, join } => {
            let node = |nodes| vec![ControlNode::Version { branch: Branch { nodes, from: branch.from }, join: *join }];
            single_versions(code, &branch.nodes, block).into_iter().map(node).collect()
        }
        ControlNode::If { .. } => of_condition(code, &nodes[at], block),
        _ => return Vec::new(),
    };
    let whole = |middle: Vec<ControlNode>| [&nodes[..at], &middle, &nodes[at + 1..]].concat();
    instead.into_iter().map(whole).collect()
}

/// What stands in the place of a condition.
fn of_condition(code: &Code, node: &ControlNode, block: BlockId) -> Vec<Vec<ControlNode>> {
    let ControlNode::If { block: head, condition, then, otherwise, join } = node else { return Vec::new() };
    let in_then = blocks_of(code, &then.nodes).contains(&block);
    let (version, other) = if in_then { (then, otherwise) } else { (otherwise, then) };
    if !in_then && !blocks_of(code, &otherwise.nodes).contains(&block) {
        return Vec::new();
    }
    let inner = single_versions(code, &version.nodes, block);
    if !inner.is_empty() {
        let node = |nodes| {
            let version = Branch { nodes, from: version.from };
            let [then, otherwise] = if in_then { [version, other.clone()] } else { [other.clone(), version] };
            vec![ControlNode::If { block: *head, condition: *condition, then, otherwise, join: *join }]
        };
        return inner.into_iter().map(node).collect();
    }
    let joins = code.blocks[join.0].instructions.iter().any(|value| is_phi(code, *value));
    let has_loops = |branch: &Branch| branch.nodes.iter().any(ControlNode::has_loop);
    if !has_loops(version) || !has_loops(other) {
        return Vec::new();
    }
    let only = |branch: &Branch, when| {
        let failure = ControlNode::Failure { block: *head, condition: *condition, when };
        if joins {
            return vec![failure, ControlNode::Version { branch: branch.clone(), join: *join }];
        }
        std::iter::once(failure).chain(branch.nodes.iter().cloned()).collect()
    };
    vec![only(other, in_then), only(version, !in_then)]
}
