//! How large blocks for registers are.
//!
//! Accumulators get half of the vector registers, by default two vectors by as many rows as that leaves. Where the values
//! of a loop are known, blocks that leave less at its end may be better, as what is left keeps nothing in registers: of
//! all sizes the one is taken that takes least for a point, in the time of a vector operation,
//!
//! `whole · (1 + 1 / rows + 1 / (4 · vectors)) · vectors · lanes / columns + (1 - whole) · 8`
//!
//! with `whole` the share of the points that are in whole blocks: each operation; loads of vectors, which all rows use;
//! loads of scalars, which all vectors use, and which processors do beside operations; the last vector may not be full.
//! The last factor is measured: what was left of rows of 56 took 6.5 times as long as whole blocks (a Zen 4, single precision, 32 by 8).

use crate::isl::{Result, Set, UnionPwAff, UnionSet, Val};
use crate::machine::Machine;
use crate::schedule_tree::band::position;

/// What blocks keep in registers for each of their points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accumulators {
    /// How many elements.
    pub count: u32,
    /// The size of the largest.
    pub bits: u32,
}

/// The extent of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RegisterBlock {
    /// Along the member that is not a vector; 1 where there is none.
    pub rows: u32,
    /// Along the innermost member.
    pub columns: u32,
}

/// A loop of which no more is known than that it ends sooner than this has a length that is not known: that is the range
/// of its type.
const LONGEST_KNOWN: u64 = 1 << 16;

/// All of the points of a loop, in the unit of shares of them.
pub(crate) const WHOLE: u64 = 1024;

/// The least and the greatest value of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Values {
    pub first: i64,
    pub last: i64,
}

impl Values {
    /// Those of a member, a function `{ S[i] -> [(t)] }`, on a domain; `None` where they are not known.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of(member: &UnionPwAff, domain: &UnionSet) -> Result<Option<Values>> {
        let member = member.clone().intersect_domain(domain.clone())?;
        Values::between(&member.clone().min_val()?, &member.max_val()?)
    }

    /// Those of a dimension of a domain `{ S[i] }`; `None` where they are not known.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of_iterator(domain: &Set, dimension: usize) -> Result<Option<Values>> {
        let at = position(dimension)?;
        Values::between(&domain.clone().dim_min_val(at)?, &domain.clone().dim_max_val(at)?)
    }

    fn between(first: &Val, last: &Val) -> Result<Option<Values>> {
        if !first.is_int()? || !last.is_int()? {
            return Ok(None);
        }
        let values = first.as_i64()?.zip(last.as_i64()?).map(|(first, last)| Values { first, last });
        Ok(values.filter(|values| values.count() <= LONGEST_KNOWN))
    }

    /// How many there are, if there are no gaps.
    pub fn count(self) -> u64 {
        self.last.abs_diff(self.first).saturating_add(1)
    }

    /// All of them are in one tile of a size, which begins at a multiple of it.
    pub fn are_in_one(self, size: u32) -> bool {
        let tile = |value: i64| value.div_euclid(i64::from(size.max(1)));
        tile(self.first) == tile(self.last)
    }

    /// How many of them are in whole blocks of a size, which begin at its multiples, in 1024ths ([`WHOLE`]).
    pub fn in_whole(self, size: u32) -> u64 {
        let (size, first, end) = (i128::from(size), i128::from(self.first), i128::from(self.last) + 1);
        let (blocks, count) = (end.div_euclid(size) + (-first).div_euclid(size), end - first);
        let whole = blocks.max(0) * size * i128::from(WHOLE);
        u64::try_from(whole / count.max(1)).unwrap_or(0)
    }
}

/// The most rows that a block has, if no values of a member are known, or if some may be.
pub(crate) fn most_rows(machine: &Machine, known: bool) -> u32 {
    let most = (machine.vector_registers / 2).max(1);
    if known { most } else { 1 << (most / 2).max(1).ilog2() }
}

/// At least half of the points are in whole blocks.
const LEAST_WHOLE: u64 = WHOLE / 2;

/// A row fills three quarters of the vectors that hold it, powers of two where it is shorter than one. Measured: products of matrices of
/// 9, 11, 17 and 33 elements a side take 1.7 to 5 times as long in such blocks as without, 13, 14 and 28 half as long (a Zen 4).
fn is_nearly_full(columns: u32, lanes: u32) -> bool {
    let padded = if columns < lanes { columns.next_power_of_two() } else { columns.next_multiple_of(lanes) };
    u64::from(columns) * 4 >= u64::from(padded) * 3
}

