//! What iterations of a loop around blocks hand on to the next ones.
//!
//! Where the rows of a block are an iteration apart (mark `staggered`), each reads what rows above and it itself have written an
//! iteration or two before. Which accesses these are follows from subscripts alone: all of the loop to an array move by the same
//! step from one iteration to the next, and differ by constants ([`super::Window`]). Arrays are distinct memory, so that nothing
//! else in the loop can touch what is in the window.

use super::promote::{Promoter, Site, collect};
use super::window::{Moving, Offset, Window};
use super::{Carried, Error, Expr, For, IteratorId, Overflow};
use crate::scop::AccessKind;
use polyrs_model::ast::Linear;
use std::collections::BTreeMap;

/// Accesses to an array, with whether they write, in order.
type Accesses = Vec<(bool, Option<Vec<Expr>>)>;

impl Promoter<'_> {
    /// The arrays of which iterations of a loop hand elements on; all loops in it have bounds from zero to a constant.
    ///
    /// # Errors
    /// A number does not fit, or those of isl.
    pub fn carried(&mut self, node: &For) -> Result<Vec<Carried>, Error> {
        let mut sites = Vec::new();
        collect(&node.body, &mut Vec::new(), true, &mut sites)?;
        let Some(block) = one_block(&sites).filter(|_| node.step == 1) else { return Ok(Vec::new()) };
        let mut uses: BTreeMap<String, Accesses> = BTreeMap::new();
        for site in &sites {
            for reference in self.references(site.call.statement)? {
                let writes = match reference.kind {
                    AccessKind::Read => false,
                    AccessKind::MustWrite => true,
                    AccessKind::MayWrite | AccessKind::Kill => return Ok(Vec::new()),
                };
                uses.entry(reference.array.clone()).or_default().push((writes, reference.at(site)?));
            }
        }
        let mut all = Vec::new();
        for (array, accesses) in uses {
            all.extend(carried(node.iterator, &block, array, &accesses)?);
        }
        Ok(all)
    }
}

/// The loops of the one block that all calls are in, always, with their extents.
fn one_block(sites: &[Site<'_>]) -> Option<Vec<(IteratorId, i64)>> {
    let loops = |site: &Site<'_>| -> Vec<(IteratorId, i64)> {
        site.loops.iter().map(|inner| (inner.iterator, inner.extent)).collect()
    };
    let first = loops(sites.first()?);
    let is_of_it =
        |site: &Site<'_>| site.always && loops(site) == first && site.loops.iter().all(|inner| inner.exists.is_none());
    (!first.is_empty() && sites.iter().all(is_of_it)).then_some(first)
}

/// What iterations hand on of one array.
fn carried(
    iterator: IteratorId,
    block: &[(IteratorId, i64)],
    array: String,
    accesses: &Accesses,
) -> Result<Option<Carried>, Error> {
    let Some((_, Some(written))) = accesses.iter().find(|(writes, _)| *writes) else { return Ok(None) };
    let (mut origin, mut step) = (Vec::new(), Vec::new());
    for subscript in written {
        let mut sum = Linear::of(subscript)?;
        step.push(sum.terms.remove(&Expr::Iterator(iterator)).unwrap_or(0));
        for (point, _) in block {
            sum.terms.remove(&Expr::Iterator(*point));
        }
        origin.push(sum.into_expr());
    }
    let carried = Carried { array, origin, step };
    let mut moving = Vec::new();
    for (writes, subscripts) in accesses {
        let Some(subscripts) = subscripts else { return Ok(None) };
        let Some(offset) = offset(&carried, subscripts, &Expr::Iterator(iterator), block)? else { return Ok(None) };
        moving.push(Moving { writes: *writes, offset });
    }
    let extents: Vec<i64> = block.iter().map(|(_, extent)| *extent).collect();
    let is_bound = |expr: &Expr| block.iter().any(|(point, _)| expr.mentions(*point)) || expr.mentions(iterator);
    let is_open = !carried.origin.iter().any(is_bound) && Window::of(&carried.step, &extents, &moving).is_some();
    Ok(is_open.then_some(carried))
}

/// How far subscripts are from where an iteration is, in each dimension of an array that iterations hand elements of on; `None` where
/// that depends on more than the loops of the block, whose extents are given as well.
///
/// # Errors
/// A number does not fit.
pub fn offset(
    carried: &Carried,
    subscripts: &[Expr],
    iteration: &Expr,
    block: &[(IteratorId, i64)],
) -> Result<Option<Vec<Offset>>, Overflow> {
    let mut all = Vec::new();
    if subscripts.len() != carried.origin.len() {
        return Ok(None);
    }
    for (subscript, (origin, step)) in subscripts.iter().zip(carried.origin.iter().zip(&carried.step)) {
        let mut rest = Linear::of(&subscript.minus(origin)?.minus(&iteration.times(*step)?)?)?;
        let factors = block.iter().map(|(point, _)| rest.terms.remove(&Expr::Iterator(*point)).unwrap_or(0));
        let factors = factors.collect();
        let Some(constant) = rest.as_constant() else { return Ok(None) };
        all.push(Offset { constant, factors });
    }
    Ok(Some(all))
}
