//! Where the points of a thread's block end before there are as many as there could be, at the end of an array.
//!
//! A loop over points that may end has as many iterations as any, and asks in each whether the point exists
//! ([`super::For::ends`]). What it asks is what its upper bound says besides the end of the tile, or, where bounds are
//! those of several statements, what the statement itself is under.

use super::facts::not_negative;
use super::{Comparison, Cond, Error, Expr, IteratorId, Node, Overflow};
use polyrs_model::ast::Linear;

/// Up to where the points of a loop exist: `factor * iterator <= rest`, the factor positive.
#[derive(Clone)]
pub(super) struct Limit {
    factor: i64,
    rest: Expr,
}

impl Limit {
    /// A condition on an iterator as its limit; `None` where it is none.
    pub fn of(cond: &Cond, iterator: IteratorId) -> Result<Option<Self>, Overflow> {
        let Some(difference) = not_negative(cond)? else { return Ok(None) };
        let mut sum = Linear::of(&difference)?;
        let Some(factor) = sum.terms.remove(&Expr::Iterator(iterator)) else { return Ok(None) };
        let rest = sum.into_expr();
        Ok((factor < 0 && !rest.mentions(iterator)).then_some(Limit { factor: -factor, rest }))
    }

    /// The first value of `origin + factor * iterator` beyond the limit, if that can be said.
    pub fn beyond(&self, origin: &Expr, factor: i64) -> Result<Option<Expr>, Overflow> {
        if factor % self.factor != 0 {
            return Ok(None);
        }
        Ok(Some(self.rest.times(factor / self.factor)?.plus(origin)?.plus_constant(1)?))
    }

    /// The first point, number 0, exists.
    pub fn allows_first(&self) -> Cond {
        Cond::Compare(Comparison::Ge, self.rest.clone(), Expr::Const(0))
    }

    fn mentions(&self, iterators: &[IteratorId]) -> bool {
        iterators.iter().any(|iterator| self.rest.mentions(*iterator))
    }
}

/// A loop over the points of a tile, counted by an iterator from zero, as points that may end: the condition for one to
/// exist, and the rest of the body. `limits` are the bounds besides the tile's end, without that one in the end;
/// `shifted` is the point of a number; `around` are the iterators of the block's loops around, which no end may depend
/// on. `None` where the tile ends at something, but cannot be said to.
pub(super) fn ending(
    limits: &mut Vec<Expr>,
    (iterator, shifted): (IteratorId, &Expr),
    around: &[IteratorId],
    body: Node,
) -> Result<Option<(Option<Cond>, Node)>, Error> {
    if let Some(limit) = limits.pop() {
        let exists = Cond::Compare(Comparison::Lt, shifted.clone(), limit);
        let is_end = Limit::of(&exists, iterator)?.is_some_and(|limit| !limit.mentions(around));
        return Ok(is_end.then_some((Some(exists), body)));
    }
    let branch = match body {
        Node::If(branch) if branch.otherwise.is_none() => branch,
        body => return Ok(Some((None, body))),
    };
    let mut conditions = branch.cond.into_conjuncts();
    let mut found = None;
    for (position, condition) in conditions.iter().enumerate() {
        let limit = Limit::of(condition, iterator)?;
        if found.is_none() && limit.is_some_and(|limit| !limit.mentions(around)) {
            found = Some(position);
        }
    }
    let exists = found.map(|position| conditions.remove(position));
    Ok(Some((exists, Node::under(conditions, branch.then, None))))
}

/// A node where conditions that are the whole body of a block's loop, but speak of loops of the block around it alone,
/// are around the loop, and blocks of one node are that. `around` are the iterators of those loops.
pub(super) fn hoisted(mut node: Node, around: &mut Vec<IteratorId>) -> Node {
    let own = match &node {
        Node::For(inner) if inner.block => Some(inner.iterator),
        _ => None,
    };
    around.extend(own);
    for child in node.children_mut() {
        *child = hoisted(std::mem::replace(child, Node::Block(Vec::new())), around);
    }
    if let Node::Block(children) = &mut node {
        children.retain(|child| !matches!(child, Node::Block(inner) if inner.is_empty()));
        if children.len() == 1 {
            return children.remove(0);
        }
    }
    let Some(iterator) = own else { return node };
    around.pop();
    let mut outer = Vec::new();
    if let Node::For(inner) = &mut node {
        inner.body = match std::mem::replace(&mut inner.body, Node::Block(Vec::new())) {
            Node::If(branch) if branch.otherwise.is_none() => {
                let is_outer = |cond: &Cond| !cond.mentions(iterator) && around.iter().any(|id| cond.mentions(*id));
                let (hoisted, kept) = branch.cond.into_conjuncts().into_iter().partition(is_outer);
                outer = hoisted;
                Node::under(kept, branch.then, None)
            }
            body => body,
        };
    }
    Node::under(outer, node, None)
}
