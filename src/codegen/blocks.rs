//! Whole blocks for registers apart from cut ones.
//!
//! The loops over the points of a block (mark `block`) are inside of a loop that updates the block again and again. Where
//! all of a block is in the domain its loops get constant bounds from zero, so that a compiler can unroll them and keep
//! what they update in registers (`held` finds that). Whether a block is whole may depend on the loop around it, as in
//! triangular domains: then that loop is cut into the ranges where the block is whole and where it is not, which keeps
//! the order of the instances.

use super::held::Holder;
use super::linear::Linear;
use super::separate::{Tile, throughout, tile_of, without_guards};
use super::translate::contains_loop;
use super::{Ast, Comparison, Cond, Error, Expr, For, If, IteratorId, Node, Options};
use crate::scop::Scop;

/// A loop is cut at no more than so many places: each makes a copy of its body.
const MOST_CUTS: usize = 3;

/// Separates whole blocks in an AST whose bounds are quasi-affine, and finds out what they hold.
pub(super) fn blocks(scop: &Scop, ast: &mut Ast, options: &Options) -> Result<(), Error> {
    let mut separator = Separator {
        n_iterators: ast.n_iterators,
        size: ast.root.size(),
        holder: Holder::new(scop, &ast.parameters),
        options,
    };
    let root = std::mem::replace(&mut ast.root, Node::Block(Vec::new()));
    ast.root = separator.node(root)?;
    ast.n_iterators = separator.n_iterators;
    Ok(())
}

struct Separator<'a> {
    n_iterators: usize,
    size: usize,
    holder: Holder<'a>,
    options: &'a Options,
}

/// A range of a loop.
struct Range {
    lower: Vec<Expr>,
    upper: Vec<Expr>,
    /// Blocks are whole in it.
    whole: bool,
}

impl Separator<'_> {
    fn node(&mut self, node: Node) -> Result<Node, Error> {
        match node {
            Node::For(node) if !node.block && node.parallel.is_none() && is_around_blocks(&node.body) => {
                self.around(node)
            }
            other => other.map_children(|child| self.node(child)),
        }
    }

    /// A loop around blocks, its whole blocks apart. Code that would grow too large, or gains nothing, stays as it is.
    fn around(&mut self, node: Box<For>) -> Result<Node, Error> {
        let mut n_iterators = self.n_iterators;
        let mut cuts = Vec::new();
        let whole = self.whole(&node.body, &mut n_iterators, &mut cuts)?;
        let Some(body) = whole else { return Ok(Node::For(node)) };
        let whole = For { body, ..(*node).clone() };
        let held = self.holder.held(&whole)?;
        let (inside, outside): (Vec<Cond>, Vec<Cond>) = cuts.into_iter().partition(|c| c.mentions(node.iterator));
        let Some(ranges) = ranges(&node, &inside)? else { return Ok(Node::For(node)) };
        let copies = ranges.len() + usize::from(!outside.is_empty());
        self.size += copies * whole.body.size();
        if held.is_empty() || self.size > self.options.max_nodes {
            return Ok(Node::For(node));
        }
        self.n_iterators = n_iterators;
        let mut parts = Vec::new();
        for range in ranges {
            let original = if range.whole { &whole } else { &*node };
            let mut part = original.renamed(&mut self.n_iterators)?;
            (part.lower, part.upper) = (range.lower, range.upper);
            if !range.whole {
                parts.push(Node::For(Box::new(part)));
                continue;
            }
            part.held.clone_from(&held);
            let runs = runs(&part)?;
            parts.push(branch(runs, Node::For(Box::new(part)), None));
        }
        let then = if parts.len() == 1 { parts.remove(0) } else { Node::Block(parts) };
        let otherwise = (!outside.is_empty()).then_some(Node::For(node));
        Ok(branch(outside, then, otherwise))
    }

    /// The body of a loop around blocks where all blocks are whole, and under which conditions they are; `None` where
    /// that cannot be said.
    fn whole(&self, node: &Node, n_iterators: &mut usize, cuts: &mut Vec<Cond>) -> Result<Option<Node>, Error> {
        Ok(match node {
            Node::Block(children) => {
                let mut all = Vec::new();
                for child in children {
                    match self.whole(child, n_iterators, cuts)? {
                        Some(child) => all.push(child),
                        None => return Ok(None),
                    }
                }
                Some(Node::Block(all))
            }
            Node::For(node) => self.whole_loop(node, n_iterators, cuts)?,
            Node::If(node) => {
                let Some(then) = self.whole(&node.then, n_iterators, cuts)? else { return Ok(None) };
                let otherwise = match &node.otherwise {
                    None => None,
                    Some(other) => match self.whole(other, n_iterators, cuts)? {
                        None => return Ok(None),
                        found => found,
                    },
                };
                Some(Node::If(Box::new(If { cond: node.cond.clone(), then, otherwise })))
            }
            Node::Call(_) => Some(node.clone()),
        })
    }

    fn whole_loop(&self, node: &For, n_iterators: &mut usize, cuts: &mut Vec<Cond>) -> Result<Option<Node>, Error> {
        let Some(Tile { origin, extent, cuts: own }) = tile_of(node, self.options)? else { return Ok(None) };
        if !node.block || node.step != 1 || node.parallel.is_some() {
            return Ok(None);
        }
        let iterator = IteratorId(*n_iterators);
        *n_iterators += 1;
        let shifted = Expr::Iterator(iterator).plus(&origin)?;
        let body = node.body.replaced(node.iterator, shifted, n_iterators)?;
        let mut inner = Vec::new();
        let Some(body) = self.whole(&body, n_iterators, &mut inner)? else { return Ok(None) };
        let body = without_guards(body, iterator, extent - 1, &mut inner)?;
        for cut in inner {
            let cut = if cut.mentions(iterator) {
                match throughout(&cut, iterator, extent - 1)? {
                    Some(Cond::And(always)) if always.is_empty() => continue,
                    Some(cut) => cut,
                    None => return Ok(None),
                }
            } else {
                cut
            };
            if !cuts.contains(&cut) {
                cuts.push(cut);
            }
        }
        for cut in own {
            if !cuts.contains(&cut) {
                cuts.push(cut);
            }
        }
        let (lower, upper) = (vec![Expr::Const(0)], vec![Expr::Const(extent)]);
        let step = 1;
        let (parallel, vector, block, held) = (None, node.vector, true, Vec::new());
        Ok(Some(Node::For(Box::new(For { iterator, lower, upper, step, parallel, vector, block, held, body }))))
    }
}

