//! What is known at a place in the AST, and what follows from it.

use super::{Comparison, Cond, Error, Expr, For, If, IteratorId, Kernel, Node, Overflow};
use crate::isl::Set;
use polyrs_model::ast::Linear;
use std::collections::BTreeSet;

/// What holds at a place: iterators of loops around are parameters besides the scop's, `[p, x] -> { : ... }`.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    names: Vec<String>,
    /// What the names of iterators start with, which no parameter's does.
    prefix: String,
    known: Set,
}

impl Facts {
    /// What holds anywhere: the context `[p] -> { : ... }`, in which parameters have these names.
    pub fn new(context: &Set, names: &[String]) -> Self {
        let mut prefix = "x".to_owned();
        while names.iter().any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        Facts { names: names.to_vec(), prefix, known: context.clone() }
    }

    /// The same in a loop.
    pub fn inside(&self, node: &For) -> Result<Self, Error> {
        let mut inside = self.clone();
        inside.assume(&Cond::And(between(node)))?;
        Ok(inside)
    }

    /// The same in a kernel, for each of its blocks and threads.
    pub fn inside_kernel(&self, kernel: &Kernel) -> Result<Self, Error> {
        let mut inside = self.clone();
        for axis in kernel.axes() {
            let number = || Expr::Iterator(axis.iterator);
            let below = |bound: &Expr| Cond::Compare(Comparison::Lt, number(), bound.clone());
            inside.assume(&Cond::Compare(Comparison::Ge, number(), Expr::Const(0)))?;
            if let Some(most) = axis.most {
                inside.assume(&below(&Expr::Const(most)))?;
            }
            if !axis.extent.is_empty() {
                inside.assume(&Cond::Or(axis.extent.iter().map(below).collect()))?;
            }
        }
        Ok(inside)
    }

    /// The same where a condition holds.
    pub fn under(&self, cond: &Cond) -> Result<Self, Error> {
        let mut under = self.clone();
        under.assume(cond)?;
        Ok(under)
    }

    /// Adds a condition.
    pub fn assume(&mut self, cond: &Cond) -> Result<(), Error> {
        self.known = self.known.clone().intersect(self.set(cond)?)?;
        Ok(())
    }

    /// The condition holds.
    pub fn imply(&self, cond: &Cond) -> Result<bool, Error> {
        Ok(self.known.is_disjoint(&self.set(&cond.negated())?)?)
    }

    /// The condition never holds.
    pub fn exclude(&self, cond: &Cond) -> Result<bool, Error> {
        Ok(self.known.is_disjoint(&self.set(cond)?)?)
    }

    /// A loop does not run.
    pub fn exclude_loop(&self, node: &For) -> Result<bool, Error> {
        self.exclude(&Cond::And(between(node)))
    }

    /// What is left of conditions on parameters, `[p] -> { : ... }`.
    pub fn rest_of(&self, conditions: Set) -> Result<Set, Error> {
        Ok(conditions.gist(self.known.clone())?.coalesce()?)
    }

    fn set(&self, cond: &Cond) -> Result<Set, Error> {
        let mut iterators = BTreeSet::new();
        let text = self.cond(cond, &mut iterators)?;
        let names = self.names.iter().cloned().chain(iterators.iter().map(|id| self.iterator(*id)));
        let names = names.collect::<Vec<_>>().join(", ");
        Ok(Set::parse(self.known.ctx(), &format!("[{names}] -> {{ : {text} }}"))?)
    }

    fn iterator(&self, id: IteratorId) -> String {
        format!("{}{}", self.prefix, id.0)
    }

    fn cond(&self, cond: &Cond, iterators: &mut BTreeSet<IteratorId>) -> Result<String, Error> {
        let (list, word, empty) = match cond {
            Cond::Compare(comparison, a, b) => {
                let sign = match comparison {
                    Comparison::Eq => "=",
                    Comparison::Le => "<=",
                    Comparison::Lt => "<",
                    Comparison::Ge => ">=",
                    Comparison::Gt => ">",
                };
                return Ok(format!("{} {sign} {}", self.expr(a, iterators)?, self.expr(b, iterators)?));
            }
            Cond::And(list) => (list, " and ", "0 = 0"),
            Cond::Or(list) => (list, " or ", "0 = 1"),
        };
        if list.is_empty() {
            return Ok(empty.to_owned());
        }
        let list = list.iter().map(|cond| Ok(format!("({})", self.cond(cond, iterators)?)));
        Ok(list.collect::<Result<Vec<_>, Error>>()?.join(word))
    }

