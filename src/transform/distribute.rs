//! Innermost loops distributed over the statements in them, where that makes vectors, and blocks over groups of them.

use super::conflicts::{Conflicts, Loop};
use crate::isl::{NodeType, Result, ScheduleNode, Set, UnionMap, UnionSet, UnionSetList};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{
    Band, has_band_below, insert_mark, marks_above, point_members, point_members_above, position, tuple,
};

/// Bodies with more parts than this stay as they are: the parts are compared in pairs.
const MAX_PARTS: usize = 16;

/// What to do with the last member of an innermost band.
pub(super) enum Body {
    /// Nothing.
    Keep,
    /// Its iterations do not conflict: it is a vector loop.
    Vector,
    /// To run it for one part after the other. The parts are to be put in this order below the band, unless they are
    /// already.
    Distribute(Option<Vec<UnionSet>>),
}

/// Decides about the last member of the innermost band at a node.
///
/// A loop whose iterations conflict is distributed when one of its parts becomes a vector loop by that; a loop whose
/// parts are not executed at the same times, and so would hold conditions, is distributed, too. Either only where no
/// conflicting pair is turned round.
///
/// In blocks for registers the parts may change places, since without vectors there is no gain from blocks. Elsewhere
/// they keep their order: rows of points that read what the row before them has just written would wait for it (fdtd-2d
/// takes 10 to 20% longer that way than as the post-tile phase has it).
pub(super) fn body(conflicts: &Conflicts, node: &ScheduleNode) -> Result<Body> {
    let members = Band::read(node)?.members;
    let innermost = Loop::new(node, &members, members.len() - 1)?;
    // { S[i] -> T[j] }, the first in an earlier iteration
    let conflicting = conflicts.inside(&innermost)?;
    let forwards = conflicting.forwards()?;
    let is_vector = forwards.is_empty()?;
    let keep = if is_vector { Body::Vector } else { Body::Keep };
    let parts = parts(node)?;
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return Ok(keep);
    }
    let gains = if is_vector { needs_conditions(node, &parts)? } else { any_vector(&innermost, &forwards, &parts)? };
    if !gains {
        return Ok(keep);
    }
    let order = groups(&Pairs { forwards, meanwhile: conflicting.meanwhile()? }, &parts)?;
    if order.len() < parts.len() {
        return Ok(keep);
    }
    let below = node.clone().first_child()?;
    let is_sequence = below.node_type()? == NodeType::Sequence;
    Ok(if is_sequence && order.is_sorted() {
        // What is in a set is in no order of its own, but the loop may have had it in one.
        Body::Distribute(if has_set(&below)? { Some(unions(&order, &parts)?) } else { None })
    } else if !is_sequence || marks_above(node)?.contains(&Mark::Block) {
        Body::Distribute(Some(unions(&order, &parts)?))
    } else {
        keep
    })
}

