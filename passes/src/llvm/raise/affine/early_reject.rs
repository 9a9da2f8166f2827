//! Early rejection: obstacles to raising, as far as that is clear before anything is described.
//!
//! Most loops of most programs are of this kind, and describing what comes before the obstacle would be in vain.
//! Nothing is decided here that [`describe`](super::describe::describe) would not decide as well.

use std::collections::BTreeSet;

use super::condition::Under;
use crate::llvm::raise::code::function::{Action, Code, Constant, Instruction, Source, Type};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::code::operation::{CastOp, IntOp};
use crate::llvm::raise::code::scev::{Form, Scev};
use crate::llvm::raise::refusal::{Obstacle, Reason};
use crate::llvm::raise::structure::members::{is_phi, members};
use crate::llvm::raise::structure::nodes::{ControlNode, loop_location, uncounted};

/// Longer chains of instructions are not followed.
const DEPTH: usize = 16;

/// The first obstacle in a run of nodes.
pub fn early_reject(code: &Code, nodes: &[ControlNode]) -> Option<Obstacle> {
    let (inside, _) = members(code, nodes);
    EarlyReject { code, inside }.nodes(nodes, Under::Affine)
}

struct EarlyReject<'a> {
    code: &'a Code,
    /// The instructions of the region.
    inside: BTreeSet<ValueId>,
}

