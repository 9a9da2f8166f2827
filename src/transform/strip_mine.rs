//! Bands with nothing to gain from tiles: one member cut into strips, so that it can run innermost and still outermost.

use crate::cost::block_size::Values;
use crate::cost::registers::rows_of_recurrences;
use crate::cost::{Formula, best_innermost};
use crate::isl::{NodeType, Result, Schedule, ScheduleNode};
use crate::machine::Machine;
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, has_band_below, insert_mark, is_tiled, marks_above, origin};
use crate::scop::Scop;

/// What the points of strips become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StripPoints {
    /// Vectors.
    Vectors,
    /// Vectors, or blocks for registers.
    VectorsAndBlocks,
}

/// Strips of which threads share are whole multiples of it, so that none but the last has blocks for registers that are not whole.
const STEP: u32 = 32;

/// Cuts a member into strips of the machine's length ([`Machine::strip_length`]), in every permutable innermost band
/// that is not tiled, where the member suits the innermost place best but is not there: `i, j` becomes `strips of i, j,
/// points of i`. The strips stay a loop whose iterations are independent, and the points are a loop that makes vectors.
///
/// The member is coincident and walks along rows; or, if points become blocks for registers, it walks across rows along
/// which updates make a recurrence, and they become blocks of recurrences. (Without blocks LLVM makes gathers of those,
/// which are slower than one recurrence.)
///
/// Where threads share strips they are shorter, so that each thread has as much to do as others.
pub fn strip_mine(
    scop: &Scop,
    schedule: &Schedule,
    (machine, threads): (&Machine, u32),
    points: StripPoints,
) -> Result<Schedule> {
    let mut rewrite = |node: ScheduleNode| {
        if node.node_type()? == NodeType::Band { strip_band(scop, node, (machine, threads), points) } else { Ok(node) }
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

fn strip_band(
    scop: &Scop,
    node: ScheduleNode,
    (machine, threads): (&Machine, u32),
    becomes: StripPoints,
) -> Result<ScheduleNode> {
    let band = Band::read(&node)?;
    if !band.permutable
        || band.members.len() < 2
        || !marks_above(&node)?.is_empty()
        || has_band_below(&node)?
        || is_tiled(&node)?
    {
        return Ok(node);
    }
    let best = best_innermost(scop, &node, &band, Formula::of(machine))?;
    let found = if best.is_along_rows {
        Some(best.member)
    } else if becomes == StripPoints::VectorsAndBlocks {
        rows_of_recurrences(scop, &node, &band, machine)?
    } else {
        None
    };
    // Recurrences side by side gain even where rows have to wait for each other at their ends.
    let Some(found) =
        found.filter(|found| *found + 1 < band.members.len() && (band.coincident[*found] || !best.is_along_rows))
    else {
        return Ok(node);
    };
    let (mut points, mut coincident) = (band.members, band.coincident);
    let member = points.remove(found);
    let is_coincident = coincident.remove(found);
    let length = length(machine, threads, Values::of(&member, &node.domain()?)?);
    let strips = Band { members: vec![origin(&member, length)?], coincident: vec![is_coincident], permutable: true };
    points.push(member);
    coincident.push(is_coincident);
    let node = Band { members: points, coincident, permutable: true }.replace(node)?;
    insert_mark(strips.insert(insert_mark(node, &Mark::Point)?)?, &Mark::TILE)
}

/// How long strips are: with several threads as many for each where it is known how many values a member has, and short ones elsewhere.
fn length(machine: &Machine, threads: u32, values: Option<Values>) -> u32 {
    let most = machine.strip_length();
    if threads <= 1 {
        return most;
    }
    let Some(count) = values.map(Values::count) else { return (most / threads).max(2 * STEP) };
    let threads = u64::from(threads);
    let strips = threads * count.div_ceil(threads * u64::from(most)).max(1);
    u32::try_from(count.div_ceil(strips)).unwrap_or(most).next_multiple_of(STEP).clamp(2 * STEP, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(threads: u32) -> [u32; 5] {
        let machine = Machine::parse("caches: 32K, 1M, 32M/2\n").unwrap();
        let known = [100, 1900, 2100, 10_000].map(|count| Some(Values { first: 0, last: count - 1 }));
        [[None].as_slice(), &known]
            .concat()
            .try_into()
            .map(|all: [_; 5]| all.map(|v| length(&machine, threads, v)))
            .unwrap()
    }

    #[test]
    fn threads_have_as_many_strips_each() {
        assert_eq!(lengths(1), [512; 5]);
        // 1, 4, 6 and 20 strips.
        assert_eq!(lengths(2), [256, 64, 480, 352, 512]);
        assert_eq!(lengths(16), [64, 64, 128, 160, 320]);
    }
}
