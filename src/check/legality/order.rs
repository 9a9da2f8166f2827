//! The order that a tree gives to pairs of instances, and the pairs that conflict.

use super::accesses::accesses_to;
use super::commuting;
use super::coverage;
use super::storage::Storage;
use super::violation::{CheckError, Rule, Violation};
use crate::isl::{self, MultiUnionPwAff, NodeType, ScheduleNode, UnionMap, UnionPwMultiAff, UnionSet};
use crate::nodes::{band_below, mark_of};
use crate::scop::{AccessKind, Scop};
use crate::thread::{Threads, axes};
use polyrs_model::Mark;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs `{ I -> I' }` sorted by what a tree says of them.
pub(crate) struct Order {
    /// The first comes strictly before the second.
    pub forward: UnionMap,
    /// The second comes strictly before the first.
    pub backward: UnionMap,
    /// Neither: iterations of a parallel member, children of a set node, equal dates of different instances.
    pub unordered: UnionMap,
}

/// The parts of an [`Order`] that are asked for. The others stay empty: finding them takes as long.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parts {
    /// [`Order::forward`].
    pub forward: bool,
    /// [`Order::backward`].
    pub backward: bool,
    /// [`Order::unordered`].
    pub unordered: bool,
}

impl Parts {
    /// The pairs whose first comes first.
    pub const FORWARD: Parts = Parts { forward: true, backward: false, unordered: false };
    /// The pairs whose first does not come first.
    pub const TURNED: Parts = Parts { forward: false, backward: true, unordered: true };
    /// The pairs without an order.
    pub const UNORDERED: Parts = Parts { forward: false, backward: false, unordered: true };
    /// All of them.
    pub const ALL: Parts = Parts { forward: true, backward: true, unordered: true };
    /// The pairs whose first comes last.
    pub const BACKWARD: Parts = Parts { forward: false, backward: true, unordered: false };
}

/// Sorts pairs `{ I -> I' }` by the order of the subtree at `node`.
pub(crate) fn classify(pairs: UnionMap, node: &ScheduleNode, parts: Parts) -> isl::Result<Order> {
    let empty = UnionMap::empty(pairs.space()?)?;
    let order = Order { forward: empty.clone(), backward: empty.clone(), unordered: empty };
    let mut sorting = Sorting { parts, order };
    sorting.visit(pairs, node, false)?;
    Ok(sorting.order)
}

/// The pairs that were sorted so far.
struct Sorting {
    parts: Parts,
    order: Order,
}

impl Sorting {
    fn visit(&mut self, pairs: UnionMap, node: &ScheduleNode, parallel: bool) -> isl::Result<()> {
        if pairs.is_empty()? {
            return Ok(());
        }
        match node.node_type()? {
            NodeType::Band => {
                let same = self.visit_band(pairs, node, parallel)?;
                self.visit(same, &node.clone().first_child()?, false)
            }
            NodeType::Sequence => self.visit_children(pairs, node, true),
            NodeType::Set => self.visit_children(pairs, node, false),
            NodeType::Filter => {
                let filter = node.filter()?;
                let pairs = pairs.intersect_domain(filter.clone())?.intersect_range(filter)?;
                self.visit(pairs, &node.clone().first_child()?, false)
            }
            NodeType::Mark => {
                let pairs = if is_kernel_mark(node)? { self.visit_kernel(pairs, node)? } else { pairs };
                self.visit(pairs, &node.clone().first_child()?, is_parallel_mark(node)? || parallel)
            }
            NodeType::Leaf if self.parts.unordered => {
                let identity = pairs.clone().domain()?.identity()?;
                self.add_unordered(pairs.subtract(identity)?)
            }
            NodeType::Leaf => Ok(()),
            _ => self.visit(pairs, &node.clone().first_child()?, parallel),
        }
    }

