//! What a loop around blocks can hold in a buffer of its own: elements that stay the same ones while the loop runs.
//!
//! The proof is from the access relations. Some statement must write a footprint of elements in each iteration: in each
//! dimension one expression that does not change while the loop runs, plus at most one iterator of a block times a
//! constant (a thread's points are as far apart as there are threads). So copying the footprint back writes nothing that
//! the loop does not write. Every other access to the array must be to the same footprint, or to none of its elements:
//! beyond an edge of it in some dimension. Where that does not follow from the loop's bounds, and the statement's domain
//! says on which side of its own element of the footprint it is, it becomes a further condition for the blocks to be
//! whole. Arrays are distinct memory, so nothing else in the loop can touch the footprint, and no other thread does: it
//! would have a conflict with one that writes it, which legal trees have not.
//!
//! Where the points of a block may end before (`ends`), so does the footprint. A thread may have no point at all, and
//! then writes nothing, so each loop that may end has to be a side of what is written. Outside of kernels a row of a
//! footprint may end where its number says, as below a diagonal.

use super::ends::Limit;
use super::facts::Facts;
use super::{Call, Comparison, Cond, Error, Expr, For, IteratorId, Node, Overflow, Promoted, SharedTile};
use crate::isl::{Map, PwAff};
use crate::proximity::Subscripts;
use crate::scop::{AccessKind, Scop, StatementId};
use polyrs_model::ast::Linear;
use std::collections::BTreeMap;

/// Footprints of more elements stay where they are: no CPU has so many registers.
const MOST_ELEMENTS: i64 = 1024;

/// The same for all footprints of a loop in a kernel, in registers of 32 bits: no thread has more than 255.
const MOST_WORDS: i64 = 160;

/// The accesses of a scop as expressions.
pub(super) struct Promoter<'a> {
    scop: &'a Scop,
    /// The positions of parameters in the AST.
    parameters: BTreeMap<String, usize>,
    known: BTreeMap<StatementId, Vec<Reference>>,
}

/// What a statement does to an array.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub array: String,
    pub kind: AccessKind,
    /// The subscripts, where [`Expr::Iterator`] number `k` stands for the `k`-th element of the instance vector. `None`
    /// where they are not affine.
    subscripts: Option<Vec<Expr>>,
    /// The same as a function: `{ S[i] -> A[a] }`.
    function: Option<Map>,
}

impl Reference {
    /// The subscripts of a call.
    pub fn at(&self, site: &Site<'_>) -> Result<Option<Vec<Expr>>, Error> {
        let composed = |subscript: &Expr| subscript.substitute(&|IteratorId(k)| site.call.args.get(k).cloned());
        Ok(self.subscripts.as_ref().map(|list| list.iter().map(composed).collect::<Result<_, _>>()).transpose()?)
    }

    /// One subscript as a function of the instance.
    fn subscript(&self, dimension: usize) -> Result<Option<PwAff>, Error> {
        let Some(function) = &self.function else { return Ok(None) };
        let position = i32::try_from(dimension).map_err(|_| Overflow)?;
        Ok(Some(function.clone().as_pw_multi_aff()?.at(position)?))
    }
}

/// Tiles of an array are copied somewhere in a node.
fn is_copied(node: &Node, array: &str) -> bool {
    let own = match node {
        Node::Shared(shared) => shared.tiles.iter().any(|tile| tile.array == array),
        _ => false,
    };
    own || node.children().any(|child| is_copied(child, array))
}

/// A call in a loop around blocks.
pub(super) struct Site<'n> {
    pub call: &'n Call,
    /// The block's loops around it.
    pub loops: Vec<BlockLoop>,
    /// It is executed for all of their values, as far as points exist.
    pub always: bool,
}

/// A loop of a block, from zero.
#[derive(Clone)]
pub(super) struct BlockLoop {
    pub iterator: IteratorId,
    pub extent: i64,
    /// Up to where its points exist, if they may end before.
    pub exists: Option<Limit>,
}

/// A reference of a call.
struct Use<'s> {
    site: &'s Site<'s>,
    reference: Reference,
    /// In terms of the AST's iterators.
    subscripts: Option<Vec<Expr>>,
    /// What it touches in one iteration of the loop, if that is a footprint.
    footprint: Option<Vec<Side>>,
}

