//! Where a run of nodes starts and ends among the blocks, what is between, and what comes behind.

use std::collections::BTreeSet;

use super::members::{is_phi, members};
use super::nodes::ControlNode;
use crate::llvm::raise::code::function::{Action, Code, Source};
use crate::llvm::raise::code::ids::{BlockId, ValueId};

/// A run of nodes that is entered in one place and left for one other, but for errors.
pub struct Extent {
    /// The instructions.
    pub inside: BTreeSet<ValueId>,
    /// The blocks that control goes to behind the run before it may enter the run again, those of errors included.
    behind: BTreeSet<BlockId>,
}

/// The ends of a run.
struct Ends {
    /// The block that it starts in.
    start: BlockId,
    /// The position of its first instruction there.
    first: usize,
    /// The block before, if the run starts with the first block of a loop.
    preheader: Option<BlockId>,
    /// The block that it ends in.
    end: BlockId,
    /// The position behind its last instruction there.
    stop: usize,
    /// More than PHIs of the last block belong to it.
    partly: bool,
}

impl Ends {
    fn of(code: &Code, nodes: &[ControlNode]) -> Option<Self> {
        let phis =
            |block: BlockId| code.blocks[block.0].instructions.iter().take_while(|value| is_phi(code, **value)).count();
        let (start, first, preheader) = match nodes.first()? {
            ControlNode::Straight { block, first, .. } => (*block, *first, None),
            ControlNode::If { block, .. } => (*block, code.blocks[block.0].instructions.len().checked_sub(1)?, None),
            ControlNode::Loop { number, .. } => (code.loops[number.0].header, 0, Some(code.loops[number.0].preheader?)),
            ControlNode::Version { .. } | ControlNode::Failure { .. } | ControlNode::Opaque { .. } => return None,
        };
        let (end, stop, partly) = match nodes.last()? {
            ControlNode::Straight { block, end, .. } => (*block, *end, true),
            ControlNode::If { join, .. } => (*join, phis(*join), false),
            ControlNode::Loop { exit, .. } => (*exit, phis(*exit), false),
            ControlNode::Version { .. } | ControlNode::Failure { .. } | ControlNode::Opaque { .. } => return None,
        };
        Some(Self { start, first, preheader, end, stop, partly })
    }

    /// The blocks that are reached from the start, but not over the end.
    fn forward(&self, code: &Code) -> BTreeSet<BlockId> {
        reach(&[self.start], |block| if block == self.end { &[] } else { &code.blocks[block.0].successors })
    }

    /// Those of some blocks from which control gets to the end; it is one of them if a part of it belongs to the run.
    fn between(&self, code: &Code, forward: &BTreeSet<BlockId>) -> BTreeSet<BlockId> {
        let mut found =
            reach(&[self.end], |block| if block == self.start { &[] } else { &code.blocks[block.0].predecessors });
        found.retain(|block| forward.contains(block) && (self.partly || *block != self.end));
        found
    }

    /// Whether control comes to a block of the run, or its end, from nowhere but the run; to its start, from before
    /// only.
    fn is_entered_well(&self, code: &Code, block: BlockId, between: &BTreeSet<BlockId>) -> bool {
        // What follows the run in its last block does not belong to it.
        let within = |before: &BlockId| between.contains(before) && *before != self.end;
        let before = &code.blocks[block.0].predecessors;
        match self.preheader {
            _ if block != self.start => before.iter().all(within),
            Some(preheader) => before.iter().all(|before| within(before) || *before == preheader),
            None => !before.iter().any(within),
        }
    }
}

impl Extent {
    /// The extent of nodes.
    ///
    /// # Errors
    /// A block in which they are entered or left in another way.
    pub fn of(code: &Code, nodes: &[ControlNode]) -> Result<Self, BlockId> {
        let at_start = nodes.first().map_or(BlockId(0), |node| node.block(code));
        let at_end = nodes.last().map_or(BlockId(0), |node| node.block(code));
        let ends = Ends::of(code, nodes).filter(|ends| ends.start != ends.end).ok_or(at_start)?;
        let forward = ends.forward(code);
        let between = ends.between(code, &forward);
        if !between.contains(&ends.start) || !ends.is_entered_well(code, ends.end, &between) {
            return Err(at_end);
        }
        if let Some(block) = between.iter().find(|block| !ends.is_entered_well(code, **block, &between)) {
            return Err(*block);
        }
        let is_error = |block: BlockId| code.blocks[block.0].fails;
        let other = |block: &&BlockId| **block != ends.end && !between.contains(block) && !is_error(**block);
        if forward.iter().find(other).is_some() {
            return Err(at_end);
        }
        let (inside, _) = members(code, nodes);
        for block in &between {
            // What is between, and no part of any node, would be computed nowhere.
            let all = &code.blocks[block.0].instructions;
            let first = if *block == ends.start { ends.first } else { 0 };
            let stop = if *block == ends.end { ends.stop } else { all.len().saturating_sub(1) };
            if first < stop && !all[first..stop].iter().all(|value| inside.contains(value)) {
                return Err(*block);
            }
        }
        let behind =
            reach(&[ends.end], |block| if block == ends.start { &[] } else { &code.blocks[block.0].successors });
        let behind = behind.into_iter().filter(|block| *block != ends.start).collect();
        Ok(Self { inside, behind })
    }

    /// The values of the run that are used behind it. In an error that is raised within it they are the original's.
    pub fn results(&self, code: &Code) -> BTreeSet<ValueId> {
        let mut found = BTreeSet::new();
        for (number, value) in code.values.iter().enumerate() {
            let Source::Computed(user) = &value.source else { continue };
            if self.inside.contains(&ValueId(number)) {
                continue;
            }
            for (position, operand) in user.operands.iter().enumerate() {
                let place = match &user.action {
                    Action::Phi(from) => from.get(position).copied().unwrap_or(user.block),
                    _ => user.block,
                };
                if self.inside.contains(operand) && self.behind.contains(&place) {
                    found.insert(*operand);
                }
            }
        }
        found
    }
}

/// The blocks that are reached from some, themselves included.
fn reach<'a>(from: &[BlockId], next: impl Fn(BlockId) -> &'a [BlockId]) -> BTreeSet<BlockId> {
    let mut found: BTreeSet<BlockId> = from.iter().copied().collect();
    let mut work = from.to_vec();
    while let Some(block) = work.pop() {
        work.extend(next(block).iter().filter(|block| found.insert(**block)));
    }
    found
}
