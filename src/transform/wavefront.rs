//! Wavefronts across tiles: pipelined parallelism (Pluto paper, Algorithm 2; unified report, section 2.3), and across
//! points (ppcg report, section 6.2).

use crate::isl::{
    MultiUnionPwAff, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, UnionMap, UnionPwAff, Val,
};
use crate::schedule_tree::band::{Band, insert_mark, is_over_tiles, mark};
use crate::schedule_tree::{Mark, TileSizes};

/// Makes up to `degrees` members of tile bands coincident where none is: as many degrees of pipelined parallelism, but
/// no more than the band has members besides the first one.
///
/// The outermost member is replaced by the sum of itself and the `degrees` that follow, all counted in tiles. A
/// dependence that goes forwards, or not at all, along all of them is carried by the sum unless it stays in the tile
/// along all of them, so that those that follow, in a band without the first from here on, are coincident. That is
/// checked against the coincidence constraints: members count as far as no constraint goes backwards along them, and
/// where that leaves fewer than two, the band stays as it is. Of tiles of tiles only the outermost are skewed, and the
/// shape of tiles stays. They are those of [`super::tile()`] with the same sizes.
///
/// The result is `wavefront(tile) > [sum] > tile > [second, ...] > point > ...`.
pub fn wavefront(
    schedule: &Schedule,
    constraints: &ScheduleConstraints,
    sizes: &TileSizes,
    degrees: usize,
) -> Result<Schedule> {
    let skewer = Skewer { coincidence: constraints.coincidence()?, degrees };
    let mut rewrite = |node: ScheduleNode| match mark(&node)? {
        Some(Mark::Tile { level }) if is_outermost(&node)? => skewer.tiles(node, sizes, level),
        _ => Ok(node),
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

/// The same for bands that are not tiled. The sums have larger coefficients than the members have (ppcg report,
/// section 6.2), and each of their values is a step for all threads.
///
/// The result is `wavefront > [sum] > [second, ...]`.
pub fn wavefront_of_points(schedule: &Schedule, constraints: &ScheduleConstraints, degrees: usize) -> Result<Schedule> {
    let skewer = Skewer { coincidence: constraints.coincidence()?, degrees };
    let mut rewrite =
        |node: ScheduleNode| if node.node_type()? == NodeType::Band { skewer.points(node) } else { Ok(node) };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

/// A tile mark is not right below tiles of a further level.
fn is_outermost(tile: &ScheduleNode) -> Result<bool> {
    let above = tile.clone().parent()?;
    Ok(above.node_type()? != NodeType::Band || !is_over_tiles(&above)?)
}

struct Skewer {
    coincidence: UnionMap,
    degrees: usize,
}

impl Skewer {
    /// The subtree at a tile mark.
    fn tiles(&self, node: ScheduleNode, sizes: &TileSizes, level: u32) -> Result<ScheduleNode> {
        let tiles = node.clone().first_child()?;
        let band = Band::read(&tiles)?;
        let Some(points) = points_below(&tiles)? else { return Ok(node) };
        let degrees = self.degrees_of(&node, &band, &points.members)?;
        if degrees == 0 {
            return Ok(node);
        }
        let size = |member| Val::int(node.ctx(), sizes.at(level, member).into());
        let in_tiles = |member: usize| band.members[member].clone().scale_down(size(member)?);
        let sum = sum(degrees, &in_tiles)?.scale(size(0)?)?;
        let inner = insert_mark(inner(&band, degrees).replace(tiles)?, &Mark::Tile { level })?;
        // The mark above the band becomes that of the wavefront's band.
        insert_mark(outer(sum).insert(inner)?, &Mark::Wavefront)?.parent()
    }

    /// The subtree at a band.
    fn points(&self, node: ScheduleNode) -> Result<ScheduleNode> {
        let band = Band::read(&node)?;
        let degrees = self.degrees_of(&node, &band, &band.members)?;
        if degrees == 0 {
            return Ok(node);
        }
        let sum = sum(degrees, &|member| Ok(band.members[member].clone()))?;
        insert_mark(outer(sum).insert(inner(&band, degrees).replace(node)?)?, &Mark::Wavefront)
    }

    /// How many members after the first can be made coincident, at most as many as asked for. `points` are the members
    /// of the band, or of the band that it has the tiles of; `node` is where the first of these bands starts.
    fn degrees_of(&self, node: &ScheduleNode, band: &Band, points: &[UnionPwAff]) -> Result<usize> {
        if self.degrees == 0 || !band.permutable || band.members.len() < 2 || band.coincident.contains(&true) {
            return Ok(0);
        }
        let domain = node.domain()?;
        let mut pending = self.coincidence.clone().intersect_domain(domain.clone())?.intersect_range(domain)?;
        let prefix = node.prefix_schedule()?;
        if prefix.size()? > 0 {
            pending = pending.eq_at(prefix)?;
        }
        let mut forwards = 0;
        for member in points.iter().take(self.degrees.saturating_add(1)) {
            if !pending.clone().lex_gt_at(MultiUnionPwAff::from_union_pw_aff(member.clone())?)?.is_empty()? {
                break;
            }
            forwards += 1;
        }
        Ok(usize::saturating_sub(forwards, 1))
    }
}

/// The points of the innermost tiles that a band over tiles is around.
fn points_below(tiles: &ScheduleNode) -> Result<Option<Band>> {
    let mut node = tiles.clone();
    loop {
        node = node.first_child()?;
        match mark(&node)? {
            Some(Mark::Tile { .. }) => node = node.first_child()?,
            Some(Mark::Point) => return Ok(Some(Band::read(&node.first_child()?)?)),
            _ => return Ok(None),
        }
    }
}

/// The first member and as many more as there are degrees.
fn sum(degrees: usize, member: &dyn Fn(usize) -> Result<UnionPwAff>) -> Result<UnionPwAff> {
    (1..=degrees).try_fold(member(0)?, |sum, i| sum.add(member(i)?))
}

fn outer(sum: UnionPwAff) -> Band {
    Band { members: vec![sum], coincident: vec![false], permutable: true }
}

fn inner(band: &Band, degrees: usize) -> Band {
    let members = band.members[1..].to_vec();
    let coincident = (0..members.len()).map(|i| i < degrees).collect();
    Band { members, coincident, permutable: true }
}
