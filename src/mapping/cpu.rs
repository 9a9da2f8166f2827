//! Loops for the cores and the vector units of a CPU.

use super::conflicts::{Conflicts, Loop};
use crate::dependence::Dependences;
use crate::isl::{NodeType, Result, Schedule, ScheduleNode};
use crate::scop::Scop;
use crate::tree::Mark;
use crate::tree::band::{Band, has_band_below, insert_mark, marks_above, position};
use crate::tree::sink::{needs_conditions, parts, sink_last};

/// What the mapper may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Make loops parallel.
    pub parallel: bool,
    /// Mark innermost loops that carry nothing.
    pub vector: bool,
    /// Leave a loop sequential that has no loop in it and runs many times inside sequential loops: it does too little
    /// work each time to pay for starting threads.
    pub profitability: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { parallel: true, vector: true, profitability: true }
    }
}

/// Decides which loops run in parallel and which may be vectorized, and marks them.
///
/// On every way from the root to a leaf at most one member becomes parallel: the outermost one that is coincident and
/// whose iterations do not conflict on memory, but for arrays that get private copies. Its band is split so that it
/// comes first, and gets [`Mark::Parallel`]; split bands keep their tile or point marks. The last member of an innermost
/// band gets [`Mark::Vector`] when its iterations do not conflict on anything at all; it need not be coincident, which
/// says more: that nothing is carried even where the members before it differ.
///
/// Where the statements in an innermost loop are not executed at the same times, so that the loop would have conditions
/// in it, the loop is distributed over them if their conflicts allow it: loops without conditions become vectors.
pub fn cpu(scop: &Scop, dependences: &Dependences, schedule: &Schedule, options: Options) -> Result<Schedule> {
    let mapper = Mapper { conflicts: Conflicts::new(scop, dependences)?, options };
    mapper.visit(schedule.root()?, !options.parallel, false)?.schedule()
}

struct Mapper {
    conflicts: Conflicts,
    options: Options,
}

impl Mapper {
    /// Marks the subtree at a node. `mapped`: a loop above is parallel already, or none shall be. `nested`: a
    /// sequential loop is above.
    fn visit(&self, node: ScheduleNode, mapped: bool, nested: bool) -> Result<ScheduleNode> {
        let depth = node.tree_depth()?;
        let (mut node, mut mapped, mut nested) = (node, mapped, nested);
        if node.node_type()? == NodeType::Band && node.band_n_member()? > 0 {
            let distribute = self.is_distributable(&node)?;
            let vector = self.options.vector && !distribute && self.is_vector(&node)?;
            let mut first = 0;
            if !mapped && let Some((member, private)) = self.parallel_member(&node, nested)? {
                node = insert_mark(split(node, member)?, &Mark::Parallel { private })?.first_child()?;
                mapped = true;
                first = 1;
            }
            if vector {
                node = insert_mark(node, &Mark::Vector)?.first_child()?;
            }
            if distribute && node.band_n_member()? > first {
                node = sink_last(node)?;
            }
            nested = true;
        }
        for i in 0..node.n_children()? {
            node = self.visit(node.child(position(i)?)?, mapped, nested)?.parent()?;
        }
        let up = node.tree_depth()? - depth;
        node.ancestor(position(up)?)
    }

    /// The first member of a band that can run in parallel, and the arrays that need private copies.
    fn parallel_member(&self, node: &ScheduleNode, nested: bool) -> Result<Option<(usize, Vec<String>)>> {
        let band = Band::read(node)?;
        let innermost = !has_band_below(node)?;
        for member in (0..band.members.len()).filter(|i| band.coincident[*i]) {
            let is_last = innermost && member + 1 == band.members.len();
            if self.options.profitability && is_last && (nested || member > 0) {
                continue;
            }
            let member_loop = Loop::new(node, &band.members, member)?;
            if let Some(private) = self.private_copies(&member_loop)? {
                return Ok(Some((member, private)));
            }
        }
        Ok(None)
    }

    /// The arrays that need private copies so that the iterations of a loop do not conflict; `None` where that does
    /// not help.
    fn private_copies(&self, member_loop: &Loop) -> Result<Option<Vec<String>>> {
        let mut private = Vec::new();
        for carried in self.conflicts.carried(member_loop)? {
            if !carried.is_private(member_loop)? {
                return Ok(None);
            }
            private.push(carried.array().to_owned());
        }
        Ok(Some(private))
    }

    /// The statements in an innermost loop need conditions in it, and the loop may as well be executed for one after the
    /// other.
    fn is_distributable(&self, node: &ScheduleNode) -> Result<bool> {
        let parts = parts(node)?;
        if parts.len() < 2 || has_band_below(node)? || !needs_conditions(node)? {
            return Ok(false);
        }
        let members = Band::read(node)?.members;
        self.conflicts.allow_distribution(&Loop::new(node, &members, members.len() - 1)?, &parts)
    }

    /// The last member of a band carries nothing, and no loop is inside it.
    fn is_vector(&self, node: &ScheduleNode) -> Result<bool> {
        let band = Band::read(node)?;
        let last = band.members.len() - 1;
        if has_band_below(node)? {
            return Ok(false);
        }
        Ok(self.conflicts.carried(&Loop::new(node, &band.members, last)?)?.is_empty())
    }
}

/// Splits a band so that a member comes first in a band of its own right; the result is at that band, under marks that
/// repeat what the whole band is.
fn split(node: ScheduleNode, member: usize) -> Result<ScheduleNode> {
    if member == 0 {
        return Ok(node);
    }
    let kinds: Vec<Mark> =
        marks_above(&node)?.into_iter().filter(|mark| matches!(mark, Mark::Tile | Mark::Point)).collect();
    let mut node = node.band_split(position(member)?)?.first_child()?;
    for mark in kinds {
        node = insert_mark(node, &mark)?.first_child()?;
    }
    Ok(node)
}
