//! The choices that users have ([`Options`]), and the table that the front ends and the command read them by
//! ([`OPTIONS`]).

mod table;

pub use table::{OPTIONS, OptionRow, Unacceptable};

use super::budget::{Allowance, Budget};
use super::candidate::Candidate;
use super::memory::Memory;
use crate::clustering::Clustering;
use crate::cost::Freedom;
use crate::dependence::Mode;
use crate::machine::Machine;
use crate::schedule::Strategy;
use crate::schedule_tree::TileSizes;
use crate::transform::Packing;
use crate::transform::gpu::KernelSizes;
use std::sync::Arc;

/// What [`Options::scheduler`] is if nobody says it.
const DEFAULT_SCHEDULER: &str = "unified";

/// Who finds the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduler {
    /// Ours, with the preset of this name, or of this name for the target ([`Strategy::families`]).
    Own(&'static str),
    /// isl's own scheduler.
    Isl,
    /// Nobody: the original order is kept, and tiled where that is legal.
    None,
}

/// Whether arrays get another layout while a region runs ([`super::optimize_jointly`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutSearch {
    /// All keep theirs.
    None,
    /// Where that seems to gain, for the sizes for which it does. Nowhere if nobody asks what gains ([`Options::profitability`]).
    Auto,
    /// The first one that is possible, whatever the sizes.
    Any,
}

/// How much work a function may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A fraction of a second ([`Budget::LOW`]), and layouts are searched only with [`LayoutSearch::Any`]. Without effect
    /// on kernels.
    Low,
    /// Some seconds for a region ([`Budget::REGION`]).
    High,
}

/// What loops are mapped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Threads and vectors of a processor.
    Cpu,
    /// Blocks and threads of a GPU.
    Gpu,
}

impl Default for Scheduler {
    fn default() -> Self {
        Scheduler::Own(DEFAULT_SCHEDULER)
    }
}

impl Scheduler {
    /// All of them, with their names.
    pub fn all() -> impl Iterator<Item = (&'static str, Scheduler)> {
        let own = Strategy::families().map(|name| (name, Scheduler::Own(name)));
        own.chain([("isl", Scheduler::Isl), ("none", Scheduler::None)])
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Scheduler> {
        Scheduler::all().find(|(other, _)| *other == name).map(|(_, scheduler)| scheduler)
    }

    /// The strategy of one of ours, for a machine.
    pub fn strategy(self, target: Target, machine: &Machine) -> Option<Strategy> {
        let Scheduler::Own(name) = self else { return None };
        Strategy::of_family(name, target.name(), machine)
    }
}

impl Target {
    /// The name of it.
    fn name(self) -> &'static str {
        match self {
            Target::Cpu => "cpu",
            Target::Gpu => "gpu",
        }
    }
}

/// The choices of [`super::optimize`].
#[derive(Debug, Clone)]
pub struct Options {
    /// What loops are mapped to.
    pub target: Target,
    /// The machine that code is made for.
    pub machine: Machine,
    /// Who finds the schedule.
    pub scheduler: Scheduler,
    /// What our own scheduler aims at, instead of its own strategy's choices. It says as well whether outermost members
    /// must be coincident. Without effect on other schedulers.
    pub strategy: Option<Strategy>,
    /// A schedule tree (isl's YAML) to use instead of a scheduler's; it is used as it is, and always checked.
    pub load_schedule: Option<String>,
    /// The one candidate that is realized, instead of a search among all; its order comes from the scheduler.
    pub candidate: Option<Candidate>,
    /// Whether whole live ranges may change places (ppcg report, section 3.2.2).
    pub live_range_reordering: bool,
    /// Whether the scheduler must make the outermost member of each band coincident (ppcg report, section 6.2); only
    /// for `unified`, `ppcg` and `isl`. Without a choice both are tried, and the tree that seems to cost less is taken.
    pub outer_coincidence: Option<bool>,
    /// How much work a function may take.
    pub effort: Effort,
    /// Whether arrays get another layout.
    pub layout: LayoutSearch,
    /// Whether reductions may be reordered where the program's own flags do not say so.
    pub reorder_reductions: bool,
    /// Bytes that arrays with a place for each iteration of some loops may take together, in a region.
    pub expansion_bytes: u64,
    /// Bytes that all arrays of a layout that is chosen may take together, in a region.
    pub layout_bytes: u64,
    /// Which statements are scheduled as one.
    pub clustering: Clustering,
    /// Whether instances whose values reach no result are removed.
    pub remove_dead: bool,
    /// Whether permutable bands are tiled.
    pub tile: bool,
    /// Their extents, at each level of tiles.
    pub tile_sizes: TileSizes,
    /// The sizes of kernels, with [`Target::Gpu`].
    pub kernel_sizes: KernelSizes,
    /// Whether the points of tiles are cut into blocks whose accumulators stay in registers.
    pub register_tiles: bool,
    /// What of tiles may be copied to small buffers; `None` for nothing. All of it is whether or not it gains.
    pub pack_tiles: Option<Packing>,
    /// Whether blocks for registers keep what they update in vectors, whoever made the blocks; a front end rules that
    /// out for code that must not use such registers.
    pub promote: bool,
    /// Whether the points of tiles are scheduled anew under the loops over tiles, as another tree to choose from
    /// (unified report, section 7); only for `unified`.
    pub post_tile: bool,
    /// Nests that pass through the same rows may share a loop over some of them, on one thread.
    pub common_rows: bool,
    /// Loops whose iterations wait for each other may be in a loop over tiles of what is in them, on one thread.
    pub left_looking: bool,
    /// The same loops may be in strips, what nobody waits for behind the rest.
    pub right_looking: bool,
    /// Degrees of pipelined parallelism in bands without a coincident member, where loops may be parallel (Pluto paper,
    /// Algorithm 2): 0 makes no wavefronts. Without a choice there is one, across tiles; with one, and without tiles,
    /// wavefronts go across points.
    pub wavefront: Option<usize>,
    /// Whether coincident members become parallel loops.
    pub parallel: bool,
    /// Whether what seems not to gain is left as it is: the original order competes with what the scheduler finds, and
    /// the tree that seems to cost least is taken, of equals the original.
    pub profitability: bool,
    /// Whether what gains only because caches do not hold the data is for sizes that they do not hold alone: the code as it is stays
    /// beside it.
    pub size_versions: bool,
    /// Whether the checker must accept the tree. A loaded tree is checked all the same.
    pub check: bool,
    /// The work that the steps may take.
    pub budget: Budget,
    /// What regions before got, where like ones get the same.
    pub memory: Option<Arc<Memory>>,
}

