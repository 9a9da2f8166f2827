//! Whole blocks for registers apart from cut ones.
//!
//! The loops over the points of a block (mark `block`) are inside of a loop that updates the block again and again.
//! Where all of a block is in the domain its loops get constant bounds from zero, so that a compiler can unroll them
//! and keep what they update in registers (`promote` finds that). Whether a block is whole may depend on the loop
//! around it, as in triangular domains: then that loop is cut into the ranges where the block is whole and where it is
//! not, which keeps the order of the instances.
//!
//! In a kernel the points of a block are a thread's own, as far apart as there are threads. They are whole if they are
//! for all threads of the GPU's block, so that threads take the same branch. Where something is done at one end of the
//! loop only, as setting a sum to zero, that end is a range of whole blocks as well. What is left, blocks at the end of
//! an array, have loops from zero as well, in which a point asks whether it is before that end: then they hold what
//! exists of the block (`cut`), outside of kernels where what they read is packed.

mod cut;
mod loops;

use self::cut::{Ends, Work};
use self::loops::{has_blocks, is_around_blocks, iterators, places_of_blocks};
use super::ends::{ending, hoisted};
use super::facts::{Facts, edge, map_children, runs, unknown};
use super::promote::Promoter;
use super::ranges::{MOST_CUTS, MOST_CUTS_OF_ROWS, ranges};
use super::separate::{Numbers, tile_of, without_guards};
use super::{Ast, Comparison, Cond, Error, Expr, For, If, IteratorId, Node, Options, Promoted, SharedTile};
use crate::isl::Ctx;
use crate::scop::Scop;
use std::collections::BTreeSet;

/// Separates whole blocks in an AST whose bounds are quasi-affine, and finds out what they hold. Gives the iterators of
/// the loops over what is left, the cut blocks: they run seldom, so that nothing is gained by separating anything more
/// in them.
pub(super) fn blocks(scop: &Scop, ast: &mut Ast, options: &Options) -> Result<BTreeSet<IteratorId>, Error> {
    let mut separator = Separator {
        n_iterators: ast.n_iterators,
        size: ast.root.size(),
        promoter: Promoter::new(scop, &ast.parameters),
        cut: BTreeSet::new(),
        numbers: Numbers::new(),
        packed: Vec::new(),
        may_end: None,
        work_for_ends: Work::new(scop.ctx()),
        ctx: scop.ctx().clone(),
        options,
    };
    let facts = Facts::new(&scop.context, &ast.parameters);
    let root = std::mem::replace(&mut ast.root, Node::Block(Vec::new()));
    ast.root = if options.promote && has_blocks(&root) { separator.node(root, &facts)? } else { root };
    ast.n_iterators = separator.n_iterators;
    Ok(separator.cut)
}

struct Separator<'a> {
    n_iterators: usize,
    size: usize,
    promoter: Promoter<'a>,
    /// The iterators of loops over cut blocks.
    cut: BTreeSet<IteratorId>,
    /// The threads of the kernel around.
    numbers: Numbers,
    /// The tiles that are packed around, outside of kernels.
    packed: Vec<SharedTile>,
    /// Points of these loops of blocks may be beyond the end, and ask.
    may_end: Option<Ends>,
    /// The operations that are left for such blocks.
    work_for_ends: Work,
    ctx: Ctx,
    options: &'a Options,
}

