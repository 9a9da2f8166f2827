//! Which subtrees of a schedule tree become kernels.

use crate::isl::{MultiUnionPwAff, NodeType, Result, Schedule, ScheduleNode, Space, UnionSet};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{insert_mark, position};

/// Marks the kernels of a tree as a scheduler found it, with [`Mark::Kernel`]. `None` where no member of any band is
/// coincident: then there is nothing that a GPU would be good for.
///
/// A kernel is each outermost permutable band with a coincident member, and each maximal subtree without coincident
/// members. On the host stay the bands around kernels, whose iterations launch these one after the other; children
/// without coincident members of a set at the root, which may run beside the device; and such children at the beginning
/// of a sequence at the root, which run before there is anything on the device (ppcg report, section 5, steps 1 and 2).
///
/// # Errors
/// Those of isl.
pub fn select(tree: &Schedule) -> Result<Option<Schedule>> {
    let root = tree.root()?;
    if !has_coincident(&root)? {
        return Ok(None);
    }
    let top = root.first_child()?;
    let node = match top.node_type()? {
        NodeType::Set => each_child(top, |child| if has_coincident(&child)? { mark(child) } else { Ok(child) })?,
        NodeType::Sequence => {
            let mut on_host = true;
            each_child(top, |child| {
                on_host = on_host && !has_coincident(&child)?;
                if on_host { Ok(child) } else { mark(child) }
            })?
        }
        _ => mark(top)?,
    };
    Ok(Some(node.schedule()?))
}

/// Marks the kernels at and below a node; the result is where that was.
fn mark(node: ScheduleNode) -> Result<ScheduleNode> {
    // A filter stays right below the node that it chooses for.
    if node.node_type()? == NodeType::Filter {
        return mark(node.first_child()?)?.parent();
    }
    if !has_coincident(&node)? || starts_kernel(&node)? {
        return insert_mark(with_child(node)?, &Mark::Kernel);
    }
    each_child(node, mark)
}

/// A node as it is, or a band without members where it is a leaf: in a tree's text a mark has something below.
fn with_child(node: ScheduleNode) -> Result<ScheduleNode> {
    if node.node_type()? != NodeType::Leaf {
        return Ok(node);
    }
    let space = Space::unit(node.ctx())?.add_unnamed_tuple_ui(0)?;
    node.insert_partial_schedule(MultiUnionPwAff::zero(space)?)
}

/// A node is a permutable band with a coincident member, or a mark right above such a band.
fn starts_kernel(node: &ScheduleNode) -> Result<bool> {
    match node.node_type()? {
        NodeType::Mark => starts_kernel(&node.clone().first_child()?),
        NodeType::Band => {
            let coincident = node.band_coincident()?;
            // One member changes places with none.
            Ok(coincident.contains(&true) && (coincident.len() == 1 || node.band_permutable()?))
        }
        _ => Ok(false),
    }
}

/// Some band at or below a node has a coincident member.
fn has_coincident(node: &ScheduleNode) -> Result<bool> {
    let mut found = false;
    node.for_each_descendant_top_down(&mut |node| {
        found |= node.node_type()? == NodeType::Band && node.band_coincident()?.contains(&true);
        Ok(!found)
    })?;
    Ok(found)
}

/// Whether some of the instances `{ S[i] }` are in a band with a coincident member.
///
/// # Errors
/// Those of isl.
pub fn has_parallel(tree: &Schedule, instances: &UnionSet) -> Result<bool> {
    let mut found = false;
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        found |= node.node_type()? == NodeType::Band
            && node.band_coincident()?.contains(&true)
            && !node.domain()?.is_disjoint(instances)?;
        Ok(!found)
    })?;
    Ok(found)
}

/// Replaces the children of a node, in order.
fn each_child(
    node: ScheduleNode,
    mut change: impl FnMut(ScheduleNode) -> Result<ScheduleNode>,
) -> Result<ScheduleNode> {
    let mut node = node;
    for i in 0..node.n_children()? {
        node = change(node.child(position(i)?)?)?.parent()?;
    }
    Ok(node)
}
