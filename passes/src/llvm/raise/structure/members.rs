//! The instructions and blocks of nodes.

use std::collections::BTreeSet;

use super::nodes::ControlNode;
use crate::llvm::raise::code::function::{Action, Code};
use crate::llvm::raise::code::ids::{BlockId, ValueId};

/// The instructions and blocks of nodes. Of a block at the edge, only PHIs that nodes end in or begin with belong to
/// them.
pub fn members(code: &Code, nodes: &[ControlNode]) -> (BTreeSet<ValueId>, BTreeSet<BlockId>) {
    let (mut values, mut blocks) = (BTreeSet::new(), BTreeSet::new());
    let phis = |block: BlockId, values: &mut BTreeSet<ValueId>| {
        let all = &code.blocks[block.0].instructions;
        values.extend(all.iter().take_while(|value| is_phi(code, **value)));
    };
    for node in nodes {
        match node {
            ControlNode::Straight { block, first, end, .. } => {
                values.extend(&code.blocks[block.0].instructions[*first..*end]);
                blocks.insert(*block);
            }
            ControlNode::If { block, then, otherwise, join, .. } => {
                values.extend(code.terminator(*block));
                blocks.insert(*block);
                for branch in [then, otherwise] {
                    let (more, others) = members(code, &branch.nodes);
                    values.extend(more);
                    blocks.extend(others);
                    blocks.insert(branch.from);
                }
                phis(*join, &mut values);
            }
            ControlNode::Version { branch, join } => {
                let (more, others) = members(code, &branch.nodes);
                values.extend(more);
                blocks.extend(others);
                blocks.insert(branch.from);
                phis(*join, &mut values);
            }
            ControlNode::Loop { number, exit, .. } => {
                for block in &code.loops[number.0].blocks {
                    values.extend(&code.blocks[block.0].instructions);
                    blocks.insert(*block);
                }
                phis(*exit, &mut values);
            }
            ControlNode::Failure { block, .. } => {
                values.extend(code.terminator(*block));
                blocks.insert(*block);
            }
            ControlNode::Opaque { .. } => {}
        }
    }
    (values, blocks)
}

/// The blocks that nodes are in.
pub fn blocks_of(code: &Code, nodes: &[ControlNode]) -> BTreeSet<BlockId> {
    members(code, nodes).1
}

/// The blocks of the loops among nodes.
pub fn blocks_of_loops(code: &Code, nodes: &[ControlNode]) -> BTreeSet<BlockId> {
    let mut blocks = BTreeSet::new();
    for node in nodes {
        match node {
            ControlNode::Loop { number, .. } => blocks.extend(&code.loops[number.0].blocks),
            ControlNode::If { then, otherwise, .. } => {
                blocks.extend(blocks_of_loops(code, &then.nodes));
                blocks.extend(blocks_of_loops(code, &otherwise.nodes));
            }
            ControlNode::Version { branch, .. } => blocks.extend(blocks_of_loops(code, &branch.nodes)),
            _ => {}
        }
    }
    blocks
}

/// Whether a value is a PHI.
pub fn is_phi(code: &Code, value: ValueId) -> bool {
    matches!(code.instruction(value).map(|phi| &phi.action), Some(Action::Phi(_)))
}
