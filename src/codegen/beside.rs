//! Parallel loops in parallel loops.
//!
//! Threads share the iterations of the outermost ones. Where another parallel loop is all that is in one, they share the iterations of
//! both together, as many as one has times the other: in the AST it stays where it is, and a front end makes one loop of the two. That
//! takes bounds that are the same for all iterations of the outer loop, so that the inner one goes over all values it has anywhere, and
//! a condition says which of them it has at hand. Parallel loops elsewhere in parallel ones become sequential: starting threads there
//! would cost more than they bring.

use super::{Ast, Comparison, Cond, Expr, For, IteratorId, Node, Overflow};

/// Settles which parallel loops inside of others stay parallel.
///
/// # Errors
/// A bound cannot be said in 64 bits.
pub(super) fn settle(ast: &mut Ast) -> Result<(), Overflow> {
    outermost(&mut ast.root)
}

fn outermost(node: &mut Node) -> Result<(), Overflow> {
    let Node::For(outer) = node else { return node.children_mut().try_for_each(outermost) };
    if outer.parallel.is_none() {
        return outermost(&mut outer.body);
    }
    let is_shared = match outer.beside() {
        Some(inner) => Bounds::of(outer, inner)?,
        None => None,
    };
    match (is_shared, &mut outer.body) {
        (Some(bounds), Node::For(inner)) => bounds.give(inner),
        (_, body) => make_sequential(body),
    }
    Ok(())
}

/// The bounds of an inner loop that are the same for all iterations of the outer one, and the conditions that say where it has any.
struct Bounds {
    lower: Vec<Expr>,
    upper: Vec<Expr>,
    conditions: Vec<Cond>,
}

impl Bounds {
    /// `None` where there are no such bounds.
    fn of(outer: &For, inner: &For) -> Result<Option<Self>, Overflow> {
        let (at, iterator) = (outer.iterator, Expr::Iterator(inner.iterator));
        let (moving, upper): (Vec<Expr>, Vec<Expr>) = inner.upper.iter().cloned().partition(|upper| upper.mentions(at));
        let before = |upper: Expr| Cond::Compare(Comparison::Lt, iterator.clone(), upper);
        let mut conditions: Vec<Cond> = moving.into_iter().map(before).collect();
        let mut lower = inner.lower.clone();
        if let [first] = &inner.lower[..]
            && first.mentions(at)
        {
            // The last multiple of the step up to the iterator of the outer loop, which begins at 0.
            if outer.lower != [Expr::Const(0)] || !is_last_multiple(first, at, inner.step)? {
                return Ok(None);
            }
            conditions.push(Cond::Compare(Comparison::Le, first.clone(), iterator));
            lower = vec![Expr::Const(0)];
        }
        let is_fixed = !upper.is_empty() && !lower.iter().any(|lower| lower.mentions(at));
        Ok(is_fixed.then_some(Bounds { lower, upper, conditions }))
    }

    fn give(self, inner: &mut For) {
        (inner.lower, inner.upper) = (self.lower, self.upper);
        let mut body = std::mem::replace(&mut inner.body, Node::Block(Vec::new()));
        make_sequential(&mut body);
        inner.body = Node::under(self.conditions, body, None);
    }
}

/// An expression is `x - mod(x + k * step, step)` for some `k`.
fn is_last_multiple(expr: &Expr, iterator: IteratorId, step: i64) -> Result<bool, Overflow> {
    let below = Expr::Iterator(iterator).minus(expr)?;
    let Expr::Mod(shifted, divisor) = below else { return Ok(false) };
    let shift = shifted.minus(&Expr::Iterator(iterator))?.as_constant();
    Ok(divisor == step && shift.is_some_and(|shift| shift % step == 0))
}

fn make_sequential(node: &mut Node) {
    if let Node::For(node) = node {
        node.parallel = None;
    }
    node.children_mut().for_each(make_sequential);
}
