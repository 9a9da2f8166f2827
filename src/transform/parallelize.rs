//! Loops for the cores and the vector units of a CPU.

use super::conflicts::{Conflicts, Loop};
use super::distribute::{Body, body, distribute, distribute_block};
use super::work::most_work;
use crate::cost::block_size::Values;
use crate::dependence::Dependences;
use crate::isl::{NodeType, Result, Schedule, ScheduleNode};
use crate::machine::Machine;
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{
    Band, has_band_below, insert_mark, is_inside, is_over_tiles, loops_below, mark, marks_above, position, tile_length,
};
use crate::scop::{Array, ArrayKind, Scop};
use std::cell::Cell;

/// As many tiles for each core are enough, so that the last ones to be done hardly count.
const ENOUGH: u64 = 8;

/// How many values a member over tiles has whose bounds are not known.
const ASSUMED: u64 = 1024;

/// What the mapper may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Make loops parallel.
    pub parallel: bool,
    /// Mark innermost loops that carry nothing, and distribute others to get such loops.
    pub vector: bool,
    /// Leave a loop sequential that runs many times and does too little work each time to pay for starting threads:
    /// that is inside of as many sequential loops as there are loops of work in it, itself among them. Loops over tiles
    /// do not count: they run seldom, and their work is that of the loops over points. Leave a loop sequential, too,
    /// whose work is known and too little for the machine's threads ([`Machine::pays_for_threads`]).
    pub profitability: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { parallel: true, vector: true, profitability: true }
    }
}

/// What the mapper made of a tree.
#[derive(Debug, Clone)]
pub struct Mapped {
    /// The tree with its marks.
    pub tree: Schedule,
    /// Some loop could run in parallel, but has too little work to pay for starting threads.
    pub too_little_work: bool,
}

/// Decides which loops run in parallel and which may be vectorized, and marks them.
///
/// On every way from the root to a leaf at most one member becomes parallel: the outermost one that is coincident and
/// whose iterations do not conflict on memory, but for arrays that get private copies. Its band is split so that it
/// comes first, and gets [`Mark::Parallel`]; split bands keep their tile or point marks. Where there are few tiles along it,
/// the next member becomes parallel with it. The last member of an
/// innermost band gets [`Mark::Vector`] when its iterations do not conflict on anything at all; it need not be
/// coincident, which says more: that nothing is carried even where the members before it differ.
///
/// An innermost loop is distributed over the statements in it where that makes vector loops without conditions in them
/// and turns no conflict round. The loops over a block for registers are distributed over groups of statements, as
/// small as they can be without turning a conflict round.
pub fn cpu(
    scop: &Scop,
    dependences: &Dependences,
    schedule: &Schedule,
    options: Options,
    machine: &Machine,
) -> Result<Mapped> {
    cpu_with(scop, &Conflicts::new(scop, dependences)?, schedule, options, machine)
}

/// [`cpu()`] for one of several trees, with the conflicts that are the same for all.
///
/// # Errors
/// Those of isl.
pub fn cpu_with(
    scop: &Scop,
    conflicts: &Conflicts,
    schedule: &Schedule,
    options: Options,
    machine: &Machine,
) -> Result<Mapped> {
    let mapper = Mapper { conflicts, options, scop, machine, too_little_work: Cell::new(false) };
    let tree = mapper.visit(schedule.root()?, !options.parallel, 0)?.schedule()?;
    Ok(Mapped { tree, too_little_work: mapper.too_little_work.get() })
}

struct Mapper<'a> {
    conflicts: &'a Conflicts,
    options: Options,
    scop: &'a Scop,
    machine: &'a Machine,
    /// What [`Mapped::too_little_work`] says.
    too_little_work: Cell<bool>,
}

