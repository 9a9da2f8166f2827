//! The order that a tree gives to pairs of instances, and the pairs that conflict.

use super::accesses::accesses_to;
use super::nodes::{band_below, mark_of};
use super::storage::Storage;
use super::violation::{CheckError, Rule, Violation};
use crate::isl::{self, MultiUnionPwAff, NodeType, ScheduleNode, UnionMap, UnionSet};
use crate::scop::{AccessKind, Scop};
use polyrs_model::Mark;
use std::collections::BTreeMap;

/// Pairs `{ I -> I' }` sorted by what a tree says of them.
pub(crate) struct Order {
    /// The first comes strictly before the second.
    pub forward: UnionMap,
    /// The second comes strictly before the first.
    pub backward: UnionMap,
    /// Neither: iterations of a parallel member, children of a set node, equal dates of different instances.
    pub unordered: UnionMap,
}

/// Sorts pairs `{ I -> I' }` by the order of the subtree at `node`.
pub(crate) fn classify(pairs: UnionMap, node: &ScheduleNode) -> isl::Result<Order> {
    let empty = UnionMap::empty(pairs.space()?)?;
    let mut order = Order { forward: empty.clone(), backward: empty.clone(), unordered: empty };
    visit(pairs, node, false, &mut order)?;
    Ok(order)
}

fn visit(pairs: UnionMap, node: &ScheduleNode, parallel: bool, order: &mut Order) -> isl::Result<()> {
    if pairs.is_empty()? {
        return Ok(());
    }
    match node.node_type()? {
        NodeType::Band => {
            let same = visit_band(pairs, node, parallel, order)?;
            visit(same, &node.clone().first_child()?, false, order)
        }
        NodeType::Sequence => visit_children(pairs, node, true, order),
        NodeType::Set => visit_children(pairs, node, false, order),
        NodeType::Filter => {
            let filter = node.filter()?;
            let pairs = pairs.intersect_domain(filter.clone())?.intersect_range(filter)?;
            visit(pairs, &node.clone().first_child()?, false, order)
        }
        NodeType::Mark => visit(pairs, &node.clone().first_child()?, is_parallel_mark(node)? || parallel, order),
        NodeType::Leaf => {
            let identity = pairs.clone().domain()?.identity()?;
            order.unordered = order.unordered.clone().union(pairs.subtract(identity)?)?;
            Ok(())
        }
        _ => visit(pairs, &node.clone().first_child()?, parallel, order),
    }
}

/// Sorts by the members of a band and returns the pairs that it schedules together.
fn visit_band(mut pairs: UnionMap, node: &ScheduleNode, parallel: bool, order: &mut Order) -> isl::Result<UnionMap> {
    let mut partial = node.band_partial_schedule()?;
    if parallel {
        let first = MultiUnionPwAff::from_union_pw_aff(partial.at(0)?)?;
        let same = pairs.clone().eq_at(first)?;
        order.unordered = order.unordered.clone().union(pairs.subtract(same.clone())?)?;
        pairs = same;
        partial = partial.drop_dims(isl::DimType::SET, 0, 1)?;
        if partial.size()? == 0 {
            return Ok(pairs);
        }
    }
    order.forward = order.forward.clone().union(pairs.clone().lex_lt_at(partial.clone())?)?;
    order.backward = order.backward.clone().union(pairs.clone().lex_gt_at(partial.clone())?)?;
    pairs.eq_at(partial)
}

fn visit_children(pairs: UnionMap, node: &ScheduleNode, ordered: bool, order: &mut Order) -> isl::Result<()> {
    let children = node.children()?;
    let filters = children.iter().map(ScheduleNode::filter).collect::<isl::Result<Vec<_>>>()?;
    let none = UnionSet::empty(pairs.space()?)?;
    let all = filters.iter().try_fold(none.clone(), |all, filter| all.union(filter.clone()))?;
    let mut before = none;
    for (child, filter) in children.iter().zip(&filters) {
        let from_here = pairs.clone().intersect_domain(filter.clone())?;
        let after = all.clone().subtract(before.clone())?.subtract(filter.clone())?;
        if !from_here.is_empty()? {
            let later = from_here.clone().intersect_range(after)?;
            let earlier = from_here.clone().intersect_range(before.clone())?;
            if ordered {
                order.forward = order.forward.clone().union(later)?;
                order.backward = order.backward.clone().union(earlier)?;
            } else {
                order.unordered = order.unordered.clone().union(later)?.union(earlier)?;
            }
            visit(from_here.intersect_range(filter.clone())?, &child.clone().first_child()?, false, order)?;
        }
        before = before.union(filter.clone())?;
    }
    Ok(())
}

