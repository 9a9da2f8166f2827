//! What comes before and after a part of a region's order.

use crate::isl::{self, DimType, Map, MultiUnionPwAff, NodeType, Schedule, ScheduleNode, Set, UnionMap};

/// Instances that come before all of a statement's instances with the same values of its outermost iterators, and others that
/// come after.
pub(super) struct Around<'a> {
    /// The instances of the statement: `{ T[i] }`.
    pub instances: &'a Set,
    /// How many of its iterators count.
    pub depth: usize,
    /// Those before, each with the instances that it is before: `{ T[i] -> X[x] }`.
    pub before: &'a Map,
    /// The order of those before.
    pub first: &'a Schedule,
    /// Those after, likewise.
    pub after: &'a Map,
    /// The order of those after.
    pub last: &'a Schedule,
}

impl Around<'_> {
    /// The order of a region with these; `None` where it is none of loops and sequences, or no loop has all of the statement's
    /// instances with the same outermost iterators.
    ///
    /// # Errors
    /// Those of isl.
    pub fn inserted(&self, order: &Schedule) -> isl::Result<Option<Schedule>> {
        self.rebuilt(order.root()?.first_child()?, 0)
    }

    /// The order under a node that has so many of the statement's outermost iterators fixed.
    fn rebuilt(&self, node: ScheduleNode, fixed: usize) -> isl::Result<Option<Schedule>> {
        let space = self.instances.space()?;
        if node.domain()?.extract_set(space)?.is_empty()? {
            return copied(node);
        }
        match node.node_type()? {
            NodeType::Filter => self.rebuilt(node.first_child()?, fixed),
            NodeType::Sequence => self.in_sequence(&node, fixed),
            NodeType::Band if fixed < self.depth => self.in_band(node, fixed),
            NodeType::Band | NodeType::Leaf if fixed == self.depth => {
                let Some(inner) = copied(node)? else { return Ok(None) };
                Ok(Some(self.first.clone().sequence(inner)?.sequence(self.last.clone())?))
            }
            _ => Ok(None),
        }
    }

    fn in_sequence(&self, node: &ScheduleNode, fixed: usize) -> isl::Result<Option<Schedule>> {
        let mut all = Vec::new();
        let mut has_it = false;
        for child in node.children()? {
            // What reaches a filter has not passed it.
            let child = child.first_child()?;
            let is_here = !child.domain()?.extract_set(self.instances.space()?)?.is_empty()?;
            if is_here && has_it {
                return Ok(None);
            }
            has_it |= is_here;
            let Some(part) = self.rebuilt(child, fixed)? else { return Ok(None) };
            all.push(part);
        }
        in_sequence(all)
    }

    fn in_band(&self, mut node: ScheduleNode, fixed: usize) -> isl::Result<Option<Schedule>> {
        if node.band_n_member()? == 0 {
            return Ok(None);
        }
        if node.band_n_member()? > 1 {
            node = node.band_split(1)?;
        }
        let own = node.band_partial_schedule_union_map()?.intersect_domain(node.domain()?)?;
        let member = own.clone().intersect_domain(self.instances.clone().to_union_set()?)?;
        let Some(fixed) = self.fixed_by(&member, fixed)? else { return Ok(None) };
        let Some(inner) = self.rebuilt(node.first_child()?, fixed)? else { return Ok(None) };
        let mut all = own;
        for map in [self.before, self.after] {
            let map = map.clone().to_union_map()?;
            all = all.union(map.reverse()?.apply_range(member.clone())?)?;
        }
        if !all.is_single_valued()? {
            return Ok(None);
        }
        banded(inner, all)
    }

    /// How many iterators are fixed below a loop `{ T[i] -> [m] }`; `None` where that is not known.
    fn fixed_by(&self, member: &UnionMap, fixed: usize) -> isl::Result<Option<usize>> {
        let outer = |count: usize| -> isl::Result<UnionMap> {
            let all = self.instances.clone().identity()?;
            let rank = self.instances.dim(DimType::SET)?;
            all.project_out(DimType::Out, count, rank - count)?.to_union_map()
        };
        // { [i'] -> [m] }
        let is_function = |count: usize| outer(count)?.reverse()?.apply_range(member.clone())?.is_single_valued();
        if is_function(fixed)? {
            return Ok(Some(fixed));
        }
        let next = fixed + 1;
        let tells = outer(fixed)?.range_product(member.clone())?.reverse()?.apply_range(outer(next)?)?;
        Ok((is_function(next)? && tells.is_single_valued()?).then_some(next))
    }
}

/// The order under a node.
fn copied(node: ScheduleNode) -> isl::Result<Option<Schedule>> {
    match node.node_type()? {
        NodeType::Leaf => Schedule::from_domain(node.domain()?).map(Some),
        NodeType::Filter => copied(node.first_child()?),
        NodeType::Sequence => {
            let mut all = Vec::new();
            for child in node.children()? {
                let Some(part) = copied(child.first_child()?)? else { return Ok(None) };
                all.push(part);
            }
            in_sequence(all)
        }
        NodeType::Band => {
            let Some(inner) = copied(node.clone().first_child()?)? else { return Ok(None) };
            let own = node.band_partial_schedule_union_map()?.intersect_domain(node.domain()?)?;
            banded(inner, own)
        }
        _ => Ok(None),
    }
}

/// An order within loops `{ S[i] -> [m] }`.
fn banded(inner: Schedule, members: UnionMap) -> isl::Result<Option<Schedule>> {
    let members = members.gist_domain(inner.domain()?)?;
    inner.insert_partial_schedule(MultiUnionPwAff::from_union_map(members)?).map(Some)
}

fn in_sequence(all: Vec<Schedule>) -> isl::Result<Option<Schedule>> {
    let whole = all.into_iter().map(Ok).reduce(|one, next| one?.sequence(next?));
    whole.transpose()
}
