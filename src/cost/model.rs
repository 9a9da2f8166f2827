//! The cost of a tree, as far as its innermost loops and its reuse of data tell, to choose between trees.

use super::block_size::Values;
use super::brought::{OWN_CACHE, in_iteration, in_tile};
use super::counted::{Counted, counted};
use super::memory::{is_column, memory, near_loops, tile, walks};
use super::operation_cost::OperationCosts;
use super::path::{BlockedRows, Path, Place, collect, innermost, reads, trips};
use super::returning::{Returning, returning};
use super::reuse::{Use, Uses, perhaps_fresh};
use super::step::Locality;
use super::width::{MOST_UNROLLED, Width, most_unrolled};
use crate::isl::{self, Result, Schedule, UnionSet};
use crate::machine::Machine;
use crate::scop::{ElementKind, Scop, Statement};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// The cost of a tree: of one instance, summed over the statements with as many loops as any. Others run so much less
/// often that they do not count; copies of a layout count by how often they run. The unit is the time that a core takes
/// for a 64th of a scalar operation, times the number of cores, so costs are only to be compared for the same machine.
/// The module documentation has the formula.
pub fn cost(scop: &Scop, tree: &Schedule, machine: &Machine) -> Result<u64> {
    sum(scop, tree, machine, &mapped)
}

/// The [`cost`] of a tree, data being nearer where others have brought it. Trees with different kinds of reuse have to be compared by
/// this.
///
/// # Errors
/// Those of isl.
pub fn cost_with(scop: &Scop, tree: &Schedule, machine: &Machine, reuse: Reuse) -> Result<u64> {
    Ok(total(costs(scop, tree, machine, &mapped, Some(reuse))?))
}

/// The [`cost`] of a tree on one thread.
///
/// # Errors
/// Those of isl.
pub fn cost_of_one_thread(scop: &Scop, tree: &Schedule, machine: &Machine) -> Result<u64> {
    sum(scop, tree, machine, &|_, path| Outcome { vector: path.vector, parallel: false })
}

/// The parts of the [`cost`] of a tree, whatever sizes are: the statements that count, and what one instance of each
/// costs.
pub fn cost_parts<'s>(scop: &'s Scop, tree: &Schedule, machine: &Machine) -> Result<Vec<(&'s Statement, u64)>> {
    let costs = costs(scop, tree, machine, &mapped, None)?;
    Ok(costs.into_iter().map(|(counted, each)| (counted.statement, each)).collect())
}

/// What an instance of a copy costs besides ([`cost_parts`]) where an array whose size is not known is so large that its memory is
/// taken into use for it.
///
/// # Errors
/// Those of isl.
pub fn cost_of_large_copy(scop: &Scop, copy: &Statement, machine: &Machine) -> Result<u64> {
    let Some(fresh) = perhaps_fresh(scop, copy)? else { return Ok(0) };
    let each = OperationCosts::new(machine, std::iter::once(fresh.array)).fresh(&fresh);
    Ok(each.saturating_mul(machine.cores.into()))
}

/// What became of the loops of a tree that is mapped.
fn mapped(_: &Uses<'_>, path: &Path) -> Outcome {
    Outcome { vector: path.vector, parallel: path.parallel }
}

/// Some statement that counts is in an innermost loop of which each iteration reads what the one before has written, so many
/// operations later at least.
pub fn waits(scop: &Scop, tree: &Schedule, machine: &Machine, least: u32) -> Result<bool> {
    let mut nests = Vec::new();
    collect(&tree.root()?, &Path::default(), &mut nests)?;
    for counted in counted(scop)? {
        for (leaf, path) in nests.iter().filter(|(_, path)| !path.vector) {
            let uses = Uses::new(scop, counted.statement, &leaf.domain()?, &path.loops, machine)?;
            let Some(uses) = uses else { continue };
            let inner = innermost(&uses, path);
            if inner.map_or(Ok(None), |inner| uses.wait(inner))?.is_some_and(|delay| delay >= least) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The arrays of unknown size that a tree costs as little as it seems to only if all of them together stay near: they are
/// walked through again and again, along one loop, and no tiles bring anything back sooner.
pub fn kept_near<'s>(scop: &'s Scop, tree: &Schedule, machine: &Machine) -> Result<BTreeSet<&'s str>> {
    let mut nests = Vec::new();
    collect(&tree.root()?, &Path::default(), &mut nests)?;
    let mut kept = BTreeSet::new();
    for counted in counted(scop)?.iter().filter(|counted| !counted.statement.copy) {
        for (leaf, path) in &nests {
            let Some(uses) = Uses::new(scop, counted.statement, &leaf.domain()?, &path.loops, machine)? else {
                continue;
            };
            let tile = tile(&uses, path);
            for used in &uses.accesses {
                if used.is_walked_again() && !uses.comes_back(used, &tile)? {
                    kept.insert(used.array.name.as_str());
                }
            }
        }
    }
    Ok(kept)
}

/// A lower bound on [`cost`] once the tree is mapped, for so many threads: as if
/// everything were a vector that does not write one element over and over, and ran in parallel where any member around
/// it is coincident.
pub fn cost_unmapped(scop: &Scop, tree: &Schedule, machine: &Machine, threads: Threads) -> Result<u64> {
    let best = |uses: &Uses<'_>, path: &Path| {
        let last = path.loops.len().checked_sub(1);
        let is_overwritten =
            |used: &Use<'_>| used.writes() && last.is_some_and(|j| used.along[j] == Some(Locality::Temporal));
        Outcome {
            vector: !uses.accesses.iter().any(is_overwritten),
            parallel: threads == Threads::Several && path.coincident,
        }
    };
    sum(scop, tree, machine, &best)
}

