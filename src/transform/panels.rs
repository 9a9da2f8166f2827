//! Tiles for products whose operands are packed, in the way that fast matrix products are made (Goto and van de Geijn 2008): what all
//! rows of blocks share, a piece of `B` in `C[i][j] += A[i][k] * B[k][j]`, is packed for many rows and stays in a core's own cache
//! together with what is updated; of `A` the nearest cache holds what a few rows of blocks read.
//!
//! `tiles of i, tiles of j, tiles of k, few i, blocks of i, blocks of j, points of k`: `B` is packed around the few `i`, and `A` inside
//! of them where it is scaled.
//!
//! Tiles along `k` have 16 lines of each row, 128 doubles: with 32 of them, each block of what is updated is loaded and stored again
//! after as many operations as it takes to do that. Measured on a
//! Cascade Lake (1,000 by 1,100 by 1,200 doubles, both operands packed): 0.68 of the time of tiles of 256, 32 and 32 rows, columns and
//! updates with `A` alone packed; 0.86 if `B` alone is; without packing all sizes take 1.2 times as long.

use crate::cost::block_size::{RegisterBlock, Values};
use crate::footprint::PACKED_BYTES;
use crate::isl::{Result, ScheduleNode};
use crate::machine::Machine;
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, insert_mark, origin};

/// How many lines of each row a tile has along what updates.
const LINES: u32 = 16;

/// The part of the bytes that may be packed which is for what rows of blocks share; the rest is for what each has for itself.
const SHARED: u64 = PACKED_BYTES as u64 / 4 * 3;

/// So many tiles there are for each thread at least, where threads share those of rows and columns together.
const TILES_OF_A_THREAD: u64 = 4;

/// So many tiles are in a row of them, if it is not known.
const TILES_OF_A_ROW: u64 = 4;

/// A member of a band of points, which a member over tiles cuts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// The number of the member in the band of points.
    pub member: usize,
    /// The number of the member over tiles.
    pub over: usize,
    /// The values of the member, as far as they are known.
    pub values: Option<Values>,
}

/// The members that tiles of a product are cut along.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    pub rows: Cut,
    pub columns: Cut,
    pub updates: Cut,
    /// The bytes of what is updated.
    pub bytes: u32,
    /// How many operands all rows of blocks share.
    pub shared: u32,
    /// How many operands are scaled that each row of blocks has for itself.
    pub scaled: u32,
    /// Tiles of rows and columns may all run at the same time.
    pub is_coincident: bool,
}

impl Product {
    /// In how many parts rows are cut, so that threads have tiles enough, with so many columns in each: if the number of rows is known,
    /// and else beside what all programs have in common, that they have many.
    fn parts(&self, columns: u32, threads: u32) -> u32 {
        if threads <= 1 || !self.is_coincident {
            return threads.max(1);
        }
        let count = |cut: Cut| cut.values.map(Values::count);
        let in_a_row = count(self.columns).map_or(TILES_OF_A_ROW, |count| count.div_ceil(columns.max(1).into())).max(1);
        let tiles = if count(self.rows).is_some() { TILES_OF_A_THREAD } else { 1 };
        u32::try_from((tiles * u64::from(threads)).div_ceil(in_a_row)).unwrap_or(threads)
    }
}

/// Tiles for a product.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panels {
    product: Product,
    /// The extents of tiles.
    rows: u32,
    columns: u32,
    updates: u32,
    /// So many rows at a time, if what they read for themselves is packed.
    few_rows: Option<u32>,
}