impl Mapper<'_> {
    /// Marks the subtree at a node. `mapped`: a loop above is parallel already, or none shall be. `outside`: the
    /// number of sequential loops above.
    fn visit(&self, node: ScheduleNode, mapped: bool, outside: usize) -> Result<ScheduleNode> {
        let depth = node.tree_depth()?;
        let (mut node, mut mapped, mut outside) = (node, mapped, outside);
        // What is left of tiles, and pivots, are few instances in each of many runs.
        mapped |= self.options.profitability && mark(&node)? == Some(Mark::Rest);
        if self.options.vector && mark(&node)? == Some(Mark::Block) {
            node = distribute_block(self.conflicts, node)?;
        }
        if node.node_type()? == NodeType::Band && node.band_n_member()? > 0 {
            let body = self.body(&node)?;
            let members = if is_over_tiles(&node)? { 0 } else { node.band_n_member()? };
            let mut first = 0;
            if !mapped && let Some((member, private)) = self.parallel_member(&node, outside)? {
                let is_shared = self.shares_next(&node, member, &private)?;
                let parallel = Mark::Parallel { private };
                node = insert_mark(split(node, member)?, &parallel)?.first_child()?;
                if is_shared {
                    node = insert_mark(split(node, 1)?, &parallel)?.first_child()?;
                }
                mapped = true;
                first = 1;
            }
            node = match body {
                Body::Vector => insert_mark(node, &Mark::Vector)?.first_child()?,
                Body::Distribute(sequence) if node.band_n_member()? > first => distribute(node, sequence)?,
                Body::Distribute(_) | Body::Keep => node,
            };
            outside += members;
        }
        for i in 0..node.n_children()? {
            node = self.visit(node.child(position(i)?)?, mapped, outside)?.parent()?;
        }
        let up = node.tree_depth()? - depth;
        let node = node.ancestor(position(up)?)?;
        if is_idle(&node)? { node.delete() } else { Ok(node) }
    }

    /// The first member of a band that can run in parallel, and the arrays that need private copies.
    fn parallel_member(&self, node: &ScheduleNode, outside: usize) -> Result<Option<(usize, Vec<String>)>> {
        let band = Band::read(node)?;
        let (below, tiles) = (loops_below(node)?, is_over_tiles(node)?);
        for member in (0..band.members.len()).filter(|i| band.coincident[*i]) {
            let (before, work) = match tiles {
                true => (outside, below),
                false => (outside + member, band.members.len() - member + below),
            };
            if self.options.profitability && before >= work {
                continue;
            }
            let member_loop = Loop::new(node, &band.members, member)?;
            let Some(private) = self.private_copies(&member_loop)? else { continue };
            if self.options.profitability && !self.pays(&member_loop)? {
                self.too_little_work.set(true);
                continue;
            }
            return Ok(Some((member, private)));
        }
        Ok(None)
    }

    /// The threads that share tiles along a member of a band share those along the next one as well: there are too few along the first
    /// for all threads to have as much to do, and iterations of the second need copies of nothing else, of which there is one element.
    /// Fronts stay as they are, whose tiles' bounds depend on each other.
    fn shares_next(&self, node: &ScheduleNode, member: usize, copied: &[String]) -> Result<bool> {
        let (band, next) = (Band::read(node)?, member + 1);
        if band.coincident.get(next) != Some(&true) || !is_over_tiles(node)? || is_inside(node, &Mark::Wavefront)? {
            return Ok(false);
        }
        let count = Values::of(&band.members[member], &node.domain()?)?.map_or(ASSUMED, Values::count);
        let tiles = tile_length(&band.members[member])?.map_or(count, |length| count.div_ceil(length));
        if tiles >= u64::from(self.machine.cores) * ENOUGH {
            return Ok(false);
        }
        let is_scalar = |array: &Array| array.kind == ArrayKind::Scalar || !copied.contains(&array.name);
        if !self.scop.arrays.iter().all(is_scalar) {
            return Ok(false);
        }
        let private = self.private_copies(&Loop::new(node, &band.members, next)?)?;
        Ok(private.is_some_and(|private| private.iter().all(|array| copied.contains(array))))
    }

    /// The work of a loop is enough for several threads, or it is not known.
    fn pays(&self, member_loop: &Loop) -> Result<bool> {
        // With work without bound, only the number of cores matters.
        Ok(self.machine.pays_for_threads(u64::MAX)
            && most_work(self.scop, member_loop)?.is_none_or(|work| self.machine.pays_for_threads(work)))
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

    /// What becomes of the last member of a band.
    fn body(&self, node: &ScheduleNode) -> Result<Body> {
        if !self.options.vector || has_band_below(node)? {
            return Ok(Body::Keep);
        }
        Ok(match body(self.conflicts, node)? {
            // Rows that are an iteration apart go on together.
            Body::Distribute(_) if marks_above(node)?.contains(&Mark::Staggered) => Body::Keep,
            found => found,
        })
    }
}

/// A mark of points whose band has been distributed over what was below it.
fn is_idle(node: &ScheduleNode) -> Result<bool> {
    let below = || node.clone().first_child()?.node_type();
    let is_points = matches!(mark(node)?, Some(Mark::Point | Mark::Block));
    Ok(is_points && matches!(below()?, NodeType::Sequence | NodeType::Set))
}

/// Splits a band so that a member comes first in a band of its own right; the result is at that band, under marks that
/// repeat what the whole band is.
fn split(node: ScheduleNode, member: usize) -> Result<ScheduleNode> {
    if member == 0 {
        return Ok(node);
    }
    let kinds: Vec<Mark> = marks_above(&node)?.into_iter().filter(is_kind).collect();
    let mut node = node.band_split(position(member)?)?.first_child()?;
    for mark in kinds {
        node = insert_mark(node, &mark)?.first_child()?;
    }
    Ok(node)
}

/// The mark says what a whole band iterates over.
fn is_kind(mark: &Mark) -> bool {
    matches!(mark, Mark::Tile { .. } | Mark::Point | Mark::Register | Mark::Block | Mark::Staggered)
}
