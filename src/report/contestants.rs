//! The strategies that are compared, and what is measured of each.

use super::{Depths, Result, parallel_depths};
use polyrs::cost::{Contiguity, Formula, contiguity};
use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::{Schedule, ScheduleConstraints, UnionMap};
use polyrs::machine::Machine;
use polyrs::proximity::{Line, Proximity, ReferenceGroup};
use polyrs::schedule::{
    Event, IslOptions, Strategy, constraints, isl_schedule_or_wide, schedule_groups, with_reads_near,
};
use polyrs::schedule_tree::{Statistics, TileSizes};
use polyrs::scop::{Scop, StatementId};
use polyrs::transform::{interchange_by, tile};

/// A scheduler with its aims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contestant {
    /// isl's own scheduler with ppcg's options.
    Isl,
    /// Ours, with the ppcg report's strategy.
    Ppcg,
    /// Ours, with the Pluto paper's.
    Pluto,
    /// Ours, with the unified report's for CPUs.
    UnifiedCpu,
    /// Ours, with the unified report's for GPUs.
    UnifiedGpu,
}

impl Contestant {
    /// All, in the order of the tables.
    pub const ALL: [Contestant; 5] =
        [Contestant::Isl, Contestant::Ppcg, Contestant::Pluto, Contestant::UnifiedCpu, Contestant::UnifiedGpu];

    /// The name of the preset; `isl` is isl's own scheduler.
    pub fn name(self) -> &'static str {
        match self {
            Contestant::Isl => "isl",
            Contestant::Ppcg => "ppcg",
            Contestant::Pluto => "pluto",
            Contestant::UnifiedCpu => "unified-cpu",
            Contestant::UnifiedGpu => "unified-gpu",
        }
    }

    /// What our scheduler aims at, for [`Machine::generic`]; `None` for isl's.
    pub fn strategy(self) -> Option<Strategy> {
        if self == Contestant::Isl { None } else { Strategy::preset(self.name(), &Machine::generic()) }
    }
}

/// A region with what schedulers are given.
pub struct SchedulerInputs<'s> {
    /// The region.
    pub scop: &'s Scop,
    /// All dependences: flow and false ones, `{ S[i] -> T[j] }`.
    pub dependences: UnionMap,
    /// With live-range reordering, no instance removed.
    pub constraints: ScheduleConstraints,
    /// The same with reads of the same value near each other, for strategies that look at them.
    with_reads: ScheduleConstraints,
    groups: Vec<ReferenceGroup>,
}

/// What a scheduler makes of a region.
#[derive(Debug, Clone)]
pub struct Found {
    /// The tree as the scheduler found it.
    pub tree: Schedule,
    /// Its bands, members and coincident members.
    pub statistics: Statistics,
    /// The innermost accesses in the tree as it was found.
    pub scheduled: Vec<(StatementId, Contiguity)>,
    /// The innermost accesses with the members of point bands in the order that suits memory best.
    pub reordered: Vec<(StatementId, Contiguity)>,
    /// The same in the order that is taken, where recurrences of operations count as well.
    pub taken: Vec<(StatementId, Contiguity)>,
    /// Where the outermost parallel loops are.
    pub depths: Depths,
}

/// The sum over all statements.
pub fn total(counts: &[(StatementId, Contiguity)]) -> Contiguity {
    counts.iter().map(|(_, count)| *count).sum()
}

impl<'s> SchedulerInputs<'s> {
    /// Analyses the region.
    ///
    /// # Errors
    /// Those of isl.
    pub fn new(scop: &'s Scop) -> Result<Self> {
        let dependences = Dependences::compute(scop, Mode { live_range_reordering: true, ..Mode::default() })?;
        let constraints = constraints(scop, &dependences, None)?;
        let groups = Proximity::compute(scop, None, Line::default())?.groups;
        let with_reads = with_reads_near(constraints.clone(), scop, &dependences)?;
        let dependences = dependences.all()?;
        Ok(SchedulerInputs { scop, dependences, constraints, with_reads, groups })
    }

    /// The tree of one of our strategies; `observer` is told of decisions.
    ///
    /// # Errors
    /// Those of the scheduler.
    pub fn schedule(&self, strategy: &Strategy, observer: &mut dyn FnMut(Event)) -> Result<Schedule> {
        let groups = if strategy.looks_at_references() { self.groups.as_slice() } else { &[] };
        let constraints = if strategy.input_dependences { &self.with_reads } else { &self.constraints };
        Ok(schedule_groups(constraints, groups, strategy, observer)?)
    }

    /// What a contestant finds.
    ///
    /// # Errors
    /// Those of its scheduler.
    pub fn found(&self, contestant: Contestant) -> Result<Found> {
        let tree = match contestant.strategy() {
            Some(strategy) => self.schedule(&strategy, &mut |_| ())?,
            None => isl_schedule_or_wide(&self.constraints, IslOptions::default())?,
        };
        let statistics = Statistics::new(&tree, &tree)?;
        let scheduled = contiguity(self.scop, &tree)?;
        // Sizes say nothing about the order of members.
        let tiled = tile(&tree, &TileSizes::default())?;
        let reordered = contiguity(self.scop, &interchange_by(self.scop, &tiled, Formula::Memory)?)?;
        let taken = contiguity(self.scop, &interchange_by(self.scop, &tiled, Formula::of(&Machine::generic()))?)?;
        let depths = parallel_depths(self.scop, &tree, &self.constraints)?;
        Ok(Found { tree, statistics, scheduled, reordered, taken, depths })
    }

    /// What all find, in the order of [`Contestant::ALL`].
    ///
    /// # Errors
    /// Those of the schedulers.
    pub fn all_found(&self) -> Result<Vec<Found>> {
        Contestant::ALL.into_iter().map(|contestant| self.found(contestant)).collect()
    }
}
