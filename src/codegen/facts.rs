//! What is known inside of a loop, and what follows from it.

use super::linear::Linear;
use super::{Comparison, Cond, Error, Expr, For, IteratorId};

/// What holds in the body of a loop.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    iterator: IteratorId,
    /// Each is at most the iterator.
    lower: Vec<Expr>,
    /// Each is greater than the iterator.
    upper: Vec<Expr>,
    /// Each is at least zero.
    positive: Vec<Expr>,
}

impl Facts {
    /// What a loop's bounds say.
    pub fn of_loop(node: &For) -> Self {
        let (lower, upper) = (node.lower.clone(), node.upper.clone());
        Facts { iterator: node.iterator, lower, upper, positive: Vec::new() }
    }

    /// Adds a condition. Those that are no inequalities say nothing.
    pub fn assume(&mut self, cond: &Cond) -> Result<(), Error> {
        match edge(cond, self.iterator)? {
            Some(Edge::From(edge)) => self.lower.push(edge),
            Some(Edge::To(edge)) => self.upper.push(edge),
            None => self.positive.extend(difference(cond)?),
        }
        Ok(())
    }

    /// The condition holds, as far as can be told.
    pub fn imply(&self, cond: &Cond) -> Result<bool, Error> {
        match cond {
            Cond::And(list) => {
                for cond in list {
                    if !self.imply(cond)? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
            Cond::Or(list) => {
                for cond in list {
                    if self.imply(cond)? {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            Cond::Compare(..) => {}
        }
        let Some(difference) = difference(cond)? else { return Ok(false) };
        if self.is_positive(&difference)? {
            return Ok(true);
        }
        // At the iterator's worst value.
        let iterator = Expr::Iterator(self.iterator);
        let factor = Linear::of(&difference)?.terms.get(&iterator).copied().unwrap_or_default();
        let (bounds, past) = match factor {
            0 => return Ok(false),
            1.. => (&self.lower, 0),
            _ => (&self.upper, -1),
        };
        for bound in bounds {
            let worst = bound.plus_constant(past)?;
            if self.is_positive(&difference.substitute(&|id| (id == self.iterator).then(|| worst.clone()))?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_positive(&self, expr: &Expr) -> Result<bool, Error> {
        if let Some(value) = expr.as_constant() {
            return Ok(value >= 0);
        }
        for known in &self.positive {
            if expr.minus(known)?.as_constant().is_some_and(|more| more >= 0) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// What is at least zero where an inequality holds; `None` for other conditions.
fn difference(cond: &Cond) -> Result<Option<Expr>, Error> {
    let Cond::Compare(comparison, a, b) = cond else { return Ok(None) };
    Ok(Some(match comparison {
        Comparison::Ge => a.minus(b)?,
        Comparison::Gt => a.minus(b)?.plus_constant(-1)?,
        Comparison::Le => b.minus(a)?,
        Comparison::Lt => b.minus(a)?.plus_constant(-1)?,
        Comparison::Eq => return Ok(None),
    }))
}

/// An edge of the range of an iterator where a condition holds.
pub(super) enum Edge {
    /// The first value.
    From(Expr),
    /// The first value beyond.
    To(Expr),
}

/// An inequality as a bound on an iterator; `None` if it is none.
pub(super) fn edge(cond: &Cond, iterator: IteratorId) -> Result<Option<Edge>, Error> {
    let Some(difference) = difference(cond)? else { return Ok(None) };
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
