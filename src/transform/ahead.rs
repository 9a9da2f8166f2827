//! Updates that run ahead of the other instances of a tile.
//!
//! In dynamic programming over intervals, `T[i][j] = max(T[i][j], T[i][k] + T[k+1][j])` for all `k` between `i` and `j`, the
//! band of `i` and `j` is in tiles, and in a tile the points wait for each other: the last `T[i][k]` and the first
//! `T[k+1][j]` are in the same one. All the `k` in between are not: what they read, earlier tiles have finished. These
//! updates come first in their tile, as a product of the rows and columns that are done would: in loops whose points do not wait for
//! each other, so that blocks of them stay in registers and run along rows. Then the rest of the tile is as it was.
//!
//! The instances that go ahead are those of an update before which nothing of the same tile has to come. Other updates of
//! the same element are nothing of that kind, where the order among them never counts ([`free_updates`]): which of the two
//! is greater, the table's entry or the one of a pair, may be asked later.
//!
//! Source: our own, after the blocked forms of the parenthesization problem in the literature on dynamic programming,
//! which are made by hand there. That it is legal is proved as for any tree (`src/check/legality/commuting.rs`).

use super::apart::{are_together, rank};
use super::parts::{before_rest, in_points, many};
use crate::dependence::FreeUpdates;
use crate::isl::{Result, Schedule, ScheduleNode, UnionMap, UnionPwAff, UnionSet};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, insert_mark, leaves_below, position, tuple};

/// Puts updates ahead of the other points of tiles, in each band of points in one level of tiles that has some with loops of their own
/// below it. `None` where there are none.
///
/// The result is `sequence [points that are ahead > their loops, rest > points]`, one part for each statement that has some ahead.
/// Members along which these do not wait for each other, by the pairs `{ S[i] -> T[j] }` that a coincident member
/// has in one iteration, are coincident.
///
/// # Errors
/// Those of isl.
pub fn ahead(tree: &Schedule, updates: &FreeUpdates, coincidence: &UnionMap) -> Result<Option<Schedule>> {
    in_points(tree, &|point, band| {
        let parts = parts(point, band, updates, coincidence)?;
        if parts.is_empty() { Ok(None) } else { split(point.clone(), parts).map(Some) }
    })
}

/// Updates of one statement that are ahead.
struct Part {
    /// `{ S[i] }`
    instances: UnionSet,
    /// The band of the tile's points, for these alone.
    points: Band,
    /// The loops of the statement below it.
    below: Vec<UnionPwAff>,
}

/// The updates that go ahead in the tiles whose points begin at a mark.
fn parts(point: &ScheduleNode, band: &Band, updates: &FreeUpdates, coincidence: &UnionMap) -> Result<Vec<Part>> {
    let node = point.clone().first_child()?;
    let in_tile = |pairs: &UnionMap, domain: &UnionSet| {
        let pairs = pairs.clone().intersect_domain(domain.clone())?.intersect_range(domain.clone())?;
        pairs.eq_at(node.prefix_schedule()?)
    };
    let domain = point.domain()?;
    let late = in_tile(&updates.waiting, &domain)?.range()?;
    let leaves = leaves_below(&node)?;
    let mut found = Vec::new();
    for statement in domain.named_sets()?.values() {
        let all = statement.clone().to_union_set()?;
        let is_update = !updates.statements.is_disjoint(&all)?;
        if !is_update || rank(statement)? <= band.members.len() {
            continue;
        }
        let [below] = &own_loops(&leaves, &all)?[..] else { continue };
        if below.is_empty() {
            continue;
        }
        // Those of the same tile in the same iterations go ahead or not together, so that blocks have whole rows.
        let alike = UnionMap::from_domain_and_range(all.clone(), all.clone())?.eq_at(node.prefix_schedule()?)?;
        let alike = alike.eq_at(tuple(node.ctx(), below)?)?;
        let late = late.clone().intersect(all.clone())?.coalesce()?.apply(alike)?.coalesce()?;
        // What all instances of the statement are is said by its domain.
        let instances = many(&all.clone().subtract(late.gist(all.clone())?)?.coalesce()?)?;
        if instances.is_empty()? || instances.is_equal(&all)? {
            continue;
        }
        let own = |member: &UnionPwAff| member.clone().intersect_domain(instances.clone().universe()?);
        let members: Vec<UnionPwAff> = band.members.iter().map(own).collect::<Result<_>>()?;
        let pairs = in_tile(coincidence, &instances)?;
        let coincident = members.iter().map(|member| are_together(&pairs, member)).collect::<Result<Vec<_>>>()?;
        let below = below.iter().map(own).collect::<Result<_>>()?;
        if coincident.contains(&true) {
            found.push(Part { instances, points: Band { members, coincident, permutable: true }, below });
        }
    }
    Ok(found)
}

/// The loops of a statement in each of the leaves that it reaches.
fn own_loops(leaves: &[(UnionSet, Vec<UnionPwAff>)], statement: &UnionSet) -> Result<Vec<Vec<UnionPwAff>>> {
    let mut found = Vec::new();
    for (domain, members) in leaves {
        if !domain.is_disjoint(statement)? {
            found.push(members.clone());
        }
    }
    Ok(found)
}

/// Puts the parts before what is left; the result is at the sequence.
fn split(point: ScheduleNode, parts: Vec<Part>) -> Result<ScheduleNode> {
    let instances: Vec<UnionSet> = parts.iter().map(|part| part.instances.clone()).collect();
    let mut node = before_rest(point, &instances)?;
    for (place, part) in parts.into_iter().enumerate() {
        // filter > point > band > loops
        let leaf = node.child(position(place)?)?.first_child()?.cut()?;
        let permutable = part.below.len() < 2;
        let coincident = vec![false; part.below.len()];
        let loops = Band { members: part.below, coincident, permutable }.insert(leaf)?;
        node = insert_mark(part.points.insert(loops)?, &Mark::Point)?.ancestor(2)?;
    }
    Ok(node)
}
