//! Whole tiles separated from cut ones, at the innermost loop only.
//!
//! The innermost loop of a tiled nest runs from the greatest of the tile's origin and the domain's bounds to the least
//! of the tile's end and the domain's bounds. A vectorizer and an unroller make the most of a loop whose trip count is
//! a constant that they can see, so the loop is made twice under a condition: from 0 to the tile size where the tile is
//! whole, and as it was where not. Separating the other loops of the nest brought no more when it was measured, and
//! multiplies the code. A tile also counts as cut when a condition inside the loop fails somewhere in it, so that the
//! whole tile's loop has no conditions on its iterator left.

use super::translate::contains_loop;
use super::{Ast, Comparison, Cond, Error, Expr, For, IteratorId, Node, Options, Overflow};
use polyrs_model::ast::Linear;
use std::collections::{BTreeMap, BTreeSet};

/// Separates whole tiles in an AST whose bounds are quasi-affine, but for the loops of some iterators.
pub(super) fn separate(ast: &mut Ast, except: &BTreeSet<IteratorId>, options: &Options) -> Result<(), Error> {
    let mut separator = Separator { n_iterators: ast.n_iterators, size: ast.root.size(), except, options };
    let root = std::mem::replace(&mut ast.root, Node::Block(Vec::new()));
    ast.root = separator.node(root)?;
    ast.n_iterators = separator.n_iterators;
    Ok(())
}

struct Separator<'a> {
    n_iterators: usize,
    size: usize,
    except: &'a BTreeSet<IteratorId>,
    options: &'a Options,
}

impl Separator<'_> {
    fn node(&mut self, node: Node) -> Result<Node, Error> {
        match node {
            Node::For(node) if self.except.contains(&node.iterator) => Ok(Node::For(node)),
            Node::For(node) if !contains_loop(&node.body) => self.innermost(node),
            other => other.map_children(|child| self.node(child)),
        }
    }

    /// Both versions of an innermost loop. Code that would grow too large stays as it is.
    fn innermost(&mut self, node: Box<For>) -> Result<Node, Error> {
        let Some(tile) = tile_of(&node, &Numbers::new(), self.options)? else { return Ok(Node::For(node)) };
        let mut cuts = tile.cuts();
        let iterator = IteratorId(self.n_iterators);
        let shifted = Expr::Iterator(iterator).plus(&tile.origin)?;
        let mut n_iterators = self.n_iterators + 1;
        let body = node.body.replaced(node.iterator, shifted, &mut n_iterators)?;
        let last = (tile.count - 1) * node.step;
        let body = without_guards(body, iterator, last, &|_| false, &mut cuts)?;
        if tile.origin.as_constant().is_some() && cuts.is_empty() {
            return Ok(Node::For(node));
        }
        self.size += if cuts.is_empty() { 0 } else { node.body.size() };
        if self.size > self.options.max_nodes {
            return Ok(Node::For(node));
        }
        self.n_iterators = n_iterators;
        let whole = Node::For(Box::new(For {
            iterator,
            lower: vec![Expr::Const(0)],
            upper: vec![Expr::Const(last + 1)],
            step: node.step,
            parallel: node.parallel.clone(),
            vector: node.vector,
            block: node.block,
            ends: false,
            promoted: Vec::new(),
            carried: Vec::new(),
            body,
        }));
        Ok(Node::under(cuts, whole, Some(Node::For(node))))
    }
}

/// How many numbers there are of blocks or threads, for those of which that is known.
pub(super) type Numbers = BTreeMap<IteratorId, i64>;

/// The lower and upper bound between which there are the fewest values, as many for all numbers of a block or thread:
/// the tile; the conditions under which no other bound cuts it.
pub(super) fn tile_of(node: &For, numbers: &Numbers, options: &Options) -> Result<Option<Tile>, Error> {
    let mut best: Option<(i64, usize, usize)> = None;
    for (l, lower) in node.lower.iter().enumerate() {
        for (u, upper) in node.upper.iter().enumerate() {
            let count = count(upper, lower, node.step, numbers)?;
            let count = count.filter(|count| (2..=options.max_separated_trip).contains(count));
            if let Some(count) = count.filter(|&count| best.is_none_or(|(former, ..)| count < former)) {
                best = Some((count, l, u));
            }
        }
    }
    let Some((count, l, u)) = best else { return Ok(None) };
    let (origin, end) = (node.lower[l].clone(), node.upper[u].clone());
    let others = |list: &[Expr], without: usize| -> Vec<Expr> {
        list.iter().enumerate().filter(|(i, _)| *i != without).map(|(_, other)| other.clone()).collect()
    };
    let starts = others(&node.lower, l).into_iter().map(|other| is_from(&origin, &other, node.step));
    let starts = starts.collect::<Result<_, _>>()?;
    Ok(Some(Tile { origin, count, starts, end, limits: others(&node.upper, u) }))
}

