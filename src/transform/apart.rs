//! Tiles that one statement has alone, apart from those that several statements share.
//!
//! In a factorization the updates, the divisions and the sums on the diagonal are in one band, and no member of it is
//! coincident for all of them. Most of its tiles have updates only, whose members are: under the loops over tiles these
//! come first, in a band of points of their own, and then what is left, the tiles along a diagonal or an edge. In each tile
//! one of the two is empty, so that the order of instances is as before.
//!
//! `A[i][j] -= A[i][k] * A[j][k]` for `k < j < i` with `A[i][j] /= A[j][j]`: tiles of which all `k` are before all `j`, and all
//! `j` before all `i`, have updates alone, along `i` and `j` in any order and at the same time.

use super::parts::{before_rest, in_points, reaches};
use crate::isl::{DimType, Result, Schedule, ScheduleNode, Set, UnionMap, UnionPwAff, UnionSet};
use crate::schedule_tree::TileSizes;
use crate::schedule_tree::band::{Band, has_band_below, point_members_above, position, tuple};

/// What is left is few instances if it reaches over fewer tiles than this in some direction.
const FEW_TILES: u32 = 4;

/// Takes the points of such tiles apart where more members of their band are coincident, by the pairs `{ S[i] -> T[j] }` that
/// a coincident member has in one iteration. `None` where there are none, or what is left is more than few of the
/// statement's instances.
///
/// The band keeps its flags: a tile has too little work for threads. What is left gets a mark [`crate::schedule_tree::Mark::Rest`].
///
/// # Errors
/// Those of isl.
pub fn apart(tree: &Schedule, coincidence: &UnionMap, sizes: &TileSizes) -> Result<Option<Schedule>> {
    in_points(tree, &|point, band| {
        let alone = alone(point, band, coincidence, sizes)?;
        if alone.is_empty() { Ok(None) } else { split(point.clone(), &alone).map(Some) }
    })
}

/// The instances `{ S[i] }` in tiles of their own, for each statement that gains from having some, of those in the tiles
/// whose points begin at a mark.
fn alone(point: &ScheduleNode, band: &Band, coincidence: &UnionMap, sizes: &TileSizes) -> Result<Vec<UnionSet>> {
    let (node, tiles) = (point.clone().first_child()?, point.clone().parent()?);
    let statements = point.domain()?.named_sets()?;
    if has_band_below(&node)? || statements.len() < 2 {
        return Ok(Vec::new());
    }
    // { S[i] -> [t] }, all members above, those over these tiles last
    let times = point.prefix_schedule_union_map()?.intersect_domain(point.domain()?)?;
    let depth = statements.values().map(rank).collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or(0);
    let mut found = Vec::new();
    for statement in statements.values() {
        if rank(statement)? < depth {
            continue;
        }
        let Some(instances) = of_own_tiles(statement, &times, (tiles.band_n_member()?, sizes))? else { continue };
        let coincident = coincident(band, &node, &instances, coincidence)?;
        let gains = coincident.iter().zip(&band.coincident).any(|(now, before)| *now && !before);
        if gains {
            found.push(instances);
        }
    }
    Ok(found)
}

pub(super) fn rank(statement: &Set) -> Result<usize> {
    statement.dim(DimType::SET)
}

/// The instances of a statement in tiles without others, if that is most of them and not all.
fn of_own_tiles(statement: &Set, times: &UnionMap, (members, sizes): (usize, &TileSizes)) -> Result<Option<UnionSet>> {
    let own = statement.clone().to_union_set()?;
    let others = times.clone().domain()?.subtract(own.clone())?;
    // { [t] }
    let tiles = own.clone().apply(times.clone())?;
    let shared = tiles.clone().intersect(others.apply(times.clone())?)?.coalesce()?;
    if shared.is_empty()? || !is_thin(&shared.clone().as_set()?, members, sizes)? {
        return Ok(None);
    }
    let alone = own.intersect(tiles.subtract(shared)?.apply(times.clone().reverse()?)?)?.coalesce()?;
    Ok((!alone.is_empty()?).then_some(alone))
}

/// Each part of some tiles `{ [t] }` reaches over few of them in the direction of one of the last members.
fn is_thin(tiles: &Set, members: usize, sizes: &TileSizes) -> Result<bool> {
    let all = tiles.dim(DimType::SET)?;
    for part in tiles.basic_set_list()?.to_vec()? {
        let part = part.to_set()?;
        let mut thin = false;
        for member in 0..members {
            let distance = sizes.at(1, member).saturating_mul(FEW_TILES);
            thin = thin || !reaches(&part, all - members + member, distance)?;
        }
        if !thin {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Which members have each pair of the constraints among some instances in one iteration, the loops around the tiles being equal.
fn coincident(band: &Band, node: &ScheduleNode, instances: &UnionSet, constraints: &UnionMap) -> Result<Vec<bool>> {
    let mut pairs = constraints.clone().intersect_domain(instances.clone())?.intersect_range(instances.clone())?;
    let outside = point_members_above(node)?;
    if !outside.is_empty() {
        pairs = pairs.eq_at(tuple(node.ctx(), &outside)?)?;
    }
    band.members.iter().map(|member| are_together(&pairs, member)).collect()
}

/// A member has both of each pair in one iteration.
pub(super) fn are_together(pairs: &UnionMap, member: &UnionPwAff) -> Result<bool> {
    pairs.is_subset(&pairs.clone().eq_at(tuple(pairs.ctx(), std::slice::from_ref(member))?)?)
}

/// Puts the points of own tiles before what is left; the result is at the sequence.
fn split(point: ScheduleNode, alone: &[UnionSet]) -> Result<ScheduleNode> {
    let mut node = before_rest(point, alone)?;
    for place in 0..alone.len() {
        // filter > point > band > what orders several statements, of which there is one.
        let band = node.child(position(place)?)?.first_child()?.first_child()?;
        node = band.first_child()?.cut()?.ancestor(4)?;
    }
    Ok(node)
}