impl Panels {
    /// Those of a product, which so many threads share. `None` where caches are too small for tiles as wide as any others.
    pub fn new(product: Product, threads: u32, block: RegisterBlock, machine: &Machine) -> Option<Self> {
        let bytes = product.bytes.max(1);
        // Whole lines, as what is read across rows is packed by squares as wide.
        let line = (machine.line_bytes / bytes).max(1);
        let updates = evened(product.updates.values, LINES * line);
        let updates = if updates > line { updates.next_multiple_of(line) } else { updates };
        let each = u64::from(updates) * u64::from(bytes);
        let fit = |total: u64, operands: u32, step: u32| {
            let most = total / u64::from(operands.max(1)) / each.max(1) / u64::from(step.max(1));
            u32::try_from(most).unwrap_or(u32::MAX).max(1).saturating_mul(step)
        };
        let most = fit(SHARED.min(machine.own_cache() / 4), product.shared, block.columns);
        if most < machine.tile_size() {
            return None;
        }
        let columns = evened(product.columns.values, most).next_multiple_of(block.columns.max(1));
        let parts = product.parts(columns, threads);
        let rows = rows_for(machine.tile_rows(parts), product.rows.values, block, parts);
        let few = fit(machine.nearest_cache(), product.scaled, block.rows);
        let few_rows = (product.scaled > 0).then_some(few.min(rows));
        let step = few_rows.unwrap_or(block.rows);
        let rows = longer(rows, (columns.saturating_mul(bytes), parts), product.rows.values, step, machine);
        Some(Panels { product, rows, columns, updates, few_rows })
    }

    /// The mark above points, with these tiles around: rows, columns and updates go inside of all other members.
    pub fn around_points(&self, point: ScheduleNode, band: &Band) -> Result<ScheduleNode> {
        let tiles = point.parent()?;
        let mut over = Band::read(&tiles)?;
        let Product { rows, columns, updates, .. } = self.product;
        let inner = [(rows, self.rows), (columns, self.columns), (updates, self.updates)];
        for (cut, length) in inner {
            over.members[cut.over] = origin(&band.members[cut.member], length)?;
        }
        let is_inner = |number: &usize| inner.iter().any(|(cut, _)| cut.over == *number);
        let order: Vec<usize> =
            (0..over.members.len()).filter(|i| !is_inner(i)).chain(inner.map(|(cut, _)| cut.over)).collect();
        Band {
            members: order.iter().map(|i| over.members[*i].clone()).collect(),
            coincident: order.iter().map(|i| over.coincident[*i]).collect(),
            permutable: true,
        }
        .replace(tiles)?
        .first_child()
    }

    /// Blocks with a few rows at a time around them, where these are packed.
    pub fn around_blocks(&self, blocks: ScheduleNode, band: &Band) -> Result<ScheduleNode> {
        let Some(few) = self.few_rows else { return Ok(blocks) };
        let rows = self.product.rows.member;
        let few_rows = Band {
            members: vec![origin(&band.members[rows], few)?],
            coincident: vec![band.coincident[rows]],
            permutable: true,
        };
        insert_mark(few_rows.insert(blocks)?, &Mark::TILE)
    }
}

/// At most so many rows, whole blocks of them, or less if each of some parts has less.
pub(super) fn rows_for(most: u32, values: Option<Values>, block: RegisterBlock, parts: u32) -> u32 {
    let count = values.map_or(u64::MAX, Values::count);
    let each = u32::try_from(count.div_ceil(parts.max(1).into())).unwrap_or(u32::MAX);
    (most / block.rows).min(each.div_ceil(block.rows)).max(1) * block.rows
}

/// Tiles with more rows, so that what they share is packed less often: as many in each part, and what they update, so many bytes of each
/// row, in half of a core's own cache. Tiles end where so many rows at a time do.
fn longer(rows: u32, (bytes, parts): (u32, u32), values: Option<Values>, step: u32, machine: &Machine) -> u32 {
    let step = step.max(1);
    let Some(count) = values.map(Values::count) else { return (rows / step).max(1) * step };
    let each = u32::try_from(count.div_ceil(parts.max(1).into())).unwrap_or(u32::MAX);
    let most = u32::try_from(machine.own_cache() / 2 / u64::from(bytes.max(1))).unwrap_or(u32::MAX).max(rows);
    let each = each.div_ceil(each.div_ceil(most.max(1)).max(1));
    each.next_multiple_of(step)
}