impl Default for Options {
    /// For [`Machine::generic`].
    fn default() -> Self {
        Options::new(Machine::generic())
    }
}

/// What a region may take besides its own arrays while nobody says more.
const EXPANSION_BYTES: u64 = 64 << 20;

/// What arrays of a layout may take: programs that fill the memory of a machine shall not need more.
const LAYOUT_BYTES: u64 = 1 << 30;

impl Options {
    /// What the regions of a function may take together.
    pub fn allowance(&self) -> Allowance {
        match (self.effort, self.target) {
            (Effort::Low, Target::Cpu) => Allowance::of_function_in_haste(),
            _ => Allowance::of_function(self.layout != LayoutSearch::None),
        }
    }

    /// The same choices for code of a CPU, where these are for a GPU: without sizes, a tree or a candidate, which were
    /// meant for kernels.
    #[must_use]
    pub fn for_cpu(&self) -> Self {
        Options {
            target: Target::Cpu,
            load_schedule: None,
            candidate: None,
            tile_sizes: TileSizes::for_machine(&self.machine),
            kernel_sizes: KernelSizes::default(),
            ..self.clone()
        }
    }

    /// The same choices for what runs where caches hold the data, beside code that gains where they do not: threads, where they may
    /// run, and no tiles, which bring nothing back sooner there. `None` where nothing is open.
    #[must_use]
    pub fn for_data_in_caches(&self) -> Option<Self> {
        let is_asked_for = self.candidate.is_some() || self.load_schedule.is_some() || self.wavefront.is_some();
        let is_open = self.target == Target::Cpu && self.parallel && self.profitability && !is_asked_for;
        (is_open && self.machine.cores > 1).then(|| Options {
            machine: self.machine.with_data_in_own_cache(),
            layout: LayoutSearch::None,
            tile: false,
            size_versions: false,
            ..self.clone()
        })
    }

    /// The defaults for a machine, which sizes of tiles are chosen for.
    pub fn new(machine: Machine) -> Self {
        Options {
            target: Target::Cpu,
            scheduler: Scheduler::default(),
            strategy: None,
            load_schedule: None,
            candidate: None,
            live_range_reordering: true,
            outer_coincidence: None,
            effort: Effort::High,
            layout: LayoutSearch::Auto,
            reorder_reductions: false,
            expansion_bytes: EXPANSION_BYTES,
            layout_bytes: LAYOUT_BYTES,
            clustering: Clustering::Auto,
            remove_dead: false,
            tile: true,
            tile_sizes: TileSizes::for_machine(&machine),
            kernel_sizes: KernelSizes::default(),
            register_tiles: true,
            pack_tiles: Some(Packing::Gaining),
            promote: true,
            post_tile: true,
            common_rows: true,
            left_looking: true,
            right_looking: true,
            wavefront: None,
            parallel: true,
            profitability: true,
            size_versions: true,
            check: true,
            budget: Budget::default(),
            memory: None,
            machine,
        }
    }

    /// There are tiles, and nobody said how large they are to be, be it what they are anyway.
    pub(super) fn leaves_tile_sizes_open(&self) -> bool {
        let is_said = self.kernel_sizes.tiles.is_some() || self.candidate.is_some();
        self.tile && self.profitability && self.target == Target::Cpu && !is_said
    }

    /// Whether loops may come out parallel: a candidate that the user gave says that itself.
    pub fn may_be_parallel(&self) -> bool {
        self.candidate.as_ref().map_or(self.parallel, |candidate| candidate.parallel)
    }

    /// What may be made of any loops.
    pub(super) fn freedom(&self) -> Freedom {
        Freedom {
            parallel: self.parallel,
            register_tiles: self.register_tiles,
            pack: self.pack_tiles.is_some() && self.promote,
        }
    }

    /// What our own scheduler aims at; `None` for a scheduler that is not ours.
    pub(super) fn aims(&self) -> Option<Strategy> {
        match (self.scheduler, &self.strategy) {
            (Scheduler::Own(_), Some(strategy)) => Some(strategy.clone()),
            (scheduler, _) => scheduler.strategy(self.target, &self.machine),
        }
    }

    /// The scheduler looks at groups of references.
    pub(super) fn has_groups(&self) -> bool {
        self.aims().is_some_and(|strategy| strategy.looks_at_references())
    }

    /// The dependences that the search needs. Chains of statements are those that are near.
    pub(super) fn mode(&self, live_range_reordering: bool) -> Mode {
        let by_groups = self.aims().is_some_and(|strategy| strategy.is_near_by_groups());
        let false_for_proximity = !by_groups || self.clustering == Clustering::Chains;
        Mode { live_range_reordering, false_for_proximity }
    }
}