/// The best block for some accumulators, of what fits into tiles, with the values of its members as far as they are
/// known; `rows` is `None` where it has points along one member alone. `None` where no block is worth it: few are whole,
/// or it would have one row only, though it may have several.
pub(crate) fn best_block(
    machine: &Machine,
    accumulators: Accumulators,
    columns: Option<Values>,
    rows: Option<Option<Values>>,
    fits: &dyn Fn(RegisterBlock) -> bool,
) -> Option<RegisterBlock> {
    let lanes = machine.vector_bits.checked_div(accumulators.bits).filter(|lanes| *lanes > 1)?;
    let is_known = columns.is_some() || rows.flatten().is_some();
    let mut best: Option<(u64, RegisterBlock)> = None;
    // All of a short loop may be one block, whose last vector is nearly full; few elements are no vector.
    let all = columns
        .and_then(|values| u32::try_from(values.count()).ok())
        .filter(|all| (4..lanes.saturating_mul(4)).contains(all) && is_nearly_full(*all, lanes));
    for width in [lanes.saturating_mul(2), lanes, lanes / 2].into_iter().chain(all) {
        let vectors = width.div_ceil(lanes).max(1);
        let most = (machine.vector_registers / 2).checked_div(accumulators.count * vectors)?;
        let heights: Vec<u32> = match rows {
            None => (most > 0).then_some(1).into_iter().collect(),
            Some(Some(_)) => (2..=most).rev().collect(),
            // Powers of two, which fit into tiles, and divide more numbers than others do.
            Some(None) => (1..=most.max(1).ilog2()).map(|bits| 1 << bits).rev().collect(),
        };
        let blocks = heights.into_iter().map(|rows| RegisterBlock { rows, columns: width });
        for block in blocks.filter(|block| width > 1 && fits(*block)) {
            let height = block.rows;
            let share = |values: Option<Values>, size| values.map_or(WHOLE, |values| values.in_whole(size));
            let whole = share(columns, width) * share(rows.flatten(), height) / WHOLE;
            let each = (1024 + 1024 / u64::from(height) + 256 / u64::from(vectors)) * u64::from(vectors * lanes);
            let each = each / u64::from(width);
            let cost = whole * each + (WHOLE - whole) * 8 * 1024;
            if whole >= LEAST_WHOLE && best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, block));
            }
        }
        if !is_known {
            break;
        }
    }
    best.map(|(_, block)| block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(columns: Option<(i64, i64)>, rows: Option<(i64, i64)>, tile: u32) -> Option<(u32, u32)> {
        let machine = Machine { vector_bits: 512, vector_registers: 32, ..Machine::generic() };
        let values = |pair: Option<(i64, i64)>| pair.map(|(first, last)| Values { first, last });
        let accumulators = Accumulators { count: 1, bits: 32 };
        let fits = |block: RegisterBlock| tile.is_multiple_of(block.rows) && tile.is_multiple_of(block.columns);
        let found = best_block(&machine, accumulators, values(columns), Some(values(rows)), &fits);
        found.map(|block| (block.rows, block.columns))
    }

    #[test]
    fn blocks_leave_little_at_the_end_of_a_loop() {
        assert_eq!(block(None, None, 32), Some((8, 32)));
        assert_eq!(block(Some((0, 63)), Some((0, 63)), 32), Some((8, 32)));
        // 1000 and 1 are no multiples, but little is left.
        assert_eq!(block(Some((0, 999)), Some((0, 999)), 32), Some((8, 32)));
        assert_eq!(block(Some((0, 47)), None, 32), Some((16, 16)));
        assert_eq!(block(None, Some((0, 27)), 32), Some((4, 32)));
        // Without tiles any number of rows will do.
        let any = |size: u32| 5040 * 5040 % size;
        assert_eq!(any(7), 0);
        assert_eq!(block(None, Some((0, 27)), 5040 * 5040), Some((7, 32)));
        // Blocks begin at multiples of their sizes.
        assert_eq!(Values { first: 1, last: 64 }.in_whole(32), 512);
        assert_eq!(Values { first: -32, last: 31 }.in_whole(32), 1024);
        assert_eq!(block(Some((0, 11)), None, 32), Some((16, 8)));
        assert_eq!(block(Some((0, 6)), None, 32), None, "none is whole");
        assert_eq!(block(Some((1, 14)), None, 32), None, "none is whole");
        // All of a loop is one block where tiles allow it.
        assert_eq!(block(Some((0, 13)), Some((0, 13)), 5040 * 5040), Some((14, 14)));
        assert_eq!(block(Some((0, 27)), Some((0, 27)), 5040 * 5040), Some((7, 28)));
        assert!(Values { first: 1, last: 14 }.are_in_one(32) && !Values { first: 30, last: 33 }.are_in_one(32));
    }
}