/// `origin >= bound`. In steps of more than one, a bound may be `rest + step * floor(inner / step)`, the first value from
/// somewhere on that is a thread's; if so is the origin, `origin - rest` being a multiple of the step, that is the same as
/// `origin - rest + step - 1 >= inner`, which is linear where `inner` is.
fn is_from(origin: &Expr, bound: &Expr, step: i64) -> Result<Cond, Error> {
    let plain = Cond::Compare(Comparison::Ge, origin.clone(), bound.clone());
    let mut rest = Linear::of(bound)?;
    let found = rest.terms.iter().find_map(|(term, factor)| match term {
        Expr::FloorDiv(inner, divisor) if *divisor == step && *factor == step => {
            Some((term.clone(), (**inner).clone()))
        }
        _ => None,
    });
    let Some((term, inner)) = found else { return Ok(plain) };
    rest.terms.remove(&term);
    let distance = origin.minus(&rest.into_expr())?;
    let steps = Linear::of(&distance)?;
    let is_multiple = steps.constant % step == 0 && steps.terms.values().all(|factor| factor % step == 0);
    if step == 1 || !is_multiple {
        return Ok(plain);
    }
    Ok(Cond::Compare(Comparison::Ge, distance.plus_constant(step - 1)?, inner))
}

/// How many values there are from a lower bound up to an upper one, if that is the same for all numbers.
fn count(upper: &Expr, lower: &Expr, step: i64, numbers: &Numbers) -> Result<Option<i64>, Error> {
    let mut distance = Linear::of(&upper.minus(lower)?)?;
    let (least, greatest) = distance.take_range(|term| match term {
        Expr::Iterator(number) => numbers.get(number).map(|most| most - 1),
        _ => None,
    })?;
    let Some(rest) = distance.as_constant() else { return Ok(None) };
    let (least, greatest) = (least.checked_add(rest).ok_or(Overflow)?, greatest.checked_add(rest).ok_or(Overflow)?);
    let rounds = |distance: i64| distance.checked_add(step - 1).map(|last| last.div_euclid(step)).ok_or(Overflow);
    Ok((rounds(least)? == rounds(greatest)?).then_some(rounds(least)?))
}

/// The body without the conditions that are linear in an iterator which runs from 0 to `last`, and without inequalities
/// that the caller wants to be rid of as they are; `cuts` gets what makes them hold throughout.
pub(super) fn without_guards(
    node: Node,
    iterator: IteratorId,
    last: i64,
    is_unwanted: &dyn Fn(&Cond) -> bool,
    cuts: &mut Vec<Cond>,
) -> Result<Node, Error> {
    Ok(match node {
        block @ Node::Block(_) => {
            block.map_children(|child| without_guards(child, iterator, last, is_unwanted, cuts))?
        }
        Node::If(branch) if branch.otherwise.is_none() => {
            let mut left = Vec::new();
            for cond in branch.cond.into_conjuncts() {
                let mentions = cond.mentions(iterator);
                match cond.throughout(iterator, last)? {
                    None if !mentions && is_inequality(&cond) && is_unwanted(&cond) => {
                        if !cuts.contains(&cond) {
                            cuts.push(cond);
                        }
                    }
                    Some(Cond::And(always)) if always.is_empty() => {}
                    Some(all) if cuts.contains(&all) => {}
                    Some(all) => cuts.push(all),
                    None => left.push(cond),
                }
            }
            let then = without_guards(branch.then, iterator, last, is_unwanted, cuts)?;
            Node::under(left, then, None)
        }
        other => other,
    })
}

fn is_inequality(cond: &Cond) -> bool {
    matches!(cond, Cond::Compare(comparison, ..) if *comparison != Comparison::Eq)
}

/// What a loop over the points of a tile runs over.
pub(super) struct Tile {
    /// The tile's first value.
    pub origin: Expr,
    /// How many values it has, a step of the loop apart.
    pub count: i64,
    /// It begins there when all of these hold.
    starts: Vec<Cond>,
    /// The first value beyond the tile.
    end: Expr,
    /// It may end at these before.
    pub limits: Vec<Expr>,
}

impl Tile {
    /// The tile is whole when all of these hold.
    pub fn cuts(&self) -> Vec<Cond> {
        let reached = self.limits.iter().map(|limit| Cond::Compare(Comparison::Le, self.end.clone(), limit.clone()));
        self.starts.iter().cloned().chain(reached).collect()
    }
}
