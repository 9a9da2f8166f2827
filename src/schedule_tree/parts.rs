//! The parts of a tree at its top level: what is in no loop, or together in outermost ones.

use crate::isl::{self, NodeType, Schedule, ScheduleNode, UnionSet};

/// A part of a tree.
pub struct Part {
    /// Its instances: `{ S[i] }`.
    pub instances: UnionSet,
    /// The statements that come first in it: one, unless loops do not say which.
    pub first: Vec<String>,
}

/// The parts of a tree, in order.
///
/// # Errors
/// Those of isl.
pub fn parts(tree: &Schedule) -> isl::Result<Vec<Part>> {
    let mut found = Vec::new();
    collect(tree.root()?.first_child()?, &mut found)?;
    Ok(found)
}

fn collect(node: ScheduleNode, found: &mut Vec<Part>) -> isl::Result<()> {
    match node.node_type()? {
        NodeType::Sequence => node.children()?.into_iter().try_for_each(|child| collect(child.first_child()?, found)),
        _ => {
            let instances = node.domain()?;
            found.push(Part { instances, first: first(node)? });
            Ok(())
        }
    }
}

/// The statements at the first leaf that has any.
fn first(node: ScheduleNode) -> isl::Result<Vec<String>> {
    if node.node_type()? == NodeType::Leaf {
        return node.domain()?.tuple_names();
    }
    for child in node.children()? {
        let names = first(child)?;
        if !names.is_empty() {
            return Ok(names);
        }
    }
    Ok(Vec::new())
}
