//! Wavefronts across tiles (unified report, section 2.3).

use super::band::{Band, insert_mark, mark};
use super::{Mark, TileSizes};
use crate::isl::{MultiUnionPwAff, Result, Schedule, ScheduleConstraints, ScheduleNode, UnionMap, UnionPwAff, Val};

/// Makes the second member of tile bands parallel where no member is coincident.
///
/// The outermost member is replaced by the sum of itself and the one that follows, both counted in tiles. A dependence
/// that goes forwards, or not at all, along both is carried by the sum unless it stays in the tile along both, so that
/// the second member, in a band of its own from here on, is coincident. That is checked against the coincidence
/// constraints; where one goes backwards along a member, the band stays as it is. Tiles are those of [`super::tile()`]
/// with the same sizes.
///
/// The result is `wavefront(tile) > [sum] > tile > [second, ...] > point > ...`.
pub fn wavefront(schedule: &Schedule, constraints: &ScheduleConstraints, sizes: &TileSizes) -> Result<Schedule> {
    let coincidence = constraints.coincidence()?;
    let mut rewrite = |node: ScheduleNode| {
        if mark(&node)? == Some(Mark::Tile) && can_skew(&node, &coincidence)? { skew(node, sizes) } else { Ok(node) }
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

/// `node`, a tile mark, is above a band without a coincident member, the first two of which can be skewed.
fn can_skew(node: &ScheduleNode, coincidence: &UnionMap) -> Result<bool> {
    let tiles = node.clone().first_child()?;
    let band = Band::read(&tiles)?;
    if !band.permutable || band.members.len() < 2 || band.coincident.contains(&true) {
        return Ok(false);
    }
    let points = tiles.first_child()?;
    if mark(&points)? != Some(Mark::Point) {
        return Ok(false);
    }
    let points = Band::read(&points.first_child()?)?;
    let domain = node.domain()?;
    let mut pending = coincidence.clone().intersect_domain(domain.clone())?.intersect_range(domain)?;
    let prefix = node.prefix_schedule()?;
    if prefix.size()? > 0 {
        pending = pending.eq_at(prefix)?;
    }
    for member in &points.members[..2] {
        if !pending.clone().lex_gt_at(MultiUnionPwAff::from_union_pw_aff(member.clone())?)?.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn skew(node: ScheduleNode, sizes: &TileSizes) -> Result<ScheduleNode> {
    let ctx = node.ctx().clone();
    let size = |member| Val::int(&ctx, sizes.at(member).into());
    let in_tiles =
        |band: &Band, member: usize| -> Result<UnionPwAff> { band.members[member].clone().scale_down(size(member)?) };
    let tiles = node.first_child()?;
    let band = Band::read(&tiles)?;
    let sum = in_tiles(&band, 0)?.add(in_tiles(&band, 1)?)?.scale(size(0)?)?;
    let mut coincident = vec![false; band.members.len() - 1];
    coincident[0] = true;
    let inner = Band { members: band.members[1..].to_vec(), coincident, permutable: true };
    let outer = Band { members: vec![sum], coincident: vec![false], permutable: true };
    let inner = inner.replace(tiles)?;
    let outer = outer.insert(insert_mark(inner, &Mark::Tile)?)?;
    insert_mark(outer, &Mark::Wavefront)?.parent()
}
