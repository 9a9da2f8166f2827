//! Band nodes as values: read, changed, put back.

use super::Mark;
use crate::isl::{
    Ctx, Error, Id, MultiUnionPwAff, NodeType, Result, Schedule, ScheduleNode, Space, UnionMap, UnionPwAff,
    UnionPwAffList, UnionSet, Val,
};

/// A position as isl counts it.
pub(crate) fn position(index: usize) -> Result<i32> {
    i32::try_from(index).map_err(|_| Error::invalid("a position does not fit"))
}

/// The members of a band and what is known of them.
#[derive(Debug, Clone)]
pub struct Band {
    /// `{ S[i] -> [(t)] }` each, outermost first.
    pub members: Vec<UnionPwAff>,
    /// One flag a member.
    pub coincident: Vec<bool>,
    /// The members may be interchanged.
    pub permutable: bool,
}

impl Band {
    /// Reads a band node.
    pub fn read(node: &ScheduleNode) -> Result<Self> {
        let partial = node.band_partial_schedule()?;
        let members = (0..partial.size()?).map(|i| partial.at(position(i)?)).collect::<Result<_>>()?;
        Ok(Band { members, coincident: node.band_coincident()?, permutable: node.band_permutable()? })
    }

    /// Inserts the band above a node; the result is at the band.
    pub fn insert(&self, node: ScheduleNode) -> Result<ScheduleNode> {
        let ctx = node.ctx().clone();
        let partial = tuple(&ctx, &self.members)?;
        let mut node = node.insert_partial_schedule(partial)?.band_set_permutable(self.permutable)?;
        for (i, coincident) in self.coincident.iter().enumerate() {
            node = node.band_member_set_coincident(position(i)?, *coincident)?;
        }
        Ok(node)
    }

    /// Replaces the band at a node; the result is at the band.
    pub fn replace(&self, node: ScheduleNode) -> Result<ScheduleNode> {
        self.insert(node.delete()?)
    }
}

/// Functions as one tuple without a name: `{ S[i] -> [t] }`.
pub(crate) fn tuple(ctx: &Ctx, members: &[UnionPwAff]) -> Result<MultiUnionPwAff> {
    let space = Space::unit(ctx)?.add_unnamed_tuple_ui(members.len())?;
    MultiUnionPwAff::from_union_pw_aff_list(space, UnionPwAffList::from_vec(ctx, members.to_vec())?)
}

/// The decision that a mark node carries; `None` at other nodes and at marks that are not ours.
pub(crate) fn mark(node: &ScheduleNode) -> Result<Option<Mark>> {
    if node.node_type()? != NodeType::Mark {
        return Ok(None);
    }
    Ok(node.mark_id()?.name()?.and_then(|name| name.parse().ok()))
}

/// The marks right above a node, the nearest first.
pub(crate) fn marks_above(node: &ScheduleNode) -> Result<Vec<Mark>> {
    let mut marks = Vec::new();
    let mut node = node.clone();
    while node.has_parent()? {
        node = node.parent()?;
        if node.node_type()? != NodeType::Mark {
            break;
        }
        marks.extend(mark(&node)?);
    }
    Ok(marks)
}

/// A band iterates over tiles, blocks for registers among them, or over wavefronts of tiles.
pub fn is_over_tiles(band: &ScheduleNode) -> Result<bool> {
    let marks = marks_above(band)?;
    let is_tile = |mark: Option<&Mark>| matches!(mark, Some(Mark::Tile { .. } | Mark::Register));
    if marks.iter().any(|mark| is_tile(Some(mark))) {
        return Ok(true);
    }
    Ok(marks.contains(&Mark::Wavefront) && is_tile(mark(&band.clone().first_child()?)?.as_ref()))
}

/// The length of the tiles that a member is over: what its values are multiples of, if that is more than 1.
///
/// # Errors
/// Those of isl.
pub fn tile_length(member: &UnionPwAff) -> Result<Option<u64>> {
    // { [t] }
    let origins =
        UnionMap::from_multi_union_pw_aff(MultiUnionPwAff::from_union_pw_aff(member.clone())?)?.range()?.as_set()?;
    Ok(origins.stride(0)?.as_i64()?.and_then(|length| u64::try_from(length).ok()).filter(|length| *length > 1))
}

/// A band iterates over tiles, or is inside of some.
pub(crate) fn is_tiled(band: &ScheduleNode) -> Result<bool> {
    if is_over_tiles(band)? {
        return Ok(true);
    }
    is_inside(band, &Mark::Point)
}

