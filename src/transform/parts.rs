//! Points of tiles in parts: some instances of each tile first, and what is left of it behind them, under [`Mark::Rest`].

use crate::isl::{DimType, Map, NodeType, Result, Schedule, ScheduleNode, Set, UnionSet, UnionSetList};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, insert_mark, is_over_tiles, mark, position};

/// Changes the points of tiles, from their mark on, that wait for each other along some member of a permutable band, which is given as
/// well. `None` where nothing was changed.
///
/// # Errors
/// Those of isl, and of the change.
pub(super) fn in_points(
    tree: &Schedule,
    change: &dyn Fn(&ScheduleNode, &Band) -> Result<Option<ScheduleNode>>,
) -> Result<Option<Schedule>> {
    let mut found = false;
    let mut rewrite = |point: ScheduleNode| {
        let Some(band) = open_band(&point)? else { return Ok(point) };
        let Some(changed) = change(&point, &band)? else { return Ok(point) };
        found = true;
        Ok(changed)
    };
    let tree = tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok(found.then_some(tree))
}

/// The band of points at a mark, right under tiles.
fn open_band(point: &ScheduleNode) -> Result<Option<Band>> {
    if mark(point)? != Some(Mark::Point) {
        return Ok(None);
    }
    let (node, tiles) = (point.clone().first_child()?, point.clone().parent()?);
    if node.node_type()? != NodeType::Band || tiles.node_type()? != NodeType::Band || !is_over_tiles(&tiles)? {
        return Ok(None);
    }
    let band = Band::read(&node)?;
    Ok((band.permutable && band.coincident.contains(&false)).then_some(band))
}

/// Puts some parts `{ S[i] }` of the points at a mark before what is left, all with the points as they are; the result is at the sequence.
pub(super) fn before_rest(point: ScheduleNode, parts: &[UnionSet]) -> Result<ScheduleNode> {
    let mut left = point.domain()?;
    for part in parts {
        left = left.subtract(part.clone())?;
    }
    let filters = parts.iter().cloned().chain([left.coalesce()?]).collect();
    let node = point.clone().insert_sequence(UnionSetList::from_vec(point.ctx(), filters)?)?;
    insert_mark(node.child(position(parts.len())?)?.first_child()?, &Mark::Rest)?.ancestor(2)
}

/// The points at a mark are those of a part before what is left.
///
/// # Errors
/// Those of isl.
pub(super) fn is_before_rest(point: &ScheduleNode) -> Result<bool> {
    if !point.has_parent()? {
        return Ok(false);
    }
    let filter = point.clone().parent()?;
    if filter.node_type()? != NodeType::Filter {
        return Ok(false);
    }
    let sequence = filter.parent()?;
    if sequence.node_type()? != NodeType::Sequence {
        return Ok(false);
    }
    let last = sequence.n_children()? - 1;
    Ok(mark(&sequence.child(position(last)?)?.first_child()?)? == Some(Mark::Rest))
}

/// Some two points of a set are so far from each other along a dimension, and nowhere else.
pub(super) fn reaches(set: &Set, dimension: usize, distance: u32) -> Result<bool> {
    let names: Vec<String> = (0..set.dim(DimType::SET)?).map(|dimension| format!("x{dimension}")).collect();
    let mut beyond = names.clone();
    beyond[dimension] += &format!(" + {distance}");
    // { [x] -> [x'] }
    let mut step = Map::parse(set.ctx(), &format!("{{ [{}] -> [{}] }}", names.join(", "), beyond.join(", ")))?;
    if set.tuple_name()?.is_some() {
        step = step.set_tuple_id(DimType::In, set.tuple_id()?)?.set_tuple_id(DimType::Out, set.tuple_id()?)?;
    }
    Ok(!set.clone().apply(step)?.is_disjoint(set)?)
}

/// The parts of some instances `{ S[i] }` of one statement that have some next to each other along each of its loops. Others are few, and
/// cost as much code as all of these.
pub(super) fn many(instances: &UnionSet) -> Result<UnionSet> {
    let mut found = instances.clone().subtract(instances.clone())?;
    for set in instances.named_sets()?.values() {
        for part in set.basic_set_list()?.to_vec()? {
            let part = part.to_set()?;
            let mut is_many = true;
            for dimension in 0..set.dim(DimType::SET)? {
                is_many = is_many && reaches(&part, dimension, 1)?;
            }
            if is_many {
                found = found.union(part.to_union_set()?)?;
            }
        }
    }
    found.coalesce()
}