    fn expr(&self, expr: &Expr, iterators: &mut BTreeSet<IteratorId>) -> Result<String, Error> {
        Ok(match expr {
            Expr::Const(value) => format!("({value})"),
            Expr::Parameter(position) => {
                self.names.get(*position).cloned().ok_or_else(|| Error::unsupported("an unknown parameter"))?
            }
            Expr::Iterator(id) => {
                iterators.insert(*id);
                self.iterator(*id)
            }
            Expr::Add(a, b) => format!("({} + {})", self.expr(a, iterators)?, self.expr(b, iterators)?),
            Expr::Mul(factor, a) => format!("({factor} * {})", self.expr(a, iterators)?),
            Expr::FloorDiv(a, divisor) => format!("floor({}/{divisor})", self.expr(a, iterators)?),
            Expr::Mod(a, divisor) => format!("({} mod {divisor})", self.expr(a, iterators)?),
            Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => {
                return Err(Error::unsupported("a choice in an expression"));
            }
        })
    }
}

/// The iterator is between the bounds of its loop.
fn between(node: &For) -> Vec<Cond> {
    let iterator = || Expr::Iterator(node.iterator);
    let lower = node.lower.iter().map(|bound| Cond::Compare(Comparison::Ge, iterator(), bound.clone()));
    let upper = node.upper.iter().map(|bound| Cond::Compare(Comparison::Lt, iterator(), bound.clone()));
    lower.chain(upper).collect()
}

/// The same node over what `change` makes of each node right below, with what is known there.
///
/// # Errors
/// What `change` fails with, and what cannot be said as a fact.
pub(super) fn map_children(
    node: Node,
    facts: &Facts,
    change: &mut dyn FnMut(Node, &Facts) -> Result<Node, Error>,
) -> Result<Node, Error> {
    let inside = match node {
        Node::For(ref node) => facts.inside(node)?,
        Node::Kernel(ref kernel) => facts.inside_kernel(kernel)?,
        Node::If(branch) => {
            let If { cond, then, otherwise } = *branch;
            let then = change(then, &facts.under(&cond)?)?;
            let elsewhere = facts.under(&cond.negated())?;
            let otherwise = otherwise.map(|node| change(node, &elsewhere)).transpose()?;
            return Ok(Node::If(Box::new(If { cond, then, otherwise })));
        }
        Node::Block(_) | Node::Shared(_) | Node::Call(_) => facts.clone(),
    };
    node.map_children(|child| change(child, &inside))
}

/// The conditions under which a loop runs at all.
pub(super) fn runs(node: &For) -> Vec<Cond> {
    let above = |lower: &Expr, upper: &Expr| Cond::Compare(Comparison::Gt, upper.clone(), lower.clone());
    node.lower.iter().flat_map(|lower| node.upper.iter().map(move |upper| above(lower, upper))).collect()
}

/// Those of some conditions that do not follow from what is known, or from others of them.
pub(super) fn unknown(conditions: Vec<Cond>, facts: &Facts) -> Result<Vec<Cond>, Error> {
    let mut facts = facts.clone();
    let mut left = Vec::new();
    for condition in conditions {
        if !facts.imply(&condition)? {
            facts.assume(&condition)?;
            left.push(condition);
        }
    }
    Ok(left)
}

/// An edge of the range of an iterator where a condition holds.
pub(super) enum Edge {
    /// The first value.
    From(Expr),
    /// The first value beyond.
    To(Expr),
}

/// What an inequality says is at least zero; `None` if it is none.
pub(super) fn not_negative(cond: &Cond) -> Result<Option<Expr>, Overflow> {
    let Cond::Compare(comparison, a, b) = cond else { return Ok(None) };
    Ok(Some(match comparison {
        Comparison::Ge => a.minus(b)?,
        Comparison::Gt => a.minus(b)?.plus_constant(-1)?,
        Comparison::Le => b.minus(a)?,
        Comparison::Lt => b.minus(a)?.plus_constant(-1)?,
        Comparison::Eq => return Ok(None),
    }))
}

/// An inequality as a bound on an iterator; `None` if it is none.
pub(super) fn edge(cond: &Cond, iterator: IteratorId) -> Result<Option<Edge>, Error> {
    let Some(difference) = not_negative(cond)? else { return Ok(None) };
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
