//! Blocks of points whose accumulators stay in registers.
//!
//! In a tile whose points update elements again and again, as `C[i][j] += A[i][k] * B[k][j]` does along `k`, the loop
//! along the updates goes inside of a block of elements, and around the block's points: `i, k, j` becomes `blocks of i,
//! blocks of j, k, points of i, points of j`. Code generation keeps the elements of a whole block in a buffer of its
//! own while `k` runs, which a compiler turns into registers.
//!
//! Where only one loop moves what is updated, as in `x[i] += A[i][j] * y[j]`, a block has points along that loop alone:
//! several rows of the matrix, each with a recurrence of updates of its own, so that no operation waits for the one
//! before. And where the updates lead across the rows of a large matrix, as in `x[j] += A[i][j] * y[i]`, only a few
//! rows are passed at a time: `few i, blocks of j, points of i, points of j` reads a few rows side by side, and not a
//! column of lines that are far from each other.
//!
//! Where loops follow the band, as the loops over a window and over channels follow those over the pixels of a
//! convolution, the points of a block go below all of them: `blocks of x, blocks of f, y, dy, dx, c, points of x, points
//! of f`. The members that go there are coincident and no two of their iterations touch the same memory, so that
//! whatever follows keeps its order.
//!
//! Tiles have many rows of blocks where these use the same data, a tile of `B` in a product, which stays near for all of them; few and
//! long ones where they have nothing in common, as pixels above each other under a window.
//!
//! Where loops have known lengths and need no tiles, as their data stays near, blocks are cut all the same, if whole ones make up all of
//! a row.

use super::conflicts::{Conflicts, Loop};
use super::distribute::{Body, body};
use super::panels::{Cut, Panels, Product, rows_for};
use super::parts::is_before_rest;
use super::tile::spread;
use crate::cost::MOST_STREAMS;
use crate::cost::block_size::{RegisterBlock, Values, WHOLE, best_block};
use crate::cost::packing::{Operands, operands};
use crate::cost::registers::{Members, accumulators, is_across_rows};
use crate::footprint::written;
use crate::isl::{NodeType, Result, Schedule, ScheduleNode, UnionPwAff};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, has_band_below, insert_mark, is_inside, is_tiled, mark, marks_above, origin};
use crate::schedule_tree::{Mark, TileSizes};
use crate::scop::Scop;

/// How long tiles become along the rows of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongTiles {
    /// At most so many iterations.
    pub rows: u32,
    /// So many threads share the tiles.
    pub threads: u32,
    /// What blocks use again is packed: tiles are such that it stays near (`panels.rs`).
    pub packed: bool,
}

/// How many lines of each row a tile has, where a loop goes from row to row and each block has one: with half as many, modified
/// Gram-Schmidt takes 1.3 times as long (1000 by 1200 elements of double precision; a Cascade Lake).
const LINES_OF_A_ROW: u32 = 8;