/// A node is somewhere below a mark.
pub(crate) fn is_inside(node: &ScheduleNode, outer: &Mark) -> Result<bool> {
    let mut node = node.clone();
    while node.has_parent()? {
        node = node.parent()?;
        if mark(&node)?.as_ref() == Some(outer) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The band at or right below a node; marks between are passed over.
pub(crate) fn band_below(node: &ScheduleNode) -> Result<Option<ScheduleNode>> {
    let mut node = node.clone();
    while node.node_type()? == NodeType::Mark {
        node = node.first_child()?;
    }
    Ok((node.node_type()? == NodeType::Band).then_some(node))
}

/// The tree without copies of tiles.
///
/// # Errors
/// Those of isl.
pub fn without_copies(tree: &Schedule) -> Result<Schedule> {
    let mut remove = |node: ScheduleNode| match mark(&node)? {
        Some(mark) if is_copy(&mark) => node.delete(),
        _ => Ok(node),
    };
    tree.root()?.map_descendant_bottom_up(&mut remove)?.schedule()
}

/// Tiles are copied somewhere in a tree.
///
/// # Errors
/// Those of isl.
pub fn has_copies(tree: &Schedule) -> Result<bool> {
    any_mark(&tree.root()?, is_copy)
}

fn is_copy(mark: &Mark) -> bool {
    matches!(mark, Mark::Shared | Mark::Packed { .. })
}

/// A decision is somewhere in a tree.
pub fn has_mark(tree: &Schedule, wanted: &Mark) -> Result<bool> {
    has_mark_below(&tree.root()?, wanted)
}

/// A decision is at or somewhere below a node.
pub(crate) fn has_mark_below(node: &ScheduleNode, wanted: &Mark) -> Result<bool> {
    any_mark(node, |mark| mark == wanted)
}

/// Some innermost band over points of tiles, in blocks or not, makes no vectors.
pub fn has_scalar_points(tree: &Schedule) -> Result<bool> {
    let mut found = false;
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == NodeType::Band && !has_band_below(node)? {
            let marks = marks_above(node)?;
            let is_of_points = marks.contains(&Mark::Point) || marks.contains(&Mark::Block);
            found |= is_of_points && !marks.contains(&Mark::Vector);
        }
        Ok(!found)
    })?;
    Ok(found)
}

/// Loops are cut or run in parallel: some mark is there, of another kind than for vectors.
pub fn is_rewritten(tree: &Schedule) -> Result<bool> {
    any_mark(&tree.root()?, |mark| *mark != Mark::Vector)
}

fn any_mark(node: &ScheduleNode, is_wanted: impl Fn(&Mark) -> bool) -> Result<bool> {
    let mut found = false;
    node.for_each_descendant_top_down(&mut |node| {
        found |= mark(node)?.as_ref().is_some_and(&is_wanted);
        Ok(!found)
    })?;
    Ok(found)
}

/// Where the tile, block or strip of each value starts: `{ S[i] -> [(t)] }`.
pub(crate) fn origin(member: &UnionPwAff, size: u32) -> Result<UnionPwAff> {
    let size = Val::int(member.ctx(), size.into())?;
    member.clone().scale_down(size.clone())?.floor()?.scale(size)
}

/// Inserts a mark above a node; the result is at the mark.
pub(crate) fn insert_mark(node: ScheduleNode, mark: &Mark) -> Result<ScheduleNode> {
    let id = Id::new(node.ctx(), &mark.to_string())?;
    node.insert_mark(id)
}

/// There is a band under a node.
pub(crate) fn has_band_below(node: &ScheduleNode) -> Result<bool> {
    let mut found = false;
    for child in node.children()? {
        child.for_each_descendant_top_down(&mut |node| {
            found |= node.node_type()? == NodeType::Band && node.band_n_member()? > 0;
            Ok(!found)
        })?;
    }
    Ok(found)
}

/// The greatest number of members on a way from a node's children to a leaf, those over tiles aside.
pub(crate) fn loops_below(node: &ScheduleNode) -> Result<usize> {
    let mut most = 0;
    let mut open: Vec<(ScheduleNode, usize)> = node.children()?.into_iter().map(|child| (child, 0)).collect();
    while let Some((node, above)) = open.pop() {
        let counts = node.node_type()? == NodeType::Band && !is_over_tiles(&node)?;
        let here = above + if counts { node.band_n_member()? } else { 0 };
        most = most.max(here);
        open.extend(node.children()?.into_iter().map(|child| (child, here)));
    }
    Ok(most)
}

/// The members of the bands above a node, without those over tiles.
pub(crate) fn point_members_above(node: &ScheduleNode) -> Result<Vec<UnionPwAff>> {
    let mut members = Vec::new();
    let mut node = node.clone();
    while node.has_parent()? {
        node = node.parent()?;
        members.extend(point_members(&node)?);
    }
    Ok(members)
}

/// The members of a band node, unless it is over tiles; nothing for other nodes.
pub fn point_members(node: &ScheduleNode) -> Result<Vec<UnionPwAff>> {
    if node.node_type()? != NodeType::Band {
        return Ok(Vec::new());
    }
    if is_over_tiles(node)? { Ok(Vec::new()) } else { Ok(Band::read(node)?.members) }
}

/// The leaves under a node: the instances that reach each and the members on the way, without those over tiles.
pub(crate) fn leaves_below(node: &ScheduleNode) -> Result<Vec<(UnionSet, Vec<UnionPwAff>)>> {
    let mut leaves = Vec::new();
    for child in node.children()? {
        if child.node_type()? == NodeType::Leaf {
            leaves.push((child.domain()?, Vec::new()));
            continue;
        }
        let members = point_members(&child)?;
        for (domain, mut below) in leaves_below(&child)? {
            below.extend(members.iter().cloned());
            leaves.push((domain, below));
        }
    }
    Ok(leaves)
}
