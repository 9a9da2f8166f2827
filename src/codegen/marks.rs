//! Marks tied to the depth of the loop that they speak of.
//!
//! isl leaves out loops with one iteration, so the loop right below a mark in its AST may belong to a deeper band
//! member, which must not inherit the decision. A decision therefore names the depth of its member in the tree.

use crate::footprint::{Footprint, fitting, footprints, packed};
use crate::isl::{self, AstLoopType, NodeType, UnionPwAff};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, band_below, mark, position};
use crate::scop::Scop;

/// A decision about the loop of one band member.
#[derive(Debug, Clone)]
pub(super) enum Decision {
    /// The member at this schedule depth runs in parallel, with private copies of the named arrays.
    Parallel { depth: usize, private: Vec<String> },
    /// The member at this schedule depth carries no dependence.
    Vector { depth: usize },
    /// The subtree is a kernel: its number in the order of the tree.
    Kernel(usize),
    /// The members at these schedule depths go over the points of a block.
    Block { depths: std::ops::Range<usize> },
    /// Members are for blocks or threads.
    Assigned(Assigned),
    /// Tiles of these are copied, to shared memory or packed; the first of them by this number.
    Copied { first: usize, footprints: Vec<Footprint> },
}

/// What blocks or threads count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blocks,
    Threads,
}

/// Members that are for blocks or threads.
#[derive(Debug, Clone)]
pub(super) struct Assigned {
    pub kind: Kind,
    /// The schedule depth of the first one.
    pub depth: usize,
    /// For each member, x last, the number of its axis; 0 for one of its own for each value.
    pub sizes: Vec<u32>,
    /// The values, `{ S[i] -> [(v)] }` for each member.
    pub members: Vec<UnionPwAff>,
}

impl Decision {
    /// Iterations have copies of their own.
    pub(super) fn has_private(&self) -> bool {
        matches!(self, Decision::Parallel { private, .. } if !private.is_empty())
    }
}

const PREFIX: &str = "polyrs-decision-";

/// Replaces every mark by the position of its decision in the list returned; marks without one disappear.
///
/// A loop with private copies is kept in one piece, so that all of an iteration finds the same copy.
pub(super) fn tie_to_depths(
    scop: &Scop,
    schedule: isl::Schedule,
    iterators: &[String],
) -> isl::Result<(isl::Schedule, Vec<Decision>)> {
    let mut decisions = Vec::new();
    let (mut kernels, mut tiles) = (0, 0);
    let mut copied = copied(scop, &schedule, iterators)?.into_iter();
    let root = schedule.root()?.map_descendant_bottom_up(&mut |node| {
        if node.node_type()? != NodeType::Mark {
            return Ok(node);
        }
        let mut decision = decision_of(&node)?;
        match &mut decision {
            Some(Decision::Kernel(number)) => (*number, kernels) = (kernels, kernels + 1),
            Some(Decision::Copied { first, footprints }) => {
                *footprints = copied.next().unwrap_or_default();
                (*first, tiles) = (tiles, tiles + footprints.len());
            }
            _ => {}
        }
        let node = node.delete()?;
        match decision {
            None => Ok(node),
            Some(decision) => {
                let node = if decision.has_private() { in_one_piece(node, 1)? } else { node };
                let id = isl::Id::new(node.ctx(), &format!("{PREFIX}{}", decisions.len()))?;
                decisions.push(decision);
                node.insert_mark(id)
            }
        }
    })?;
    Ok((root.schedule()?, decisions))
}

/// Asks for one loop for each of the first members of the band at or below a node, under marks and filters.
pub(super) fn in_one_piece(node: isl::ScheduleNode, members: usize) -> isl::Result<isl::ScheduleNode> {
    let (mut band, mut depth) = (node, 0);
    while matches!(band.node_type()?, NodeType::Mark | NodeType::Filter) {
        band = band.first_child()?;
        depth += 1;
    }
    let atomic =
        |band: isl::ScheduleNode, member| band.band_member_set_ast_loop_type(position(member)?, AstLoopType::Atomic);
    (0..members).try_fold(band, atomic)?.ancestor(depth)
}

/// The decision that a mark in isl's AST stands for.
pub(super) fn lookup<'d>(decisions: &'d [Decision], mark: &isl::Id) -> isl::Result<Option<&'d Decision>> {
    let name = mark.name()?.unwrap_or_default();
    Ok(name.strip_prefix(PREFIX).and_then(|n| n.parse::<usize>().ok()).and_then(|n| decisions.get(n)))
}

/// What is copied below each mark that says so, in the order in which the marks are rewritten: children come first.
fn copied(scop: &Scop, schedule: &isl::Schedule, iterators: &[String]) -> isl::Result<Vec<Vec<Footprint>>> {
    let mut all = Vec::new();
    schedule.root()?.map_descendant_bottom_up(&mut |node| {
        let below = || node.clone().first_child();
        match mark(&node)? {
            Some(Mark::Shared) => all.push(fitting(scop, footprints(scop, &below()?, iterators)?)),
            Some(Mark::Packed { arrays }) => all.push(packed(scop, &below()?, iterators, &arrays)?),
            _ => {}
        }
        Ok(node)
    })?;
    Ok(all)
}

/// What a mark says of the band right below it (further marks between are passed over); `None` where there is no band,
/// which leaves the code sequential.
fn decision_of(node: &isl::ScheduleNode) -> isl::Result<Option<Decision>> {
    let depth = node.schedule_depth()?;
    let mark = node.mark_id()?.name()?.and_then(|name| name.parse::<Mark>().ok());
    let members = band_below(node)?.map_or(Ok(0), |band| band.band_n_member())?;
    Ok(match mark {
        Some(Mark::Parallel { private }) if members > 0 => Some(Decision::Parallel { depth, private }),
        Some(Mark::Vector) if members > 0 => Some(Decision::Vector { depth: depth + members - 1 }),
        Some(Mark::Kernel) => Some(Decision::Kernel(0)),
        Some(Mark::Block | Mark::Staggered) if members > 0 => Some(Decision::Block { depths: depth..depth + members }),
        Some(Mark::Shared | Mark::Packed { .. }) => Some(Decision::Copied { first: 0, footprints: Vec::new() }),
        Some(Mark::Grid { sizes }) => Some(Decision::Assigned(assigned(node, Kind::Blocks, sizes)?)),
        Some(Mark::Threads { sizes }) => Some(Decision::Assigned(assigned(node, Kind::Threads, sizes)?)),
        _ => None,
    })
}

/// What a mark `grid` or `threads` says.
fn assigned(node: &isl::ScheduleNode, kind: Kind, sizes: Vec<u32>) -> isl::Result<Assigned> {
    Ok(Assigned { kind, depth: node.schedule_depth()?, sizes, members: members_below(node)? })
}

/// The members of the band right below a mark; none where there is no band.
pub(super) fn members_below(node: &isl::ScheduleNode) -> isl::Result<Vec<UnionPwAff>> {
    let Some(band) = band_below(node)? else { return Ok(Vec::new()) };
    let domain = band.domain()?;
    Band::read(&band)?.members.into_iter().map(|member| member.intersect_domain(domain.clone())).collect()
}
