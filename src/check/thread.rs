//! Which thread of a kernel executes an instance, as the marks of a tree say it.
//!
//! The members under a mark `grid` or `threads` say in which block and thread an instance runs: equal values of all of
//! them are the same thread; of different values nothing is taken for granted here. An instance that a mark does not
//! reach is not in the same thread as one that it does.

use crate::isl::{self, MultiUnionPwAff, NodeType, ScheduleNode, UnionMap, UnionSet};
use crate::nodes::{band_below, mark_of};
use polyrs_model::Mark;

/// One mark `grid` or `threads`.
pub(crate) struct Assignment {
    /// The instances under it: `{ S[i] }`.
    pub domain: UnionSet,
    /// The members that it assigns: `{ S[i] -> [v] }`.
    pub members: MultiUnionPwAff,
    /// It assigns them to blocks; to threads of a block otherwise.
    pub is_grid: bool,
    /// How many blocks or threads it says there are for each member, x last; 0 for one of its own for each value.
    pub sizes: Vec<u32>,
}

impl Assignment {
    /// The position of the member along an axis, counted from x; `None` if it has not so many.
    pub fn axis(&self, from_x: usize) -> Option<usize> {
        self.sizes.len().checked_sub(from_x + 1)
    }
}

/// The assignments in a kernel.
pub(crate) struct Threads {
    /// One for each mark, outermost first.
    pub assignments: Vec<Assignment>,
}

impl Threads {
    /// Reads the marks below a kernel's. Marks without the members that they speak of are an error of the caller's, who
    /// refuses such trees.
    pub fn of_kernel(kernel: &ScheduleNode) -> isl::Result<Threads> {
        let mut assignments = Vec::new();
        kernel.for_each_descendant_top_down(&mut |node| {
            if node.node_type()? == NodeType::Mark
                && let Some(mark) = mark_of(node)?
                && let Some(sizes) = mark.axes()
                && let Some(band) = band_below(node)?
            {
                let (partial, size) = (band.band_partial_schedule()?, band.band_n_member()?);
                let sizes = sizes[..sizes.len().min(size)].to_vec();
                let members = partial.drop_dims(isl::DimType::SET, sizes.len(), size - sizes.len())?;
                let is_grid = matches!(mark, Mark::Grid { .. });
                assignments.push(Assignment { domain: band.domain()?, members, is_grid, sizes });
            }
            Ok(true)
        })?;
        Ok(Threads { assignments })
    }

    /// The pairs `{ I -> I' }` of instances of the kernel that surely run in the same thread.
    pub fn same(&self, pairs: UnionMap) -> isl::Result<UnionMap> {
        let mut same = pairs;
        for Assignment { domain, members, .. } in &self.assignments {
            let inside = same.clone().intersect_domain(domain.clone())?.intersect_range(domain.clone())?;
            let outside = same.subtract_domain(domain.clone())?.subtract_range(domain.clone())?;
            same = inside.eq_at(members.clone())?.union(outside)?;
        }
        Ok(same)
    }
}

/// How many members a mark assigns to blocks or threads; `None` at other nodes.
pub(crate) fn axes(node: &ScheduleNode) -> isl::Result<Option<usize>> {
    if node.node_type()? != NodeType::Mark {
        return Ok(None);
    }
    Ok(mark_of(node)?.as_ref().and_then(Mark::axes).map(<[u32]>::len))
}
