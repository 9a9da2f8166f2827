//! Which values of a region have to be computed.

use std::collections::BTreeSet;

use crate::llvm::raise::affine::describe::{Description, Effect};
use crate::llvm::raise::code::function::{Action, Code};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::structure::nodes::ControlNode;

/// The values of a region that stores, conditions and the code behind the region need.
pub struct Needed {
    /// All of them.
    pub values: BTreeSet<ValueId>,
    /// Those that are used behind the region, in order.
    pub out: Vec<ValueId>,
}

/// Finds the values that a region has to compute, of which some are used behind it.
pub fn needed(code: &Code, description: &Description, nodes: &[ControlNode], out: &BTreeSet<ValueId>) -> Needed {
    let mut needed = Needed { values: BTreeSet::new(), out: out.iter().copied().collect() };
    let mut work: Vec<ValueId> = needed.out.clone();
    conditions(description, nodes, &mut work);
    for access in description.accesses.iter().filter(|access| access.effect == Effect::Store) {
        let stored = code.instruction(access.value).and_then(|store| match store.action {
            Action::Fill(_) => store.operands.get(1),
            Action::Copy { .. } => None,
            _ => store.operands.first(),
        });
        work.extend(stored.copied());
    }
    while let Some(value) = work.pop() {
        if !description.inside.contains(&value) || !needed.values.insert(value) {
            continue;
        }
        let Some(instruction) = code.instruction(value) else { continue };
        match instruction.action {
            Action::Load => {}
            Action::Phi(_) if description.affine.contains_key(&value) => {}
            _ => work.extend(&instruction.operands),
        }
    }
    needed
}

/// The conditions that are not affine.
fn conditions(description: &Description, nodes: &[ControlNode], found: &mut Vec<ValueId>) {
    for node in nodes {
        match node {
            ControlNode::If { block, condition, then, otherwise, .. } => {
                if !description.conditions.contains_key(block) {
                    found.push(*condition);
                }
                conditions(description, &then.nodes, found);
                conditions(description, &otherwise.nodes, found);
            }
            ControlNode::Version { branch, .. } => conditions(description, &branch.nodes, found),
            ControlNode::Loop { body, .. } => conditions(description, body, found),
            ControlNode::Straight { .. } | ControlNode::Failure { .. } | ControlNode::Opaque { .. } => {}
        }
    }
}
