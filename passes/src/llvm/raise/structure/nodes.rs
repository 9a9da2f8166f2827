//! The parts that a function's control flow consists of: straight code, conditions, loops, and what is neither.

use crate::llvm::raise::code::function::{Code, SourceLocation};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::refusal::{Obstacle, Reason};

/// A part of a function with one way in and one way out.
#[derive(Clone, Debug)]
pub enum ControlNode {
    /// Instructions of a block, neither PHIs nor the terminator.
    Straight {
        /// The block.
        block: BlockId,
        /// The position of the first instruction in the block.
        first: usize,
        /// The position behind the last one.
        end: usize,
        /// It is one instruction that sets or copies memory, as a loop would.
        bulk: bool,
    },
    /// A condition at the end of a block.
    If {
        /// The block that branches.
        block: BlockId,
        /// The condition.
        condition: ValueId,
        /// Where it holds.
        then: Branch,
        /// Where it does not.
        otherwise: Branch,
        /// Where both ways meet.
        join: BlockId,
    },
    /// A loop, left at the end of its body only.
    Loop {
        /// The loop.
        number: LoopId,
        /// The nodes of an iteration.
        body: Vec<ControlNode>,
        /// The block behind.
        exit: BlockId,
    },
    /// A condition at the end of a block under which the program ends with an error.
    Failure {
        /// The block that branches.
        block: BlockId,
        /// The condition.
        condition: ValueId,
        /// The value of the condition then.
        when: bool,
    },
    /// The way from a condition that is taken, where the other one is known not to be.
    Version {
        /// The way.
        branch: Branch,
        /// Where both ways meet.
        join: BlockId,
    },
    /// A loop or a condition that is not of these forms; loops inside of it may be.
    Opaque {
        /// The block that it starts with.
        block: BlockId,
        /// It is a loop.
        is_loop: bool,
        /// The obstacle.
        obstacle: Obstacle,
    },
}

/// One way from a condition to where the ways meet.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The nodes.
    pub nodes: Vec<ControlNode>,
    /// The last block before they meet.
    pub from: BlockId,
}

impl ControlNode {
    /// The block that it starts with.
    pub fn block(&self, code: &Code) -> BlockId {
        match self {
            ControlNode::Straight { block, .. }
            | ControlNode::If { block, .. }
            | ControlNode::Failure { block, .. }
            | ControlNode::Opaque { block, .. } => *block,
            ControlNode::Loop { number, .. } => code.loops[number.0].header,
            ControlNode::Version { branch, .. } => branch.nodes.first().map_or(branch.from, |first| first.block(code)),
        }
    }

    /// Whether there is a loop in it.
    pub fn has_loop(&self) -> bool {
        self.loops() > 0
    }

    /// How many loops it has, those included that are of no known form.
    pub fn loops(&self) -> usize {
        let sum = |nodes: &[ControlNode]| nodes.iter().map(ControlNode::loops).sum::<usize>();
        match self {
            ControlNode::Straight { .. } | ControlNode::Failure { .. } => 0,
            ControlNode::Loop { body, .. } => 1 + sum(body),
            ControlNode::Opaque { is_loop, .. } => usize::from(*is_loop),
            ControlNode::If { then, otherwise, .. } => sum(&then.nodes) + sum(&otherwise.nodes),
            ControlNode::Version { branch, .. } => sum(&branch.nodes),
        }
    }

    /// The first loop of the known form.
    pub fn first_loop(&self) -> Option<LoopId> {
        match self {
            ControlNode::Loop { number, .. } => Some(*number),
            ControlNode::If { then, otherwise, .. } => {
                then.nodes.iter().chain(&otherwise.nodes).find_map(ControlNode::first_loop)
            }
            ControlNode::Version { branch, .. } => branch.nodes.iter().find_map(ControlNode::first_loop),
            ControlNode::Straight { .. } | ControlNode::Failure { .. } | ControlNode::Opaque { .. } => None,
        }
    }

    /// Whether it is worth being the start or the end of a region.
    pub fn has_work(&self) -> bool {
        self.has_loop() || matches!(self, ControlNode::Straight { bulk: true, .. })
    }

    /// Where it is in the source.
    pub fn location(&self, code: &Code) -> Option<SourceLocation> {
        match self {
            ControlNode::Straight { block, first, .. } => code.location_from(*block, *first),
            ControlNode::If { block, .. } | ControlNode::Failure { block, .. } => {
                let last = code.blocks[block.0].instructions.len().saturating_sub(1);
                code.location_from(*block, last)
            }
            ControlNode::Loop { number, .. } => loop_location(code, *number),
            ControlNode::Version { branch, .. } => branch.nodes.iter().find_map(|node| node.location(code)),
            ControlNode::Opaque { obstacle, .. } => obstacle.location.clone(),
        }
    }
}

/// Where a loop is in the source: at its condition, or else at its first instruction.
pub fn loop_location(code: &Code, number: LoopId) -> Option<SourceLocation> {
    let this = &code.loops[number.0];
    let condition = this.latch.and_then(|latch| {
        let last = code.terminator(latch)?;
        code.instruction(last)?.location.clone()
    });
    condition.or_else(|| code.location_from(this.header, 0))
}

/// Why nobody knows how often a loop goes on.
pub fn uncounted(code: &Code, number: LoopId) -> Option<Reason> {
    let this = &code.loops[number.0];
    match &this.backedges {
        Some(_) => None,
        None if this.ends => Some(Reason::Count),
        None => Some(Reason::Infinite),
    }
}