/// Who brings data nearer for other statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Nests before in the same tile.
    Tiles,
    /// Statements before in the same iteration.
    Iterations,
    /// The iteration before, in the same tile around a loop whose iterations wait for each other.
    Earlier,
}

/// What the code will run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// One thread.
    One,
    /// Several: loops may run in parallel.
    Several,
}

/// What the mapper makes of the loops around a statement.
struct Outcome {
    /// The last loop is a vector.
    vector: bool,
    /// Some loop runs in parallel.
    parallel: bool,
}

fn sum(scop: &Scop, tree: &Schedule, machine: &Machine, outcome: &dyn Fn(&Uses<'_>, &Path) -> Outcome) -> Result<u64> {
    Ok(total(costs(scop, tree, machine, outcome, None)?))
}

fn total(costs: Vec<(Counted<'_>, u64)>) -> u64 {
    costs.into_iter().fold(0, |sum, (counted, each)| sum.saturating_add(counted.share(each)))
}

/// The statements that count, with the cost of an instance.
fn costs<'s>(
    scop: &'s Scop,
    tree: &Schedule,
    machine: &Machine,
    outcome: &dyn Fn(&Uses<'_>, &Path) -> Outcome,
    reuse: Option<Reuse>,
) -> Result<Vec<(Counted<'s>, u64)>> {
    let mut nests = Vec::new();
    collect(&tree.root()?, &Path::default(), &mut nests)?;
    if reuse != Some(Reuse::Tiles) {
        nests.iter_mut().for_each(|(_, path)| path.within.fill(None));
    }
    let returning = match reuse {
        Some(Reuse::Earlier) => returning(scop, &nests, machine)?,
        _ => Vec::new(),
    };
    let (before, part) = match reuse {
        None | Some(Reuse::Earlier) => (Vec::new(), 1),
        Some(Reuse::Tiles) => (in_tile(scop, &nests, machine)?, OWN_CACHE),
        Some(Reuse::Iterations) => (in_iteration(scop, &nests)?, u64::MAX),
    };
    let mut costs = Vec::new();
    for counted in counted(scop)? {
        // A statement in several places counts where it is worst; not in what is left, if it is elsewhere as well.
        let (mut worst, mut left) = (None, None);
        for (number, (leaf, path)) in nests.iter().enumerate() {
            let (reached, loops) = (leaf.domain()?, (&path.loops[..], &path.packed[..]));
            if let Some(mut uses) = Uses::with_packed(scop, counted.statement, &reached, loops, machine)? {
                if let Some(Some(before)) = before.get(number) {
                    uses.find(&before.tiles, &before.elements, part)?;
                }
                if let Some(Some(Returning { at, part, kept })) = returning.get(number).copied() {
                    uses.find_returning(at, (kept, part))?;
                }
                let domain = reached.intersect(counted.statement.domain.clone().to_union_set()?)?;
                let here = if path.rest { &mut left } else { &mut worst };
                *here = (*here).max(Some(compiled(&uses, path, &outcome(&uses, path), &domain, machine)?));
            }
        }
        costs.push((counted, worst.or(left).unwrap_or(0)));
    }
    Ok(costs)
}

/// The cost of one instance, of which the compiler behind us makes a vector where the mapper does not ask for one: of
/// what is gathered in any order along a long innermost loop, and of the loop around short ones, which it unrolls.
fn compiled(uses: &Uses<'_>, path: &Path, outcome: &Outcome, domain: &UnionSet, machine: &Machine) -> Result<u64> {
    let inner = innermost(uses, path);
    // A loop that runs once makes no vector of what is around it.
    let vector = outcome.vector && path.staggered.is_none() && inner.is_none_or(|inner| inner + 1 == path.loops.len());
    let around = path.block.filter(|_| vector).map_or(0, |block| block.around + 1);
    let mut counts = Vec::new();
    for member in &path.loops[..around] {
        counts.push(Values::of(member, domain)?.map_or(u64::MAX, Values::count));
    }
    let rounds = counts.last().copied().unwrap_or(1);
    let at = Place { inner, vector, rounds, around: &counts, unrolled: &[] };
    let near = &near_loops(uses, path, domain, machine)?;
    let as_mapped = instance(uses, path, (at, near), outcome.parallel, machine)?;
    if vector || path.block.is_some() || path.staggered.is_some() {
        return Ok(as_mapped);
    }
    let values = |loop_number: usize| Values::of(&path.loops[loop_number], domain);
    // Where nobody knows how long it is, a loop that looks for a maximum may be that over a window of pixels.
    let is_long = |inner| {
        let count = values(inner)?.map(Values::count);
        Ok::<_, isl::Error>(count.map_or(!uses.is_extreme(), |count| count > MOST_UNROLLED))
    };
    let found = match inner {
        Some(inner) if gathers(uses, inner)? && is_long(inner)? => Some((inner, Vec::new())),
        _ => around_unrolled(uses, path, domain)?,
    };
    let Some((inner, unrolled)) = found else { return Ok(as_mapped) };
    let rounds = unrolled.iter().product();
    let place = Place { inner: Some(inner), vector: true, rounds, around: &[], unrolled: &unrolled };
    Ok(as_mapped.min(instance(uses, path, (place, near), outcome.parallel, machine)?))
}

/// All that a loop writes it updates again and again, in an order that does not count: that of integers never does.
fn gathers(uses: &Uses<'_>, inner: usize) -> Result<bool> {
    let mut written = uses.accesses.iter().filter(|used| used.writes()).peekable();
    let is_sum = |used: &Use<'_>| {
        let any_order = used.array.element.kind == ElementKind::Int || uses.is_reduction();
        any_order && used.role.is_update() && used.along[inner] == Some(Locality::Temporal)
    };
    Ok(written.peek().is_some() && written.all(is_sum) && uses.wait(inner)?.is_none())
}

/// The coincident loop right around loops that together run so few times, as often as is known, that a compiler
/// unrolls them, and how many times each of these runs. In tiles nobody but us knows how often loops run.
fn around_unrolled(uses: &Uses<'_>, path: &Path, domain: &UnionSet) -> Result<Option<(usize, Vec<u64>)>> {
    if path.over > 0 {
        return Ok(None);
    }
    let most = most_unrolled(
        u64::from(uses.operations()).saturating_add(u64::try_from(uses.accesses.len()).unwrap_or(u64::MAX)),
    );
    let (mut iterations, mut unrolled) = (1, VecDeque::new());
    for place in (0..path.loops.len()).rev() {
        if !uses.iterates(place) {
            unrolled.push_front(1);
            continue;
        }
        let count = Values::of(&path.loops[place], domain)?.map_or(u64::MAX, Values::count);
        if count.saturating_mul(iterations) > most {
            let is_vector = iterations > 1 && path.coincident_loops[place];
            return Ok(is_vector.then(|| (place, unrolled.into())));
        }
        iterations *= count;
        unrolled.push_front(count);
    }
    Ok(None)
}

/// What so many rounds share.
fn shared(price: u64, rounds: u64) -> u64 {
    price / rounds.max(1)
}

/// The loops inside of one, if there are any, leave an access in place.
fn stays_inside(used: &Use<'_>, inner: Option<usize>) -> bool {
    let inside = inner.map_or(&[][..], |inner| &used.along[inner + 1..]);
    inside.iter().flatten().all(|locality| *locality == Locality::Temporal)
}

/// What it costs an instance to scale what it reads: as often as it reads it, alone where vectors leave it in place.
fn scaling(locality: Option<Locality>, (block, width): (Option<BlockedRows>, Width), costs: &OperationCosts) -> u64 {
    match (locality, block) {
        // The product, which has to be in all of a vector then.
        (Some(Locality::Temporal), Some(block)) => 2 * costs.operation(Width::Scalar) / block.columns,
        (None | Some(Locality::Temporal), _) => 0,
        _ => costs.operation(width),
    }
}

/// Vectors that a loop leaves in place are in registers as long as they are no more than this. Measured: a window of 25 values costs
/// nothing but its pixels, with 16 registers or 32, and one of 49 takes 1.2 to 1.4 times as long as in blocks, which load a value for
/// many pixels (a Xeon).
const MOST_HELD: u64 = 32;

/// What an access costs in one of the rounds of unrolled loops. What they leave in place is moved once for all, but for what is updated
/// in memory: other accesses may be to the same element, as far as a compiler knows, and so each round stores it.
fn in_rounds(used: &Use<'_>, price: u64, at: Place<'_>, costs: &OperationCosts) -> u64 {
    let Some(inner) = at.inner.filter(|_| !at.unrolled.is_empty()) else { return price };
    let vector = costs.access(Locality::Spatial, used.role, Width::Vector);
    if stays_inside(used, at.inner) {
        let once = shared(price, at.rounds);
        return if used.updated_in_memory { once.max(vector) } else { once };
    }
    let moves = |along: &Option<Locality>| along.is_some_and(|along| along != Locality::Temporal);
    let moving = used.along[inner + 1..].iter().zip(at.unrolled).filter(|(along, _)| moves(along));
    let values = moving.fold(1, |all: u64, (_, count)| all.saturating_mul(*count));
    if used.along[inner] == Some(Locality::Temporal) && values > MOST_HELD { vector } else { price }
}

/// What it costs an instance to load or store an element that is near, and to scale it if nobody has done so.
fn access(used: &Use<'_>, (at, block, width): (Place<'_>, Option<BlockedRows>, Width), costs: &OperationCosts) -> u64 {
    let locality = at.inner.and_then(|j| used.along[j]);
    let price = match block {
        Some(block) if is_column(used, block, locality) => costs.transposed(),
        _ => locality.map_or(0, |locality| costs.access(locality, used.role, width)),
    };
    let price = match block {
        Some(block) if used.along[block.around] == Some(Locality::Temporal) => shared(price, at.held(used)),
        Some(block) => price.div_ceil(block.sharing(used)),
        None => in_rounds(used, price, at, costs),
    };
    if used.copy.is_some() || !used.access.scaled {
        return price;
    }
    let scaling = scaling(locality, (block, width), costs);
    price + block.map_or(scaling, |block| scaling.div_ceil(block.sharing(used)))
}

