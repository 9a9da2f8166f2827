//! Parallel loops in parallel loops.
//!
//! Threads share the iterations of the outermost ones. Where another parallel loop is all that is in one, they share the iterations of
//! both together, as many as one has times the other: in the AST it stays where it is, and a front end makes one loop of the two. That
//! takes bounds that are the same for all iterations of the outer loop, so that the inner one goes over all values it has anywhere, and
//! a condition says which of them it has at hand. Parallel loops elsewhere in parallel ones become sequential: starting threads there
//! would cost more than they bring.

use super::{Ast, Comparison, Cond, Expr, For, IteratorId, Linear, Node, Overflow};

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
            let around = Around { iterator: at, outer_step: outer.step, step: inner.step };
            let least = first.substitute(&|other| (other == at).then_some(Expr::Const(0)))?;
            if outer.lower != [Expr::Const(0)] || !around.is_in_steps(first)? {
                return Ok(None);
            }
            conditions.push(Cond::Compare(Comparison::Le, first.clone(), iterator));
            lower = vec![least];
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

/// An outer loop that begins at 0, and what an inner one goes on by.
struct Around {
    iterator: IteratorId,
    outer_step: i64,
    step: i64,
}

impl Around {
    /// An expression is a multiple of the inner loop's step in all iterations of the outer one, and never less than in those before:
    /// then the inner loop may always begin where it does in the first one, and comes by where it began.
    fn is_in_steps(&self, expr: &Expr) -> Result<bool, Overflow> {
        Ok(match expr {
            Expr::Const(value) => value % self.step == 0,
            Expr::Iterator(other) => *other == self.iterator && self.outer_step % self.step == 0,
            Expr::Mul(factor, inner) if factor % self.step == 0 => *factor >= 0 && self.only_grows(inner),
            Expr::Mul(factor, inner) => *factor >= 0 && self.is_in_steps(inner)?,
            Expr::Add(..) if self.is_last_multiple(expr)? => true,
            Expr::Add(one, other) => self.is_in_steps(one)? && self.is_in_steps(other)?,
            Expr::FloorDiv(inner, divisor) => match &**inner {
                Expr::Mul(factor, number) if **number == Expr::Iterator(self.iterator) && *factor >= 0 => {
                    let each = factor.checked_mul(self.outer_step).ok_or(Overflow)?;
                    each % divisor == 0 && each / divisor % self.step == 0
                }
                _ => false,
            },
            Expr::Parameter(_) | Expr::Mod(..) | Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => false,
        })
    }

    /// An expression of nothing but the outer loop's iterator is never less than in iterations before.
    fn only_grows(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) => true,
            Expr::Iterator(other) => *other == self.iterator,
            Expr::Mul(factor, inner) => *factor >= 0 && self.only_grows(inner),
            Expr::Add(one, other) => self.only_grows(one) && self.only_grows(other),
            Expr::FloorDiv(inner, _) => self.only_grows(inner),
            Expr::Parameter(_) | Expr::Mod(..) | Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => false,
        }
    }

    /// An expression is the last multiple of the step up to another one that only grows: `e - mod(e + k * step, step)`.
    fn is_last_multiple(&self, expr: &Expr) -> Result<bool, Overflow> {
        for (term, factor) in &Linear::of(expr)?.terms {
            if let Expr::Mod(shifted, divisor) = term
                && (*factor, *divisor) == (-1, self.step)
            {
                let most = expr.plus(term)?;
                let shift = shifted.minus(&most)?.as_constant();
                return Ok(self.only_grows(&most) && shift.is_some_and(|shift| shift % self.step == 0));
            }
        }
        Ok(false)
    }
}

fn make_sequential(node: &mut Node) {
    if let Node::For(node) = node {
        node.parallel = None;
    }
    node.children_mut().for_each(make_sequential);
}
