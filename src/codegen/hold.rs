//! What blocks for registers hold over several loops.
//!
//! A loop around blocks holds a footprint (`blocks`); where the loop around that one comes to the same footprint in each of
//! its iterations, it can hold it instead, so that sums stay in registers and are loaded and stored once: those of a
//! convolution over all channels and all of a window, those of a kernel from one tile to the next. What is between the two
//! loops are copies of tiles, of arrays that nothing there writes, and conditions on whether there are points.

use super::facts::{Facts, map_children, runs, unknown};
use super::{Ast, Cond, Error, For, Node, Promoted};
use crate::scop::Scop;

/// Lets loops hold what all loops in them do.
pub(super) fn hold(scop: &Scop, ast: &mut Ast) -> Result<(), Error> {
    let facts = Facts::new(&scop.context, &ast.parameters);
    let root = std::mem::replace(&mut ast.root, Node::Block(Vec::new()));
    ast.root = within(root, &facts)?;
    Ok(())
}

/// Lets loops of a node hold what they can, the ones inside first.
fn within(node: Node, facts: &Facts) -> Result<Node, Error> {
    if !holds(&node) {
        return Ok(node);
    }
    let node = map_children(node, facts, &mut within)?;
    match node {
        Node::For(node) if node.promoted.is_empty() && !node.block && node.parallel.is_none() => {
            over_loops(node, facts)
        }
        other => Ok(other),
    }
}

/// A loop somewhere holds something.
fn holds(node: &Node) -> bool {
    matches!(node, Node::For(inner) if !inner.promoted.is_empty()) || node.children().any(holds)
}

/// A loop around others, with what all of these hold.
fn over_loops(mut node: Box<For>, facts: &Facts) -> Result<Node, Error> {
    let mut parts = Vec::new();
    let (body, copied) = match &node.body {
        Node::Shared(shared) => (&shared.body, &shared.tiles[..]),
        other => (other, &[][..]),
    };
    if !collect(body, &mut Vec::new(), &mut parts) || !is_for_certain(&parts, &facts.inside(&node)?)? {
        return Ok(Node::For(node));
    }
    let mut held = Vec::new();
    for promoted in parts[0].promoted {
        let mut sides = promoted.origin.iter().chain(promoted.limit.iter().flatten());
        // A copy in the loop would read memory that is behind what the loop holds.
        if sides.any(|side| side.mentions(node.iterator)) || copied.iter().any(|tile| tile.array == promoted.array) {
            continue;
        }
        let mut all = promoted.clone();
        let same = parts.iter().filter_map(|part| part.promoted.iter().find(|other| other.is_same_footprint(promoted)));
        let count = same.inspect(|other| all.join(other)).count();
        if count == parts.len() {
            held.push(all);
        }
    }
    if held.is_empty() {
        return Ok(Node::For(node));
    }
    release(&mut node.body, &held);
    let runs = unknown(runs(&node), facts)?;
    node.promoted = held;
    Ok(Node::under(runs, Node::For(node), None))
}

/// A loop that holds something.
struct Part<'n> {
    /// What has to hold so that it has any.
    conditions: Vec<Cond>,
    promoted: &'n [Promoted],
}

/// Collects the loops of a body; `false` where there is anything else, or nothing.
fn collect<'n>(body: &'n Node, around: &mut Vec<Cond>, parts: &mut Vec<Part<'n>>) -> bool {
    match body {
        Node::Block(children) => !children.is_empty() && children.iter().all(|child| collect(child, around, parts)),
        Node::For(node) if !node.promoted.is_empty() => {
            let conditions = around.iter().cloned().chain(runs(node)).collect();
            parts.push(Part { conditions, promoted: &node.promoted });
            true
        }
        Node::If(branch) if branch.otherwise.is_none() => {
            around.push(branch.cond.clone());
            let all = collect(&branch.then, around, parts);
            around.pop();
            all
        }
        _ => false,
    }
}

/// At least one of the loops runs, so what is held is written.
fn is_for_certain(parts: &[Part<'_>], facts: &Facts) -> Result<bool, Error> {
    let mut facts = facts.clone();
    for part in parts {
        facts.assume(&Cond::And(part.conditions.clone()).negated())?;
    }
    facts.exclude(&Cond::And(Vec::new()))
}

/// Loops in a node do not hold these any more.
fn release(node: &mut Node, held: &[Promoted]) {
    if let Node::For(inner) = node {
        inner.promoted.retain(|promoted| !held.iter().any(|other| other.is_same_footprint(promoted)));
    }
    node.children_mut().for_each(|child| release(child, held));
}
