//! `scheduler=none`: a given order, with its bands found anew.

use super::pending::Pending;
use crate::isl::{Error, ErrorKind, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, UnionSet};
use crate::schedule_tree::band::Band;

/// The order of `schedule` on the domain of the constraints, loops that nest perfectly gathered into permutable bands.
///
/// The order must respect the constraints, as the original order does. Each band is as wide as permutability allows,
/// taken greedily from the outside; its coincident members are marked as isl's scheduler would mark them. Kills
/// and dead instances, being outside the constraints' domain, leave the tree. Marks are dropped.
///
/// # Errors
/// Besides failures of isl: [`ErrorKind::Unsupported`] when the tree has an extension, expansion or guard.
pub fn original(schedule: &Schedule, constraints: &ScheduleConstraints) -> Result<Schedule> {
    let domain = constraints.domain()?;
    if domain.is_empty()? {
        return Schedule::from_domain(domain);
    }
    let root = schedule.root()?;
    rebuild(&root, &domain, Pending::new(constraints)?)
}

/// The tree under a node for the instances in `domain` that reach it.
fn rebuild(node: &ScheduleNode, domain: &UnionSet, pending: Pending) -> Result<Schedule> {
    let node = skip_trivial(node.clone(), domain)?;
    match node.node_type()? {
        NodeType::Leaf => Schedule::from_domain(domain.clone()),
        NodeType::Band => rebuild_bands(node, domain, pending),
        kind @ (NodeType::Sequence | NodeType::Set) => {
            let mut whole: Option<Schedule> = None;
            for child in reached_children(&node, domain)? {
                let filter = child.filter()?;
                let part = filter.clone().intersect(domain.clone())?;
                // What is pending is among the domain, and filters say less than their instances do.
                let tree = rebuild(&child, &part, pending.clone().among(&filter)?)?;
                whole = Some(match whole {
                    None => tree,
                    Some(before) if kind == NodeType::Sequence => before.sequence(tree)?,
                    Some(before) => before.set(tree)?,
                });
            }
            whole.ok_or_else(|| Error::invalid("a sequence without instances"))
        }
        kind => Err(unsupported(kind)),
    }
}

/// The bands that nest perfectly from a band on, and the tree under the last.
fn rebuild_bands(node: ScheduleNode, domain: &UnionSet, pending: Pending) -> Result<Schedule> {
    let mut members = Vec::new();
    let mut node = node;
    while node.node_type()? == NodeType::Band {
        for member in Band::read(&node)?.members {
            members.push(member.intersect_domain(domain.clone().universe()?)?);
        }
        node = skip_trivial(node.first_child()?, domain)?;
    }
    let mut bands = Vec::new();
    let mut pending = pending;
    let mut rest = members.as_slice();
    while !rest.is_empty() {
        let mut width = 1;
        while width < rest.len() && pending.are_permutable(&rest[..=width])? {
            width += 1;
        }
        let (band, after) = rest.split_at(width);
        let coincident = band.iter().map(|member| pending.is_coincident(member)).collect::<Result<Vec<_>>>()?;
        pending = pending.below(band)?;
        bands.push((band, coincident));
        rest = after;
    }
    let mut tree = rebuild(&node, domain, pending)?;
    for (band, coincident) in bands.iter().rev() {
        let band = Band { members: band.to_vec(), coincident: coincident.clone(), permutable: true };
        tree = band.insert(tree.root()?.first_child()?)?.schedule()?;
    }
    Ok(tree)
}

/// The first node on the way down that decides about the order of the instances in `domain`.
fn skip_trivial(node: ScheduleNode, domain: &UnionSet) -> Result<ScheduleNode> {
    let mut node = node;
    loop {
        node = match node.node_type()? {
            NodeType::Domain | NodeType::Filter | NodeType::Mark | NodeType::Context => node.first_child()?,
            NodeType::Band if node.band_n_member()? == 0 => node.first_child()?,
            NodeType::Sequence | NodeType::Set => {
                let mut reached = reached_children(&node, domain)?;
                match (reached.pop(), reached.is_empty()) {
                    (Some(only), true) => only,
                    _ => return Ok(node),
                }
            }
            NodeType::Leaf | NodeType::Band => return Ok(node),
            kind => return Err(unsupported(kind)),
        }
    }
}

/// The children that some of the instances reach.
fn reached_children(node: &ScheduleNode, domain: &UnionSet) -> Result<Vec<ScheduleNode>> {
    let mut reached = Vec::new();
    for child in node.children()? {
        if !child.filter()?.is_disjoint(domain)? {
            reached.push(child);
        }
    }
    Ok(reached)
}

fn unsupported(kind: NodeType) -> Error {
    let message = format!("a schedule tree with a node of kind {kind:?} cannot be taken as the original order");
    Error { kind: ErrorKind::Unsupported, message }
}
