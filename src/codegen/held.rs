//! What a loop around blocks can hold in a buffer of its own: elements that stay the same ones while the loop runs.
//!
//! The proof is from the access relations. In the loop, every access to the array must be to the same window of elements:
//! in each dimension one expression that does not change while the loop runs, plus at most one iterator of a block.
//! Some statement must write all elements of the window in each iteration, so that copying the window back writes nothing
//! that the loop does not write. Arrays are distinct memory, so nothing else in the loop can touch those elements.

use super::linear::Linear;
use super::{Call, Error, Expr, For, Held, IteratorId, Node};
use crate::locality::Subscripts;
use crate::scop::{AccessKind, Scop, StatementId};
use std::collections::BTreeMap;

/// Windows of more elements stay where they are: no processor has so many registers.
const MOST_ELEMENTS: i64 = 1024;

/// The accesses of a scop as expressions.
pub(super) struct Holder<'a> {
    scop: &'a Scop,
    /// The positions of parameters in the AST.
    parameters: BTreeMap<String, usize>,
    known: BTreeMap<StatementId, Vec<Reference>>,
}

/// What a statement does to an array.
#[derive(Debug, Clone)]
struct Reference {
    array: String,
    kind: AccessKind,
    /// The subscripts, where [`Expr::Iterator`] number `k` stands for the `k`-th element of the instance vector. `None`
    /// where they are not affine.
    subscripts: Option<Vec<Expr>>,
}

/// A call in a loop around blocks.
struct Site<'n> {
    call: &'n Call,
    /// The iterators of the block's loops around it, with their extents.
    loops: Vec<(IteratorId, i64)>,
    /// It is executed for all of their values.
    always: bool,
}

/// A dimension of the elements that a reference touches in one iteration of the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    origin: Expr,
    extent: i64,
}

impl<'a> Holder<'a> {
    pub fn new(scop: &'a Scop, parameters: &[String]) -> Self {
        let parameters = parameters.iter().enumerate().map(|(position, name)| (name.clone(), position)).collect();
        Holder { scop, parameters, known: BTreeMap::new() }
    }

    /// The windows that a loop can hold, by the names of the arrays; all loops in it have bounds from zero to a constant.
    pub fn held(&mut self, node: &For) -> Result<Vec<Held>, Error> {
        let mut sites = Vec::new();
        collect(&node.body, &mut Vec::new(), true, &mut sites);
        let mut bound = vec![node.iterator];
        bound.extend(sites.iter().flat_map(|site| site.loops.iter().map(|(iterator, _)| *iterator)));
        // By array: the window, if it is one, and whether all of it is written.
        let mut windows: BTreeMap<String, Option<(Vec<Side>, bool)>> = BTreeMap::new();
        for site in &sites {
            for reference in self.references(site.call.statement)? {
                let window = window(reference, site, &bound)?;
                let covers = reference.kind == AccessKind::MustWrite && site.always;
                let found = window.map(|window| (window, covers));
                let both = match (windows.remove(&reference.array), found) {
                    (None, found) => found,
                    (Some(Some((known, before))), Some((window, covers))) if known == window => {
                        Some((known, before || covers))
                    }
                    _ => None,
                };
                windows.insert(reference.array.clone(), both);
            }
        }
        let mut held = Vec::new();
        for (array, window) in windows {
            let Some((sides, true)) = window else { continue };
            let elements = sides.iter().try_fold(1_i64, |all, side| all.checked_mul(side.extent));
            if elements.is_some_and(|n| (2..=MOST_ELEMENTS).contains(&n)) {
                let (origin, extent) = sides.into_iter().map(|side| (side.origin, side.extent)).unzip();
                held.push(Held { array, origin, extent });
            }
        }
        Ok(held)
    }

    fn references(&mut self, id: StatementId) -> Result<&[Reference], Error> {
        if !self.known.contains_key(&id) {
            let statement = self.scop.statement(id);
            let mut references = Vec::new();
            for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
                let restricted = access.relation.clone().intersect_domain(statement.domain.clone())?;
                let subscripts = Subscripts::of(&access.relation, &restricted, &statement.domain)?;
                let subscripts = subscripts.map(|subscripts| self.expressions(&subscripts)).transpose()?.flatten();
                references.push(Reference { array: access.array()?, kind: access.kind, subscripts });
            }
            self.known.insert(id, references);
        }
        Ok(self.known.get(&id).map(Vec::as_slice).unwrap_or_default())
    }

    /// `None` where a parameter is none of the AST's.
    fn expressions(&self, subscripts: &Subscripts) -> Result<Option<Vec<Expr>>, Error> {
        let mut all = Vec::new();
        for subscript in &subscripts.expressions {
            let mut sum = Expr::Const(subscript.constant);
            for (k, factor) in subscript.iterators.iter().enumerate() {
                sum = sum.plus(&Expr::Iterator(IteratorId(k)).times(*factor)?)?;
            }
            for (name, factor) in &subscript.parameters {
                let Some(position) = self.parameters.get(name) else { return Ok(None) };
                sum = sum.plus(&Expr::Parameter(*position).times(*factor)?)?;
            }
            all.push(sum);
        }
        Ok(Some(all))
    }
}

/// The calls in a body.
fn collect<'n>(node: &'n Node, loops: &mut Vec<(IteratorId, i64)>, always: bool, sites: &mut Vec<Site<'n>>) {
    match node {
        Node::Block(children) => children.iter().for_each(|child| collect(child, loops, always, sites)),
        Node::For(inner) => {
            let extent = match (&inner.lower[..], &inner.upper[..], inner.step) {
                ([Expr::Const(0)], [Expr::Const(extent)], 1) => Some(*extent),
                _ => None,
            };
            loops.push((inner.iterator, extent.unwrap_or_default()));
            collect(&inner.body, loops, always && extent.is_some(), sites);
            loops.pop();
        }
        Node::If(branch) => {
            collect(&branch.then, loops, false, sites);
            branch.otherwise.iter().for_each(|node| collect(node, loops, false, sites));
        }
        Node::Call(call) => sites.push(Site { call, loops: loops.clone(), always }),
    }
}

/// The elements that a reference touches in one iteration of the loop that binds the first of the iterators `bound` and
/// holds the loops that bind the others; `None` if they are no window, or not the same ones in each iteration.
fn window(reference: &Reference, site: &Site<'_>, bound: &[IteratorId]) -> Result<Option<Vec<Side>>, Error> {
    let Some(subscripts) = &reference.subscripts else { return Ok(None) };
    let mut used = Vec::new();
    let mut sides = Vec::new();
    for subscript in subscripts {
        let subscript = subscript.substitute(&|IteratorId(k)| site.call.args.get(k).cloned())?;
        let mut sum = Linear::of(&subscript)?;
        let mut extent = 1;
        for (iterator, size) in &site.loops {
            let Some(factor) = sum.terms.remove(&Expr::Iterator(*iterator)) else { continue };
            if factor != 1 || extent != 1 || used.contains(iterator) {
                return Ok(None);
            }
            used.push(*iterator);
            extent = *size;
        }
        let origin = sum.into_expr();
        if extent < 1 || bound.iter().any(|iterator| origin.mentions(*iterator)) {
            return Ok(None);
        }
        sides.push(Side { origin, extent });
    }
    Ok(Some(sides))
}