    /// Sorts by the members of a band and returns the pairs that it schedules together.
    fn visit_band(&mut self, mut pairs: UnionMap, node: &ScheduleNode, parallel: bool) -> isl::Result<UnionMap> {
        let mut partial = node.band_partial_schedule()?;
        if parallel {
            let first = MultiUnionPwAff::from_union_pw_aff(partial.at(0)?)?;
            let same = pairs.clone().eq_at(first)?;
            if self.parts.unordered {
                self.add_unordered(pairs.subtract(same.clone())?)?;
            }
            pairs = same;
            partial = partial.drop_dims(isl::DimType::SET, 0, 1)?;
            if partial.size()? == 0 {
                return Ok(pairs);
            }
        }
        if self.parts.forward {
            self.add_forward(pairs.clone().lex_lt_at(partial.clone())?)?;
        }
        if self.parts.backward {
            self.add_backward(pairs.clone().lex_gt_at(partial.clone())?)?;
        }
        pairs.eq_at(partial)
    }

    /// Returns the pairs of the same thread: whatever the tree says inside of a kernel, it says of each thread alone.
    fn visit_kernel(&mut self, pairs: UnionMap, kernel: &ScheduleNode) -> isl::Result<UnionMap> {
        let same = Threads::of_kernel(kernel)?.same(pairs.clone())?;
        if self.parts.unordered {
            self.add_unordered(pairs.subtract(same.clone())?)?;
        }
        Ok(same)
    }

    fn visit_children(&mut self, pairs: UnionMap, node: &ScheduleNode, ordered: bool) -> isl::Result<()> {
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
                    self.add_forward(later)?;
                    self.add_backward(earlier)?;
                } else {
                    self.add_unordered(later.union(earlier)?)?;
                }
                self.visit(from_here.intersect_range(filter.clone())?, &child.clone().first_child()?, false)?;
            }
            before = before.union(filter.clone())?;
        }
        Ok(())
    }

    fn add_forward(&mut self, pairs: UnionMap) -> isl::Result<()> {
        add(&mut self.order.forward, pairs, self.parts.forward)
    }

    fn add_backward(&mut self, pairs: UnionMap) -> isl::Result<()> {
        add(&mut self.order.backward, pairs, self.parts.backward)
    }

    fn add_unordered(&mut self, pairs: UnionMap) -> isl::Result<()> {
        add(&mut self.order.unordered, pairs, self.parts.unordered)
    }
}

/// Adds pairs to a part, if that is asked for.
fn add(part: &mut UnionMap, pairs: UnionMap, is_asked_for: bool) -> isl::Result<()> {
    if is_asked_for {
        *part = part.clone().union(pairs)?;
    }
    Ok(())
}

/// The node is a mark that makes the first member of the band below parallel.
pub(super) fn is_parallel_mark(node: &ScheduleNode) -> isl::Result<bool> {
    Ok(matches!(mark_of(node)?, Some(Mark::Parallel { .. })))
}

