//! A tree put below a node of another.

use crate::isl::{Error, ErrorKind, NodeType, Result, ScheduleNode, UnionSet, UnionSetList};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, insert_mark, position};

/// Puts a copy of a tree in place of a leaf, each band under the mark of points; the result is at the same place. The
/// instances that reach the leaf are those of the tree.
///
/// # Errors
/// Besides failures of isl: [`ErrorKind::Unsupported`] for nodes that no scheduler of ours makes.
pub(super) fn graft(leaf: ScheduleNode, tree: &ScheduleNode) -> Result<ScheduleNode> {
    match tree.node_type()? {
        NodeType::Leaf => Ok(leaf),
        NodeType::Domain => graft(leaf, &tree.clone().first_child()?),
        NodeType::Band => {
            let band = Band::read(tree)?.insert(leaf)?;
            let band = graft(band.first_child()?, &tree.clone().first_child()?)?.parent()?;
            insert_mark(band, &Mark::Point)
        }
        NodeType::Sequence | NodeType::Set => {
            let parts = parts(tree)?;
            let filters = parts.iter().map(|(filter, _)| filter.clone()).collect();
            let mut node = leaf.clone().insert_sequence(UnionSetList::from_vec(leaf.ctx(), filters)?)?;
            for (i, (_, part)) in parts.iter().enumerate() {
                node = graft(node.child(position(i)?)?.first_child()?, part)?.parent()?.parent()?;
            }
            Ok(node)
        }
        kind => Err(unsupported(kind)),
    }
}

/// Puts a copy of a tree as it is in place of a leaf; the result is at the same place.
///
/// # Errors
/// Besides failures of isl: [`ErrorKind::Unsupported`] for nodes that no scheduler of ours makes.
pub(super) fn copy(leaf: ScheduleNode, tree: &ScheduleNode) -> Result<ScheduleNode> {
    let kind = tree.node_type()?;
    match kind {
        NodeType::Leaf => Ok(leaf),
        NodeType::Band => {
            let band = Band::read(tree)?.insert(leaf)?;
            copy(band.first_child()?, &tree.clone().first_child()?)?.parent()
        }
        NodeType::Mark => {
            let mark = leaf.insert_mark(tree.mark_id()?)?;
            copy(mark.first_child()?, &tree.clone().first_child()?)?.parent()
        }
        NodeType::Sequence | NodeType::Set => {
            let children = tree.children()?;
            let filters = children.iter().map(ScheduleNode::filter).collect::<Result<_>>()?;
            let filters = UnionSetList::from_vec(leaf.ctx(), filters)?;
            let insert = if kind == NodeType::Set { ScheduleNode::insert_set } else { ScheduleNode::insert_sequence };
            let mut node = insert(leaf, filters)?;
            for (i, child) in children.into_iter().enumerate() {
                let below = node.child(position(i)?)?.first_child()?;
                node = copy(below, &child.first_child()?)?.parent()?.parent()?;
            }
            Ok(node)
        }
        _ => Err(unsupported(kind)),
    }
}

fn unsupported(kind: NodeType) -> Error {
    Error { kind: ErrorKind::Unsupported, message: format!("a node of kind {kind:?} cannot be put below tiles") }
}

/// What a sequence or set puts one after the other, the parts of its parts in their place: that makes one loop around
/// them easy to distribute. Parts in any order get one.
fn parts(node: &ScheduleNode) -> Result<Vec<(UnionSet, ScheduleNode)>> {
    let mut parts = Vec::new();
    for child in node.children()? {
        let below = child.clone().first_child()?;
        match below.node_type()? {
            NodeType::Sequence | NodeType::Set => parts.extend(self::parts(&below)?),
            _ => parts.push((child.filter()?, below)),
        }
    }
    Ok(parts)
}
