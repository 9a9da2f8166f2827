//! The cost of a tree, as far as its innermost loops and its reuse of data tell, to choose between trees.

use super::block_size::Values;
use super::counted::{Counted, counted};
use super::operation_cost::OperationCosts;
use super::reuse::{Use, Uses, perhaps_fresh};
use super::step::Locality;
use super::width::{MOST_UNROLLED, Width, most_unrolled};
use crate::isl::{self, MultiUnionPwAff, NodeType, Result, Schedule, ScheduleNode, UnionMap, UnionPwAff, UnionSet};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, is_over_tiles, mark, marks_above, point_members_above};
use crate::schedule_tree::{Mark, PackedArray};
use crate::scop::{Array, ElementKind, Scop, Statement};
use std::collections::BTreeSet;
use std::ops::Range;

/// The cost of a tree: of one instance, summed over the statements with as many loops as any. Others run so much less
/// often that they do not count; copies of a layout count by how often they run. The unit is the time that a core takes
/// for a 64th of a scalar operation, times the number of cores, so costs are only to be compared for the same machine.
/// The module documentation has the formula.
pub fn cost(scop: &Scop, tree: &Schedule, machine: &Machine) -> Result<u64> {
    sum(scop, tree, machine, &mapped)
}

/// The parts of the [`cost`] of a tree, whatever sizes are: the statements that count, and what one instance of each
/// costs.
pub fn cost_parts<'s>(scop: &'s Scop, tree: &Schedule, machine: &Machine) -> Result<Vec<(&'s Statement, u64)>> {
    let costs = costs(scop, tree, machine, &mapped)?;
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

/// Vectors that walk across rows take so many times as long as in a tile that walks along them as well. Measured: matrices of 800
/// by 800 doubles are transposed 1.4 to 1.7 times as fast in tiles of 32 by 32 (a Zen 4).
pub(super) const COLUMN_IN_TILE: u64 = 2;

/// Processors fetch lines ahead of so many walks through memory. Measured: a vector times a matrix of 768 by 3,072 floats takes 1.6
/// times as long with 32 rows side by side as with 16 (a Zen 4).
pub(crate) const MOST_STREAMS: u32 = 16;

/// A line takes so many times as long where a block reads pieces of rows one after the other, though caches have them: nothing
/// fetches those ahead. Measured: the greatest of 1,000 rows of 768 floats, 32 columns and 16 or 32 rows at a time, takes 1.8 times
/// as long as row by row, with fewer instructions (a Zen 4). What comes from memory takes longer than that anyway.
const PIECE_OF_ROW: u64 = 2;

/// What is waited for less long takes no longer than going across rows does: a sum of doubles along a row takes two cycles, and so do
/// its wavefronts (measured on a Xeon, 2,000 by 2,000; on two threads wavefronts as vectors take 1.3 times as long as one thread in rows).
const LEAST_WAIT: u32 = 2;

/// Some statement that counts is in an innermost loop of which each iteration reads what the one before has written, several
/// operations later.
pub fn waits(scop: &Scop, tree: &Schedule, machine: &Machine) -> Result<bool> {
    let mut nests = Vec::new();
    collect(&tree.root()?, &Path::default(), &mut nests)?;
    for counted in counted(scop)? {
        for (leaf, path) in nests.iter().filter(|(_, path)| !path.vector) {
            let uses = Uses::new(scop, counted.statement, &leaf.domain()?, &path.loops, machine)?;
            let Some(uses) = uses else { continue };
            let inner = innermost(&uses, path);
            if inner.map_or(Ok(None), |inner| uses.wait(inner))?.is_some_and(|delay| delay >= LEAST_WAIT) {
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
    let costs = costs(scop, tree, machine, outcome)?;
    Ok(costs.into_iter().fold(0, |sum, (counted, each)| sum.saturating_add(counted.share(each))))
}

/// The statements that count, with the cost of an instance.
fn costs<'s>(
    scop: &'s Scop,
    tree: &Schedule,
    machine: &Machine,
    outcome: &dyn Fn(&Uses<'_>, &Path) -> Outcome,
) -> Result<Vec<(Counted<'s>, u64)>> {
    let mut nests = Vec::new();
    collect(&tree.root()?, &Path::default(), &mut nests)?;
    let mut costs = Vec::new();
    for counted in counted(scop)? {
        // A statement in several places counts where it is worst.
        let mut worst = 0;
        for (leaf, path) in &nests {
            let (reached, loops) = (leaf.domain()?, (&path.loops[..], &path.packed[..]));
            if let Some(uses) = Uses::with_packed(scop, counted.statement, &reached, loops, machine)? {
                let domain = reached.intersect(counted.statement.domain.clone().to_union_set()?)?;
                worst = worst.max(compiled(&uses, path, &outcome(&uses, path), &domain, machine)?);
            }
        }
        costs.push((counted, worst));
    }
    Ok(costs)
}

/// The loops on the way to a leaf, those over tiles aside.
#[derive(Debug, Clone, Default)]
struct Path {
    loops: Vec<UnionPwAff>,
    /// Which of them are coincident.
    coincident_loops: Vec<bool>,
    /// The loops over the points of the innermost tile.
    points: Range<usize>,
    /// The members over those tiles.
    over: usize,
    /// The least size of such a tile in iterations, where one is known.
    size: Option<u64>,
    /// The last loop carries nothing.
    vector: bool,
    /// A loop runs in parallel.
    parallel: bool,
    /// They are tiles in a wavefront.
    wavefront: bool,
    /// A member is coincident, be it over tiles.
    coincident: bool,
    /// What is packed.
    packed: Vec<PackedArray>,
    /// The members over blocks for registers.
    origins: Vec<UnionPwAff>,
    /// The last loop, or the last two, are over the points of such a block.
    block: Option<BlockedRows>,
}

/// A block for registers.
#[derive(Debug, Clone, Copy)]
struct BlockedRows {
    /// The place of the loop right around it, among all.
    around: usize,
    /// How many rows it has, along the first of its two loops; one if it has points along one loop only.
    rows: u64,
    /// How many points it has along its last loop.
    columns: u64,
}

/// The leaves below a node whose last loop makes vectors, with all loops around, those over tiles aside: the ones below
/// the node last, in order.
pub(super) fn vector_nests(node: &ScheduleNode) -> Result<Vec<(ScheduleNode, Vec<UnionPwAff>)>> {
    let mut nests = Vec::new();
    let loops = point_members_above(node)?;
    let above = Path { coincident_loops: vec![false; loops.len()], loops, ..Path::default() };
    collect(node, &above, &mut nests)?;
    let vectors = nests.into_iter().filter(|(_, path)| path.vector);
    Ok(vectors.map(|(leaf, path)| (leaf, path.loops)).collect())
}

fn collect(node: &ScheduleNode, path: &Path, nests: &mut Vec<(ScheduleNode, Path)>) -> Result<()> {
    let mut path = path.clone();
    match node.node_type()? {
        NodeType::Leaf => {
            nests.push((node.clone(), path));
            return Ok(());
        }
        NodeType::Band if node.band_n_member()? > 0 => {
            let marks = marks_above(node)?;
            let members = Band::read(node)?.members;
            if marks.contains(&Mark::TILE) {
                for member in members {
                    path.over += 1;
                    path.size = [path.size, tile_size(member)?].into_iter().flatten().min();
                }
            } else if marks.contains(&Mark::Register) {
                path.origins.extend(members);
            } else if !is_over_tiles(node)? {
                let first = path.loops.len();
                if marks.contains(&Mark::Block) {
                    path.block = block(first, &path.origins, &members)?;
                }
                path.loops.extend(members);
                path.coincident_loops.extend(node.band_coincident()?);
                if !path.points.is_empty() {
                    path.points.end = path.loops.len();
                } else if marks.contains(&Mark::Point) {
                    path.points = first..path.loops.len();
                }
            }
            path.coincident |= node.band_coincident()?.contains(&true);
            path.vector = marks.contains(&Mark::Vector);
        }
        NodeType::Mark => match mark(node)? {
            Some(Mark::Tile { .. }) => path.points = 0..0,
            Some(Mark::Parallel { .. }) => path.parallel = true,
            Some(Mark::Wavefront) => path.wavefront = true,
            Some(Mark::Packed { arrays }) => path.packed.extend(arrays),
            _ => {}
        },
        _ => {}
    }
    for child in node.children()? {
        collect(&child, &path, nests)?;
    }
    Ok(())
}

/// The block whose points are two members, where those before it are the first ones.
fn block(first: usize, origins: &[UnionPwAff], members: &[UnionPwAff]) -> Result<Option<BlockedRows>> {
    let Some(around) = first.checked_sub(1) else { return Ok(None) };
    let length = |origin: &UnionPwAff, point: &UnionPwAff| {
        let last = point.clone().sub(origin.clone())?.max_val()?;
        let last = if last.is_int()? { last.as_i64()? } else { None };
        Ok::<_, isl::Error>(last.and_then(|last| u64::try_from(last + 1).ok()).map(|length| length.max(1)))
    };
    let (rows, columns) = match (origins, members) {
        ([origin], [point]) => (Some(1), length(origin, point)?),
        ([first, second], [row, column]) => (length(first, row)?, length(second, column)?),
        _ => return Ok(None),
    };
    Ok(rows.zip(columns).map(|(rows, columns)| BlockedRows { around, rows, columns }))
}

/// The most iterations of a loop over points before the next tile begins; `None` where tiles may not bound it.
///
/// Where there are no more loops over points than members over tiles, each step of such a loop moves one of those
/// members, which changes by a multiple of the tile's size.
fn trips(path: &Path, point: usize) -> Option<u64> {
    path.size.filter(|_| path.points.contains(&point) && path.points.len() <= path.over)
}

/// How often each element of a packed tile is read, by the loops over its points that leave it in place.
fn reads(used: &Use<'_>, path: &Path) -> u64 {
    let stays = path.points.clone().filter(|point| used.along[*point] == Some(Locality::Temporal));
    stays.fold(1, |all: u64, _| all.saturating_mul(path.size.unwrap_or(1)))
}

/// The size of the tiles that a member is over: what its values are multiples of.
fn tile_size(member: UnionPwAff) -> Result<Option<u64>> {
    // { [t] }
    let origins = UnionMap::from_multi_union_pw_aff(MultiUnionPwAff::from_union_pw_aff(member)?)?.range()?.as_set()?;
    Ok(origins.stride(0)?.as_i64()?.and_then(|size| u64::try_from(size).ok()).filter(|size| *size > 1))
}

/// The points of a block read a column, and the loop around it walks along the rows: then these are read a line at a time, and
/// transposed.
fn is_column(used: &Use<'_>, block: BlockedRows, innermost: Option<Locality>) -> bool {
    let walks = used.along[block.around] == Some(Locality::Spatial);
    block.rows == 1 && innermost == Some(Locality::None) && walks && !used.writes()
}

/// How an access walks through memory in a block: along rows, a few at a time, if the loop around the block does; line
/// by line, each in another row, if that loop goes through many rows, however the block lies in them.
fn walk(
    used: &Use<'_>,
    path: &Path,
    (block, rounds): (BlockedRows, u64),
    innermost: Option<Locality>,
) -> Result<Option<Locality>> {
    if is_column(used, block, innermost) {
        return Ok(Some(Locality::Spatial));
    }
    let crosses = |locality| locality == Some(Locality::None);
    let crossed = match (crosses(innermost), crosses(used.along[block.around])) {
        (true, _) => block.columns,
        // As long as nobody knows how many.
        (false, true) => u64::MAX,
        (false, false) => 0,
    };
    if rows_share_sets(used.array, crossed)? {
        return Ok(Some(Locality::None));
    }
    Ok(match used.along[block.around] {
        Some(Locality::Spatial) => Some(Locality::Spatial),
        Some(Locality::None) if rounds > MOST_UNROLLED && trips(path, block.around).is_none() => Some(Locality::None),
        _ => innermost,
    })
}

/// So many lines of an array that are above each other are known to go to so few sets of the nearest cache that these
/// do not hold them. What is crossed in any number does only if all are in one set.
fn rows_share_sets(array: &Array, crossed: u64) -> Result<bool> {
    const WAY: u64 = 64 * 64;
    const WAYS: u64 = 8;
    let Some(last) = array.rank().checked_sub(1).filter(|last| *last > 0) else { return Ok(false) };
    let Some(length) = array.known_extent(last)? else { return Ok(false) };
    let bytes = length.saturating_mul(array.element.bytes().into());
    // The sets that multiples of a row's length come to.
    let sets = (WAY >> bytes.trailing_zeros().min(WAY.trailing_zeros())).min(64);
    Ok(crossed > 0 && (sets == 1 || crossed < u64::MAX && crossed > sets * WAYS))
}

/// The last loop that runs more than once for a statement.
fn innermost(uses: &Uses<'_>, path: &Path) -> Option<usize> {
    (0..path.loops.len()).rev().find(|j| uses.iterates(*j))
}

/// The loops over points of a tile that brings something back while it is still near: no more than one of them leads out of
/// the tile.
fn tile(uses: &Uses<'_>, path: &Path) -> Range<usize> {
    let iterated = path.points.clone().filter(|j| uses.iterates(*j)).count();
    if iterated <= path.over + 1 { path.points.clone() } else { 0..0 }
}

/// A loop along a diagonal finds lines that its neighbours in the tile have brought. (So does one along a column; but what that
/// costs is as it was measured, gathers and pages included. What is near saves nothing where there is little to wait for.)
fn is_row_near(uses: &Uses<'_>, used: &Use<'_>, inner: usize, tile: &Range<usize>) -> Result<bool> {
    Ok(used.along[inner] == Some(Locality::None)
        && uses.operations() >= LEAST_WAIT
        && uses.is_diagonal(used, inner)?
        && uses.comes_back_to_row(used, tile)?)
}

/// The innermost loop walks along the same row in each iteration of the loop right around it, and the row is not known
/// to be too long to stay near.
fn walks_row_again(used: &Use<'_>, inner: usize, machine: &Machine) -> Result<bool> {
    let walks = matches!(used.along[inner], Some(Locality::Spatial | Locality::Strided(_)));
    let around = used.along[..inner].iter().rev().find_map(|along| *along);
    if !walks || around != Some(Locality::Temporal) {
        return Ok(false);
    }
    let Some(last) = used.array.rank().checked_sub(1) else { return Ok(false) };
    let longest = machine.near_row(used.array.element.bytes());
    Ok(used.array.known_extent(last)?.is_none_or(|length| length <= longest))
}

/// The cost of one instance, of which the compiler behind us makes a vector where the mapper does not ask for one: of
/// what is gathered in any order along a long innermost loop, and of the loop around short ones, which it unrolls.
fn compiled(uses: &Uses<'_>, path: &Path, outcome: &Outcome, domain: &UnionSet, machine: &Machine) -> Result<u64> {
    let inner = innermost(uses, path);
    // A loop that runs once makes no vector of what is around it.
    let vector = outcome.vector && inner.is_none_or(|inner| inner + 1 == path.loops.len());
    let around = path.block.filter(|_| vector).map_or(0, |block| block.around + 1);
    let mut counts = Vec::new();
    for member in &path.loops[..around] {
        counts.push(Values::of(member, domain)?.map_or(u64::MAX, Values::count));
    }
    let rounds = counts.last().copied().unwrap_or(1);
    let at = Place { inner, vector, rounds, around: &counts };
    let as_mapped = instance(uses, path, at, outcome.parallel, machine)?;
    if vector || path.block.is_some() {
        return Ok(as_mapped);
    }
    let values = |loop_number: usize| Values::of(&path.loops[loop_number], domain);
    // Where nobody knows how long it is, a loop that looks for a maximum may be that over a window of pixels.
    let is_long = |inner| {
        let count = values(inner)?.map(Values::count);
        Ok::<_, isl::Error>(count.map_or(!uses.is_extreme(), |count| count > MOST_UNROLLED))
    };
    let found = match inner {
        Some(inner) if gathers(uses, inner)? && is_long(inner)? => Some((inner, 1)),
        _ => around_unrolled(uses, path, domain)?,
    };
    let Some((inner, rounds)) = found else { return Ok(as_mapped) };
    let place = Place { inner: Some(inner), vector: true, rounds, around: &[] };
    Ok(as_mapped.min(instance(uses, path, place, outcome.parallel, machine)?))
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
/// unrolls them, and how many times that is. In tiles nobody but us knows how often loops run.
fn around_unrolled(uses: &Uses<'_>, path: &Path, domain: &UnionSet) -> Result<Option<(usize, u64)>> {
    if path.over > 0 {
        return Ok(None);
    }
    let most = most_unrolled(
        u64::from(uses.operations()).saturating_add(u64::try_from(uses.accesses.len()).unwrap_or(u64::MAX)),
    );
    let mut iterations = 1;
    for place in (0..path.loops.len()).rev().filter(|place| uses.iterates(*place)) {
        let values = Values::of(&path.loops[place], domain)?;
        let more = values.map_or(u64::MAX, |values| values.count().saturating_mul(iterations));
        if more <= most {
            iterations = more;
        } else {
            return Ok((iterations > 1 && path.coincident_loops[place]).then_some((place, iterations)));
        }
    }
    Ok(None)
}

/// The loop that says what is done at a time.
#[derive(Clone, Copy)]
struct Place<'c> {
    inner: Option<usize>,
    /// It makes vectors.
    vector: bool,
    /// How often the loop around a block runs, or those inside that are unrolled: what these leave in place is moved once
    /// for all of them.
    rounds: u64,
    /// How often the loops around a block run, outermost first.
    around: &'c [u64],
}

impl Place<'_> {
    /// How often the loops right around a block run that leave an access in place: it is moved once for all of them.
    fn held(self, used: &Use<'_>) -> u64 {
        let stays = |at: &usize| matches!(used.along[*at], None | Some(Locality::Temporal));
        let held = (0..self.around.len()).rev().take_while(stays);
        held.fold(1, |all, at| all.saturating_mul(if used.along[at].is_some() { self.around[at] } else { 1 }))
    }
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

/// What an access costs in memory, for the innermost loop and the block that it is in; nothing where it is near.
fn memory(
    uses: &Uses<'_>,
    used: &Use<'_>,
    path: &Path,
    (Place { inner, vector, rounds, .. }, block): (Place<'_>, Option<BlockedRows>),
    tile: &Range<usize>,
    costs: &OperationCosts,
    machine: &Machine,
) -> Result<u64> {
    let locality = inner.and_then(|j| used.along[j]);
    // What stays in place is moved once for all of the innermost loop.
    let is_near = match (block, inner) {
        (None, Some(inner)) => locality == Some(Locality::Temporal) || walks_row_again(used, inner, machine)?,
        _ => false,
    };
    if !used.is_large(0) || is_near || uses.comes_back(used, tile)? {
        return Ok(0);
    }
    let walk = match (block, inner) {
        (Some(block), _) => walk(used, path, (block, rounds), locality)?,
        (None, Some(inner)) if is_row_near(uses, used, inner, tile)? => Some(Locality::Spatial),
        _ => locality,
    };
    let same = uses.accesses.iter().filter(|other| other.array.name == used.array.name).count();
    let line = costs.memory(used.array, walk, u32::try_from(same).unwrap_or(u32::MAX));
    // What walks across rows in a tile finds most lines in the nearest cache.
    let column = inner.filter(|_| block.is_none() && vector && walk == Some(Locality::None));
    let is_near =
        column.map_or(Ok(false), |inner| Ok(!uses.is_diagonal(used, inner)? && uses.comes_back_to_row(used, tile)?))?;
    let line = if is_near { line / COLUMN_IN_TILE } else { line };
    let is_piece = match block.filter(|block| used.along[block.around] == Some(Locality::None)) {
        Some(_) => used.array.known_bytes()?.is_some_and(|bytes| machine.fits_last_cache(bytes)),
        None => false,
    };
    let line = if is_piece && walk == Some(Locality::Spatial) { line * PIECE_OF_ROW } else { line };
    let trips = inner.and_then(|inner| trips(path, inner));
    Ok(match (block, trips, locality) {
        (None, Some(trips), Some(Locality::Spatial)) if !used.writes() => line + costs.row(trips),
        _ => line,
    })
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

/// The cost of one instance.
fn instance(uses: &Uses<'_>, path: &Path, at: Place<'_>, parallel: bool, machine: &Machine) -> Result<u64> {
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
    let tile = tile(uses, path);
    for used in &uses.accesses {
        let locality = inner.and_then(|j| used.along[j]);
        let price = match block {
            Some(block) if is_column(used, block, locality) => costs.transposed(),
            _ => locality.map_or(0, |locality| costs.access(locality, used.role, width)),
        };
        sum += match block {
            Some(BlockedRows { around, .. }) if used.along[around] == Some(Locality::Temporal) => {
                shared(price, at.held(used))
            }
            Some(BlockedRows { around, rows, .. }) if used.along[around + 1] == Some(Locality::Temporal) => {
                price.div_ceil(rows)
            }
            None if stays_inside(used, inner) => shared(price, rounds),
            _ => price,
        };
        sum += match used.copy {
            Some(width) => costs.operation(width) / reads(used, path),
            None if used.access.scaled => scaling(locality, (block, width), &costs),
            None => 0,
        };
        let memory = memory(uses, used, path, (at, block), &tile, &costs, machine)?;
        sum += match block {
            Some(BlockedRows { around, rows, .. }) if used.along[around + 1] == Some(Locality::Temporal) => {
                memory / rows
            }
            None if stays_inside(used, inner) => shared(memory, rounds),
            _ => memory,
        };
    }
    if let (Some(inner), Width::Scalar) = (inner, width) {
        sum += uses.wait(inner)?.map_or(0, |delay| costs.wait(delay));
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