impl EarlyReject<'_> {
    fn nodes(&self, nodes: &[ControlNode], under: Under) -> Option<Obstacle> {
        nodes.iter().find_map(|node| self.node(node, under))
    }

    fn node(&self, node: &ControlNode, under: Under) -> Option<Obstacle> {
        match node {
            ControlNode::Straight { block, first, end, .. } => self.straight(node, *block, *first..*end),
            ControlNode::Loop { number, body, .. } => {
                let under_data = (under == Under::Data).then_some(Reason::LoopUnderData);
                let reason = under_data.or_else(|| uncounted(self.code, *number)).or_else(|| self.bound(*number));
                let here = |reason| Obstacle {
                    reason,
                    location: loop_location(self.code, *number),
                    block: node.block(self.code),
                };
                reason.map(here).or_else(|| self.nodes(body, under))
            }
            ControlNode::If { condition, then, otherwise, .. } => {
                let under = if self.is_data(*condition) { Under::Data } else { under };
                self.nodes(&then.nodes, under).or_else(|| self.nodes(&otherwise.nodes, under))
            }
            ControlNode::Version { branch, .. } => self.nodes(&branch.nodes, under),
            // What leads there is assumed not to happen.
            ControlNode::Failure { .. } => None,
            ControlNode::Opaque { obstacle, .. } => Some(obstacle.clone()),
        }
    }

    fn straight(&self, node: &ControlNode, block: BlockId, range: std::ops::Range<usize>) -> Option<Obstacle> {
        self.code.blocks[block.0].instructions[range].iter().find_map(|value| {
            let reason = self.instruction(*value)?;
            let location = self.code.instruction(*value)?.location.clone().or_else(|| node.location(self.code));
            Some(Obstacle { reason, location, block })
        })
    }

    fn instruction(&self, value: ValueId) -> Option<Reason> {
        if self.code.versions.iter().any(|versions| versions.condition == value) {
            return Some(Reason::Part);
        }
        let instruction = self.code.instruction(value)?;
        let kind = match &instruction.action {
            Action::Other(what) => return Some(Reason::Instruction(what)),
            Action::Load if self.is_row(value) => Type::Int(64),
            Action::Load => self.code.kind(value),
            Action::Store => self.code.kind(instruction.operands[0]),
            _ => return None,
        };
        if kind.bytes().is_none() {
            return Some(if kind == Type::Pointer { Reason::Base } else { Reason::Type });
        }
        let Some(pointer) = self.code.pointers.get(&value) else { return Some(Reason::Base) };
        let is_known = !self.inside.contains(&pointer.base) || self.is_row(pointer.base);
        if !is_known || self.code.kind(pointer.base) != Type::Pointer {
            return Some(Reason::Base);
        }
        let computed = pointer.computed.as_ref();
        let hopeless = self.is_hopeless(&pointer.offset)
            && computed.is_none_or(|(parts, _)| parts.iter().any(|(part, _)| self.is_hopeless_operand(*part, 0)));
        hopeless.then_some(Reason::Subscript)
    }

    /// Whether a pointer is to a row, of a table from before the region.
    fn is_row(&self, load: ValueId) -> bool {
        self.code.rows_behind(load).is_some_and(|rows| !self.inside.contains(&rows.table))
    }

    /// Whether a loop's bound depends on what the region computes.
    fn bound(&self, number: LoopId) -> Option<Reason> {
        let backedges = self.code.loops[number.0].backedges.as_ref()?;
        let room = match &backedges.form {
            Form::Divide(room, _) => room,
            _ => backedges,
        };
        self.is_hopeless(room).then_some(Reason::Bound)
    }

    /// Whether a condition is affine in no case.
    fn is_data(&self, condition: ValueId) -> bool {
        let instruction = match &self.code.values[condition.0].source {
            Source::Constant(_) | Source::Given => return false,
            Source::Computed(_) if !self.inside.contains(&condition) => return false,
            Source::Computed(instruction) => instruction,
        };
        match &instruction.action {
            Action::Compare(_) => instruction.operands.iter().any(|operand| self.is_hopeless_operand(*operand, 0)),
            Action::ComparePointers(_) => {
                self.code.distances.get(&condition).is_none_or(|distance| self.is_hopeless(distance))
            }
            Action::CompareFloat(..) | Action::Load => true,
            _ => false,
        }
    }

    /// Whether a SCEV is affine in no case, since it depends on what the region computes.
    fn is_hopeless(&self, scev: &Scev) -> bool {
        if scev.computed.is_some_and(|computed| !self.is_hopeless_value(computed)) {
            return false;
        }
        match &scev.form {
            Form::Constant(_) => false,
            Form::Value(value) => self.is_hopeless_value(*value),
            Form::Add(all, _) | Form::Mul(all, _) | Form::MinMax(_, all) => {
                all.iter().any(|part| self.is_hopeless(part))
            }
            Form::AddRec(start, step, ..) => self.is_hopeless(start) || self.is_hopeless(step),
            Form::SignExtend(inner) | Form::ZeroExtend(inner) | Form::Truncate(inner) => self.is_hopeless(inner),
            Form::Divide(..) | Form::Other => true,
        }
    }

    /// Values of a PHI may turn out to be affine, and choices the least or greatest of what is.
    fn is_hopeless_value(&self, value: ValueId) -> bool {
        let is_choice = self.code.instruction(value).is_some_and(|choice| {
            let compares = |it: &Instruction| matches!(it.action, Action::Compare(_));
            choice.action == Action::Select && self.code.instruction(choice.operands[0]).is_some_and(compares)
        });
        let is_shift = matches!(self.code.instruction(value).map(|it| &it.action), Some(Action::Int(IntOp::AShr, _)));
        !is_phi(self.code, value)
            && !is_choice
            && !is_shift
            && (self.inside.contains(&value) || !matches!(self.code.kind(value), Type::Int(2..=64)))
    }

    /// The same for an operand, as [`NoWrap::operand`](super::no_wrap::NoWrap::operand) sees it.
    fn is_hopeless_operand(&self, value: ValueId, depth: usize) -> bool {
        if is_phi(self.code, value) || !self.is_hopeless_value(value) {
            return false;
        }
        let instruction = match &self.code.values[value.0].source {
            Source::Constant(constant) => return !matches!(constant, Constant::Int(_)),
            Source::Given => return self.is_hopeless_value(value),
            Source::Computed(instruction) => instruction,
        };
        let follow = match &instruction.action {
            Action::Int(_, wrapping) => wrapping.nsw,
            Action::Cast(CastOp::SExt) => self.code.kind(instruction.operands[0]) != Type::Int(1),
            _ => false,
        };
        if follow && depth < DEPTH {
            return instruction.operands.iter().any(|operand| self.is_hopeless_operand(*operand, depth + 1))
                && !self.is_affine_scev(value);
        }
        self.code.scevs.get(&value).map_or_else(|| self.is_hopeless_value(value), |scev| self.is_hopeless(scev))
    }

    /// Whether the SCEV of a value may be affine.
    fn is_affine_scev(&self, value: ValueId) -> bool {
        self.code.scevs.get(&value).is_some_and(|scev| !self.is_hopeless(scev))
    }
}