/// There are loops in a body, and all of them are over blocks.
fn is_around_blocks(body: &Node) -> bool {
    fn all_blocks(node: &Node) -> bool {
        !matches!(node, Node::For(inner) if !inner.block) && node.children().all(all_blocks)
    }
    contains_loop(body) && all_blocks(body)
}

/// A node under conditions that all have to hold.
fn branch(mut conditions: Vec<Cond>, then: Node, otherwise: Option<Node>) -> Node {
    let cond = match conditions.len() {
        0 => return then,
        1 => conditions.remove(0),
        _ => Cond::And(conditions),
    };
    Node::If(Box::new(If { cond, then, otherwise }))
}

/// The conditions under which a loop runs at all.
fn runs(node: &For) -> Result<Vec<Cond>, Error> {
    let mut conditions = Vec::new();
    for lower in &node.lower {
        for upper in &node.upper {
            if upper.minus(lower)?.as_constant().is_none_or(|extent| extent <= 0) {
                conditions.push(Cond::Compare(Comparison::Gt, upper.clone(), lower.clone()));
            }
        }
    }
    Ok(conditions)
}

/// An edge of the range where a condition on a loop's iterator holds.
enum Edge {
    From(Expr),
    To(Expr),
}

/// The ranges of a loop where conditions on its iterator all hold, and where not, in order; `None` where there are too many
/// or the conditions are no bounds on it.
fn ranges(node: &For, conditions: &[Cond]) -> Result<Option<Vec<Range>>, Error> {
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for condition in conditions {
        let (bounds, others, edge) = match edge(condition, node.iterator)? {
            Some(Edge::From(edge)) => (&node.lower, &mut from, edge),
            Some(Edge::To(edge)) => (&node.upper, &mut to, edge),
            None => return Ok(None),
        };
        if !bounds.contains(&edge) && !others.contains(&edge) {
            others.push(edge);
        }
    }
    if from.len() + to.len() > MOST_CUTS || node.step != 1 && !(from.is_empty() && to.is_empty()) {
        return Ok(None);
    }
    let (mut lower, mut upper) = (node.lower.clone(), node.upper.clone());
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for edge in from {
        let cut = upper.iter().cloned().chain([edge.clone()]).collect();
        before.push(Range { lower: lower.clone(), upper: cut, whole: false });
        lower.push(edge);
    }
    for edge in to {
        let cut = lower.iter().cloned().chain([edge.clone()]).collect();
        behind.push(Range { lower: cut, upper: upper.clone(), whole: false });
        upper.push(edge);
    }
    before.push(Range { lower, upper, whole: true });
    before.extend(behind.into_iter().rev());
    Ok(Some(before))
}

/// An inequality as a bound on an iterator.
fn edge(condition: &Cond, iterator: IteratorId) -> Result<Option<Edge>, Error> {
    let Cond::Compare(comparison, a, b) = condition else { return Ok(None) };
    let difference = match comparison {
        Comparison::Ge => a.minus(b)?,
        Comparison::Gt => a.minus(b)?.plus_constant(-1)?,
        Comparison::Le => b.minus(a)?,
        Comparison::Lt => b.minus(a)?.plus_constant(-1)?,
        Comparison::Eq => return Ok(None),
    };
    // factor * iterator + rest >= 0
    let mut sum = Linear::of(&difference)?;
    let Some(factor) = sum.terms.remove(&Expr::Iterator(iterator)) else { return Ok(None) };
    let rest = sum.into_expr();
    if rest.mentions(iterator) {
        return Ok(None);
    }
    Ok(Some(if factor > 0 {
        Edge::From(rest.times(-1)?.plus_constant(factor - 1)?.floor_div(factor))
    } else {
        Edge::To(rest.floor_div(-factor).plus_constant(1)?)
    }))
}
