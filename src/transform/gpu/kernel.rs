//! The kernels of a tree.

use crate::isl::{DimType, Result, Schedule, ScheduleNode, Set, Space, UnionMap, UnionSet, Val};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{band_below, mark, point_members_above, tuple};

/// A kernel: what a GPU does between two points where the host can do something.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The statements with instances in it, in the order of their names.
    pub statements: Vec<String>,
    /// How many members its band has, and how many of them are coincident: none if it runs in one thread.
    pub members: (usize, usize),
    /// How many loops of the host are around it.
    pub host_loops: usize,
    /// The iterations of these loops in which it has instances, for all parameters: `{ [h] }`.
    launches: Set,
}

/// The kernels of a tree that [`super::select`] marked, in the order in which the tree has them.
///
/// # Errors
/// Those of isl.
pub fn kernels(tree: &Schedule) -> Result<Vec<Kernel>> {
    let mut found = Vec::new();
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        if mark(node)? != Some(Mark::Kernel) {
            return Ok(true);
        }
        found.push(Kernel::new(node)?);
        Ok(false)
    })?;
    Ok(found)
}

impl Kernel {
    fn new(node: &ScheduleNode) -> Result<Kernel> {
        let domain = node.domain()?;
        let mut statements = Vec::new();
        for set in domain.set_list()?.to_vec()? {
            statements.extend(set.tuple_name()?);
        }
        statements.sort();
        let coincident = band_below(node)?.map_or(Ok(Vec::new()), |band| band.band_coincident())?;
        let parallel = coincident.iter().filter(|flag| **flag).count();
        let (host_loops, launches) = launches(node, domain)?;
        Ok(Kernel { statements, members: (coincident.len(), parallel), host_loops, launches })
    }

    /// How often the kernel is launched at parameter values, which are all there have to be: once for each iteration of
    /// the loops around it that has an instance. `None` if that is more than `limit` times.
    ///
    /// # Errors
    /// Those of isl, such as a quota that ran out.
    pub fn launch_count(&self, parameters: &dyn Fn(&str) -> Option<i64>, limit: usize) -> Result<Option<usize>> {
        let mut set = self.launches.clone();
        for (position, name) in set.space()?.dim_names(DimType::Param)?.iter().enumerate() {
            if let Some(value) = parameters(name) {
                let value = Val::int(set.ctx(), value)?;
                set = set.fix_val(DimType::Param, position, value)?;
            }
        }
        let named = set.dim(DimType::Param)?;
        let set = set.project_out(DimType::Param, 0, named)?;
        Ok(set.points(limit)?.map(|points| points.len()))
    }
}

/// The loops around a node: how many, and their iterations `{ [h] }` in which there are instances.
fn launches(node: &ScheduleNode, domain: UnionSet) -> Result<(usize, Set)> {
    let members = point_members_above(node)?;
    if members.is_empty() {
        let params = domain.params()?;
        let space = params.space()?.add_unnamed_tuple_ui(0)?;
        return Ok((0, Set::universe(space)?.intersect_params(params)?));
    }
    let host = UnionMap::from_multi_union_pw_aff(tuple(domain.ctx(), &members)?)?;
    let none = Set::empty(Space::unit(node.ctx())?.add_unnamed_tuple_ui(members.len())?)?;
    let sets = domain.apply(host)?.set_list()?.to_vec()?;
    Ok((members.len(), sets.into_iter().try_fold(none, Set::union)?.coalesce()?))
}