impl Separator<'_> {
    fn node(&mut self, node: Node, facts: &Facts) -> Result<Node, Error> {
        match node {
            Node::For(node) if !node.block && node.parallel.is_none() && is_around_blocks(&node.body) => {
                self.around(node, facts)
            }
            node if !has_blocks(&node) => Ok(node),
            Node::Shared(shared) if self.numbers.is_empty() => {
                let around = self.packed.len();
                self.packed.extend(shared.tiles.iter().cloned());
                let shared = map_children(Node::Shared(shared), facts, &mut |child, facts| self.node(child, facts));
                self.packed.truncate(around);
                shared
            }
            Node::Kernel(kernel) => {
                let threads = kernel.threads.iter();
                self.numbers = threads.filter_map(|axis| Some((axis.iterator, axis.most?))).collect();
                let kernel = map_children(Node::Kernel(kernel), facts, &mut |child, facts| self.node(child, facts));
                self.numbers.clear();
                kernel
            }
            other => map_children(other, facts, &mut |child, facts| self.node(child, facts)),
        }
    }

    /// A loop around blocks, its whole blocks apart, and those that end before. Code that would grow too
    /// large, or gains nothing, stays as it is.
    fn around(&mut self, node: Box<For>, around: &Facts) -> Result<Node, Error> {
        let whole = self.separated(&node, around)?;
        let Some(ending) = self.ending(&node, around, whole.as_ref())? else { return self.either(whole, node, around) };
        let ending = self.either(Some(ending), node, around)?;
        // Nothing is gained by asking before which of them are whole, or nothing more.
        iterators(&ending, &mut self.cut);
        Ok(match whole {
            Some(Separated { conditions, then, .. }) => Node::under(conditions, then, Some(ending)),
            None => ending,
        })
    }

    /// The same as of [`Self::separated`], which found what is `whole`, where points may be beyond the end, and where not all
    /// blocks are whole that it is for. Outside of kernels what is read has to be packed.
    fn ending(&mut self, node: &For, around: &Facts, whole: Option<&Separated>) -> Result<Option<Separated>, Error> {
        let is_all = whole.is_some_and(|whole| whole.conditions.is_empty());
        let is_wanted =
            !self.packed.is_empty() && self.options.cut_blocks && whole.is_some_and(|whole| !whole.is_alone);
        let kinds = match (self.numbers.is_empty(), is_wanted) {
            _ if is_all => &[],
            (false, _) => Ends::IN_KERNELS,
            (true, true) => Ends::ON_CPU,
            (true, false) => &[],
        };
        for kind in kinds {
            let (ctx, size, mut work) = (self.ctx.clone(), self.size, self.work_for_ends);
            self.may_end = Some(*kind);
            let found = work.on(&ctx, || self.separated(node, around));
            (self.may_end, self.work_for_ends) = (None, work);
            let Some(ending) = found? else {
                self.size = size;
                continue;
            };
            let is_whole = |whole: &Separated| {
                let facts = around.under(&Cond::And(ending.conditions.clone()))?;
                facts.imply(&Cond::And(whole.conditions.clone()))
            };
            return Ok(if whole.map_or(Ok(false), is_whole)? { None } else { Some(ending) });
        }
        Ok(None)
    }

    /// Code for where conditions hold, and the loop itself for where not, of which other blocks may be whole.
    fn either(&mut self, separated: Option<Separated>, node: Box<For>, around: &Facts) -> Result<Node, Error> {
        let Some(Separated { conditions, then, is_alone }) = separated else { return Ok(Node::For(node)) };
        if conditions.is_empty() {
            return Ok(then);
        }
        let (mut elsewhere, mut others) = (around.clone(), None);
        if is_alone {
            elsewhere.assume(&Cond::And(conditions.clone()).negated())?;
            others = self.separated(&node, &elsewhere)?;
        }
        if others.is_none() {
            iterators(&node.body, &mut self.cut);
        }
        let otherwise = self.either(others, node, &elsewhere)?;
        Ok(Node::under(conditions, then, Some(otherwise)))
    }

    /// A loop around blocks with its whole blocks apart; `None` where nothing is gained. Where its blocks are never whole in
    /// the same iteration, as on both sides of a diagonal, those of each are apart from the others.
    fn separated(&mut self, node: &For, around: &Facts) -> Result<Option<Separated>, Error> {
        if let Some(all) = self.separated_where(node, around, None)? {
            return Ok(Some(all));
        }
        let several = places_of_blocks(&node.body);
        if several.len() > 1 && self.numbers.is_empty() && self.may_end.is_none() {
            for only in several {
                if let Some(found) = self.separated_where(node, around, Some(only))? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// The same with all blocks of an iteration whole, or the `only` ones that it has.
    fn separated_where(&mut self, node: &For, around: &Facts, only: Option<usize>) -> Result<Option<Separated>, Error> {
        let mut n_iterators = self.n_iterators;
        let found = match only {
            None => self.whole(node, around, &mut n_iterators)?,
            Some(only) => self.whole_alone(node, around, only, &mut n_iterators)?,
        };
        let Some(whole) = found else { return Ok(None) };
        let Whole { node: whole, mut cuts, mut facts } = whole;
        if self.may_end.is_some() && !whole.body.has_cut_blocks() {
            return Ok(None);
        }
        let in_kernel = !self.numbers.is_empty();
        let promoted = self.promoter.promoted(&whole, in_kernel, &mut facts, &mut cuts, &mut n_iterators)?;
        let has_rows = promoted.is_empty() && !in_kernel && self.may_end.is_none();
        let carried = if has_rows { self.promoter.carried(&whole)? } else { Vec::new() };
        if self.may_end.is_some() && !in_kernel {
            let known = (&promoted[..], &mut facts, &mut cuts);
            if !self.promoter.may_run_beyond(&whole, &self.packed, known)? {
                return Ok(None);
            }
        }
        let cuts = self.for_all_threads(cuts)?;
        let (inside, outside): (Vec<Cond>, Vec<Cond>) = cuts.into_iter().partition(|c| c.mentions(node.iterator));
        let outside = unknown(outside, around)?;
        let around = around.under(&Cond::And(outside.clone()))?;
        let inside = unknown(inside, &around.inside(node)?)?;
        let Some(ranges) = ranges(node, &inside, if carried.is_empty() { MOST_CUTS } else { MOST_CUTS_OF_ROWS })?
        else {
            return Ok(None);
        };
        let copies = ranges.len() + usize::from(!outside.is_empty());
        let size = self.size + copies * node.body.size();
        if promoted.is_empty() && carried.is_empty() || size > self.options.max_nodes {
            return Ok(None);
        }
        self.size = size;
        self.n_iterators = n_iterators;
        let (mut parts, mut some_whole) = (Vec::new(), false);
        for range in ranges {
            let original = if range.whole { &whole } else { node };
            let mut part = original.renamed(&mut self.n_iterators)?;
            (part.lower, part.upper) = (range.lower, range.upper);
            if around.exclude_loop(&part)? {
                continue;
            }
            let held = if range.whole { None } else { self.becomes_whole(&mut part, &around, &promoted)? };
            if !range.whole && held.is_none() {
                part.body = settled(&part.body, &around.inside(&part)?)?;
                // Other blocks may be whole there.
                let others = if only.is_some() { self.separated(&part, &around)? } else { None };
                if others.is_none() {
                    iterators(&part.body, &mut self.cut);
                }
                parts.push(self.either(others, Box::new(part), &around)?);
                continue;
            }
            part.promoted = held.unwrap_or_else(|| promoted.clone());
            part.carried.clone_from(&carried);
            some_whole |= range.whole;
            let runs = unknown(runs(&part), &around)?;
            parts.push(Node::under(runs, Node::For(Box::new(part)), None));
        }
        if !some_whole {
            return Ok(None);
        }
        let then = if parts.len() == 1 { parts.remove(0) } else { Node::Block(parts) };
        Ok(Some(Separated { conditions: outside, then, is_alone: only.is_some() }))
    }

    /// In a kernel, makes the blocks of a range whole that were not together with the rest: where something is done at
    /// the end of the loop only, it is done there without asking. `promoted` is what the rest holds; the same is held
    /// there.
    fn becomes_whole(
        &mut self,
        part: &mut For,
        around: &Facts,
        promoted: &[Promoted],
    ) -> Result<Option<Vec<Promoted>>, Error> {
        if self.numbers.is_empty() {
            return Ok(None);
        }
        let mut n_iterators = self.n_iterators;
        let Some(Whole { node, mut cuts, mut facts }) = self.whole(part, around, &mut n_iterators)? else {
            return Ok(None);
        };
        let held = self.promoter.promoted(&node, true, &mut facts, &mut cuts, &mut n_iterators)?;
        let is_same =
            held.len() == promoted.len() && held.iter().zip(promoted).all(|(one, other)| one.is_same_footprint(other));
        if !is_same || !unknown(self.for_all_threads(cuts)?, &around.inside(part)?)?.is_empty() {
            return Ok(None);
        }
        self.n_iterators = n_iterators;
        *part = node;
        Ok(Some(held))
    }

    /// Conditions under which some hold for all threads of a block, so that threads stay together; those that are no
    /// such inequalities stay as they are.
    fn for_all_threads(&self, conditions: Vec<Cond>) -> Result<Vec<Cond>, Error> {
        let mut all = Vec::new();
        for mut condition in conditions {
            for (number, most) in &self.numbers {
                if let Some(throughout) = condition.throughout(*number, most - 1)? {
                    condition = throughout;
                }
            }
            add_new(&mut all, [condition]);
        }
        Ok(all)
    }

    /// A loop around blocks where all blocks that it comes to are whole; `None` where that cannot be said.
    ///
    /// What it comes to in any case decides: blocks under conditions, and those that cannot be whole, may turn out not
    /// to be executed where the others are whole.
    fn whole(&self, node: &For, around: &Facts, n_iterators: &mut usize) -> Result<Option<Whole>, Error> {
        let mut facts = around.inside(node)?;
        let mut ends = Vec::new();
        let original = if self.may_end.is_some() {
            // What happens at one end of the loop alone has conditions of its own, which are none for the rest.
            let known = settled(&node.body, &facts)?;
            at_ends(&known, node.iterator, &facts, &mut ends)?;
            for end in &ends {
                facts.assume(end)?;
            }
            hoisted(settled(&known, &facts)?, &mut Vec::new())
        } else {
            node.body.clone()
        };
        let mut first = Blocks::default();
        self.body(&original, true, n_iterators, &mut first)?;
        for cut in &first.cuts {
            facts.assume(cut)?;
        }
        if facts.exclude(&Cond::And(Vec::new()))? {
            return Ok(None);
        }
        let body = settled(&original, &facts)?;
        // What was settled by the first conditions needs them.
        let mut all = Blocks { cuts: first.cuts, partial: Vec::new() };
        let body = self.body(&body, false, n_iterators, &mut all)?;
        for cut in &all.cuts {
            facts.assume(cut)?;
        }
        for (lower, upper) in &all.partial {
            if !is_absent(lower, upper, &facts)? {
                return Ok(None);
            }
        }
        let body = settled(&body, &facts)?;
        at_ends(&body, node.iterator, &facts, &mut ends)?;
        for end in &ends {
            facts.assume(end)?;
        }
        let body = if ends.is_empty() { body } else { settled(&body, &facts)? };
        add_new(&mut all.cuts, ends);
        Ok(Some(Whole { node: For { body, ..node.clone() }, cuts: all.cuts, facts }))
    }

    /// The same where of the blocks in its body those at one place are the only ones that it comes to.
    fn whole_alone(
        &self,
        node: &For,
        around: &Facts,
        only: usize,
        n_iterators: &mut usize,
    ) -> Result<Option<Whole>, Error> {
        let Node::Block(children) = &node.body else { return Ok(None) };
        let mut facts = around.inside(node)?;
        let mut own = Blocks::default();
        self.body(&children[only], true, &mut n_iterators.clone(), &mut own)?;
        for cut in &own.cuts {
            facts.assume(cut)?;
        }
        if !own.partial.is_empty() || facts.exclude(&Cond::And(Vec::new()))? {
            return Ok(None);
        }
        let mut left = Vec::new();
        for (place, child) in children.iter().enumerate() {
            match child {
                Node::For(other) if place != only => {
                    if !is_absent(&other.lower, &other.upper, &facts)? {
                        return Ok(None);
                    }
                }
                child => left.push(child.clone()),
            }
        }
        let alone = For { body: Node::Block(left), ..node.clone() };
        let mut whole = self.whole(&alone, around, n_iterators)?;
        // What is not there is not there under these conditions, whatever else made blocks whole.
        if let Some(whole) = &mut whole {
            add_new(&mut whole.cuts, own.cuts);
        }
        Ok(whole)
    }

    /// The body of a loop around blocks, all of them whole but for those that cannot be, which are left out. If
    /// `surely`, without what is under conditions.
    fn body(&self, node: &Node, surely: bool, n_iterators: &mut usize, blocks: &mut Blocks) -> Result<Node, Error> {
        Ok(match node {
            Node::Block(children) => {
                let children = children.iter().map(|child| self.body(child, surely, n_iterators, blocks));
                Node::Block(children.collect::<Result<_, _>>()?)
            }
            Node::For(node) => {
                let mut cuts = Vec::new();
                match self.whole_loop(node, n_iterators, &mut Vec::new(), &mut cuts)? {
                    Some(whole) => {
                        add_new(&mut blocks.cuts, cuts);
                        whole
                    }
                    None => {
                        blocks.partial.push((node.lower.clone(), node.upper.clone()));
                        Node::Block(Vec::new())
                    }
                }
            }
            Node::If(_) if surely => Node::Block(Vec::new()),
            Node::If(node) => {
                let then = self.body(&node.then, surely, n_iterators, blocks)?;
                let otherwise = node.otherwise.as_ref().map(|other| self.body(other, surely, n_iterators, blocks));
                Node::If(Box::new(If { cond: node.cond.clone(), then, otherwise: otherwise.transpose()? }))
            }
            // Kernels are never below a loop around blocks (`is_around_blocks`); with copies nothing is promoted.
            Node::Kernel(_) | Node::Shared(_) | Node::Call(_) => node.clone(),
        })
    }

    /// What is in a block's loop, inner loops whole as well; `cuts` gets under which conditions they are. `None` where
    /// that cannot be said. `around` are the iterators of the block's loops around.
    fn inside(
        &self,
        node: &Node,
        n_iterators: &mut usize,
        around: &mut Vec<IteratorId>,
        cuts: &mut Vec<Cond>,
    ) -> Result<Option<Node>, Error> {
        Ok(match node {
            Node::For(node) => self.whole_loop(node, n_iterators, around, cuts)?,
            Node::Call(_) => Some(node.clone()),
            other => {
                let mut possible = true;
                let whole = other.clone().map_children(|child| {
                    let whole = self.inside(&child, n_iterators, around, cuts)?;
                    possible &= whole.is_some();
                    Ok::<_, Error>(whole.unwrap_or(child))
                })?;
                possible.then_some(whole)
            }
        })
    }

    /// A block's loop from zero to how many points it has; `cuts` gets under which conditions that is what it does. If
    /// points may be beyond the end, they ask.
    fn whole_loop(
        &self,
        node: &For,
        n_iterators: &mut usize,
        around: &mut Vec<IteratorId>,
        cuts: &mut Vec<Cond>,
    ) -> Result<Option<Node>, Error> {
        let Some(mut tile) = tile_of(node, &self.numbers, self.options)? else { return Ok(None) };
        if !node.block || node.parallel.is_some() {
            return Ok(None);
        }
        let iterator = IteratorId(*n_iterators);
        *n_iterators += 1;
        let shifted = Expr::Iterator(iterator).times(node.step)?.plus(&tile.origin)?;
        let mut body = node.body.replaced(node.iterator, shifted.clone(), n_iterators)?;
        let mut exists = None;
        if self.may_end.is_some_and(|ends| ends.are_of(node)) {
            // Threads cannot say where a row of theirs ends.
            let threads = if self.numbers.is_empty() { &[][..] } else { &around[..] };
            let Some(found) = ending(&mut tile.limits, (iterator, &shifted), threads, body)? else { return Ok(None) };
            (exists, body) = found;
        }
        let (count, own) = (tile.count, tile.cuts());
        let mut inner = Vec::new();
        around.push(iterator);
        let body = self.inside(&body, n_iterators, around, &mut inner)?;
        around.pop();
        let Some(body) = body else { return Ok(None) };
        // What only some points of a block or some threads do keeps it from being whole.
        let varies = |cond: &Cond| around.iter().chain(self.numbers.keys()).any(|id| cond.mentions(*id));
        let body = without_guards(body, iterator, count - 1, &varies, &mut inner)?;
        for cut in inner {
            let cut = if cut.mentions(iterator) {
                match cut.throughout(iterator, count - 1)? {
                    Some(Cond::And(always)) if always.is_empty() => continue,
                    Some(cut) => cut,
                    None => return Ok(None),
                }
            } else {
                cut
            };
            add_new(cuts, [cut]);
        }
        add_new(cuts, own);
        let ends = exists.is_some();
        let body = Node::under(exists.into_iter().collect(), body, None);
        let (lower, upper) = (vec![Expr::Const(0)], vec![Expr::Const(count)]);
        let step = 1;
        let (parallel, vector, block) = (None, node.vector, true);
        let (promoted, carried) = (Vec::new(), Vec::new());
        let whole = For { iterator, lower, upper, step, parallel, vector, block, ends, promoted, carried, body };
        Ok(Some(Node::For(Box::new(whole))))
    }
}

/// A loop around blocks with its whole blocks apart.
struct Separated {
    /// Under which conditions around it there are any.
    conditions: Vec<Cond>,
    /// The code for where they hold.
    then: Node,
    /// They are about the blocks at one place of several.
    is_alone: bool,
}

/// A loop around blocks that are all whole.
struct Whole {
    node: For,
    /// The conditions under which they are.
    cuts: Vec<Cond>,
    /// What holds in the loop's body then.
    facts: Facts,
}

/// The blocks in a loop.
#[derive(Default)]
struct Blocks {
    /// The conditions under which all of them are whole that can be.
    cuts: Vec<Cond>,
    /// The bounds of the outermost loops of the others.
    partial: Vec<(Vec<Expr>, Vec<Expr>)>,
}

/// What happens in blocks in the first or the last iteration of a loop only, as setting a sum to zero: adds the
/// conditions under which it is another iteration, so that blocks do not have to ask.
fn at_ends(node: &Node, iterator: IteratorId, facts: &Facts, ends: &mut Vec<Cond>) -> Result<(), Error> {
    if let Node::If(branch) = node {
        let all = match &branch.cond {
            Cond::And(all) => &all[..],
            one => std::slice::from_ref(one),
        };
        for cond in all {
            if let Some(other) = beside_end(cond, iterator, facts)? {
                add_new(ends, [other]);
                break;
            }
        }
    }
    node.children().try_for_each(|child| at_ends(child, iterator, facts, ends))
}

/// If a condition holds in the first or the last iteration of a loop only, the condition under which it is another one.
fn beside_end(cond: &Cond, iterator: IteratorId, facts: &Facts) -> Result<Option<Cond>, Error> {
    let Cond::Compare(Comparison::Eq, left, right) = cond else { return Ok(None) };
    for order in [Comparison::Gt, Comparison::Lt] {
        let other = Cond::Compare(order, left.clone(), right.clone());
        let at_end = Cond::Or(vec![other.clone(), cond.clone()]);
        if cond.mentions(iterator) && edge(&other, iterator)?.is_some() && facts.imply(&at_end)? {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Adds the conditions that are not there yet.
fn add_new(conditions: &mut Vec<Cond>, more: impl IntoIterator<Item = Cond>) {
    for condition in more {
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
}

/// A node without the branches of conditions that are known not to be taken.
fn settled(node: &Node, facts: &Facts) -> Result<Node, Error> {
    if let Node::If(branch) = node {
        if facts.imply(&branch.cond)? {
            return settled(&branch.then, facts);
        }
        if facts.exclude(&branch.cond)? {
            return branch.otherwise.as_ref().map_or(Ok(Node::Block(Vec::new())), |node| settled(node, facts));
        }
    }
    node.clone().map_children(|child| settled(&child, facts))
}

/// A loop with these bounds does not run.
fn is_absent(lower: &[Expr], upper: &[Expr], facts: &Facts) -> Result<bool, Error> {
    for lower in lower {
        for upper in upper {
            if facts.imply(&Cond::Compare(Comparison::Le, upper.clone(), lower.clone()))? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
