//! How far outside the first parallel loop around each statement is.

use super::Result;
use polyrs::cost::next_along;
use polyrs::isl::{NodeType, Schedule, ScheduleConstraints, UnionPwAff, UnionSet};
use polyrs::schedule_tree::{Band, is_over_tiles};
use polyrs::scop::{Scop, StatementId};
use polyrs::transform::wavefront_of_points;
use std::collections::BTreeMap;

/// For each statement with loops, how many of them are around the outermost one that can run in parallel. None: no loop
/// can.
pub type Depths = BTreeMap<StatementId, Option<usize>>;

/// Looks for coincident members, and for those that a wavefront of one degree makes coincident.
///
/// Loops are the members that vary for the statement while those outside are fixed. In a wavefront, the sum is one of
/// them.
///
/// # Errors
/// Those of isl.
pub fn parallel_depths(scop: &Scop, tree: &Schedule, constraints: &ScheduleConstraints) -> Result<Depths> {
    let skewed = wavefront_of_points(tree, constraints, 1)?;
    let mut depths = Depths::new();
    let mut open = vec![(skewed.root()?, Vec::new())];
    while let Some((node, mut path)) = open.pop() {
        match node.node_type()? {
            NodeType::Leaf => {
                let reached = node.domain()?;
                for (index, statement) in scop.statements.iter().enumerate().filter(|(_, s)| !s.is_kill()) {
                    let domain = statement.domain.clone().to_union_set()?.intersect(reached.clone())?;
                    let loops = loops(&domain.affine_hull()?, &path)?;
                    if !loops.is_empty() {
                        depths.insert(StatementId(index), loops.iter().position(|coincident| *coincident));
                    }
                }
                continue;
            }
            NodeType::Band if !is_over_tiles(&node)? => {
                let band = Band::read(&node)?;
                path.extend(band.members.into_iter().zip(band.coincident));
            }
            _ => {}
        }
        open.extend(node.children()?.into_iter().map(|child| (child, path.clone())));
    }
    Ok(depths)
}

/// Whether each member that is a loop for the instances of a statement is coincident.
fn loops(domain: &UnionSet, path: &[(UnionPwAff, bool)]) -> Result<Vec<bool>> {
    let mut loops = Vec::new();
    if domain.is_empty()? {
        return Ok(loops);
    }
    let members: Vec<UnionPwAff> = path.iter().map(|(member, _)| member.clone()).collect();
    for (position, (member, coincident)) in path.iter().enumerate() {
        if next_along(domain, &members[..position], member)?.is_some() {
            loops.push(*coincident);
        }
    }
    Ok(loops)
}
