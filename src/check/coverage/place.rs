//! Each instance of a kernel is executed where the marks of the tree say.
//!
//! The legality of a tree takes for granted that instances with the same values of all members under marks `grid` and
//! `threads` are in one thread ([`Threads::same`]), and others in a kernel at all. So each number of a block or thread
//! has to be that of one member for the instance, its value or the value's remainder by a constant, and 0 for what no
//! mark assigns along the axis.

use super::read::{Number, Site};
use crate::isl::{self, DimType, Map, MultiUnionPwAff, Schedule, Set, UnionMap, UnionSet};
use crate::legality::sample_instance;
use crate::nodes::mark_of;
use crate::thread::{Assignment, Threads};
use crate::translation_validation::ValidationError;
use polyrs_model::Mark;

/// Compares the places of calls with the tree's marks.
///
/// # Errors
/// [`ValidationError::Place`] with an example, and those of isl.
pub(super) fn check_places(kernels: &Kernels, sites: &[Site]) -> Result<(), ValidationError> {
    for site in sites {
        // { N[c] -> S[i] }
        let executed = site.executed.clone().to_union_map()?;
        let Some(numbers) = &site.kernel else {
            refuse(&executed.intersect_range(kernels.domain.clone())?)?;
            continue;
        };
        refuse(&executed.clone().subtract_range(kernels.domain.clone())?)?;
        for (is_grid, along) in [(true, &numbers.blocks), (false, &numbers.threads)] {
            for (from_x, number) in along.iter().rev().enumerate() {
                let assignments = kernels.assignments.iter().filter(|one| one.is_grid == is_grid);
                check_number(site, number, assignments.filter_map(|one| Some((one, one.axis(from_x)?))))?;
            }
        }
    }
    Ok(())
}

/// The kernels of a tree.
pub(super) struct Kernels {
    /// The instances in them: `{ S[i] }`
    pub domain: UnionSet,
    assignments: Vec<Assignment>,
}

impl Kernels {
    /// Reads a tree.
    pub fn of_tree(tree: &Schedule) -> isl::Result<Self> {
        let mut kernels = Kernels { domain: UnionSet::empty(tree.domain()?.space()?)?, assignments: Vec::new() };
        tree.root()?.for_each_descendant_top_down(&mut |node| {
            if node.node_type()? != isl::NodeType::Mark || mark_of(node)? != Some(Mark::Kernel) {
                return Ok(true);
            }
            kernels.domain = kernels.domain.clone().union(node.domain()?)?;
            kernels.assignments.extend(Threads::of_kernel(node)?.assignments);
            Ok(false)
        })?;
        Ok(kernels)
    }
}

/// A number along an axis at a call is what one of the assignments to the axis says, each given with the position of
/// its member.
fn check_number<'a>(
    site: &Site,
    number: &Number,
    assignments: impl Iterator<Item = (&'a Assignment, usize)>,
) -> Result<(), ValidationError> {
    // { N[c] -> S[i] }
    let mut rest = site.executed.clone().to_union_map()?;
    for (assignment, member) in assignments {
        let here = rest.clone().intersect_range(assignment.domain.clone())?;
        if here.is_empty()? {
            continue;
        }
        rest = rest.subtract_range(assignment.domain.clone())?;
        // { S[i] -> [v] }
        let position = i32::try_from(member).unwrap_or(i32::MAX);
        let values = MultiUnionPwAff::from_union_pw_aff(assignment.members.at(position)?)?;
        let values = UnionMap::from_multi_union_pw_aff(values)?;
        // { N[c] -> [v] }
        let wanted = wanted(site, number, assignment.sizes[member])?.to_union_map()?;
        let wrong = here.clone().apply_range(values)?.subtract(wanted)?;
        refuse(&here.intersect_domain(wrong.domain()?)?)?;
    }
    let first = universe(site)?.fix_si(DimType::SET, number.position, 0)?;
    refuse(&rest.subtract_domain(first.to_union_set()?)?)
}

/// The calls for a value of a member whose number along an axis is right: `{ N[c] -> [v] }`. `size` is what the mark
/// says; 0 where each value has a number of its own.
fn wanted(site: &Site, number: &Number, size: u32) -> isl::Result<Map> {
    let iterators: Vec<String> = (0..site.executed.dim(DimType::In)?).map(|position| format!("c{position}")).collect();
    let modulus = match (number.most, i64::from(size)) {
        (None, _) => None,
        (Some(most), 0) => Some(most),
        (Some(most), size) => Some(size.min(most)),
    };
    let remainder = modulus.map(|modulus| format!(" mod {modulus}")).unwrap_or_default();
    let name = site.executed.tuple_name(DimType::In)?.unwrap_or_default();
    let (all, one) = (iterators.join(", "), &iterators[number.position]);
    Map::parse(site.executed.ctx(), &format!("{{ {name}[{all}] -> [v] : {one} = v{remainder} }}"))
}

/// All values of the iterators of a call: `{ N[c] }`
fn universe(site: &Site) -> isl::Result<Set> {
    Set::universe(site.executed.clone().domain()?.space()?)
}

/// There are no such executions: `{ N[c] -> S[i] }`
fn refuse(executed: &UnionMap) -> Result<(), ValidationError> {
    match sample_instance(&executed.clone().range()?)? {
        Some(example) => Err(ValidationError::Place(example)),
        None => Ok(()),
    }
}