/// What an access costs in a block whose rows are an iteration apart: elements come alone, two at a time, and of what is written there
/// one row is read, the one above; all else is handed on.
fn in_staggered_rows(uses: &Uses<'_>, used: &Use<'_>, (at, rows): (Place<'_>, u64), costs: &OperationCosts) -> u64 {
    let is_moved = at.inner.and_then(|inner| used.along[inner]).is_some_and(|along| along != Locality::Temporal);
    if !is_moved {
        return access(used, (at, None, Width::Scalar), costs);
    }
    let is_written = uses.accesses.iter().any(|other| other.writes() && other.array.name == used.array.name);
    let alone = costs.operation(Width::Scalar) / 2;
    if is_written && !used.writes() { alone / rows } else { alone }
}

/// The cost of one instance, with the loops inside of which what comes back is near.
fn instance(
    uses: &Uses<'_>,
    path: &Path,
    (at, near): (Place<'_>, &Range<usize>),
    parallel: bool,
    machine: &Machine,
) -> Result<u64> {
    let costs = OperationCosts::new(machine, uses.accesses.iter().map(|used| used.array));
    let Place { inner, vector, rounds, .. } = at;
    // What is no vector stays in memory, block or not.
    let block = path.block.filter(|_| vector);
    let width = if vector { Width::Vector } else { Width::Scalar };
    let mut sum = costs.operation(width).saturating_mul(uses.operations().into());
    let trips = inner.and_then(|inner| trips(path, inner));
    // A block's points are few enough to be no loop.
    if let (None, Some(trips)) = (block, trips) {
        sum += costs.start(trips);
    }
    for used in &uses.accesses {
        sum += match path.staggered {
            Some(rows) => in_staggered_rows(uses, used, (at, rows), &costs),
            None => access(used, (at, block, width), &costs),
        };
        let memory = memory(uses, used, path, (at, block), near, &costs, machine)?;
        let memory = memory / used.part;
        sum += match block {
            Some(block) => memory / block.sharing(used),
            None if memory == 0 => 0,
            None => shared(memory.saturating_mul(walks(uses, used, at, machine)?), rounds),
        };
        if let Some(width) = used.copy {
            sum += costs.operation(width) / reads(used, path);
        }
    }
    if let (Some(inner), Width::Scalar) = (inner, width) {
        // The rows of a block wait side by side.
        let wait = uses.wait(inner)?.map_or(0, |delay| costs.wait(delay));
        sum += wait / path.staggered.unwrap_or(1);
    }
    sum += uses.fresh.as_ref().map_or(0, |fresh| costs.fresh(fresh));
    if !parallel {
        return Ok(sum.saturating_mul(machine.cores.into()));
    }
    Ok(match trips {
        // Each wave starts threads anew. The widest has as many tiles as a row that stays near is long; as the first
        // and the last have one, it is half as many on average.
        Some(trips) if path.wavefront => {
            let widest = uses.accesses.iter().map(|used| used.array.element.bytes()).max().unwrap_or(1);
            let others = u32::try_from(path.points.len().saturating_sub(1)).unwrap_or(u32::MAX);
            sum + costs.threads(machine, trips.saturating_pow(others).saturating_mul(machine.near_row(widest) / 2))
        }
        _ => sum,
    })
}
