//! Loops with names to isl's trees.

use super::nest::{Kind, Loop, Nest, Node};
use crate::isl::{Result, Schedule, UnionSet};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, insert_mark};

/// The tree of a nest. Neighbours of one kind are one band; nothing is said of what could be interchanged.
///
/// # Errors
/// Those of isl.
pub(super) fn schedule(nest: &Nest) -> Result<Schedule> {
    written(&nest.root, &nest.domain)
}

/// The tree of a node, for the instances `{ S[i] }` that reach it.
fn written(node: &Node, domain: &UnionSet) -> Result<Schedule> {
    match node {
        Node::Leaf => Schedule::from_domain(domain.clone()),
        Node::Loop(first) => band(first, domain),
        Node::Mark { mark, body } => {
            let inside = written(body, domain)?.root()?.first_child()?;
            insert_mark(inside, mark)?.schedule()
        }
        Node::Parts { ordered, parts } => {
            let mut all: Option<Schedule> = None;
            for part in parts {
                let tree = written(&part.node, &domain.clone().intersect(part.filter.clone())?)?;
                all = Some(match all {
                    None => tree,
                    Some(before) if *ordered => before.sequence(tree)?,
                    Some(before) => before.set(tree)?,
                });
            }
            all.map_or_else(|| Schedule::from_domain(domain.clone()), Ok)
        }
    }
}

/// A loop and those right in it that are of its kind.
fn band(first: &Loop, domain: &UnionSet) -> Result<Schedule> {
    let universe = domain.clone().universe()?;
    let mut members = vec![first.member.clone().intersect_domain(universe.clone())?];
    let mut last = first;
    while let Node::Loop(next) = &*last.body {
        if !is_same_band(first.kind, next.kind) || next.parallel.is_some() {
            break;
        }
        members.push(next.member.clone().intersect_domain(universe.clone())?);
        last = next;
    }
    let coincident = vec![false; members.len()];
    let mut node = written(&last.body, domain)?.root()?.first_child()?;
    node = Band { members, coincident, permutable: false }.insert(node)?;
    if let Some(private) = &first.parallel {
        node = insert_mark(node, &Mark::Parallel { private: private.clone() })?;
    }
    if let Some(mark) = first.kind.mark() {
        node = insert_mark(node, &mark)?;
    }
    node.schedule()
}

/// Loops next to each other are of one band.
fn is_same_band(outer: Kind, inner: Kind) -> bool {
    outer == inner || outer == Kind::Front && inner == Kind::Plain
}
