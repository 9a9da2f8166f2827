//! Which of the SSA values that cross statements need memory in the new code.
//!
//! A value stays in SSA if wherever it is read, a write comes before in the same iteration and dominates the read.

use std::collections::BTreeSet;

use polyrs_core::codegen::{Ast, Call, Node};
use polyrs_core::scop::StatementId;

/// The scalars that a statement reads and writes, by their positions among the arrays.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Read first.
    pub reads: Vec<usize>,
    /// Written last.
    pub writes: Vec<usize>,
}

/// The scalars that some read in the AST does not get from a write that dominates it.
pub fn in_memory(
    ast: &Ast,
    effects: &dyn Fn(StatementId) -> Effects,
    private: &dyn Fn(&str) -> Option<usize>,
) -> BTreeSet<usize> {
    let mut analysis = Analysis { effects, private, memory: BTreeSet::new() };
    analysis.node(&ast.root, &mut BTreeSet::new());
    analysis.memory
}

/// The scalars that are written somewhere in a node.
pub fn written(node: &Node, effects: &dyn Fn(StatementId) -> Effects) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    collect_written(node, effects, &mut all);
    all
}

fn collect_written(node: &Node, effects: &dyn Fn(StatementId) -> Effects, all: &mut BTreeSet<usize>) {
    if let Node::Call(call) = node {
        all.extend(effects(call.statement).writes);
    }
    node.children().for_each(|child| collect_written(child, effects, all));
}

struct Analysis<'e> {
    effects: &'e dyn Fn(StatementId) -> Effects,
    private: &'e dyn Fn(&str) -> Option<usize>,
    memory: BTreeSet<usize>,
}

impl Analysis<'_> {
    /// `known`: the scalars whose last write dominates this place; updated to what holds behind the node.
    fn node(&mut self, node: &Node, known: &mut BTreeSet<usize>) {
        match node {
            Node::Block(children) => children.iter().for_each(|child| self.node(child, known)),
            Node::For(node) => {
                // In later iterations the last write may be one of an earlier iteration.
                known.retain({
                    let written = written(&node.body, self.effects);
                    move |scalar| !written.contains(scalar)
                });
                let mut inside = known.clone();
                for name in node.parallel.iter().flat_map(|parallel| &parallel.private) {
                    (self.private)(name).map(|scalar| inside.remove(&scalar));
                }
                self.node(&node.body, &mut inside);
            }
            Node::If(branch) => {
                self.node(&branch.then, &mut known.clone());
                if let Some(otherwise) = &branch.otherwise {
                    self.node(otherwise, &mut known.clone());
                }
                let written = written(node, self.effects);
                known.retain(|scalar| !written.contains(scalar));
            }
            Node::Kernel(kernel) => {
                // What a thread writes reaches nobody else but through memory.
                self.node(&kernel.body, &mut known.clone());
                let written = written(&kernel.body, self.effects);
                known.retain(|scalar| !written.contains(scalar));
            }
            Node::Shared(shared) => self.node(&shared.body, known),
            Node::Call(call) => self.call(call, known),
        }
    }

    fn call(&mut self, call: &Call, known: &mut BTreeSet<usize>) {
        let effects = (self.effects)(call.statement);
        self.memory.extend(effects.reads.iter().filter(|scalar| !known.contains(scalar)));
        known.extend(effects.writes);
    }
}