/// Cuts the points of tiles into blocks for registers: in each permutable band of points where one or two members move
/// what is updated, one of them along a row, and others leave it in place, which are of the band or, if they go below
/// them, of loops that follow.
///
/// Tiles of a wavefront are left alone, unless those that one statement has alone are apart from others ([`super::apart()`]).
///
/// The order of the other members is that of [`super::interchange()`]. Tiles of `sizes` must hold whole blocks, or become
/// long along the rows of blocks, where `rows` says how long: as many whole blocks as that holds, or along a row where blocks' rows
/// have nothing in common. Blocks of one row have a few
/// lines of it in a tile, where tiles may be long.
///
/// Where operands are packed, tiles are as `panels.rs` has them.
///
/// The result is `register > [blocks] > point > [other members, those that update] > block > [points of a block]`,
/// perhaps in `tile > [a few of those that update]`.
pub fn register_tile(
    scop: &Scop,
    schedule: &Schedule,
    conflicts: &Conflicts,
    sizes: &TileSizes,
    rows: Option<LongTiles>,
    machine: &Machine,
) -> Result<Schedule> {
    let of = Blocking { scop, conflicts, sizes, rows, machine };
    let mut rewrite = |node: ScheduleNode| match mark(&node)? {
        Some(Mark::Point) => block_points(&of, node),
        _ if node.node_type()? == NodeType::Band => block_untiled(&of, node),
        _ => Ok(node),
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

/// The subtree at a point mark.
fn block_points(of: &Blocking<'_>, point: ScheduleNode) -> Result<ScheduleNode> {
    let node = point.clone().first_child()?;
    // Tiles of a wavefront are skewed, and cut in so many ways that code for blocks in them takes seconds to generate,
    // and minutes to be proved right when it is read back, unless those that one statement has alone are apart.
    if node.node_type()? != NodeType::Band
        || is_inside(&point, &Mark::Wavefront)? && !is_open_in_wavefront(of, &point, &node)?
    {
        return Ok(point);
    }
    let band = Band::read(&node)?;
    if !has_band_below(&node)? {
        return innermost(of, point, &node, &band);
    }
    Ok(match sunk(of, &node, &band, true)? {
        Some((members, block)) => {
            let point = of.with_long_tiles(point, &band, members, block)?;
            cut_below(members, &band, block, point.delete()?)?
        }
        None => point,
    })
}

/// Blocks are looked for in tiles of a wavefront: those that one statement has alone, and what is left of others where its points make
/// no vectors otherwise.
fn is_open_in_wavefront(of: &Blocking<'_>, point: &ScheduleNode, node: &ScheduleNode) -> Result<bool> {
    let is_rest = is_inside(point, &Mark::Rest)?;
    Ok(is_before_rest(point)? || is_rest && !has_band_below(node)? && matches!(body(of.conflicts, node)?, Body::Keep))
}

/// A band that is not in tiles, as most of its loops are short, or its data stays near without: blocks alone may gain.
fn block_untiled(of: &Blocking<'_>, node: ScheduleNode) -> Result<ScheduleNode> {
    if !marks_above(&node)?.is_empty() || is_tiled(&node)? {
        return Ok(node);
    }
    let band = Band::read(&node)?;
    if !has_band_below(&node)? {
        return innermost_untiled(of, node, &band);
    }
    Ok(match sunk(of, &node, &band, false)? {
        Some((members, block)) => cut_below(members, &band, block, node)?,
        None => node,
    })
}

/// The points of an innermost band.
fn innermost(of: &Blocking<'_>, point: ScheduleNode, node: &ScheduleNode, band: &Band) -> Result<ScheduleNode> {
    let (scop, machine) = (of.scop, of.machine);
    let Some(members) = Members::of(scop, node, band, machine)? else { return Ok(point) };
    let Some(block) = of.block(node, band, members, true)? else { return Ok(point) };
    if let Some(panels) = of.panels(node, band, members, block)? {
        let point = panels.around_points(point, band)?;
        return panels.around_blocks(cut(members, band, block, point.delete()?)?, band);
    }
    let point = of.with_long_tiles(point, band, members, block)?;
    // Tiles with as many members as there are loops over points have few rows.
    let tiles = point.clone().parent()?;
    let is_strip = tiles.node_type()? == NodeType::Band && tiles.band_n_member()? < band.members.len();
    let few = members.recurrence.filter(|_| is_strip && members.jam.is_none());
    let is_across_rows = few.is_some() && is_across_rows(scop, node, band, members, machine)?;
    let blocks = cut(members, band, block, point.delete()?)?;
    let Some(recurrence) = few.filter(|_| is_across_rows) else { return Ok(blocks) };
    // As many rows as a block is wide, or as are fetched ahead: each is a stream of its own.
    let few_rows = Band {
        members: vec![origin(&band.members[recurrence], block.columns.min(MOST_STREAMS))?],
        coincident: vec![band.coincident[recurrence]],
        permutable: true,
    };
    insert_mark(few_rows.insert(blocks)?, &Mark::TILE)
}

/// A band that is innermost and not in tiles, of loops whose lengths are known: of those that are not, nobody can tell that they
/// need no tiles.
fn innermost_untiled(of: &Blocking<'_>, node: ScheduleNode, band: &Band) -> Result<ScheduleNode> {
    let domain = node.domain()?;
    for member in &band.members {
        if Values::of(member, &domain)?.is_none() {
            return Ok(node);
        }
    }
    let members = Members::of(of.scop, &node, band, of.machine)?.filter(|members| members.jam.is_some());
    let Some(members) = members else { return Ok(node) };
    let members = members.with_rows_that_share(of.scop, &node, band, of.machine)?;
    match of.block(&node, band, members, false)? {
        Some(block) => cut(members, band, block, node),
        None => Ok(node),
    }
}

/// The block for a band with loops below it: none of its points waits for another one, nor shares memory with it, so
/// that they may go below whatever follows.
fn sunk(of: &Blocking<'_>, node: &ScheduleNode, band: &Band, tiled: bool) -> Result<Option<(Members, RegisterBlock)>> {
    let free: Vec<usize> = (0..band.members.len()).filter(|i| band.coincident[*i]).collect();
    if !band.permutable || free.is_empty() || has_mark_of_ours_below(node)? {
        return Ok(None);
    }
    for members in Members::below(of.scop, node, band, &free, of.machine)? {
        let Some(block) = of.block(node, band, members, tiled)? else { continue };
        let inside = members.in_block();
        let apart = inside.iter().map(|member| of.is_apart(&Loop::new(node, &band.members, *member)?));
        if apart.collect::<Result<Vec<_>>>()?.into_iter().all(|apart| apart) {
            return Ok(Some((members, block)));
        }
    }
    Ok(None)
}

/// What blocks are cut for.
struct Blocking<'a> {
    scop: &'a Scop,
    conflicts: &'a Conflicts,
    sizes: &'a TileSizes,
    rows: Option<LongTiles>,
    machine: &'a Machine,
}

impl Blocking<'_> {
    /// The extent of a block of these members, for tiles or not; `None` where it would hold nothing, or does not fit.
    fn block(&self, node: &ScheduleNode, band: &Band, members: Members, tiled: bool) -> Result<Option<RegisterBlock>> {
        let Some(accumulators) = accumulators(self.scop, node, band, members, self.machine)? else { return Ok(None) };
        let domain = node.domain()?;
        let values = |member: usize| Values::of(&band.members[member], &domain);
        let (columns, rows) = (values(members.vector)?, members.jam.map(values).transpose()?);
        let in_tiles = |size: u32| !tiled || (0..band.members.len()).all(|i| self.sizes.at(1, i).is_multiple_of(size));
        let is_long = match tiled.then(|| self.rows_share(node, band, members)).transpose()?.flatten() {
            Some(jam) => self.over(node, band, jam)?.is_some(),
            None => false,
        };
        let longest = self.rows.filter(|_| is_long).map(|long| long.rows);
        let is_one_tile = |values: Values| (0..band.members.len()).all(|i| values.are_in_one(self.sizes.at(1, i)));
        let is_all = columns.is_some_and(is_one_tile);
        // What is left at the end of short rows takes longer than blocks save elsewhere.
        let may_be_left = tiled && !is_all;
        let is_whole =
            |block: RegisterBlock| may_be_left || columns.is_none_or(|values| values.in_whole(block.columns) == WHOLE);
        let fits = |block: RegisterBlock| {
            is_whole(block)
                && (is_all || in_tiles(block.columns))
                && (in_tiles(block.rows) || longest.is_some_and(|rows| rows >= block.rows))
        };
        let Some(block) = best_block(self.machine, accumulators, columns, rows, &fits) else { return Ok(None) };
        // Where values are known, some block is whole.
        let is_short = |member: usize, size: u32| spread(&band.members[member], &domain)?.is_shorter(size);
        let short = columns.is_none() && is_short(members.vector, block.columns)?
            || rows == Some(None) && members.jam.map_or(Ok(false), |jam| is_short(jam, block.rows))?;
        Ok((!short).then_some(block))
    }

    /// The member that a block has rows along, if what these use is in part the same.
    fn rows_share(&self, points: &ScheduleNode, band: &Band, members: Members) -> Result<Option<usize>> {
        Ok(members.with_rows_that_share(self.scop, points, band, self.machine)?.jam)
    }

    /// The number of the member over tiles that cuts a member of a band of points, of tiles that are right above these, if
    /// tiles may be long.
    fn over(&self, points: &ScheduleNode, band: &Band, member: usize) -> Result<Option<usize>> {
        let tiles = points.clone().ancestor(2)?;
        let is_over = tiles.node_type()? == NodeType::Band && marks_above(&tiles)?.contains(&Mark::TILE);
        if self.rows.is_none() || !is_over {
            return Ok(None);
        }
        for (number, over) in Band::read(&tiles)?.members.iter().enumerate() {
            if is_same(over, &origin(&band.members[member], self.sizes.at(1, number))?)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// The mark above points, in tiles that have many rows of blocks, or long ones if blocks have one row each, or rows that have nothing
    /// in common.
    fn with_long_tiles(
        &self,
        point: ScheduleNode,
        band: &Band,
        members: Members,
        block: RegisterBlock,
    ) -> Result<ScheduleNode> {
        let points = point.clone().first_child()?;
        let shared = self.rows_share(&points, band, members)?;
        let member = shared.unwrap_or(members.vector);
        let Some((number, long)) = self.over(&points, band, member)?.zip(self.rows) else { return Ok(point) };
        let length = match (shared, members.jam) {
            (Some(jam), _) => over_rows(&points, &band.members[jam], block, long)?,
            (None, Some(_)) => along_rows(&points, &band.members[member], block, self.machine)?,
            (None, None) => self.along_row(&points, band, members, block)?.max(self.sizes.at(1, number)),
        };
        let tiles = point.parent()?;
        let mut over = Band::read(&tiles)?;
        over.members[number] = origin(&band.members[member], length)?;
        over.replace(tiles)?.first_child()
    }

    /// Tiles for a product whose operands are packed; `None` where they are not, no row of a block shares one
    /// with others, or caches are small.
    fn panels(
        &self,
        points: &ScheduleNode,
        band: &Band,
        members: Members,
        block: RegisterBlock,
    ) -> Result<Option<Panels>> {
        let is_whole = members.jam.is_some() && members.recurrence.is_some();
        let Some(long) = self.rows.filter(|long| long.packed && is_whole) else { return Ok(None) };
        let domain = points.domain()?;
        let mut cuts = Vec::new();
        for member in members.jam.into_iter().chain([members.vector]).chain(members.recurrence) {
            let Some(over) = self.over(points, band, member)? else { return Ok(None) };
            cuts.push(Cut { member, over, values: Values::of(&band.members[member], &domain)? });
        }
        let [rows, columns, updates] = cuts[..] else { return Ok(None) };
        let Some(accumulators) = accumulators(self.scop, points, band, members, self.machine)? else { return Ok(None) };
        let Operands { shared, scaled } = operands(self.scop, points, band, members, self.machine)?;
        let written = written(self.scop, &domain)?;
        let is_read_only = |name: &&String| !written.iter().any(|array| self.scop.arrays[*array].name == **name);
        let shared = u32::try_from(shared.iter().filter(is_read_only).count()).unwrap_or(u32::MAX);
        if shared == 0 || !Band::read(&points.clone().ancestor(2)?)?.permutable {
            return Ok(None);
        }
        let bytes = accumulators.bits.div_ceil(8);
        let is_coincident = band.coincident[rows.member] && band.coincident[columns.member];
        let product = Product { rows, columns, updates, bytes, shared, scaled, is_coincident };
        Ok(Panels::new(product, long.threads, block, self.machine))
    }

    /// How long a tile is along blocks of one row: so many lines of each row, where updates go across the rows of a large matrix in
    /// tiles of all loops, as each row is on a page of its own. 0 elsewhere.
    fn along_row(&self, points: &ScheduleNode, band: &Band, members: Members, block: RegisterBlock) -> Result<u32> {
        let tiles = points.clone().ancestor(2)?;
        let is_across = tiles.band_n_member()? == band.members.len()
            && is_across_rows(self.scop, points, band, members, self.machine)?;
        if !is_across {
            return Ok(0);
        }
        let Some(accumulators) = accumulators(self.scop, points, band, members, self.machine)? else { return Ok(0) };
        let bytes = accumulators.bits.div_ceil(8).max(1);
        Ok((LINES_OF_A_ROW * self.machine.line_bytes / bytes).next_multiple_of(block.columns))
    }

    /// No two iterations of a loop touch the same memory.
    fn is_apart(&self, member: &Loop) -> Result<bool> {
        Ok(self.conflicts.carried(member)?.is_empty())
    }
}

/// How long a tile is along the rows of blocks: what rows share, as a tile of the other matrix in a product, stays in the
/// nearest cache for more of them. Each thread has a tile where loops are known to be long enough.
fn over_rows(points: &ScheduleNode, jam: &UnionPwAff, block: RegisterBlock, long: LongTiles) -> Result<u32> {
    Ok(rows_for(long.rows, Values::of(jam, &points.domain()?)?, block, long.threads))
}

/// How long a tile is along the rows of blocks that share nothing, as those of a picture under a window: memory comes along the rows, and
/// what the next blocks below use of them again stays in a core's own cache. Measured: 2,000 by 2,000 doubles under a window of 5 by 5, in
/// blocks of 8 by 16, take half of the time that tiles of 256 rows and 32 columns take (a Xeon).
fn along_rows(points: &ScheduleNode, member: &UnionPwAff, block: RegisterBlock, machine: &Machine) -> Result<u32> {
    let count = Values::of(member, &points.domain()?)?.map_or(u64::MAX, Values::count);
    let most = u32::try_from(count).unwrap_or(u32::MAX).min(machine.tile_columns());
    Ok(most.div_ceil(block.columns).saturating_mul(block.columns))
}

/// Two members have the same values.
fn is_same(one: &UnionPwAff, other: &UnionPwAff) -> Result<bool> {
    let difference = one.clone().sub(other.clone())?;
    Ok(difference.clone().min_val()?.as_i64()? == Some(0) && difference.max_val()?.as_i64()? == Some(0))
}

/// Something below a node was decided on before.
fn has_mark_of_ours_below(node: &ScheduleNode) -> Result<bool> {
    let mut found = false;
    node.for_each_descendant_top_down(&mut |node| {
        found |= mark(node)?.is_some();
        Ok(!found)
    })?;
    Ok(found)
}

/// Some members of a band by themselves.
fn picked(band: &Band, picked: &[usize]) -> Band {
    Band {
        members: picked.iter().map(|i| band.members[*i].clone()).collect(),
        coincident: picked.iter().map(|i| band.coincident[*i]).collect(),
        permutable: true,
    }
}

/// The members over blocks, and those that blocks have no points along.
fn around(members: Members, band: &Band, block: RegisterBlock) -> Result<(Band, Vec<usize>)> {
    let inside = members.in_block();
    let mut blocks = picked(band, &inside);
    for (member, number) in blocks.members.iter_mut().zip(&inside) {
        *member = origin(member, if *number == members.vector { block.columns } else { block.rows })?;
    }
    Ok((blocks, (0..band.members.len()).filter(|i| !inside.contains(i)).collect()))
}

/// Puts bands for blocks in place of the band at a node; the result is at the outermost mark.
fn cut(members: Members, band: &Band, block: RegisterBlock, node: ScheduleNode) -> Result<ScheduleNode> {
    let (blocks, others) = around(members, band, block)?;
    let points = insert_mark(picked(band, &members.in_block()).replace(node)?, &Mark::Block)?;
    let outer = insert_mark(picked(band, &others).insert(points)?, &Mark::Point)?;
    insert_mark(blocks.insert(outer)?, &Mark::Register)
}

/// The same with the points of blocks at all leaves below the node.
fn cut_below(members: Members, band: &Band, block: RegisterBlock, node: ScheduleNode) -> Result<ScheduleNode> {
    let (blocks, others) = around(members, band, block)?;
    let points = picked(band, &members.in_block());
    let mut below = |node: ScheduleNode| {
        if node.node_type()? != NodeType::Leaf {
            return Ok(node);
        }
        let reached = node.universe_domain()?;
        let within = points.members.iter().map(|member| member.clone().intersect_domain(reached.clone()));
        let points = Band { members: within.collect::<Result<_>>()?, ..points.clone() };
        insert_mark(points.insert(node)?, &Mark::Block)
    };
    let inner = node.delete()?.map_descendant_bottom_up(&mut below)?;
    let inner = if others.is_empty() { inner } else { picked(band, &others).insert(inner)? };
    insert_mark(blocks.insert(insert_mark(inner, &Mark::Point)?)?, &Mark::Register)
}