/// The node is a mark that makes the first member of the band below parallel.
pub(super) fn is_parallel_mark(node: &ScheduleNode) -> isl::Result<bool> {
    Ok(matches!(mark_of(node)?, Some(Mark::Parallel { .. })))
}

/// Refuses trees with node kinds whose meaning the checker does not know, and parallel marks without a band.
pub(super) fn refuse_unknown_nodes(root: &ScheduleNode) -> Result<(), CheckError> {
    let mut unknown = None;
    root.for_each_descendant_top_down(&mut |node| {
        match node.node_type()? {
            NodeType::Expansion => unknown = Some("expansion nodes".to_owned()),
            NodeType::Extension => unknown = Some("extension nodes".to_owned()),
            NodeType::Guard => unknown = Some("guard nodes".to_owned()),
            NodeType::Mark => {
                let below = band_below(node)?;
                match mark_of(node)? {
                    None => unknown = Some(format!("the mark `{}`", node.mark_id()?)),
                    Some(mark) if below.is_none() => unknown = Some(format!("the mark `{mark}` without a band below")),
                    Some(_) => {}
                }
            }
            _ => {}
        }
        Ok(unknown.is_none())
    })?;
    match unknown {
        Some(what) => Err(CheckError::Unsupported(what)),
        None => Ok(()),
    }
}

/// The conflicting pairs of a scop, by array.
pub(crate) struct Conflicts {
    /// For each array `{ I -> I' }`: both touch one element, at least one writes it, `I` comes first originally.
    by_array: BTreeMap<String, UnionMap>,
}

impl Conflicts {
    /// The pairs by the original order; kills are no accesses.
    pub fn of_scop(scop: &Scop) -> isl::Result<Self> {
        let root = scop.schedule.root()?;
        let mut by_array = BTreeMap::new();
        for array in &scop.arrays {
            let touched = accesses_to(scop, |a, name| name == array.name && a.kind != AccessKind::Kill)?;
            let written = accesses_to(scop, |a, name| name == array.name && a.kind.is_write())?;
            if written.is_empty()? {
                continue;
            }
            let pairs = conflicting_pairs(touched, written)?;
            by_array.insert(array.name.clone(), classify(pairs, &root)?.forward.coalesce()?);
        }
        Ok(Conflicts { by_array })
    }

    /// The arrays with conflicts, by name.
    pub fn arrays(&self) -> Vec<String> {
        self.by_array.keys().cloned().collect()
    }

    /// The pairs on an array.
    pub fn on(&self, array: &str) -> Option<&UnionMap> {
        self.by_array.get(array)
    }

    /// All pairs on an array keep their order in the tree.
    pub fn keep_order(&self, array: &str, root: &ScheduleNode) -> isl::Result<bool> {
        let Some(pairs) = self.on(array) else { return Ok(true) };
        let order = classify(pairs.clone(), root)?;
        Ok(order.backward.is_empty()? && order.unordered.is_empty()?)
    }
}

/// All pairs `{ I -> I' }` that touch one element, at least one writing, in any order, from `{ I -> A[a] }`.
fn conflicting_pairs(touched: UnionMap, written: UnionMap) -> isl::Result<UnionMap> {
    let write_first = written.clone().apply_range(touched.clone().reverse()?)?;
    let write_last = touched.apply_range(written.reverse()?)?;
    write_first.union(write_last)
}

/// Conflicts on shared storage between instances that the tree leaves unordered.
pub(super) fn unordered_conflicts(
    scop: &Scop,
    array: &str,
    storage: &Storage,
    alive: &UnionSet,
    root: &ScheduleNode,
) -> isl::Result<Vec<Violation>> {
    let touched = accesses_to(scop, |a, name| name == array && a.kind != AccessKind::Kill)?;
    let written = accesses_to(scop, |a, name| name == array && a.kind.is_write())?;
    let touched = storage.place(array, touched.intersect_domain(alive.clone())?)?;
    let written = storage.place(array, written.intersect_domain(alive.clone())?)?;
    let unordered = classify(conflicting_pairs(touched, written)?, root)?.unordered;
    if unordered.is_empty()? {
        return Ok(Vec::new());
    }
    Ok(vec![Violation::of_pairs(Rule::Unordered, scop, array, &unordered, "")?])
}
