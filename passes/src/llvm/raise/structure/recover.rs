//! Loops and conditions recovered from branches.

use std::collections::BTreeSet;

use super::dominance::post_dominators;
use super::nodes::{Branch, ControlNode, loop_location};
use crate::llvm::raise::code::function::{Action, Code};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::refusal::{Obstacle, Reason};

/// The parts of a function, from its entry to its end or as far as it has such a form, and then what is in none of
/// them.
pub fn structure(code: &Code) -> Vec<Vec<ControlNode>> {
    let mut walk = Walk::new(code);
    let mut all = Vec::new();
    if !code.blocks.is_empty() {
        all.push(walk.chain(BlockId(0), None, None).nodes);
    }
    for number in (0..code.loops.len()).map(LoopId) {
        if !walk.seen.contains(&code.loops[number.0].header) {
            all.push(walk.alone(number));
        }
    }
    all.append(&mut walk.rest);
    all
}

/// The loops of an opaque part, as far as they are of the known form.
pub fn loops_inside(code: &Code, block: BlockId) -> Vec<Vec<ControlNode>> {
    let mut walk = Walk::new(code);
    let Some(outer) = code.loop_at(block) else { return Vec::new() };
    let inner = (0..code.loops.len()).map(LoopId).filter(|number| code.loops[number.0].parent == Some(outer));
    let mut all: Vec<Vec<ControlNode>> = inner.map(|number| walk.alone(number)).collect();
    all.append(&mut walk.rest);
    all
}

struct Walk<'a> {
    code: &'a Code,
    /// For each block, where all ways from it meet again.
    joins: Vec<Option<BlockId>>,
    /// The blocks that are in some part.
    seen: BTreeSet<BlockId>,
    /// The ways from conditions that do not meet again as they should.
    rest: Vec<Vec<ControlNode>>,
}

/// Nodes, and the last block of them.
struct Chain {
    nodes: Vec<ControlNode>,
    last: Option<BlockId>,
    /// The chain ended where it was to end.
    complete: bool,
}

impl<'a> Walk<'a> {
    fn new(code: &'a Code) -> Self {
        Self { code, joins: post_dominators(code), seen: BTreeSet::new(), rest: Vec::new() }
    }

    /// A loop that is a chain of its own.
    fn alone(&mut self, number: LoopId) -> Vec<ControlNode> {
        vec![self.loop_node(number)]
    }

    /// From a block to another one, to the end of a loop's body, or to the end of the function.
    fn chain(&mut self, start: BlockId, within: Option<LoopId>, stop: Option<BlockId>) -> Chain {
        let mut chain = Chain { nodes: Vec::new(), last: None, complete: false };
        let mut block = start;
        loop {
            if Some(block) == stop {
                chain.complete = true;
                return chain;
            }
            let entered = self.code.loop_at(block).filter(|number| within != Some(*number));
            if let Some(number) = entered {
                let node = self.loop_node(number);
                let ControlNode::Loop { exit, .. } = &node else {
                    chain.nodes.push(node);
                    match self.code.loops[number.0].exit {
                        Some(exit) if within.is_none() && stop.is_none() => {
                            block = exit;
                            continue;
                        }
                        _ => return chain,
                    }
                };
                chain.last = self.code.loops[number.0].exiting;
                block = *exit;
                chain.nodes.push(node);
                continue;
            }
            if self.code.blocks[block.0].around != within || !self.seen.insert(block) {
                chain.nodes.push(self.opaque(block, Reason::Unstructured));
                return chain;
            }
            self.straight(block, &mut chain.nodes);
            chain.last = Some(block);
            match self.next(block, within, &mut chain) {
                Some(next) => block = next,
                None => return chain,
            }
        }
    }

