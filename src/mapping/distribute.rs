//! Innermost loops distributed over the statements in them, where that makes vectors.

use super::conflicts::{Conflicts, Loop};
use crate::isl::{NodeType, Result, ScheduleNode, UnionMap, UnionSet, UnionSetList};
use crate::tree::Mark;
use crate::tree::band::{Band, has_band_below, insert_mark, marks_above, position};
use crate::tree::sink::{needs_conditions, parts, sink_last};

/// Bodies with more parts than this stay as they are: the parts are compared in pairs.
const MAX_PARTS: usize = 16;

/// What to do with the last member of an innermost band.
pub(super) enum Body {
    /// Nothing.
    Keep,
    /// Its iterations do not conflict: it is a vector loop.
    Vector,
    /// To run it for one part after the other. The filters are to be put in sequence below the band, unless they are
    /// already.
    Distribute(Option<Vec<UnionSet>>),
}

/// Decides about the last member of the innermost band at a node.
///
/// A loop whose iterations conflict is distributed when one of its parts becomes a vector loop by that; a loop whose
/// parts are not executed at the same times, and so would hold conditions, is distributed, too. Either only where no
/// conflicting pair is turned round.
pub(super) fn body(conflicts: &Conflicts, node: &ScheduleNode) -> Result<Body> {
    let members = Band::read(node)?.members;
    // { S[i] -> T[j] }, the first in an earlier iteration
    let forwards = conflicts.forwards(&Loop::new(node, &members, members.len() - 1)?)?;
    let is_vector = forwards.is_empty()?;
    let keep = if is_vector { Body::Vector } else { Body::Keep };
    let (parts, is_leaf) = parts_or_statements(node)?;
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return Ok(keep);
    }
    let gains = if is_vector { needs_conditions(node, &parts)? } else { any_vector(&forwards, &parts)? };
    if !gains {
        return Ok(keep);
    }
    Ok(match ordered(&forwards, parts, is_leaf)? {
        Some(parts) => Body::Distribute(is_leaf.then_some(parts)),
        None => keep,
    })
}

/// Distributes the last member of the band at a node; the result is at the same place in the tree. If nothing is left there of a
/// band over points, or over those of a block, its parts are marked as such, and the mark above is the caller's to remove.
pub(super) fn distribute(node: ScheduleNode, sequence: Option<Vec<UnionSet>>) -> Result<ScheduleNode> {
    let node = match sequence {
        Some(filters) => in_sequence(node, filters)?,
        None => node,
    };
    let is_gone = node.band_n_member()? < 2;
    let marks = if is_gone { marks_above(&node)? } else { Vec::new() };
    let mut node = sink_last(node)?;
    if let Some(points) = [Mark::Point, Mark::Block].iter().find(|mark| marks.contains(mark)) {
        for i in 0..node.n_children()? {
            let part = node.child(position(i)?)?.first_child()?;
            node = insert_mark(part, points)?.parent()?.parent()?;
        }
    }
    Ok(node)
}

/// Distributes all members of the innermost band under the block mark at a node over what is below it, each part under a
/// mark of its own; the result is at the same place in the tree. The node stays as it is if that would turn round a pair
/// that conflicts.
pub(super) fn distribute_block(conflicts: &Conflicts, node: ScheduleNode) -> Result<ScheduleNode> {
    let band = node.clone().first_child()?;
    if band.node_type()? != NodeType::Band || has_band_below(&band)? {
        return Ok(node);
    }
    let (parts, is_leaf) = parts_or_statements(&band)?;
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return Ok(node);
    }
    let members = Band::read(&band)?.members;
    let mut forwards = UnionMap::empty(band.domain()?.space()?)?;
    for member in 0..members.len() {
        forwards = forwards.union(conflicts.forwards(&Loop::new(&band, &members, member)?)?)?;
    }
    let Some(parts) = ordered(&forwards, parts, is_leaf)? else { return Ok(node) };
    let band = node.delete()?;
    let band = if is_leaf { in_sequence(band, parts)? } else { band };
    let mut sequence = band.band_sink()?;
    for i in 0..sequence.n_children()? {
        let part = sequence.child(position(i)?)?.first_child()?;
        sequence = insert_mark(part, &Mark::Block)?.parent()?.parent()?;
    }
    Ok(sequence)
}

/// What is below a band: the filters of the sequence there, or the statements at the leaf, and whether it is the leaf.
fn parts_or_statements(band: &ScheduleNode) -> Result<(Vec<UnionSet>, bool)> {
    let is_leaf = band.clone().first_child()?.node_type()? == NodeType::Leaf;
    Ok((if is_leaf { statements(band)? } else { parts(band)? }, is_leaf))
}

/// Puts filters in sequence right below a band; the result is at the band.
fn in_sequence(band: ScheduleNode, filters: Vec<UnionSet>) -> Result<ScheduleNode> {
    let filters = UnionSetList::from_vec(band.ctx(), filters)?;
    band.first_child()?.insert_sequence(filters)?.parent()
}

/// The statements that reach a node, each by itself, by name.
fn statements(node: &ScheduleNode) -> Result<Vec<UnionSet>> {
    let mut named = Vec::new();
    for set in node.domain()?.set_list()?.to_vec()? {
        named.push((set.tuple_name()?, set.to_union_set()?.universe()?));
    }
    named.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(named.into_iter().map(|(_, set)| set).collect())
}

/// A pair that leads from a part to another.
fn leads(forwards: &UnionMap, from: &UnionSet, to: &UnionSet) -> Result<bool> {
    let pairs = forwards.clone().intersect_domain(from.clone())?.intersect_range(to.clone())?;
    Ok(!pairs.is_empty()?)
}

/// Some part has no conflict within itself.
fn any_vector(forwards: &UnionMap, parts: &[UnionSet]) -> Result<bool> {
    for part in parts {
        if !leads(forwards, part, part)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The parts in an order in which no pair leads backwards: the order given, or if it is `free` any; the earliest in the
/// order given comes first where there is a choice.
fn ordered(forwards: &UnionMap, parts: Vec<UnionSet>, free: bool) -> Result<Option<Vec<UnionSet>>> {
    let mut rest = parts;
    let mut order = Vec::new();
    while !rest.is_empty() {
        let candidates = if free { rest.len() } else { 1 };
        let mut next = None;
        for i in 0..candidates {
            if next.is_none() && comes_first(forwards, &rest, i)? {
                next = Some(i);
            }
        }
        match next {
            Some(i) => order.push(rest.remove(i)),
            None => return Ok(None),
        }
    }
    Ok(Some(order))
}

/// No pair leads from another part to the one at a position.
fn comes_first(forwards: &UnionMap, parts: &[UnionSet], position: usize) -> Result<bool> {
    for (i, other) in parts.iter().enumerate() {
        if i != position && leads(forwards, other, &parts[position])? {
            return Ok(false);
        }
    }
    Ok(true)
}