fn is_kernel_mark(node: &ScheduleNode) -> isl::Result<bool> {
    Ok(mark_of(node)? == Some(Mark::Kernel))
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
                    // Says who runs the subtree, whatever that is.
                    Some(Mark::Kernel) => unknown = misplaced_kernel(node)?,
                    Some(mark) if below.is_none() => unknown = Some(format!("the mark `{mark}` without a band below")),
                    Some(mark) => unknown = misplaced(&mark, node, below)?,
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

/// What is wrong with the place of a mark about blocks or threads.
fn misplaced(mark: &Mark, node: &ScheduleNode, below: Option<ScheduleNode>) -> isl::Result<Option<String>> {
    if *mark == Mark::Shared {
        // All threads of a block have to come there together.
        let in_threads = is_below(node, &|mark| matches!(mark, Mark::Threads { .. } | Mark::Shared))?;
        let in_kernel = is_below(node, &|mark| *mark == Mark::Kernel)?;
        return Ok((in_threads || !in_kernel).then(|| format!("the mark `{mark}` where threads are apart")));
    }
    if let Mark::Parallel { private } = mark {
        // A loop of one iteration is none, and has no copies to offer then.
        let lacks = |outer: &Mark| match outer {
            Mark::Parallel { private: outer } => !private.iter().all(|array| outer.contains(array)),
            Mark::Vector => !private.is_empty(),
            _ => false,
        };
        if is_below(node, &lacks)? {
            return Ok(Some(format!("the mark `{mark}` in a parallel loop without such copies")));
        }
    }
    let Some(axes) = axes(node)? else {
        // Threads and vectors of a CPU, and copies for them, do not exist on a GPU; a block is a thread's own there.
        let is_of_cpu = matches!(mark, Mark::Parallel { .. } | Mark::Vector | Mark::Register | Mark::Packed { .. });
        let inside = is_of_cpu && is_below(below.as_ref().unwrap_or(node), &|mark| *mark == Mark::Kernel)?;
        return Ok(inside.then(|| format!("the mark `{mark}` in a kernel")));
    };
    let same_kind = |other: &Mark| std::mem::discriminant(other) == std::mem::discriminant(mark);
    if is_below(node, &same_kind)? {
        return Ok(Some(format!("the mark `{mark}` inside of another of its kind")));
    }
    let members = below.map_or(Ok(0), |band| band.band_n_member())?;
    if members < axes {
        return Ok(Some(format!("the mark `{mark}` above a band of {members} members")));
    }
    let inside = is_below(node, &|mark| *mark == Mark::Kernel)?;
    Ok((!inside).then(|| format!("the mark `{mark}` outside of a kernel")))
}

/// What is wrong with the place of a kernel.
fn misplaced_kernel(node: &ScheduleNode) -> isl::Result<Option<String>> {
    if is_below(node, &|mark| *mark == Mark::Kernel)? {
        return Ok(Some("a kernel in a kernel".to_owned()));
    }
    // A device is asked for one thing after the other.
    let parallel = is_below(node, &|mark| matches!(mark, Mark::Parallel { .. } | Mark::Vector))?;
    Ok(parallel.then(|| "a kernel in a parallel loop".to_owned()))
}

/// There is such a mark above a node.
fn is_below(node: &ScheduleNode, wanted: &dyn Fn(&Mark) -> bool) -> isl::Result<bool> {
    let mut node = node.clone();
    while node.has_parent()? {
        node = node.parent()?;
        if node.node_type()? == NodeType::Mark && mark_of(&node)?.as_ref().is_some_and(wanted) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The conflicting pairs of a scop, by array.
pub(crate) struct Conflicts {
    /// For each array `{ I -> I' }`: both touch one element, at least one writes it, `I` comes first originally.
    by_array: BTreeMap<String, UnionMap>,
    /// Those of them that must keep their order, where that is not all.
    ordered: BTreeMap<String, UnionMap>,
    /// The arrays with conflicts between instances that the original order leaves unordered.
    unordered: BTreeSet<String>,
}

impl Conflicts {
    /// The pairs by the original order; kills are no accesses.
    ///
    /// # Errors
    /// [`CheckError::Unsupported`] where the original order says nothing about some instance: a pair with it would be
    /// missing.
    pub fn of_scop(scop: &Scop) -> Result<Self, CheckError> {
        let root = scop.schedule.root()?;
        refuse_unknown_nodes(&root)?;
        let all = scop.domain()?.union(scop.kill_domain()?)?;
        if let Some(hole) = coverage::violations(&all, &scop.context, &root)?.first() {
            return Err(CheckError::Unsupported(format!("the original order: {hole}")));
        }
        let (mut by_array, mut ordered, mut unordered) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for array in &scop.arrays {
            let (read, written) = touched(scop, &array.name)?;
            if written.is_empty()? {
                continue;
            }
            let (writes, others) = conflicting_pairs(read, written)?;
            let pairs = writes.union(others.clone())?.union(others.reverse()?)?;
            let order = classify(pairs, &root, Parts { backward: false, ..Parts::ALL })?;
            by_array.insert(array.name.clone(), order.forward.coalesce()?);
            if !order.unordered.is_empty()? {
                unordered.insert(array.name.clone());
            }
            if let Some(pairs) = commuting::ordered(scop, array)? {
                ordered.insert(array.name.clone(), classify(pairs, &root, Parts::FORWARD)?.forward.coalesce()?);
            }
        }
        Ok(Conflicts { by_array, ordered, unordered })
    }

    /// The conflicts in terms of other instances, `{ N[j] }`, each of which is one of these: `{ N[j] -> I }`.
    pub fn pull_back(&self, instances: &UnionPwMultiAff, domain: &UnionSet) -> isl::Result<Self> {
        let pulled_back = |(array, pairs): (&String, &UnionMap)| {
            let pairs = pairs.clone().preimage_domain_union_pw_multi_aff(instances.clone())?;
            let pairs = pairs.preimage_range_union_pw_multi_aff(instances.clone())?;
            Ok((array.clone(), pairs.intersect_domain(domain.clone())?.intersect_range(domain.clone())?))
        };
        let by_array = self.by_array.iter().map(pulled_back).collect::<isl::Result<_>>()?;
        let ordered = self.ordered.iter().map(pulled_back).collect::<isl::Result<_>>()?;
        Ok(Conflicts { by_array, ordered, unordered: self.unordered.clone() })
    }

    /// The arrays with conflicts, by name.
    pub fn arrays(&self) -> Vec<String> {
        self.by_array.keys().cloned().collect()
    }

    /// The arrays of [`Conflicts::keep_order`].
    pub fn kept(&self, root: &ScheduleNode) -> isl::Result<BTreeSet<String>> {
        let mut kept = BTreeSet::new();
        for array in self.arrays() {
            if self.keep_order(&array, root)? {
                kept.insert(array);
            }
        }
        Ok(kept)
    }

    /// The pairs on an array.
    pub fn on(&self, array: &str) -> Option<&UnionMap> {
        self.by_array.get(array)
    }

    /// Whether the original order leaves conflicts on an array unordered.
    pub fn is_unordered(&self, array: &str) -> bool {
        self.unordered.contains(array)
    }

    /// Some updates of an array may change places.
    pub fn has_free(&self, array: &str) -> bool {
        self.ordered.contains_key(array)
    }

    /// All pairs on an array that the original order has, and that must keep it, keep their order in the tree, and none is without.
    pub fn keep_order(&self, array: &str, root: &ScheduleNode) -> isl::Result<bool> {
        let Some(pairs) = self.on(array) else { return Ok(true) };
        let Some(ordered) = self.ordered.get(array) else {
            let order = classify(pairs.clone(), root, Parts::TURNED)?;
            return Ok(order.backward.is_empty()? && order.unordered.is_empty()?);
        };
        let turned = classify(ordered.clone(), root, Parts::BACKWARD)?.backward;
        Ok(turned.is_empty()? && classify(pairs.clone(), root, Parts::UNORDERED)?.unordered.is_empty()?)
    }
}

/// What is read and what is written of an array, `{ I -> A[a] }` each; kills are no accesses.
fn touched(scop: &Scop, array: &str) -> isl::Result<(UnionMap, UnionMap)> {
    let read = accesses_to(scop, |access, name| name == array && access.kind == AccessKind::Read)?;
    let written = accesses_to(scop, |access, name| name == array && access.kind.is_write())?;
    Ok((read, written))
}

/// The pairs `{ I -> I' }` that touch one element, from `{ I -> A[a] }`: those whose both write it, and others whose
/// first does.
fn conflicting_pairs(read: UnionMap, written: UnionMap) -> isl::Result<(UnionMap, UnionMap)> {
    // An update reads what it writes: the pairs of its write are all there are.
    let read = read.subtract(written.clone())?;
    Ok((written.clone().apply_range(written.clone().reverse()?)?, written.apply_range(read.reverse()?)?))
}

/// Conflicts on shared storage between instances that the tree leaves unordered.
pub(super) fn unordered_conflicts(
    scop: &Scop,
    array: &str,
    storage: &Storage,
    alive: &UnionSet,
    root: &ScheduleNode,
) -> isl::Result<Vec<Violation>> {
    let (read, written) = touched(scop, array)?;
    let read = storage.place(array, read.intersect_domain(alive.clone())?)?;
    let written = storage.place(array, written.intersect_domain(alive.clone())?)?;
    // A pair without an order has none the other way round.
    let (writes, others) = conflicting_pairs(read, written)?;
    let unordered = classify(writes.union(others)?, root, Parts::UNORDERED)?.unordered;
    if unordered.is_empty()? {
        return Ok(Vec::new());
    }
    Ok(vec![Violation::of_pairs(Rule::Unordered, scop, array, &unordered, "")?])
}