    /// The block behind a block, and behind the condition that it ends with.
    fn next(&mut self, block: BlockId, within: Option<LoopId>, chain: &mut Chain) -> Option<BlockId> {
        let code = self.code;
        let latch = within.is_some_and(|number| code.loops[number.0].latch == Some(block));
        let terminator = code.terminator(block).and_then(|last| code.instruction(last));
        let successors = &code.blocks[block.0].successors;
        match (terminator.map(|last| &last.action), &successors[..]) {
            _ if latch => {
                chain.complete = true;
                None
            }
            (Some(Action::Jump), [next]) => Some(*next),
            (Some(Action::Branch), [yes, no]) => {
                let condition = terminator.and_then(|last| last.operands.first().copied())?;
                let fails = |way: &BlockId| code.blocks[way.0].fails;
                if fails(yes) != fails(no) {
                    let when = fails(yes);
                    chain.nodes.push(ControlNode::Failure { block, condition, when });
                    return Some(if when { *no } else { *yes });
                }
                let join = self.joins[block.0].filter(|join| code.blocks[join.0].around == within);
                let node = join.and_then(|join| self.condition(block, condition, [*yes, *no], join, within));
                match (node, join) {
                    (Some(node), Some(join)) => {
                        chain.nodes.push(node);
                        Some(join)
                    }
                    _ => {
                        chain.nodes.push(self.opaque(block, Reason::Unstructured));
                        None
                    }
                }
            }
            (Some(Action::Leave | Action::Never), _) => {
                chain.complete = within.is_none();
                None
            }
            (Some(Action::Other(what)), _) => {
                chain.nodes.push(self.opaque(block, Reason::Instruction(what)));
                None
            }
            _ => {
                chain.nodes.push(self.opaque(block, Reason::Unstructured));
                None
            }
        }
    }

    fn condition(
        &mut self,
        block: BlockId,
        condition: ValueId,
        ways: [BlockId; 2],
        join: BlockId,
        within: Option<LoopId>,
    ) -> Option<ControlNode> {
        let [then, otherwise] = ways.map(|way| self.chain(way, within, Some(join)));
        if !then.complete || !otherwise.complete {
            self.rest.extend([then.nodes, otherwise.nodes]);
            return None;
        }
        let [then, otherwise] =
            [then, otherwise].map(|chain| Branch { nodes: chain.nodes, from: chain.last.unwrap_or(block) });
        Some(ControlNode::If { block, condition, then, otherwise, join })
    }

    fn straight(&self, block: BlockId, nodes: &mut Vec<ControlNode>) {
        let all = &self.code.blocks[block.0].instructions;
        let is_phi =
            |value: &ValueId| matches!(self.code.instruction(*value).map(|phi| &phi.action), Some(Action::Phi(_)));
        let first = all.iter().take_while(|value| is_phi(value)).count();
        let end = all.len().saturating_sub(1);
        let is_bulk = |value: ValueId| self.code.instruction(value).is_some_and(|it| it.action.is_bulk());
        let mut start = first;
        for position in (first..end).filter(|position| is_bulk(all[*position])) {
            if start < position {
                nodes.push(ControlNode::Straight { block, first: start, end: position, bulk: false });
            }
            nodes.push(ControlNode::Straight { block, first: position, end: position + 1, bulk: true });
            start = position + 1;
        }
        if start < end {
            nodes.push(ControlNode::Straight { block, first: start, end, bulk: false });
        }
    }

    fn loop_node(&mut self, number: LoopId) -> ControlNode {
        let this = &self.code.loops[number.0];
        let simple = this.latch.is_some() && this.latch == this.exiting && this.preheader.is_some();
        let Some(exit) = this.exit.filter(|_| simple) else {
            return self.opaque_loop(number, Reason::Exits);
        };
        if self.seen.contains(&this.header) {
            return self.opaque(this.header, Reason::Unstructured);
        }
        let body = self.chain(this.header, Some(number), None);
        if !body.complete {
            let inner = body.nodes.iter().find_map(|node| match node {
                ControlNode::Opaque { obstacle, .. } => Some(obstacle.clone()),
                _ => None,
            });
            return match inner {
                Some(obstacle) => ControlNode::Opaque { block: this.header, is_loop: true, obstacle },
                None => self.opaque_loop(number, Reason::Unstructured),
            };
        }
        ControlNode::Loop { number, body: body.nodes, exit }
    }

    fn opaque_loop(&mut self, number: LoopId, reason: Reason) -> ControlNode {
        self.seen.extend(&self.code.loops[number.0].blocks);
        let header = self.code.loops[number.0].header;
        ControlNode::Opaque {
            block: header,
            is_loop: true,
            obstacle: Obstacle { reason, location: loop_location(self.code, number), block: header },
        }
    }

    fn opaque(&self, block: BlockId, reason: Reason) -> ControlNode {
        let obstacle = Obstacle { reason, location: self.code.location_from(block, 0), block };
        ControlNode::Opaque { block, is_loop: self.code.loop_at(block).is_some(), obstacle }
    }
}
