//! How much of the stack a run of nodes needs at once.
//!
//! Variables of scopes that follow each other share one place in the original. All variables that live in a region are
//! alive during the one call that takes its place, so a region of several such scopes would need more of the stack than
//! the original.

use std::collections::BTreeMap;

use super::members::members;
use super::nodes::ControlNode;
use crate::llvm::raise::code::function::Code;
use crate::llvm::raise::code::ids::ValueId;

/// So many bytes more do not count: as much as registers that are kept on the stack.
const SLACK: u64 = 256;

/// A variable that lives in a run of nodes: from which of them to which. Only nodes with loops count.
struct Variable {
    bytes: u64,
    first: usize,
    last: usize,
    /// It lives in one node, and all of its marks are there.
    local: bool,
}

/// Whether the variables of nodes need noticeably more room together than they need in turn.
pub fn is_excessive(code: &Code, nodes: &[ControlNode]) -> bool {
    if code.marks.is_empty() {
        return false;
    }
    let all = variables(code, nodes);
    let together: u64 = all.values().fold(0, |sum, variable| sum.saturating_add(variable.bytes));
    let in_turn = most(code, nodes, &all);
    together > in_turn.saturating_add(in_turn / 10).saturating_add(SLACK)
}

/// Where to cut nodes of which there are several, so that the least is alive there.
pub fn cut(code: &Code, nodes: &[ControlNode]) -> usize {
    let all = variables(code, nodes);
    let alive = |at: usize| {
        let crossing = all.values().filter(|variable| variable.first < at && at <= variable.last);
        crossing.fold(0, |sum: u64, variable| sum.saturating_add(variable.bytes))
    };
    let middle = nodes.len() / 2;
    (1..nodes.len()).min_by_key(|at| (alive(*at), at.abs_diff(middle))).unwrap_or(middle)
}

/// The first and the last mark of a variable: the position of the node, and whether the variable starts to live there.
struct Marks {
    bytes: u64,
    first: (usize, bool),
    last: (usize, bool),
}

/// The variables of nodes with marks in them.
fn variables(code: &Code, nodes: &[ControlNode]) -> BTreeMap<ValueId, Variable> {
    let mut marks: BTreeMap<ValueId, Marks> = BTreeMap::new();
    for (position, node) in nodes.iter().enumerate() {
        let (values, _) = members(code, std::slice::from_ref(node));
        for mark in values.iter().filter_map(|value| code.marks.get(value)) {
            let here = (position, mark.starts);
            marks.entry(mark.variable).or_insert(Marks { bytes: mark.bytes, first: here, last: here }).last = here;
        }
    }
    let works = |position: &usize| nodes[*position].has_work();
    let found = marks.into_iter().filter_map(|(variable, Marks { bytes, first, last })| {
        // What ends here without having started here was alive before, and what does not end is alive behind.
        let from = if first.1 { first.0 } else { 0 };
        let to = if last.1 { nodes.len() - 1 } else { last.0 };
        let first = (from..=to).find(works)?;
        let last = (from..=to).rfind(works)?;
        Some((variable, Variable { bytes, first, last, local: from == to }))
    });
    found.collect()
}

/// The most bytes of variables of nodes that are alive at once.
fn most(code: &Code, nodes: &[ControlNode], all: &BTreeMap<ValueId, Variable>) -> u64 {
    let at = |position: usize, node: &ControlNode| {
        let through = all.values().filter(|it| !it.local && it.first <= position && position <= it.last);
        let own = |nodes: &[ControlNode]| most(code, nodes, &variables(code, nodes));
        let inner = match node {
            ControlNode::Loop { body, .. } => own(body),
            ControlNode::If { then, otherwise, .. } => own(&then.nodes).max(own(&otherwise.nodes)),
            ControlNode::Version { branch, .. } => own(&branch.nodes),
            ControlNode::Straight { .. } | ControlNode::Failure { .. } | ControlNode::Opaque { .. } => 0,
        };
        through.fold(inner, |sum, variable| sum.saturating_add(variable.bytes))
    };
    nodes.iter().enumerate().map(|(position, node)| at(position, node)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::raise::code::function::{Action, BasicBlock, Instruction, Mark, Source, Type, Value};
    use crate::llvm::raise::code::ids::BlockId;

    /// One block of marks, each a node: which variable starts, or ends, or nothing but memory that is set.
    fn marks(all: &[Option<(usize, bool)>]) -> (Code, Vec<ControlNode>) {
        let mut code = Code { blocks: vec![BasicBlock::default()], ..Code::default() };
        let mut nodes = Vec::new();
        for (position, mark) in all.iter().enumerate() {
            let hint = Instruction { action: Action::Hint, operands: Vec::new(), block: BlockId(0), location: None };
            code.values.push(Value { kind: Type::Void, source: Source::Computed(hint), range: None });
            code.blocks[0].instructions.push(ValueId(position));
            if let Some((variable, starts)) = *mark {
                let mark = Mark { variable: ValueId(100 + variable), bytes: 4000, starts };
                code.marks.insert(ValueId(position), mark);
            }
            let bulk = mark.is_none();
            nodes.push(ControlNode::Straight { block: BlockId(0), first: position, end: position + 1, bulk });
        }
        (code, nodes)
    }

    #[test]
    fn scopes_in_turn_are_cut_between() {
        let scope = |number| [Some((number, true)), None, None, Some((number, false))];
        let all = [scope(0), scope(1)].concat();
        let (code, nodes) = marks(&all);
        assert!(is_excessive(&code, &nodes));
        assert_eq!(cut(&code, &nodes), 4);
        assert!(!is_excessive(&code, &nodes[..4]));
        // The first scope starts before, and the last one ends behind.
        assert!(is_excessive(&code, &nodes[1..7]));
        assert!((2..=4).contains(&cut(&code, &nodes[1..7])));
    }

    #[test]
    fn variables_that_live_at_once_are_no_excess() {
        let all = [Some((0, true)), Some((1, true)), None, Some((1, false)), Some((0, false))];
        let (code, nodes) = marks(&all);
        assert!(!is_excessive(&code, &nodes));
    }
}
