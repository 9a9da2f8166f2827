//! Building and rewriting expressions, simplified on the way.

use super::linear::Linear;
use super::{Comparison, Cond, Expr, IteratorId, Overflow};

impl Expr {
    /// `self + other`, simplified.
    ///
    /// # Errors
    /// [`Overflow`], as all that follow.
    pub fn plus(&self, other: &Expr) -> Result<Expr, Overflow> {
        self.plus_scaled(1, other)
    }

    /// `self - other`, simplified.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn minus(&self, other: &Expr) -> Result<Expr, Overflow> {
        self.plus_scaled(-1, other)
    }

    /// `self + value`, simplified.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn plus_constant(&self, value: i64) -> Result<Expr, Overflow> {
        self.plus_scaled(value, &Expr::Const(1))
    }

    /// `factor * self`, simplified.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn times(&self, factor: i64) -> Result<Expr, Overflow> {
        Expr::Const(0).plus_scaled(factor, self)
    }

    fn plus_scaled(&self, factor: i64, other: &Expr) -> Result<Expr, Overflow> {
        let mut sum = Linear::of(self)?;
        sum.accumulate(other, factor)?;
        Ok(sum.into_expr())
    }

    /// `self` divided by a positive number and rounded down, simplified.
    pub fn floor_div(self, divisor: i64) -> Expr {
        match self {
            Expr::Const(value) => Expr::Const(value.div_euclid(divisor)),
            expr if divisor == 1 => expr,
            expr => Expr::FloorDiv(Box::new(expr), divisor),
        }
    }

    /// The remainder of [`Expr::floor_div`], simplified.
    pub fn modulo(self, divisor: i64) -> Expr {
        match self {
            Expr::Const(value) => Expr::Const(value.rem_euclid(divisor)),
            _ if divisor == 1 => Expr::Const(0),
            expr => Expr::Mod(Box::new(expr), divisor),
        }
    }

    /// The constant that the expression is, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        Linear::of(self).ok()?.as_constant()
    }

    /// Neither minimum, maximum nor choice occurs: quasi-affine as a loop dialect has it.
    pub fn is_quasi_affine(&self) -> bool {
        match self {
            Expr::Const(_) | Expr::Parameter(_) | Expr::Iterator(_) => true,
            Expr::Add(a, b) => a.is_quasi_affine() && b.is_quasi_affine(),
            Expr::Mul(_, a) | Expr::FloorDiv(a, _) | Expr::Mod(a, _) => a.is_quasi_affine(),
            Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => false,
        }
    }

    /// The expression with iterators replaced, simplified.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn substitute(&self, replace: &dyn Fn(IteratorId) -> Option<Expr>) -> Result<Expr, Overflow> {
        let many = |list: &[Expr]| list.iter().map(|e| e.substitute(replace)).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Expr::Const(_) | Expr::Parameter(_) => self.clone(),
            Expr::Iterator(id) => replace(*id).unwrap_or_else(|| self.clone()),
            Expr::Add(a, b) => a.substitute(replace)?.plus(&b.substitute(replace)?)?,
            Expr::Mul(factor, a) => a.substitute(replace)?.times(*factor)?,
            Expr::FloorDiv(a, divisor) => a.substitute(replace)?.floor_div(*divisor),
            Expr::Mod(a, divisor) => a.substitute(replace)?.modulo(*divisor),
            Expr::Min(list) => Expr::Min(many(list)?),
            Expr::Max(list) => Expr::Max(many(list)?),
            Expr::Select(cond, a, b) => Expr::Select(
                Box::new(cond.substitute(replace)?),
                Box::new(a.substitute(replace)?),
                Box::new(b.substitute(replace)?),
            ),
        })
    }

    /// An iterator occurs.
    pub fn mentions(&self, iterator: IteratorId) -> bool {
        match self {
            Expr::Const(_) | Expr::Parameter(_) => false,
            Expr::Iterator(id) => *id == iterator,
            Expr::Add(a, b) => a.mentions(iterator) || b.mentions(iterator),
            Expr::Mul(_, a) | Expr::FloorDiv(a, _) | Expr::Mod(a, _) => a.mentions(iterator),
            Expr::Min(list) | Expr::Max(list) => list.iter().any(|e| e.mentions(iterator)),
            Expr::Select(cond, a, b) => cond.mentions(iterator) || a.mentions(iterator) || b.mentions(iterator),
        }
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        1 + match self {
            Expr::Const(_) | Expr::Parameter(_) | Expr::Iterator(_) => 0,
            Expr::Add(a, b) => a.size() + b.size(),
            Expr::Mul(_, a) | Expr::FloorDiv(a, _) | Expr::Mod(a, _) => a.size(),
            Expr::Min(list) | Expr::Max(list) => list.iter().map(Expr::size).sum(),
            Expr::Select(cond, a, b) => cond.size() + a.size() + b.size(),
        }
    }
}

