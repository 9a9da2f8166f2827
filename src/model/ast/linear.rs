//! Sums in a normal form, so that equal expressions look equal and differences cancel.

use super::{Expr, Overflow};
use std::collections::BTreeMap;

/// A linear combination of atoms (parameters, iterators, and expressions that are no sums) plus a constant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    /// Coefficients by atom, none of them zero.
    pub terms: BTreeMap<Expr, i64>,
    /// The constant term.
    pub constant: i64,
}

impl Linear {
    /// The normal form of an expression.
    ///
    /// # Errors
    /// [`Overflow`], as of [`Linear::accumulate`].
    pub fn of(expr: &Expr) -> Result<Self, Overflow> {
        let mut sum = Linear::default();
        sum.accumulate(expr, 1)?;
        Ok(sum)
    }

    /// Adds `factor * expr`.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn accumulate(&mut self, expr: &Expr, factor: i64) -> Result<(), Overflow> {
        match expr {
            Expr::Const(value) => {
                let value = value.checked_mul(factor).ok_or(Overflow)?;
                self.constant = self.constant.checked_add(value).ok_or(Overflow)?;
            }
            Expr::Add(a, b) => {
                self.accumulate(a, factor)?;
                self.accumulate(b, factor)?;
            }
            Expr::Mul(coefficient, a) => self.accumulate(a, coefficient.checked_mul(factor).ok_or(Overflow)?)?,
            atom => {
                let former = self.terms.get(atom).copied().unwrap_or(0);
                match former.checked_add(factor).ok_or(Overflow)? {
                    0 => self.terms.remove(atom),
                    sum => self.terms.insert(atom.clone(), sum),
                };
            }
        }
        Ok(())
    }

    /// Takes out the atoms that have any value from zero to what `last` says: the least and the greatest value of their
    /// sum.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn take_range(&mut self, last: impl Fn(&Expr) -> Option<i64>) -> Result<(i64, i64), Overflow> {
        let (mut least, mut greatest) = (0_i64, 0_i64);
        let mut left = BTreeMap::new();
        for (atom, factor) in std::mem::take(&mut self.terms) {
            let Some(last) = last(&atom) else {
                left.insert(atom, factor);
                continue;
            };
            let end = factor.checked_mul(last).ok_or(Overflow)?;
            least = least.checked_add(end.min(0)).ok_or(Overflow)?;
            greatest = greatest.checked_add(end.max(0)).ok_or(Overflow)?;
        }
        self.terms = left;
        Ok((least, greatest))
    }

    /// The sum as an expression: iterators first, then parameters, then the rest, then the constant.
    pub fn into_expr(self) -> Expr {
        let rank = |atom: &Expr| match atom {
            Expr::Iterator(_) => 0,
            Expr::Parameter(_) => 1,
            _ => 2,
        };
        let mut terms: Vec<(Expr, i64)> = self.terms.into_iter().collect();
        terms.sort_by_key(|(atom, _)| rank(atom));
        let products = terms.into_iter().map(|(atom, factor)| match factor {
            1 => atom,
            factor => Expr::Mul(factor, Box::new(atom)),
        });
        let constant = (self.constant != 0).then_some(Expr::Const(self.constant));
        products.chain(constant).reduce(|a, b| Expr::Add(Box::new(a), Box::new(b))).unwrap_or(Expr::Const(0))
    }

    /// The value, when it is constant.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}
