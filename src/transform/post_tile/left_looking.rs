//! Left-looking order: a loop over tiles around a loop whose iterations wait for each other.
//!
//! Where each iteration of a sequential loop updates all that is left of a matrix, as one of Gram-Schmidt's method for a column `k`
//! updates all columns `j > k`, the matrix passes through the caches once per iteration. Columns do not wait for each other until
//! they are `k` themselves. So a few columns are taken at a time, and everything that is to happen to these before the next ones:
//! *right-looking* order becomes *left-looking* order, as linear algebra calls it, here by blocks.
//!
//! The tiles are of a function that has the value of the inner loop, `j`, for what it is around, and that of the outer one, `k`, for the
//! rest of its body. No scheduler finds it: to these it is no loop of its own. It is legal where no dependence goes backwards in
//! it; inside of a tile everything keeps its order.

use super::within::Within;
use crate::isl::{NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, UnionPwAff, UnionSet};
use crate::schedule::Pending;
use crate::schedule_tree::band::{Band, band_below, insert_mark, is_tiled, loops_below, origin};
use crate::schedule_tree::{Mark, TileSizes};

/// So many times as many iterations are in such a tile as in a nest's own ones. Each row of a matrix is on a page of its own, so that a
/// few columns come as dear as more of them. Measured for modified Gram-Schmidt, 1,000 by 1,200 doubles: tiles of 32 columns take 1.2
/// times as long as none, those of 64 0.75, those of 96 and 128 the same (a Cascade Lake).
const TIMES: u32 = 2;

/// At most so many functions are looked at, those for some of the parts among them.
const MOST_FUNCTIONS: u32 = 64;

/// Puts a loop over tiles around each outermost band without a coincident member that has nests in its body, some
/// with coincident loops outermost. None: there is no such loop, or it would not be legal.
///
/// The result is `tile > [tiles] > [sequential loop] > sequence` as it was.
///
/// # Errors
/// Those of isl.
pub fn left_looking(tree: &Schedule, constraints: &ScheduleConstraints, sizes: &TileSizes) -> Result<Option<Schedule>> {
    let mut found = false;
    let mut rewrite = |node: ScheduleNode| {
        let Some(parts) = parts(&node)? else { return Ok(node) };
        let within = Within::new(&node)?;
        let pending = Pending::new(&within.constraints(constraints)?)?;
        let mut search = Search { pending: &pending, left: MOST_FUNCTIONS };
        let Some(function) = search.function(None, &parts)? else { return Ok(node) };
        found = true;
        let tiles = Band {
            coincident: vec![pending.is_coincident(&function)?],
            members: vec![origin(&function, sizes.at(1, 0).saturating_mul(TIMES))?],
            permutable: true,
        };
        insert_mark(tiles.insert(node)?, &Mark::TILE)
    };
    let tree = tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok(found.then_some(tree))
}

/// A part of the body of a sequential loop.
struct Nest {
    /// `{ S[i] }`
    domain: UnionSet,
    /// What the tiles may be of for it, the better first: `{ S[i] -> [(t)] }` each.
    functions: Vec<UnionPwAff>,
    /// So many of them are of loops that the part has for itself.
    own: usize,
    depth: usize,
}

/// The parts of the body of an outermost sequential loop, the deepest first, if some have loops to take tiles of, and are nests
/// themselves: what is not as deep has little data to bring back.
fn parts(node: &ScheduleNode) -> Result<Option<Vec<Nest>>> {
    if node.node_type()? != NodeType::Band || is_tiled(node)? || node.schedule_depth()? > 0 {
        return Ok(None);
    }
    let band = Band::read(node)?;
    let body = node.clone().first_child()?;
    if band.coincident.contains(&true) || !matches!(body.node_type()?, NodeType::Sequence | NodeType::Set) {
        return Ok(None);
    }
    let mut parts = Vec::new();
    add_parts(&body, &band, &mut parts)?;
    if have_common_statements(&parts)? {
        return Ok(None);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.depth));
    Ok(parts.first().is_some_and(|deepest| deepest.own > 0 && deepest.depth > 1).then_some(parts))
}

/// A statement is in two parts: it would have two functions.
fn have_common_statements(parts: &[Nest]) -> Result<bool> {
    for (number, part) in parts.iter().enumerate() {
        for other in &parts[..number] {
            if !part.domain.is_disjoint(&other.domain)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Adds the parts of a body, and of parts that have parts themselves.
fn add_parts(body: &ScheduleNode, outer: &Band, parts: &mut Vec<Nest>) -> Result<()> {
    for part in body.children()? {
        let below = part.clone().first_child()?;
        match below.node_type()? {
            NodeType::Sequence | NodeType::Set => add_parts(&below, outer, parts)?,
            _ => parts.push(nest(&part, outer)?),
        }
    }
    Ok(())
}

/// A part, below a band.
fn nest(part: &ScheduleNode, outer: &Band) -> Result<Nest> {
    let domain = part.filter()?.universe()?;
    let mut functions = Vec::new();
    if let Some(below) = band_below(&part.clone().first_child()?)? {
        let band = Band::read(&below)?;
        let free = band.members.into_iter().zip(band.coincident).filter(|(_, coincident)| *coincident);
        functions.extend(free.map(|(member, _)| member));
    }
    let own = functions.len();
    functions.extend(outer.members.iter().cloned());
    let functions = functions.into_iter().map(|function| function.intersect_domain(domain.clone()));
    Ok(Nest { functions: functions.collect::<Result<_>>()?, domain, own, depth: loops_below(part)? })
}

/// What there is of a function for all parts.
struct Chosen {
    /// `{ S[i] }`, the statements of the parts that it is for.
    domain: UnionSet,
    /// `{ S[i] -> [(t)] }`
    function: UnionPwAff,
    /// Some part has one of a loop of its own: otherwise the tiles are of the outer loop alone, which brings nothing nearer.
    has_own: bool,
}

/// The search for a function.
struct Search<'a> {
    /// What is not in order where the loop begins.
    pending: &'a Pending,
    /// So many more functions may be looked at.
    left: u32,
}

impl Search<'_> {
    /// A function for all parts in which no dependence goes backwards, and which cuts no live range that others keep out of: the first
    /// one that there is, parts and their functions in order. None: there is none, or it was not found.
    fn function(&mut self, chosen: Option<Chosen>, parts: &[Nest]) -> Result<Option<UnionPwAff>> {
        let Some((part, others)) = parts.split_first() else {
            return Ok(chosen.filter(|chosen| chosen.has_own).map(|chosen| chosen.function));
        };
        for (number, function) in part.functions.iter().enumerate() {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let (domain, function) = match &chosen {
                Some(Chosen { domain, function: known, .. }) => {
                    (domain.clone().union(part.domain.clone())?, known.clone().union_add(function.clone())?)
                }
                None => (part.domain.clone(), function.clone()),
            };
            let has_own = number < part.own || chosen.as_ref().is_some_and(|chosen| chosen.has_own);
            let among = self.pending.clone().among(&domain)?;
            let members = std::slice::from_ref(&function);
            if among.are_permutable(members)?
                && !among.cuts_live_ranges(members)?
                && let Some(found) = self.function(Some(Chosen { domain, function, has_own }), others)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
