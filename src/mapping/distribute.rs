//! Innermost loops distributed over the statements in them, where that makes vectors, and blocks over groups of them.

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
    Ok(match ordered(&forwards, &parts, is_leaf)? {
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

/// Distributes all members of the innermost band under the block mark at a node over groups of what is below it, each group
/// under a mark of its own; the result is at the sequence of groups. They are as small as they can be without turning round a
/// pair that conflicts.
///
/// The node stays as it is if there is one group only. Parts that have to stay together gain nothing themselves, so if there
/// are any, another group must become a vector loop.
pub(super) fn distribute_block(conflicts: &Conflicts, node: ScheduleNode) -> Result<ScheduleNode> {
    let band = node.clone().first_child()?;
    if band.node_type()? != NodeType::Band || has_band_below(&band)? {
        return Ok(node);
    }
    let (parts, is_leaf) = pieces_or_statements(&band)?;
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return Ok(node);
    }
    let members = Band::read(&band)?.members;
    let none = UnionMap::empty(band.domain()?.space()?)?;
    let (mut forwards, mut innermost) = (none.clone(), none);
    for member in 0..members.len() {
        innermost = conflicts.forwards(&Loop::new(&band, &members, member)?)?;
        forwards = forwards.union(innermost.clone())?;
    }
    let is_whole = |groups: &[UnionSet]| groups.len() == parts.len();
    let groups = groups(&forwards, &parts, is_leaf)?;
    if groups.len() < 2 || !is_whole(&groups) && (innermost.is_empty()? || !any_vector(&innermost, &groups)?) {
        return Ok(node);
    }
    let mut sequence = band.insert_sequence(UnionSetList::from_vec(node.ctx(), groups)?)?;
    for i in 0..sequence.n_children()? {
        let group = sequence.child(position(i)?)?.first_child()?;
        sequence = insert_mark(group, &Mark::Block)?.parent()?.parent()?;
    }
    Ok(sequence)
}

/// What is below a band: the filters of the sequence there, or the statements at the leaf, and whether it is the leaf.
fn parts_or_statements(band: &ScheduleNode) -> Result<(Vec<UnionSet>, bool)> {
    let is_leaf = band.clone().first_child()?.node_type()? == NodeType::Leaf;
    Ok((if is_leaf { statements(band)? } else { parts(band)? }, is_leaf))
}

/// The same without sequences and sets in that sequence: their filters stand in the place of the part that they divide.
fn pieces_or_statements(band: &ScheduleNode) -> Result<(Vec<UnionSet>, bool)> {
    let below = band.clone().first_child()?;
    Ok(match below.node_type()? {
        NodeType::Leaf => (statements(band)?, true),
        NodeType::Sequence => (pieces(&below)?, false),
        _ => (Vec::new(), false),
    })
}

/// The filters of a sequence or set, or those of the sequences and sets right below them.
fn pieces(node: &ScheduleNode) -> Result<Vec<UnionSet>> {
    let mut all = Vec::new();
    for child in node.children()? {
        let (filter, below) = (child.filter()?, child.first_child()?);
        if !matches!(below.node_type()?, NodeType::Sequence | NodeType::Set) {
            all.push(filter);
            continue;
        }
        for piece in pieces(&below)? {
            all.push(piece.intersect(filter.clone())?);
        }
    }
    Ok(all)
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

/// The parts in an order in which no pair leads backwards: the order given, or if it is `free` any; `None` if there is none.
fn ordered(forwards: &UnionMap, parts: &[UnionSet], free: bool) -> Result<Option<Vec<UnionSet>>> {
    let groups = groups(forwards, parts, free)?;
    Ok((groups.len() == parts.len()).then_some(groups))
}

/// As many groups of parts as there can be, in an order in which no pair leads from a group to one before it.
///
/// The order of parts is the one given, so that groups are neighbours in it; or if it is `free` any, so that only parts with pairs
/// both ways between them, by way of others or not, are in one group. The earliest in the order given comes first where there
/// is a choice.
fn groups(forwards: &UnionMap, parts: &[UnionSet], free: bool) -> Result<Vec<UnionSet>> {
    let mut pairs = vec![vec![false; parts.len()]; parts.len()];
    for (from, row) in pairs.iter_mut().enumerate() {
        for (to, cell) in row.iter_mut().enumerate() {
            *cell = from != to && leads(forwards, &parts[from], &parts[to])?;
        }
    }
    let numbers = if free { components(pairs) } else { runs(&pairs) };
    let union_of = |group: &Vec<usize>| {
        let empty = UnionSet::empty(forwards.space()?)?;
        group.iter().try_fold(empty, |all, part| all.union(parts[*part].clone()))
    };
    numbers.iter().map(union_of).collect()
}

/// The shortest runs of parts between which no pair leads backwards; `pairs[a][b]`: one leads from `a` to `b`.
fn runs(pairs: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for part in 0..pairs.len() {
        let is_cut = !pairs[part..].iter().any(|row| row[..part].contains(&true));
        match runs.last_mut().filter(|_| !is_cut) {
            Some(run) => run.push(part),
            None => runs.push(vec![part]),
        }
    }
    runs
}

/// The strongly connected components of a relation among parts in a topological order; `pairs[a][b]`: one leads from `a` to
/// `b`.
fn components(mut pairs: Vec<Vec<bool>>) -> Vec<Vec<usize>> {
    for via in 0..pairs.len() {
        let onwards = pairs[via].clone();
        for row in pairs.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&onwards).for_each(|(cell, onward)| *cell |= onward);
        }
    }
    let mut rest: Vec<usize> = (0..pairs.len()).collect();
    let mut components = Vec::new();
    // Some part is always led to by none but those that it leads to: a relation without cycles has a first element.
    while let Some(&first) = rest.iter().find(|to| rest.iter().all(|from| !pairs[*from][**to] || pairs[**to][*from])) {
        let (component, others) =
            rest.into_iter().partition(|part| *part == first || pairs[first][*part] && pairs[*part][first]);
        components.push(component);
        rest = others;
    }
    components
}

#[cfg(test)]
mod tests {
    use super::{components, runs};

    fn pairs(parts: usize, list: &[(usize, usize)]) -> Vec<Vec<bool>> {
        (0..parts).map(|from| (0..parts).map(|to| list.contains(&(from, to))).collect()).collect()
    }

    #[test]
    fn parts_on_a_cycle_are_one_component_and_components_are_in_order() {
        assert_eq!(components(pairs(3, &[])), [[0], [1], [2]]);
        assert_eq!(components(pairs(3, &[(2, 0), (0, 1)])), [[2], [0], [1]]);
        assert_eq!(components(pairs(4, &[(0, 2), (2, 0), (3, 0), (2, 1)])), [vec![3], vec![0, 2], vec![1]]);
        assert_eq!(components(pairs(3, &[(0, 1), (1, 2), (2, 0)])), [[0, 1, 2]], "by way of another");
        assert_eq!(components(pairs(0, &[])), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn runs_end_where_no_pair_leads_back() {
        assert_eq!(runs(&pairs(3, &[(0, 1), (0, 2), (1, 2)])), [[0], [1], [2]]);
        assert_eq!(runs(&pairs(4, &[(2, 1)])), [vec![0], vec![1, 2], vec![3]]);
        assert_eq!(runs(&pairs(4, &[(3, 1), (1, 0)])), [[0, 1, 2, 3]], "what is between stays between");
        assert_eq!(runs(&pairs(0, &[])), Vec::<Vec<usize>>::new());
    }
}
