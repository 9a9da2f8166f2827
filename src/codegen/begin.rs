//! Loops that are begun only if something in them is executed.
//!
//! isl leaves it to inner loops to find out that there is nothing to do, which costs nothing where loops are in the order
//! that the program has them. Where another loop came outermost it may have as many iterations as there are numbers,
//! all of them empty, while the program's outermost loop had none. So loops that are in no other one ask before they
//! begin, if loops in them are in another order.

use super::facts::Facts;
use super::translate::Expressions;
use super::{Ast, Call, Comparison, Cond, Error, For, IteratorId, Node};
use crate::isl::{self, AstBuild, Set};
use crate::scop::Scop;
use std::collections::BTreeSet;

/// Conditions with more pieces are replaced by what holds in all of them.
const MOST_PIECES: usize = 2;

/// Puts outermost loops under conditions on parameters that do not follow from the loops' bounds.
pub(super) fn only_if_needed(scop: &Scop, ast: &mut Ast, max_nodes: usize) -> Result<(), Error> {
    let expressions = Expressions::new(scop, max_nodes)?;
    let facts = Facts::new(&scop.context, &ast.parameters);
    let mut beginner = Beginner { scop, facts, expressions };
    let root = std::mem::replace(&mut ast.root, Node::Block(Vec::new()));
    ast.root = beginner.node(root)?;
    Ok(())
}

struct Beginner<'a> {
    scop: &'a Scop,
    /// What holds anywhere.
    facts: Facts,
    expressions: Expressions<'a>,
}

impl Beginner<'_> {
    fn node(&mut self, node: Node) -> Result<Node, Error> {
        match node {
            Node::Block(children) => {
                let children = children.into_iter().map(|child| self.node(child));
                Ok(Node::Block(children.collect::<Result<_, _>>()?))
            }
            Node::For(inner) if is_reordered(&inner, &mut Vec::new()) => match self.condition(&inner)? {
                Some(cond) => Ok(Node::under(vec![cond], Node::For(inner), None)),
                None => Ok(Node::For(inner)),
            },
            other => Ok(other),
        }
    }

    /// What must hold so that a loop has something to do; `None` if its bounds say so.
    fn condition(&mut self, node: &For) -> Result<Option<Cond>, Error> {
        let mut facts = self.facts.clone();
        for (lower, upper) in node.lower.iter().flat_map(|lower| node.upper.iter().map(move |upper| (lower, upper))) {
            if lower.is_quasi_affine() && upper.is_quasi_affine() {
                facts.assume(&Cond::Compare(Comparison::Lt, lower.clone(), upper.clone()))?;
            }
        }
        let needed = facts.rest_of(needed(self.scop, &node.body)?)?;
        if needed.plain_is_universe()? {
            return Ok(None);
        }
        let build = AstBuild::from_context(self.scop.context.clone())?;
        Ok(Some(self.expressions.cond(&build.expr_from_set(needed)?)?))
    }
}

/// A loop around a place.
struct Around {
    iterator: IteratorId,
    /// The loops around, itself among them, that say where it goes, by their number from the outermost one: those of
    /// tiles say where those of points go.
    by: BTreeSet<usize>,
}

/// Whether a statement in a loop has the loops around it in another order than its own.
fn is_reordered(node: &For, around: &mut Vec<Around>) -> bool {
    let mut by = BTreeSet::from([around.len()]);
    for outer in around.iter() {
        if node.lower.iter().chain(&node.upper).any(|bound| bound.mentions(outer.iterator)) {
            by.extend(&outer.by);
        }
    }
    around.push(Around { iterator: node.iterator, by });
    let found = is_reordered_in(&node.body, around);
    around.pop();
    found
}

fn is_reordered_in(node: &Node, around: &mut Vec<Around>) -> bool {
    match node {
        Node::For(inner) => is_reordered(inner, around),
        Node::Call(call) => is_another_order(call, around),
        other => other.children().any(|child| is_reordered_in(child, around)),
    }
}

fn is_another_order(call: &Call, around: &[Around]) -> bool {
    let mut left: BTreeSet<usize> = (0..call.args.len()).collect();
    let mut last = None;
    for number in 0..around.len() {
        let moves = |position: &&usize| {
            let moved_by = |outer: &&Around| outer.by.contains(&number);
            around.iter().filter(moved_by).any(|outer| call.args[**position].mentions(outer.iterator))
        };
        let Some(first) = left.iter().find(moves).copied() else { continue };
        if last.is_some_and(|last| first < last) {
            return true;
        }
        left.remove(&first);
        last = Some(first);
    }
    false
}

/// The parameters for which statements of a node have instances: `[p] -> { : }`
fn needed(scop: &Scop, node: &Node) -> isl::Result<Set> {
    let mut needed = Set::empty(scop.context.space()?)?;
    for id in node.statements() {
        needed = needed.union(scop.statement(id).domain.clone().params()?)?;
    }
    let needed = needed.remove_divs()?.coalesce()?;
    if needed.n_basic_set()? > MOST_PIECES { needed.simple_hull()?.to_set() } else { Ok(needed) }
}
