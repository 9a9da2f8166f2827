//! `scheduler=none`: a given order, with its bands found anew.

use super::pending::Pending;
use crate::isl::{
    Error, ErrorKind, MultiUnionPwAff, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, Space,
    UnionPwAff, UnionPwAffList, UnionSet,
};

/// The order of `schedule` on the domain of the constraints, loops that nest perfectly gathered into permutable bands.
///
/// The order must respect the constraints, as the original order does. Each band is as wide as permutability allows,
/// taken greedily from the outside; its coincident members are marked as the library's scheduler would mark them. Kills
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
                let part = child.filter()?.intersect(domain.clone())?;
                let tree = rebuild(&child, &part, pending.clone().among(&part)?)?;
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
        let partial = node.band_partial_schedule()?.intersect_domain(domain.clone().universe()?)?;
        for i in 0..partial.size()? {
            members.push(partial.at(i32::try_from(i).map_err(|_| Error::invalid("too many members"))?)?);
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
        tree = insert_band(tree, band, coincident)?;
    }
    Ok(tree)
}

/// A permutable band with some coincident members above a tree.
fn insert_band(tree: Schedule, members: &[UnionPwAff], coincident: &[bool]) -> Result<Schedule> {
    let ctx = tree.ctx().clone();
    let space = Space::unit(&ctx)?.add_unnamed_tuple_ui(members.len())?;
    let list = UnionPwAffList::from_vec(&ctx, members.to_vec())?;
    let partial = MultiUnionPwAff::from_union_pw_aff_list(space, list)?;
    let mut band = tree.insert_partial_schedule(partial)?.root()?.first_child()?.band_set_permutable(true)?;
    for (i, coincident) in (0..).zip(coincident) {
        band = band.band_member_set_coincident(i, *coincident)?;
    }
    band.schedule()
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
