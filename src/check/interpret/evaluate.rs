//! The values of expressions and conditions of an AST.

use super::Error;
use crate::ast::{Comparison, Cond, Expr};

/// The values that expressions are made of.
#[derive(Debug)]
pub(super) struct Values {
    /// By the positions in the AST.
    pub parameters: Vec<i128>,
    /// By their numbers; `None` where an iterator is not bound.
    pub iterators: Vec<Option<i128>>,
}

impl Values {
    /// The least or the greatest of expressions.
    ///
    /// # Errors
    /// When an expression is not well-formed or a number overflows, as of all that follow.
    pub fn extreme(&self, of: &[Expr], greatest: bool) -> Result<i128, Error> {
        let values = of.iter().map(|e| self.expr(e)).collect::<Result<Vec<_>, _>>()?;
        let found = if greatest { values.into_iter().max() } else { values.into_iter().min() };
        found.ok_or_else(|| Error::Malformed("a least or greatest of nothing".into()))
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// As of [`Values::extreme`].
    pub fn expr(&self, expr: &Expr) -> Result<i128, Error> {
        let positive = |divisor: i64| match divisor {
            1.. => Ok(i128::from(divisor)),
            _ => Err(Error::Malformed(format!("a division by {divisor}"))),
        };
        match expr {
            Expr::Const(value) => Ok(i128::from(*value)),
            Expr::Parameter(position) => {
                let value = self.parameters.get(*position).copied();
                value.ok_or_else(|| Error::Malformed(format!("there is no parameter number {position}")))
            }
            Expr::Iterator(id) => {
                let value = self.iterators.get(id.0).copied().flatten();
                value.ok_or_else(|| Error::Malformed(format!("the iterator {} is not bound", id.0)))
            }
            Expr::Add(a, b) => self.expr(a)?.checked_add(self.expr(b)?).ok_or_else(|| overflow(expr)),
            Expr::Mul(factor, a) => self.expr(a)?.checked_mul(i128::from(*factor)).ok_or_else(|| overflow(expr)),
            Expr::FloorDiv(a, divisor) => Ok(self.expr(a)?.div_euclid(positive(*divisor)?)),
            Expr::Mod(a, divisor) => Ok(self.expr(a)?.rem_euclid(positive(*divisor)?)),
            Expr::Min(of) => self.extreme(of, false),
            Expr::Max(of) => self.extreme(of, true),
            Expr::Select(cond, then, otherwise) => self.expr(if self.cond(cond)? { then } else { otherwise }),
        }
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// As of [`Values::extreme`].
    pub fn cond(&self, cond: &Cond) -> Result<bool, Error> {
        match cond {
            Cond::Compare(comparison, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                Ok(match comparison {
                    Comparison::Eq => a == b,
                    Comparison::Le => a <= b,
                    Comparison::Lt => a < b,
                    Comparison::Ge => a >= b,
                    Comparison::Gt => a > b,
                })
            }
            Cond::And(of) => of.iter().try_fold(true, |all, c| Ok(all && self.cond(c)?)),
            Cond::Or(of) => of.iter().try_fold(false, |any, c| Ok(any || self.cond(c)?)),
        }
    }
}

/// A number that does not fit.
pub(super) fn overflow(what: &impl std::fmt::Debug) -> Error {
    Error::Overflow(format!("{what:?}"))
}