impl Use<'_> {
    /// All elements of its footprint are accessed in each iteration of the loop.
    fn is_certain(&self) -> bool {
        let is_side = |iterator| self.subscripts.iter().flatten().any(|subscript| subscript.mentions(iterator));
        let mut may_have_none = self.site.loops.iter().filter(|inner| inner.exists.is_some());
        self.site.always && may_have_none.all(|inner| is_side(inner.iterator))
    }
}

/// The values of a subscript in one iteration of the loop.
struct Span {
    least: Expr,
    greatest: Expr,
}

impl Span {
    /// `None` where the subscript is not linear in the iterators of blocks.
    fn of(subscript: &Expr, site: &Site<'_>) -> Result<Option<Self>, Error> {
        let mut rest = Linear::of(subscript)?;
        let (low, high) = rest.take_range(|term| {
            let inner = site.loops.iter().find(|inner| *term == Expr::Iterator(inner.iterator));
            inner.map(|inner| inner.extent - 1)
        })?;
        let rest = rest.into_expr();
        if site.loops.iter().any(|inner| inner.extent < 1 || rest.mentions(inner.iterator)) {
            return Ok(None);
        }
        Ok(Some(Span { least: rest.plus_constant(low)?, greatest: rest.plus_constant(high)? }))
    }

    /// All values are before a side of a footprint.
    fn before(&self, side: &Side) -> Result<Cond, Error> {
        let least = side.origin.plus_constant(side.last()?.min(0))?;
        Ok(Cond::Compare(Comparison::Lt, self.greatest.clone(), least))
    }

    /// All values are behind a side of a footprint.
    fn behind(&self, side: &Side) -> Result<Cond, Error> {
        let greatest = side.origin.plus_constant(side.last()?.max(0))?;
        Ok(Cond::Compare(Comparison::Gt, self.least.clone(), greatest))
    }
}

/// A dimension of the elements that a reference touches in one iteration of the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    origin: Expr,
    extent: i64,
    /// How far elements are apart; below zero where subscripts go down.
    stride: i64,
    /// The first subscript beyond, where elements may end before.
    limit: Option<Expr>,
}

impl Side {
    /// Those of a footprint.
    fn all_of(held: &Promoted) -> Vec<Self> {
        let side = |dimension: usize| Side {
            origin: held.origin[dimension].clone(),
            extent: held.extent[dimension],
            stride: held.stride[dimension],
            limit: held.limit[dimension].clone(),
        };
        (0..held.origin.len()).map(side).collect()
    }

    /// How far the last element is from the first.
    fn last(&self) -> Result<i64, Overflow> {
        (self.extent - 1).checked_mul(self.stride).ok_or(Overflow)
    }
}

impl<'a> Promoter<'a> {
    pub fn new(scop: &'a Scop, parameters: &[String]) -> Self {
        let parameters = parameters.iter().enumerate().map(|(position, name)| (name.clone(), position)).collect();
        Promoter { scop, parameters, known: BTreeMap::new() }
    }

    /// The footprints that a loop can hold, by the names of the arrays; all loops in it have bounds from zero to a
    /// constant. `facts` hold in its body; conditions that have to hold as well are added to them and to `cuts`.
    pub fn promoted(
        &mut self,
        node: &For,
        in_kernel: bool,
        facts: &mut Facts,
        cuts: &mut Vec<Cond>,
        n_iterators: &mut usize,
    ) -> Result<Vec<Promoted>, Error> {
        let mut words = if in_kernel { MOST_WORDS } else { i64::MAX };
        let mut sites = Vec::new();
        collect(&node.body, &mut Vec::new(), true, &mut sites)?;
        let bound = bound(node, &sites);
        let numbers = self.numbers(n_iterators);
        let mut uses: BTreeMap<String, Vec<Use<'_>>> = BTreeMap::new();
        for site in &sites {
            for reference in self.references(site.call.statement)? {
                let subscripts = reference.at(site)?;
                let sides = subscripts
                    .as_deref()
                    .map(|subscripts| footprint(subscripts, site, (&bound, &numbers)))
                    .transpose()?;
                let used = Use { site, reference: reference.clone(), subscripts, footprint: sides.flatten() };
                uses.entry(reference.array.clone()).or_default().push(used);
            }
        }
        // A copy in the loop would read memory that is behind what the loop holds.
        uses.retain(|array, _| !is_copied(&node.body, array));
        let mut promoted = Vec::new();
        for (array, uses) in uses {
            let covers = |used: &&Use<'_>| used.reference.kind == AccessKind::MustWrite && used.is_certain();
            let Some(sides) = uses.iter().filter(covers).find_map(|used| used.footprint.clone()) else { continue };
            let elements = sides.iter().try_fold(1_i64, |all, side| all.checked_mul(side.extent));
            let Some(elements) = elements.filter(|n| (2..=MOST_ELEMENTS).contains(n)) else { continue };
            let own = elements * self.words(&array);
            if own > words {
                continue;
            }
            if let Some(conditions) = self.conditions(&uses, &sides, facts)? {
                words -= own;
                for condition in conditions {
                    facts.assume(&condition)?;
                    cuts.push(condition);
                }
                let outer = uses.iter().filter(|used| used.footprint.as_ref() != Some(&sides)).collect::<Vec<_>>();
                let (extent, stride) = sides.iter().map(|side| (side.extent, side.stride)).unzip();
                let origin = sides.iter().map(|side| side.origin.clone()).collect();
                let limit: Vec<_> = sides.into_iter().map(|side| side.limit).collect();
                let mut outside = Vec::new();
                for used in &outer {
                    let reference = (used.site.call.statement, used.reference.subscripts.clone().unwrap_or_default());
                    if !outside.contains(&reference) {
                        outside.push(reference);
                    }
                }
                let numbers = numbers[..limit.len()].to_vec();
                promoted.push(Promoted { array, origin, extent, stride, limit, numbers, outside });
            }
        }
        Ok(promoted)
    }

