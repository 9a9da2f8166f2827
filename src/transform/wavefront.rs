//! Wavefronts across tiles: pipelined parallelism (Pluto paper, Algorithm 2; unified report, section 2.3), and across
//! points (ppcg report, section 6.2).

use super::apart::are_together;
use super::parts::is_before_rest;
use crate::isl::{
    MultiUnionPwAff, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, UnionMap, UnionPwAff, Val,
};
use crate::schedule::WavefrontPartner;
use crate::schedule_tree::band::{Band, insert_mark, is_over_tiles, mark, position};
use crate::schedule_tree::{Mark, TileSizes};

/// How many degrees of pipelined parallelism a wavefront has at most, and of which members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fronts {
    /// The number of members that are made coincident.
    pub degrees: usize,
    /// Which they are.
    pub partner: WavefrontPartner,
}

impl From<usize> for Fronts {
    /// So many degrees, of the members that follow the outermost one.
    fn from(degrees: usize) -> Fronts {
        Fronts { degrees, partner: WavefrontPartner::Next }
    }
}

/// Makes up to `degrees` members of tile bands coincident where none is: as many degrees of pipelined parallelism, but
/// no more than the band has members besides the first one.
///
/// The outermost member is replaced by the sum of itself and its partners, the `degrees` members that follow or the
/// innermost ones, all counted in tiles; where one statement has tiles alone ([`super::apart()`]), first those of the former along
/// which its points do not wait for each other. A
/// dependence that goes forwards, or not at all, along all of them is carried by the sum unless it stays in the tile
/// along all of them, so that the partners, which come first in a band of the others from here on, are coincident. That is
/// checked against the coincidence constraints: members count as far as no constraint goes backwards along them, and
/// where that leaves fewer than two, the band stays as it is. Of tiles of tiles only the outermost are skewed, and the
/// shape of tiles stays. They are those of [`super::tile()`] with the same sizes.
///
/// The result is `wavefront(tile) > [sum] > tile > [partners, others] > point > ...`.
pub fn wavefront(
    schedule: &Schedule,
    constraints: &ScheduleConstraints,
    sizes: &TileSizes,
    fronts: impl Into<Fronts>,
) -> Result<Schedule> {
    let skewer = Skewer { coincidence: constraints.coincidence()?, fronts: fronts.into() };
    let mut rewrite = |node: ScheduleNode| match mark(&node)? {
        Some(Mark::Tile { level }) if is_outermost(&node)? => skewer.tiles(node, sizes, level),
        _ => Ok(node),
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

/// The same for bands that are not tiled. The sums have larger coefficients than the members have (ppcg report,
/// section 6.2), and each of their values is a step for all threads.
///
/// The result is `wavefront > [sum] > [partners, others]`.
pub fn wavefront_of_points(
    schedule: &Schedule,
    constraints: &ScheduleConstraints,
    fronts: impl Into<Fronts>,
) -> Result<Schedule> {
    let skewer = Skewer { coincidence: constraints.coincidence()?, fronts: fronts.into() };
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
    fronts: Fronts,
}

impl Skewer {
    /// The subtree at a tile mark.
    fn tiles(&self, node: ScheduleNode, sizes: &TileSizes, level: u32) -> Result<ScheduleNode> {
        let tiles = node.clone().first_child()?;
        let band = Band::read(&tiles)?;
        let Some(points) = points_below(&tiles)? else { return Ok(node) };
        let partners = self.partners(&node, &band, &points)?;
        if partners.is_empty() {
            return Ok(node);
        }
        let size = |member| Val::int(node.ctx(), sizes.at(level, member).into());
        let in_tiles = |member: usize| band.members[member].clone().scale_down(size(member)?);
        let sum = sum(&partners, &in_tiles)?.scale(size(0)?)?;
        let inner = insert_mark(inner(&band, &partners).replace(tiles)?, &Mark::Tile { level })?;
        // The mark above the band becomes that of the wavefront's band.
        insert_mark(outer(sum).insert(inner)?, &Mark::Wavefront)?.parent()
    }

    /// The subtree at a band.
    fn points(&self, node: ScheduleNode) -> Result<ScheduleNode> {
        let band = Band::read(&node)?;
        let partners = self.partners(&node, &band, &band.members)?;
        if partners.is_empty() {
            return Ok(node);
        }
        let sum = sum(&partners, &|member| Ok(band.members[member].clone()))?;
        insert_mark(outer(sum).insert(inner(&band, &partners).replace(node)?)?, &Mark::Wavefront)
    }

    /// The members that can be made coincident, at most as many as asked for, in order. `points` are the members of the
    /// band, or of the band that it has the tiles of; `node` is where the first of these bands starts.
    fn partners(&self, node: &ScheduleNode, band: &Band, points: &[UnionPwAff]) -> Result<Vec<usize>> {
        let Fronts { degrees, partner } = self.fronts;
        if degrees == 0 || !band.permutable || band.members.len() < 2 || band.coincident.contains(&true) {
            return Ok(Vec::new());
        }
        let domain = node.domain()?;
        let mut pending = self.coincidence.clone().intersect_domain(domain.clone())?.intersect_range(domain)?;
        let prefix = node.prefix_schedule()?;
        if prefix.size()? > 0 {
            pending = pending.eq_at(prefix)?;
        }
        let goes_forwards = |member: usize| {
            let member = MultiUnionPwAff::from_union_pw_aff(points[member].clone())?;
            pending.clone().lex_gt_at(member)?.is_empty()
        };
        let mut partners = Vec::new();
        if !goes_forwards(0)? {
            return Ok(partners);
        }
        let mut others: Vec<usize> = (1..points.len()).collect();
        match partner {
            WavefrontPartner::Innermost => others.reverse(),
            WavefrontPartner::Next => {
                let free = free_in_own_tiles(node, &pending, points)?;
                others.sort_by_key(|member| !free.contains(member));
            }
        }
        for member in others.into_iter().take(degrees) {
            if !goes_forwards(member)? {
                break;
            }
            partners.push(member);
        }
        partners.sort_unstable();
        Ok(partners)
    }
}

/// The members of the points of the innermost tiles that a band over tiles is around; points may be in parts, which follow each
/// other.
fn points_below(tiles: &ScheduleNode) -> Result<Option<Vec<UnionPwAff>>> {
    let node = tiles.clone().first_child()?;
    match mark(&node)? {
        Some(Mark::Tile { .. }) => return points_below(&node.first_child()?),
        Some(Mark::Rest) => return points_below(&node),
        Some(Mark::Point) => return Ok(Some(Band::read(&node.first_child()?)?.members)),
        _ if node.node_type()? != NodeType::Sequence => return Ok(None),
        _ => {}
    }
    if let Some(points) = points_of_rest(&node)? {
        return Ok(Some(points));
    }
    let mut all: Option<Vec<UnionPwAff>> = None;
    for filter in node.children()? {
        let Some(part) = points_below(&filter)? else { return Ok(None) };
        // A statement may have instances in several parts.
        let domain = filter.first_child()?.domain()?;
        let part: Vec<_> =
            part.into_iter().map(|member| member.intersect_domain(domain.clone())).collect::<Result<_>>()?;
        all = Some(match all {
            None => part,
            Some(all) if all.len() == part.len() => {
                all.into_iter().zip(part).map(|(all, part)| all.union_add(part)).collect::<Result<_>>()?
            }
            Some(_) => return Ok(None),
        });
    }
    Ok(all)
}

/// The members of what is left of tiles, which has the band that all parts have had, if it has instances of all statements: said in few
/// words, where those of the parts are said in many.
fn points_of_rest(parts: &ScheduleNode) -> Result<Option<Vec<UnionPwAff>>> {
    let last = parts.clone().child(position(parts.n_children()? - 1)?)?;
    if mark(&last.clone().first_child()?)? != Some(Mark::Rest) {
        return Ok(None);
    }
    let Some(points) = points_below(&last)? else { return Ok(None) };
    let all = parts.domain()?.universe()?;
    for point in &points {
        if !all.is_subset(&point.clone().domain()?.universe()?)? {
            return Ok(None);
        }
    }
    Ok(Some(points))
}

/// The members of points along which those do not wait for each other in tiles that one statement has alone: most of the work is
/// there, and what these leave in place stays near while the other members run.
fn free_in_own_tiles(node: &ScheduleNode, pending: &UnionMap, points: &[UnionPwAff]) -> Result<Vec<usize>> {
    let mut own = Vec::new();
    node.for_each_descendant_top_down(&mut |below| {
        if mark(below)? == Some(Mark::Point) && is_before_rest(below)? {
            own.push(below.domain()?);
        }
        Ok(mark(below)? != Some(Mark::Point))
    })?;
    let mut free: Vec<usize> = if own.is_empty() { Vec::new() } else { (0..points.len()).collect() };
    for domain in own {
        let pairs = pending.clone().intersect_domain(domain.clone())?.intersect_range(domain)?;
        let mut left = Vec::new();
        for member in free {
            if are_together(&pairs, &points[member])? {
                left.push(member);
            }
        }
        free = left;
    }
    Ok(free)
}

/// The first member and its partners.
fn sum(partners: &[usize], member: &dyn Fn(usize) -> Result<UnionPwAff>) -> Result<UnionPwAff> {
    partners.iter().try_fold(member(0)?, |sum, &i| sum.add(member(i)?))
}

fn outer(sum: UnionPwAff) -> Band {
    Band { members: vec![sum], coincident: vec![false], permutable: true }
}

/// All but the first, partners before others.
fn inner(band: &Band, partners: &[usize]) -> Band {
    let others = (1..band.members.len()).filter(|member| !partners.contains(member));
    let order = partners.iter().copied().chain(others);
    let members: Vec<UnionPwAff> = order.map(|member| band.members[member].clone()).collect();
    let coincident = (0..members.len()).map(|i| i < partners.len()).collect();
    Band { members, coincident, permutable: true }
}