impl Comparison {
    /// The comparison holds for two numbers with this difference, the first less the second.
    pub fn holds(self, difference: i64) -> bool {
        match self {
            Comparison::Eq => difference == 0,
            Comparison::Le => difference <= 0,
            Comparison::Lt => difference < 0,
            Comparison::Ge => difference >= 0,
            Comparison::Gt => difference > 0,
        }
    }
}

impl Cond {
    /// A condition under which an inequality holds for all values of an iterator from 0 to `last`, free of the iterator;
    /// `None` when the condition is no inequality or not linear in the iterator, does not speak of it, or never holds
    /// throughout.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn throughout(&self, iterator: IteratorId, last: i64) -> Result<Option<Cond>, Overflow> {
        let Cond::Compare(comparison, a, b) = self else { return Ok(None) };
        let grows_with_difference = match comparison {
            Comparison::Eq => return Ok(None),
            Comparison::Ge | Comparison::Gt => true,
            Comparison::Le | Comparison::Lt => false,
        };
        let atom = Expr::Iterator(iterator);
        let difference = Linear::of(&a.minus(b)?)?;
        let Some(&coefficient) = difference.terms.get(&atom) else { return Ok(None) };
        if difference.terms.keys().any(|term| *term != atom && term.mentions(iterator)) {
            return Ok(None);
        }
        let worst = if (coefficient > 0) == grows_with_difference { 0 } else { last };
        let at = |expr: &Expr| expr.substitute(&|id| (id == iterator).then_some(Expr::Const(worst)));
        let (a, b) = (at(a)?, at(b)?);
        Ok(match a.minus(&b)?.as_constant() {
            None => Some(Cond::Compare(*comparison, a, b)),
            Some(difference) if comparison.holds(difference) => Some(Cond::And(Vec::new())),
            Some(_) => None,
        })
    }

    /// The conditions that all have to hold, one by itself if it is no conjunction.
    pub fn into_conjuncts(self) -> Vec<Cond> {
        match self {
            Cond::And(all) => all,
            one => vec![one],
        }
    }

    /// The condition with iterators replaced, simplified.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn substitute(&self, replace: &dyn Fn(IteratorId) -> Option<Expr>) -> Result<Cond, Overflow> {
        let many = |list: &[Cond]| list.iter().map(|c| c.substitute(replace)).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Cond::Compare(comparison, a, b) => {
                Cond::Compare(*comparison, a.substitute(replace)?, b.substitute(replace)?)
            }
            Cond::And(list) => Cond::And(many(list)?),
            Cond::Or(list) => Cond::Or(many(list)?),
        })
    }

    /// An iterator occurs.
    pub fn mentions(&self, iterator: IteratorId) -> bool {
        match self {
            Cond::Compare(_, a, b) => a.mentions(iterator) || b.mentions(iterator),
            Cond::And(list) | Cond::Or(list) => list.iter().any(|c| c.mentions(iterator)),
        }
    }

    /// The opposite.
    pub fn negated(&self) -> Cond {
        match self {
            Cond::Compare(Comparison::Eq, a, b) => Cond::Or(vec![
                Cond::Compare(Comparison::Lt, a.clone(), b.clone()),
                Cond::Compare(Comparison::Gt, a.clone(), b.clone()),
            ]),
            Cond::Compare(Comparison::Le, a, b) => Cond::Compare(Comparison::Gt, a.clone(), b.clone()),
            Cond::Compare(Comparison::Lt, a, b) => Cond::Compare(Comparison::Ge, a.clone(), b.clone()),
            Cond::Compare(Comparison::Ge, a, b) => Cond::Compare(Comparison::Lt, a.clone(), b.clone()),
            Cond::Compare(Comparison::Gt, a, b) => Cond::Compare(Comparison::Le, a.clone(), b.clone()),
            Cond::And(list) => Cond::Or(list.iter().map(Cond::negated).collect()),
            Cond::Or(list) => Cond::And(list.iter().map(Cond::negated).collect()),
        }
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        1 + match self {
            Cond::Compare(_, a, b) => a.size() + b.size(),
            Cond::And(list) | Cond::Or(list) => list.iter().map(Cond::size).sum(),
        }
    }
}
