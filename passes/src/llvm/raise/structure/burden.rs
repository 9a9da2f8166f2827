//! What loops do besides their work, and new code does not: the check at run time made sure that it is in vain.

use super::members::blocks_of;
use super::nodes::ControlNode;
use crate::llvm::raise::code::function::{Action, Code, Type};
use crate::llvm::raise::code::ids::{LoopId, ValueId};
use crate::llvm::raise::code::scev::{Form, Scev};

/// Whether the loops of nodes look for errors, or load in each iteration where a row is, which does not change, as what they
/// write may be written there. As long as they do, hardly anybody makes vectors of them.
pub fn is_burdened(code: &Code, nodes: &[ControlNode]) -> bool {
    let mut loads = blocks_of(code, nodes).into_iter().flat_map(|block| &code.blocks[block.0].instructions);
    loads.any(|value| loads_again(code, *value)) || nodes.iter().any(|node| looks_for_errors(node, false))
}

fn looks_for_errors(node: &ControlNode, in_loop: bool) -> bool {
    let any = |nodes: &[ControlNode], in_loop| nodes.iter().any(|node| looks_for_errors(node, in_loop));
    match node {
        ControlNode::Failure { .. } => in_loop,
        ControlNode::Loop { body, .. } => any(body, true),
        ControlNode::If { then, otherwise, .. } => any(&then.nodes, in_loop) || any(&otherwise.nodes, in_loop),
        ControlNode::Version { branch, .. } => any(&branch.nodes, in_loop),
        ControlNode::Straight { .. } | ControlNode::Opaque { .. } => false,
    }
}

/// Whether an instruction loads a pointer from the same place in each iteration of the innermost loop around it. Where
/// nothing is written to that place, such a load is in front of the loop (`plugin/host/hoist.cpp`).
fn loads_again(code: &Code, value: ValueId) -> bool {
    let Some(instruction) = code.instruction(value) else { return false };
    let is_pointer = instruction.action == Action::Load && code.kind(value) == Type::Pointer;
    match (code.blocks[instruction.block.0].around, code.pointers.get(&value)) {
        (Some(around), Some(pointer)) => is_pointer && !changes_in(&pointer.offset, around),
        _ => false,
    }
}

/// Whether a number may change in a loop.
fn changes_in(scev: &Scev, number: LoopId) -> bool {
    let any = |all: &[Scev]| all.iter().any(|part| changes_in(part, number));
    match &scev.form {
        Form::Constant(_) | Form::Value(_) => false,
        Form::Add(all, _) | Form::Mul(all, _) | Form::MinMax(_, all) => any(all),
        Form::AddRec(start, step, around, _) => {
            *around == number || changes_in(start, number) || changes_in(step, number)
        }
        Form::Truncate(inner) | Form::ZeroExtend(inner) | Form::SignExtend(inner) => changes_in(inner, number),
        Form::Divide(one, other) => changes_in(one, number) || changes_in(other, number),
        Form::Other => true,
    }
}
