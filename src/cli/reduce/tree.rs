//! The original order for what is left of a region.

use polyrs::isl::{self, NodeType, Schedule, ScheduleNode, UnionSet};
use polyrs::scop::Scop;
use polyrs::scop::text::parse_schedule;
use std::fmt::Write;

/// The region's schedule for its statements' domains as they are now: children of sequences that no statement reaches
/// are left out, and sequences of one child.
///
/// # Errors
/// Those of isl, and nodes that no region has in its original order.
pub fn fitted(scop: &Scop) -> isl::Result<Schedule> {
    let mut domain = UnionSet::empty(scop.context.space()?)?;
    for statement in &scop.statements {
        domain = domain.union(statement.domain.clone().to_union_set()?)?;
    }
    let alive = domain.clone().universe()?;
    let mut text = format!("{{ domain: {}", quoted(&domain));
    let below = subtree(&scop.schedule.root()?.first_child()?, &alive)?;
    if !below.is_empty() {
        let _ = write!(text, ", child: {{ {below} }}");
    }
    text += " }";
    parse_schedule(scop, &text).map_err(|error| isl::Error::invalid(error.to_string()))
}

/// The keys of a node, in isl's YAML; nothing for a leaf.
fn subtree(node: &ScheduleNode, alive: &UnionSet) -> isl::Result<String> {
    match node.node_type()? {
        NodeType::Leaf => Ok(String::new()),
        NodeType::Band => band(node, alive),
        NodeType::Sequence => children(node, "sequence", alive),
        NodeType::Set => children(node, "set", alive),
        NodeType::Mark => subtree(&node.clone().first_child()?, alive),
        other => Err(isl::Error::invalid(format!("a node of kind {other:?}"))),
    }
}

fn band(node: &ScheduleNode, alive: &UnionSet) -> isl::Result<String> {
    let below = subtree(&node.clone().first_child()?, alive)?;
    let reaching = node.universe_domain()?.intersect(alive.clone())?;
    let partial = node.band_partial_schedule()?.intersect_domain(reaching)?;
    let mut text = format!("schedule: {}", quoted(&partial));
    if node.band_permutable()? {
        text += ", permutable: 1";
    }
    let coincident: Vec<&str> = node.band_coincident()?.into_iter().map(|yes| if yes { "1" } else { "0" }).collect();
    if coincident.contains(&"1") {
        let _ = write!(text, ", coincident: [{}]", coincident.join(", "));
    }
    if !below.is_empty() {
        let _ = write!(text, ", child: {{ {below} }}");
    }
    Ok(text)
}

fn children(node: &ScheduleNode, kind: &str, alive: &UnionSet) -> isl::Result<String> {
    let mut kept = Vec::new();
    for child in node.children()? {
        let filter = child.filter()?.intersect(alive.clone())?;
        if !filter.is_empty()? {
            kept.push((filter, subtree(&child.first_child()?, alive)?));
        }
    }
    if kept.len() <= 1 {
        return Ok(kept.pop().map_or(String::new(), |(_, below)| below));
    }
    let items: Vec<String> = kept
        .into_iter()
        .map(|(filter, below)| match below.as_str() {
            "" => format!("{{ filter: {} }}", quoted(&filter)),
            below => format!("{{ filter: {}, child: {{ {below} }} }}", quoted(&filter)),
        })
        .collect();
    Ok(format!("{kind}: [ {} ]", items.join(", ")))
}

fn quoted(object: &impl std::fmt::Display) -> String {
    // isl's notation has neither quotes nor backslashes, but for those in primes of names.
    format!("\"{object}\"")
}
