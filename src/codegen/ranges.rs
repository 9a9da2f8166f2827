//! The iterations of a loop where conditions hold apart from those where they do not.

use super::facts::{Edge, edge};
use super::{Cond, Error, Expr, For};

/// A loop around blocks that hold what they update is cut at no more than so many places: each makes a copy of its body.
pub(super) const MOST_CUTS: usize = 3;

/// The same of loops around blocks whose rows are an iteration apart, which tiles and arrays begin and end.
pub(super) const MOST_CUTS_OF_ROWS: usize = 4;

/// A range of a loop.
pub(super) struct Range {
    pub lower: Vec<Expr>,
    pub upper: Vec<Expr>,
    /// The conditions hold in it.
    pub whole: bool,
}

/// The ranges of a loop where conditions on its iterator all hold, and where not, in order; `None` where there are more than so many
/// cuts, or the conditions are no bounds on it.
pub(super) fn ranges(node: &For, conditions: &[Cond], most: usize) -> Result<Option<Vec<Range>>, Error> {
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for condition in conditions {
        let (bounds, others, edge, sign) = match edge(condition, node.iterator)? {
            Some(Edge::From(edge)) => (&node.lower, &mut from, edge, 1),
            Some(Edge::To(edge)) => (&node.upper, &mut to, edge, -1),
            None => return Ok(None),
        };
        if !is_implied(bounds, &edge, sign)? && !is_implied(others, &edge, sign)? {
            tighten(others, edge, sign)?;
        }
    }
    if from.len() + to.len() > most || node.step != 1 && !(from.is_empty() && to.is_empty()) {
        return Ok(None);
    }
    let (mut lower, mut upper) = (node.lower.clone(), node.upper.clone());
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for edge in from {
        let cut = upper.iter().cloned().chain([edge.clone()]).collect();
        before.push(Range { lower: lower.clone(), upper: cut, whole: false });
        tighten(&mut lower, edge, 1)?;
    }
    for edge in to {
        let cut = lower.iter().cloned().chain([edge.clone()]).collect();
        behind.push(Range { lower: cut, upper: upper.clone(), whole: false });
        tighten(&mut upper, edge, -1)?;
    }
    before.push(Range { lower, upper, whole: true });
    before.extend(behind.into_iter().rev());
    Ok(Some(before))
}

/// A bound of a list is always at least as strict as another one: as great for lower bounds, whose `sign` is 1, as
/// small for upper ones, whose `sign` is -1.
fn is_implied(bounds: &[Expr], edge: &Expr, sign: i64) -> Result<bool, Error> {
    for bound in bounds {
        if bound.minus(edge)?.times(sign)?.as_constant().is_some_and(|more| more >= 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds a bound, in place of those that it implies.
fn tighten(bounds: &mut Vec<Expr>, edge: Expr, sign: i64) -> Result<(), Error> {
    let mut kept = Vec::new();
    for bound in bounds.drain(..) {
        if !is_implied(std::slice::from_ref(&edge), &bound, sign)? {
            kept.push(bound);
        }
    }
    kept.push(edge);
    *bounds = kept;
    Ok(())
}