    /// Whether points of a loop's blocks beyond an end may be executed like all others: what they write is in the
    /// footprints that the loop holds, and so is not copied back; what they read is there, or is in one of these tiles, or is
    /// the same for points that exist. `cuts` gets what has to hold so that the first points of all loops that may end do
    /// exist, and so do the facts.
    pub fn may_run_beyond(
        &mut self,
        node: &For,
        packed: &[SharedTile],
        (held, facts, cuts): (&[Promoted], &mut Facts, &mut Vec<Cond>),
    ) -> Result<bool, Error> {
        let mut sites = Vec::new();
        collect(&node.body, &mut Vec::new(), true, &mut sites)?;
        let bound = bound(node, &sites);
        let Some(numbers) = held.iter().map(|held| &held.numbers).max_by_key(|numbers| numbers.len()) else {
            return Ok(false);
        };
        for site in &sites {
            let ending = || site.loops.iter().filter_map(|inner| Some((inner, inner.exists.as_ref()?)));
            for (_, limit) in ending() {
                let Some(exists) = first_exists(limit, site)?.filter(|_| site.always) else { return Ok(false) };
                if facts.exclude(&exists)? {
                    return Ok(false);
                }
                if !facts.imply(&exists)? {
                    facts.assume(&exists)?;
                    cuts.push(exists);
                }
            }
            for reference in self.references(site.call.statement)? {
                let Some(subscripts) = reference.at(site)? else { return Ok(false) };
                let footprint = footprint(&subscripts, site, (&bound, numbers))?;
                let is_held =
                    held.iter().any(|held| held.array == reference.array && footprint == Some(Side::all_of(held)));
                let is_read = reference.kind == AccessKind::Read;
                let is_packed = is_read
                    && packed.iter().filter(|tile| tile.array == reference.array).any(|tile| {
                        let is_this = |(statement, known): &(StatementId, Vec<Expr>)| {
                            *statement == site.call.statement && reference.subscripts.as_ref() == Some(known)
                        };
                        tile.reads.iter().any(is_this)
                    });
                let is_same =
                    is_read && !ending().any(|(inner, _)| subscripts.iter().any(|s| s.mentions(inner.iterator)));
                if !is_held && !is_packed && !is_same {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// New iterators for the numbers of elements along the dimensions of any array.
    fn numbers(&self, n_iterators: &mut usize) -> Vec<IteratorId> {
        let rank = self.scop.arrays.iter().map(|array| array.rank()).max().unwrap_or(0);
        let first = *n_iterators;
        *n_iterators += rank;
        (first..*n_iterators).map(IteratorId).collect()
    }

    /// The registers of 32 bits that an element of an array takes.
    fn words(&self, name: &str) -> i64 {
        let array = self.scop.arrays.iter().find(|array| array.name == name);
        array.map_or(1, |array| i64::from(array.element.bytes().div_ceil(4)))
    }

    /// The conditions, besides the facts, under which all uses of an array that are not of the footprint are beyond an
    /// edge of it; `None` where none are known.
    fn conditions(&self, uses: &[Use<'_>], sides: &[Side], facts: &Facts) -> Result<Option<Vec<Cond>>, Error> {
        let mut facts = facts.clone();
        let mut conditions = Vec::new();
        for used in uses.iter().filter(|used| used.footprint.as_deref() != Some(sides)) {
            let Some(subscripts) = &used.subscripts else { return Ok(None) };
            let mut beyond = Vec::new();
            for (dimension, (subscript, side)) in subscripts.iter().zip(sides).enumerate() {
                let Some(span) = Span::of(subscript, used.site)? else { continue };
                beyond.push((dimension, Comparison::Lt, span.before(side)?));
                beyond.push((dimension, Comparison::Gt, span.behind(side)?));
            }
            let mut known = false;
            for (_, _, condition) in &beyond {
                known = known || facts.imply(condition)?;
            }
            if known {
                continue;
            }
            // The same statement's own element of the footprint.
            let statement = used.site.call.statement;
            let own = uses.iter().find(|u| u.site.call.statement == statement && u.footprint.as_deref() == Some(sides));
            let Some(own) = own else { return Ok(None) };
            let mut found = None;
            for (dimension, comparison, condition) in beyond {
                if found.is_none() && self.is_always(used, own, dimension, comparison)? {
                    found = Some(condition);
                }
            }
            let Some(condition) = found else { return Ok(None) };
            facts.assume(&condition)?;
            conditions.push(condition);
        }
        Ok(Some(conditions))
    }

    /// For all instances of a statement, one reference's subscript compares with another's.
    fn is_always(&self, one: &Use<'_>, other: &Use<'_>, dimension: usize, order: Comparison) -> Result<bool, Error> {
        let statement = self.scop.statement(one.site.call.statement);
        let (Some(one), Some(other)) = (one.reference.subscript(dimension)?, other.reference.subscript(dimension)?)
        else {
            return Ok(false);
        };
        let holds = if order == Comparison::Lt { one.lt_set(other)? } else { one.gt_set(other)? };
        let domain = statement.domain.clone().intersect_params(self.scop.context.clone())?;
        Ok(domain.is_subset(&holds)?)
    }

    pub fn references(&mut self, id: StatementId) -> Result<&[Reference], Error> {
        if !self.known.contains_key(&id) {
            let statement = self.scop.statement(id);
            let mut references = Vec::new();
            for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
                let restricted = access.relation.clone().intersect_domain(statement.domain.clone())?;
                let subscripts = Subscripts::of(&access.relation, &restricted, &statement.domain)?;
                let function = subscripts.as_ref().map(|subscripts| subscripts.access.clone());
                let subscripts = subscripts.map(|subscripts| expressions(&subscripts, &self.parameters));
                let subscripts = subscripts.transpose()?.flatten();
                references.push(Reference { array: access.array()?, kind: access.kind, subscripts, function });
            }
            self.known.insert(id, references);
        }
        Ok(self.known.get(&id).map(Vec::as_slice).unwrap_or_default())
    }
}

/// Subscripts where [`Expr::Iterator`] number `k` stands for the `k`-th element of the instance vector; `parameters` has
/// the positions of parameters. `None` where one is not there.
pub(super) fn expressions(
    subscripts: &Subscripts,
    parameters: &BTreeMap<String, usize>,
) -> Result<Option<Vec<Expr>>, Overflow> {
    let mut all = Vec::new();
    for subscript in &subscripts.expressions {
        let mut sum = Expr::Const(subscript.constant);
        for (k, factor) in subscript.iterators.iter().enumerate() {
            sum = sum.plus(&Expr::Iterator(IteratorId(k)).times(*factor)?)?;
        }
        for (name, factor) in &subscript.parameters {
            let Some(position) = parameters.get(name) else { return Ok(None) };
            sum = sum.plus(&Expr::Parameter(*position).times(*factor)?)?;
        }
        all.push(sum);
    }
    Ok(Some(all))
}

/// The iterators of a loop and of the block's loops in it.
fn bound(node: &For, sites: &[Site<'_>]) -> Vec<IteratorId> {
    let inside = sites.iter().flat_map(|site| site.loops.iter().map(|inner| inner.iterator));
    std::iter::once(node.iterator).chain(inside).collect()
}

/// The condition under which the first point of a loop that may end exists, whatever the block's loops around are at; `None`
/// where that cannot be said.
fn first_exists(limit: &Limit, site: &Site<'_>) -> Result<Option<Cond>, Overflow> {
    let mut exists = limit.allows_first();
    for outer in &site.loops {
        if !exists.mentions(outer.iterator) {
            continue;
        }
        match exists.throughout(outer.iterator, outer.extent - 1)? {
            Some(throughout) => exists = throughout,
            None => return Ok(None),
        }
    }
    Ok(Some(exists))
}

/// The calls in a body.
pub(super) fn collect<'n>(
    node: &'n Node,
    loops: &mut Vec<BlockLoop>,
    always: bool,
    sites: &mut Vec<Site<'n>>,
) -> Result<(), Overflow> {
    match node {
        Node::Block(children) => children.iter().try_for_each(|child| collect(child, loops, always, sites)),
        Node::For(inner) => {
            let extent = match (&inner.lower[..], &inner.upper[..], inner.step) {
                ([Expr::Const(0)], [Expr::Const(extent)], 1) => Some(*extent),
                _ => None,
            };
            let (mut body, mut exists) = (&inner.body, None);
            if let Node::If(branch) = body
                && inner.ends
                && let Some(limit) = Limit::of(&branch.cond, inner.iterator)?
            {
                (body, exists) = (&branch.then, Some(limit));
            }
            loops.push(BlockLoop { iterator: inner.iterator, extent: extent.unwrap_or_default(), exists });
            collect(body, loops, always && extent.is_some(), sites)?;
            loops.pop();
            Ok(())
        }
        Node::If(branch) => {
            let mut branches = std::iter::once(&branch.then).chain(&branch.otherwise);
            branches.try_for_each(|node| collect(node, loops, false, sites))
        }
        Node::Kernel(kernel) => collect(&kernel.body, loops, false, sites),
        Node::Shared(shared) => collect(&shared.body, loops, false, sites),
        Node::Call(call) => {
            sites.push(Site { call, loops: loops.clone(), always });
            Ok(())
        }
    }
}

/// The elements that subscripts go to in one iteration of the loop that binds the first of the iterators `bound` and
/// holds the loops that bind the others; `None` if they are no footprint, or not the same ones in each iteration.
/// Limits speak of the `numbers` of elements along dimensions before.
fn footprint(
    subscripts: &[Expr],
    site: &Site<'_>,
    (bound, numbers): (&[IteratorId], &[IteratorId]),
) -> Result<Option<Vec<Side>>, Error> {
    if subscripts.len() > numbers.len() {
        return Ok(None);
    }
    // The block's loop along each dimension so far, and what stands for its iterator.
    let mut known: Vec<(IteratorId, Expr)> = Vec::new();
    let mut used = Vec::new();
    let mut sides = Vec::new();
    let changes = |expr: &Expr| bound.iter().any(|iterator| expr.mentions(*iterator));
    for subscript in subscripts {
        let mut sum = Linear::of(subscript)?;
        let (mut extent, mut stride, mut exists, mut along) = (1, 1, None, None);
        for inner in &site.loops {
            let Some(factor) = sum.terms.remove(&Expr::Iterator(inner.iterator)) else { continue };
            // Nobody can say yet where elements end that go down.
            let is_unknown = factor < 0 && inner.exists.is_some();
            if factor == 0 || is_unknown || extent != 1 || used.contains(&inner.iterator) {
                return Ok(None);
            }
            used.push(inner.iterator);
            along = Some(inner.iterator);
            (extent, stride, exists) = (inner.extent, factor, inner.exists.as_ref());
        }
        let origin = sum.into_expr();
        let limit = match exists {
            Some(exists) => {
                let Some(limit) = exists.beyond(&origin, stride)? else { return Ok(None) };
                let number =
                    |iterator| known.iter().find(|(other, _)| *other == iterator).map(|(_, number)| number.clone());
                let limit = limit.substitute(&number)?;
                if changes(&limit) {
                    return Ok(None);
                }
                Some(limit)
            }
            None => None,
        };
        known.extend(along.map(|iterator| (iterator, Expr::Iterator(numbers[sides.len()]))));
        if extent < 1 || changes(&origin) {
            return Ok(None);
        }
        sides.push(Side { origin, extent, stride, limit });
    }
    Ok(Some(sides))
}