/// At most so many iterations, as many in each tile.
fn evened(values: Option<Values>, most: u32) -> u32 {
    let Some(count) = values.map(Values::count).filter(|count| *count > 0) else { return most };
    let each = count.div_ceil(count.div_ceil(most.max(1).into()));
    u32::try_from(each).unwrap_or(most).clamp(1, most.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: RegisterBlock = RegisterBlock { rows: 8, columns: 16 };

    /// The extents of tiles of rows, columns and updates, and of the few rows, for products whose members have so many values.
    fn panels(counts: [Option<i64>; 3], shared: u32, scaled: u32, threads: u32) -> ([u32; 3], Option<u32>) {
        let panels = on(&machine(), product(counts, (shared, scaled)), threads).unwrap();
        ([panels.rows, panels.columns, panels.updates], panels.few_rows)
    }

    /// The rows of tiles of which threads share all.
    fn rows_of_shared(counts: [Option<i64>; 3], threads: u32) -> u32 {
        let product = Product { is_coincident: true, ..product(counts, (1, 0)) };
        on(&machine(), product, threads).unwrap().rows
    }

    fn machine() -> Machine {
        Machine::parse("caches: 32K, 1M, 32M/2\nvector-bits: 512\n").unwrap()
    }

    fn product(counts: [Option<i64>; 3], (shared, scaled): (u32, u32)) -> Product {
        let cut = |member: usize| {
            let values = counts[member].map(|count| Values { first: 0, last: count - 1 });
            Cut { member, over: member, values }
        };
        let (rows, columns, updates) = (cut(0), cut(1), cut(2));
        Product { rows, columns, updates, bytes: 8, shared, scaled, is_coincident: false }
    }

    fn on(machine: &Machine, product: Product, threads: u32) -> Option<Panels> {
        Panels::new(product, threads, BLOCK, machine)
    }

    #[test]
    fn packed_operands_fit_their_caches() {
        // 192 KiB of what is shared, 32 KiB of what each row has.
        assert_eq!(panels([None; 3], 1, 1, 1), ([256, 192, 128], Some(32)));
        assert_eq!(panels([None, None, Some(70)], 1, 1, 1), ([224, 336, 72], Some(56)));
        assert_eq!(panels([None; 3], 2, 0, 1), ([256, 96, 128], None));
        assert_eq!(panels([None; 3], 2, 2, 1), ([256, 96, 128], Some(16)));
        assert_eq!(panels([None; 3], 1, 0, 2), ([128, 192, 128], None));
        let small = Machine::parse("caches: 32K, 64K, 8M/2\n").unwrap();
        assert!(on(&small, product([None; 3], (1, 0)), 1).is_none(), "16 columns, where other tiles have 32");
    }

    #[test]
    fn threads_that_share_columns_as_well_have_longer_tiles() {
        let unknown = [1, 2, 4, 8, 16, 64].map(|threads| rows_of_shared([None; 3], threads));
        assert_eq!(unknown, [256, 256, 256, 128, 64, 32]);
        // Six tiles of columns: 12, 18, 36 and 66 tiles.
        let counts = [Some(1000), Some(1100), Some(1200)];
        assert_eq!([1, 2, 4, 8, 16].map(|threads| rows_of_shared(counts, threads)), [336, 256, 336, 168, 96]);
    }

    #[test]
    fn tiles_of_known_loops_are_equally_long() {
        // 512 KiB of what is updated.
        assert_eq!(panels([Some(1000), Some(1100), Some(1200)], 1, 1, 1), ([352, 192, 120], Some(32)));
        assert_eq!(panels([Some(1000), Some(1100), Some(1200)], 1, 0, 2), ([256, 192, 120], None));
        assert_eq!(panels([Some(20), Some(40), Some(7)], 1, 0, 1), ([24, 48, 7], None));
        assert_eq!(
            panels([Some(1), Some(1), Some(1)], 1, 1, 2),
            ([8, 16, 1], Some(8)),
            "no more rows than blocks need"
        );
    }
}
