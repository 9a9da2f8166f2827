//! Right-looking order: a few iterations of a loop do at first what others of them wait for, and then all the rest at once.
//!
//! Where each iteration of an outermost loop updates all of a matrix with a row and a column of it, as step `k` of an elimination
//! or of a search for shortest paths does, the matrix passes through the caches once per iteration. Most of it is not needed by
//! the next few iterations: these need some rows and columns alone, *pivots*. So a strip of iterations is taken at a time. All of
//! them update the pivots of the strip, in the order that there was, and then the rest, each element with all iterations of
//! the strip one after the other, as a product of matrices does: in blocks that stay in registers, and along coincident loops. Linear
//! algebra calls it blocked right-looking order.
//!
//! What is left for later are the instances in a nest that no instance of the same strip waits for, but for later iterations
//! at the same place in the nest. It may be that everything waits because rows are overwritten: then they have to be kept
//! ([`crate::layout::Kept`]).

use crate::isl::{
    NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, UnionMap, UnionPwAff, UnionSet, UnionSetList,
};
use crate::schedule_tree::band::{Band, insert_mark, is_tiled, leaves_below, origin, position, tuple};
use crate::schedule_tree::{Mark, TileSizes};
use crate::transform::parts::many;
use crate::transform::tile::spread;

/// A strip has so many times as many iterations as a tile: what is updated is loaded and stored once for all of them.
const TIMES: u32 = 2;

/// A nest has something left only if its loops are not known to be shorter than so many strips: what is not left costs what it did
/// before.
const LEAST_STRIPS: u32 = 4;

/// How many iterations are in a strip.
pub fn strip(sizes: &TileSizes) -> u32 {
    sizes.at(1, 0).saturating_mul(TIMES)
}

/// Takes an outermost loop whose iterations wait for each other in strips, with what can be left for later in each behind what
/// cannot. `None` where there is no such loop, or nothing can be left.
///
/// The result is `tile > [strips] > sequence [rest > loop as it was, for pivots; band of a nest and the loop]`, with such a band for each
/// nest that has something left.
///
/// # Errors
/// Those of isl.
pub fn right_looking(
    tree: &Schedule,
    constraints: &ScheduleConstraints,
    sizes: &TileSizes,
) -> Result<Option<Schedule>> {
    let mut found = false;
    let mut rewrite = |node: ScheduleNode| {
        let Some(member) = sequential(&node)? else { return Ok(node) };
        let strips = origin(&member, strip(sizes))?;
        let left = left(&node, (&member, &strips, strip(sizes)), constraints)?;
        if left.is_empty() {
            return Ok(node);
        }
        found = true;
        in_strips(node, strips, left)
    };
    let tree = tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok(found.then_some(tree))
}

/// The only member of an outermost band of which iterations wait for each other, with nests in its body.
fn sequential(node: &ScheduleNode) -> Result<Option<UnionPwAff>> {
    if node.node_type()? != NodeType::Band || is_tiled(node)? || node.schedule_depth()? > 0 {
        return Ok(None);
    }
    let band = Band::read(node)?;
    Ok(match (&band.members[..], &band.coincident[..]) {
        ([member], [false]) => Some(member.clone()),
        _ => None,
    })
}

/// What a nest has left for later.
struct Left {
    /// `{ S[i] }`
    instances: UnionSet,
    /// The loops of the nest, and the one that is in strips.
    band: Band,
}

/// What is left, for each nest of one statement.
fn left(
    node: &ScheduleNode,
    (member, strips, length): (&UnionPwAff, &UnionPwAff, u32),
    constraints: &ScheduleConstraints,
) -> Result<Vec<Left>> {
    let mut found = Vec::new();
    let nests = leaves_below(node)?;
    if nests.iter().all(|(_, loops)| loops.len() < 2) {
        return Ok(found);
    }
    let all = node.domain()?;
    let pairs = pairs(constraints)?.intersect_domain(all.clone())?.intersect_range(all)?;
    let in_strip = pairs.eq_at(tuple(node.ctx(), std::slice::from_ref(strips))?)?;
    for (instances, loops) in nests {
        if loops.len() < 2 || instances.n_set()? != 1 {
            continue;
        }
        let universe = instances.clone().universe()?;
        let own = |member: &UnionPwAff| member.clone().intersect_domain(universe.clone());
        let loops: Vec<UnionPwAff> = loops.iter().map(own).collect::<Result<_>>()?;
        let mut is_short = false;
        for one in &loops {
            is_short |= spread(one, &instances)?.is_shorter(length.saturating_mul(LEAST_STRIPS))?;
        }
        if is_short {
            continue;
        }
        let after = in_strip.clone().intersect_domain(instances.clone())?;
        let among = after.clone().intersect_range(instances.clone())?;
        let at_home = among.eq_at(tuple(node.ctx(), &loops)?)?;
        // { S[i] -> [strip, loops] }
        let place: Vec<UnionPwAff> = std::iter::once(own(strips)?).chain(loops.iter().cloned()).collect();
        let place =
            UnionMap::from_multi_union_pw_aff(tuple(node.ctx(), &place)?)?.intersect_domain(instances.clone())?;
        let waited_for = after.subtract(at_home)?.domain()?;
        let at_same_places = |some: UnionSet| some.apply(place.clone())?.coalesce()?.apply(place.clone().reverse()?);
        let later = many(&instances.clone().subtract(at_same_places(waited_for)?)?.coalesce()?)?;
        let first = instances.subtract(later.clone())?;
        let instances = later.subtract(at_same_places(first)?)?.coalesce()?;
        if instances.is_empty()? {
            continue;
        }
        let coincident = vec![true; loops.len()].into_iter().chain([false]).collect();
        let members = loops.into_iter().chain([own(member)?]).collect();
        found.push(Left { instances, band: Band { members, coincident, permutable: true } });
    }
    Ok(found)
}

/// All pairs of instances of which the first has to come first, under a condition or without.
fn pairs(constraints: &ScheduleConstraints) -> Result<UnionMap> {
    let conditioned = constraints.conditional_validity()?.factor_domain()?;
    constraints.validity()?.union(constraints.coincidence()?)?.union(conditioned)
}

/// The loop in strips, what is left in each behind what is not.
fn in_strips(node: ScheduleNode, strips: UnionPwAff, left: Vec<Left>) -> Result<ScheduleNode> {
    let mut first = node.domain()?;
    for one in &left {
        first = first.subtract(one.instances.clone())?;
    }
    let filters = std::iter::once(first.coalesce()?).chain(left.iter().map(|one| one.instances.clone())).collect();
    let filters = UnionSetList::from_vec(node.ctx(), filters)?;
    let over = Band { members: vec![strips], coincident: vec![false], permutable: true };
    let mut node = over.insert(node)?.first_child()?.insert_sequence(filters)?;
    for (place, one) in left.into_iter().enumerate() {
        let nest = node.child(position(place + 1)?)?.first_child()?.cut()?;
        node = one.band.insert(nest)?.ancestor(2)?;
    }
    let first = insert_mark(node.first_child()?.first_child()?, &Mark::Rest)?;
    insert_mark(first.ancestor(3)?, &Mark::TILE)
}