/// Distributes the last member of the band at a node; the result is at the same place in the tree. If nothing is left
/// there of a band over points, or over those of a block, its parts are marked as such, and the mark above is the
/// caller's to remove.
pub(super) fn distribute(node: ScheduleNode, parts: Option<Vec<UnionSet>>) -> Result<ScheduleNode> {
    let node = match parts {
        Some(parts) => in_sequence(node, parts)?,
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

/// Distributes all members of the innermost band under the block mark at a node over groups of what is below it, each
/// group under a mark of its own; the result is at the sequence of groups. They are as small as they can be without
/// turning round a pair that conflicts.
///
/// The node stays as it is if there is one group only. Parts that have to stay together gain nothing themselves, so if
/// there are any, another group must become a vector loop.
pub(super) fn distribute_block(conflicts: &Conflicts, node: ScheduleNode) -> Result<ScheduleNode> {
    let band = node.clone().first_child()?;
    if band.node_type()? != NodeType::Band || has_band_below(&band)? {
        return Ok(node);
    }
    let parts = parts(&band)?;
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return Ok(node);
    }
    let members = Band::read(&band)?.members;
    let innermost = Loop::new(&band, &members, members.len() - 1)?;
    let conflicting = conflicts.inside(&innermost)?;
    let last = conflicting.forwards()?;
    let mut forwards = last.clone();
    for member in 0..members.len() - 1 {
        forwards = forwards.union(conflicts.inside(&Loop::new(&band, &members, member)?)?.forwards()?)?;
    }
    let order = groups(&Pairs { forwards, meanwhile: conflicting.meanwhile()? }, &parts)?;
    let groups = unions(&order, &parts)?;
    let is_whole = groups.len() == parts.len();
    if groups.len() < 2 || !is_whole && (last.is_empty()? || !any_vector(&innermost, &last, &groups)?) {
        return Ok(node);
    }
    let mut sequence = band.insert_sequence(UnionSetList::from_vec(node.ctx(), groups)?)?;
    for i in 0..sequence.n_children()? {
        let group = sequence.child(position(i)?)?.first_child()?;
        sequence = insert_mark(group, &Mark::Block)?.parent()?.parent()?;
    }
    Ok(sequence)
}

/// What is below an innermost band: the statements at the leaf, or the filters of the sequence there. Sequences and
/// sets in that sequence are left out: their filters stand in the place of the part that they divide.
fn parts(band: &ScheduleNode) -> Result<Vec<UnionSet>> {
    let below = band.clone().first_child()?;
    match below.node_type()? {
        NodeType::Leaf => statements(band),
        NodeType::Sequence => pieces(&below),
        _ => Ok(Vec::new()),
    }
}

/// There is a set among the sequences and sets of a sequence.
fn has_set(sequence: &ScheduleNode) -> Result<bool> {
    for child in sequence.children()? {
        let below = child.first_child()?;
        match below.node_type()? {
            NodeType::Set => return Ok(true),
            NodeType::Sequence if has_set(&below)? => return Ok(true),
            _ => {}
        }
    }
    Ok(false)
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

/// Puts parts in sequence right below a band, in place of the sequences that are there; the result is at the band.
fn in_sequence(band: ScheduleNode, parts: Vec<UnionSet>) -> Result<ScheduleNode> {
    let depth = band.tree_depth()?;
    let mut node = band.first_child()?;
    for part in parts.into_iter().rev() {
        node = node.order_before(part)?;
        let up = node.tree_depth()? - depth - 1;
        node = node.ancestor(position(up)?)?;
    }
    // Each step leaves what comes later in a sequence of its own.
    let mut children = 0;
    while node.n_children()? > children {
        children = node.n_children()?;
        node = node.sequence_splice_children()?;
    }
    node.parent()
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

/// Some part iterates, and has no conflict within itself.
fn any_vector(innermost: &Loop, forwards: &UnionMap, parts: &[UnionSet]) -> Result<bool> {
    for part in parts {
        if !leads(forwards, part, part)? && innermost.iterates(part)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The pairs of conflicting instances that loops decide about: `{ S[i] -> T[j] }` each.
struct Pairs {
    /// The first is in an earlier iteration.
    forwards: UnionMap,
    /// Both are in the same iteration of all loops; either way round.
    meanwhile: UnionMap,
}

/// As many groups of parts as there can be, in an order that turns no pair round: parts are in one group if pairs lead
/// both ways between them, by way of others or not. In the same iteration, a part leads to those after it in the order
/// given, which is also that of the groups where there is a choice.
fn groups(conflicting: &Pairs, parts: &[UnionSet]) -> Result<Vec<Vec<usize>>> {
    let mut pairs = vec![vec![false; parts.len()]; parts.len()];
    for (from, row) in pairs.iter_mut().enumerate() {
        for (to, cell) in row.iter_mut().enumerate() {
            *cell = from != to && leads(&conflicting.forwards, &parts[from], &parts[to])?
                || from < to && leads(&conflicting.meanwhile, &parts[from], &parts[to])?;
        }
    }
    Ok(components(pairs))
}

/// The instances of each group of parts.
fn unions(groups: &[Vec<usize>], parts: &[UnionSet]) -> Result<Vec<UnionSet>> {
    let union_of = |group: &Vec<usize>| {
        let (first, others) = (parts[group[0]].clone(), &group[1..]);
        others.iter().try_fold(first, |all, part| all.union(parts[*part].clone()))
    };
    groups.iter().map(union_of).collect()
}

/// The strongly connected components of a relation among parts in a topological order; `pairs[a][b]`: one leads from
/// `a` to `b`.
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

/// Parts of the instances under a band are not executed at the same times, so that code for them in one loop needs
/// conditions in that loop.
fn needs_conditions(band: &ScheduleNode, parts: &[UnionSet]) -> Result<bool> {
    let mut members = point_members_above(band)?;
    members.extend(point_members(band)?);
    if members.is_empty() {
        return Ok(false);
    }
    // { S[i] -> [t] }
    let times = UnionMap::from_multi_union_pw_aff(tuple(band.ctx(), &members)?)?.intersect_domain(band.domain()?)?;
    let mut first: Option<Set> = None;
    for part in parts {
        let part = times.clone().intersect_domain(part.clone())?.range()?;
        if part.is_empty()? {
            continue;
        }
        let part = part.as_set()?;
        match &first {
            None => first = Some(part),
            Some(first) if first.is_equal(&part)? => {}
            Some(_) => return Ok(true),
        }
    }
    Ok(false)
}

/// Moves the last member of a band under the sequence below it; the result is at the same place in the tree: at what is
/// left of the band, or at the sequence.
fn sink_last(band: ScheduleNode) -> Result<ScheduleNode> {
    let members = Band::read(&band)?.members.len();
    if members < 2 {
        return band.band_sink();
    }
    band.band_split(position(members - 1)?)?.first_child()?.band_sink()?.parent()
}

#[cfg(test)]
mod tests {
    use super::components;

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
}
