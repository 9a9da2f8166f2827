//! The options of `poly-schedule`, the same in every tool.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use polyrs_core::driver::Scheduler;
use polyrs_core::machine::Machine;
use polyrs_core::tree::TileSizes;

use super::budget::{BUDGET, budget};
use super::machine::{MACHINE, machine};
use super::value::{OptionError, Values, option};
use crate::host::OptionRow;

/// The machine that the loops are mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Threads and vectors.
    Cpu,
}

/// Whether data is laid out anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Arrays stay as they are.
    None,
}

/// Which statements are scheduled as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cluster {
    /// Each by itself.
    None,
}

/// A stage whose result can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dump {
    /// The lifted region.
    Scop,
    /// Its dependences.
    Dependences,
    /// The constraints that the scheduler is given.
    Constraints,
    /// The schedule tree that will be emitted.
    Schedule,
    /// The AST made from it.
    Ast,
}

/// The options of `poly-schedule`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The machine that the loops are mapped to.
    pub target: Target,
    /// What is known of it.
    pub machine: Machine,
    /// Who finds the schedule.
    pub scheduler: Scheduler,
    /// A file with choices of our own scheduler.
    pub strategy: Option<PathBuf>,
    /// Whether permutable bands are tiled.
    pub tile: bool,
    /// Tile sizes in iterations, at each level of tiles from the outside.
    pub tile_sizes: TileSizes,
    /// Whether the points of tiles are cut into blocks whose accumulators stay in registers.
    pub register_tiles: bool,
    /// Whether the points of tiles are scheduled anew under the loops over tiles.
    pub post_tile: bool,
    /// Degrees of pipelined parallelism; none given: one, across tiles.
    pub wavefront: Option<usize>,
    /// Whether coincident loops become parallel ones.
    pub parallel: bool,
    /// Whether regions that seem not to gain are left as they are.
    pub profitability: bool,
    /// Whether distinct memref arguments are taken not to overlap.
    pub assume_noalias: bool,
    /// Whether data is laid out anew.
    pub layout: Layout,
    /// Which statements are scheduled as one.
    pub cluster: Cluster,
    /// The stages to show on standard error.
    pub dump: BTreeSet<Dump>,
    /// Where a report of each region is written.
    pub report: Option<PathBuf>,
    /// A schedule tree to use instead of a scheduler's.
    pub load_schedule: Option<PathBuf>,
    /// Where the schedule tree is written.
    pub save_schedule: Option<PathBuf>,
    /// The processor time of one region; when it strikes, the region stays as it was.
    pub time_budget: Duration,
    /// Whether the independent judge must accept the schedule. A loaded schedule is always judged.
    pub check: bool,
    /// Whether instances whose values reach no result are removed.
    pub remove_dead: bool,
    /// Whether live ranges of reused storage may be reordered as wholes, instead of keeping every
    /// pair of a read and a later write in order.
    pub live_range_reordering: bool,
    /// A developer's check: new code is read back and must be what the schedule says; if not, the pass fails.
    pub read_back: bool,
    /// The functions to work on; empty for all.
    pub functions: BTreeSet<String>,
}

impl Options {
    /// The table that the tools list and parse.
    pub const ROWS: &[OptionRow] = &[
        option("target", "cpu|gpu", "cpu", "The machine that the loops are mapped to"),
        MACHINE,
        option(
            "scheduler",
            "unified|ppcg|pluto|feautrier|isl|none",
            "unified",
            "Who finds the schedule; none keeps the original order",
        ),
        option("strategy", "FILE", "", "A file with choices for scheduler=ppcg, pluto, feautrier or unified"),
        option("tile", "true|false", "true", "Tile permutable bands"),
        option(
            "tile-sizes",
            "N,N,.../N,...",
            "",
            "Tile sizes, outermost loop first; the last one is repeated (default: tiles that fit the nearest cache); / is \
             between levels, from large to small",
        ),
        option(
            "register-tiles",
            "true|false",
            "true",
            "Cut the points of tiles into blocks whose accumulators stay in registers",
        ),
        option(
            "post-tile",
            "true|false",
            "true",
            "With scheduler=unified, schedule what is in tiles anew under the loops over tiles",
        ),
        option("second-phase", "true|false", "true", "The former name of post-tile; either turns it off"),
        option(
            "wavefront",
            "N",
            "",
            "Degrees of pipelined parallelism where no loop is parallel; 0: no wavefronts (default: 1, across tiles)",
        ),
        option("parallel", "true|false", "true", "Make coincident loops parallel"),
        option("profitability", "on|off", "on", "Leave alone what seems not to gain"),
        option(
            "assume-noalias",
            "true|false",
            "true",
            "Take distinct memref arguments not to overlap, as upstream's affine passes do",
        ),
        option("layout", "none|auto", "none", "Lay data out anew"),
        option("cluster", "none|chains|basic-block|scc|auto", "none", "Which statements are scheduled as one"),
        option("dump", "scop,dependences,constraints,schedule,ast", "", "Show these stages on standard error"),
        option("report", "DIR", "", "Write a report of each region to a directory"),
        option("load-schedule", "FILE", "", "Use the schedule tree in a file instead of a scheduler's"),
        option("save-schedule", "FILE", "", "Write the schedule tree to a file"),
        BUDGET,
        option(
            "check",
            "true|false",
            "true",
            "Judge the schedule before the IR is touched; a loaded one is always judged",
        ),
        option("remove-dead", "true|false", "false", "Remove instances whose values reach no result"),
        option("live-range-reordering", "true|false", "true", "Let whole live ranges of reused storage change places"),
        option(
            "read-back",
            "true|false",
            "false",
            "For developers: read new code back and fail if it is not the schedule's",
        ),
        option("function", "NAME,NAME,...", "", "Work on these functions only"),
    ];

    /// Reads the values of [`Options::ROWS`].
    ///
    /// # Errors
    /// A value that is malformed or unknown, or that is not available yet.
    pub fn parse(values: &Values) -> Result<Self, OptionError> {
        let scheduler = values.keyword("scheduler", SCHEDULERS)?;
        let target = values.keyword("target", &[("cpu", Some(Target::Cpu)), ("gpu", None)])?;
        let machine = machine(values)?;
        Ok(Self {
            target,
            scheduler,
            strategy: strategy(values, scheduler)?,
            tile: values.boolean("tile")?,
            tile_sizes: tile_sizes(values, &machine)?,
            register_tiles: values.boolean("register-tiles")?,
            post_tile: values.boolean("post-tile")? && values.boolean("second-phase")?,
            wavefront: degrees(values)?,
            parallel: values.boolean("parallel")?,
            profitability: values.keyword("profitability", &[("on", Some(true)), ("off", Some(false))])?,
            assume_noalias: values.boolean("assume-noalias")?,
            layout: values.keyword("layout", &[("none", Some(Layout::None)), ("auto", None)])?,
            cluster: values.keyword("cluster", CLUSTERS)?,
            dump: values.keywords("dump", DUMPS)?.into_iter().collect(),
            report: values.optional("report").map(PathBuf::from),
            load_schedule: values.optional("load-schedule").map(PathBuf::from),
            save_schedule: values.optional("save-schedule").map(PathBuf::from),
            time_budget: budget(values)?,
            check: values.boolean("check")?,
            remove_dead: values.boolean("remove-dead")?,
            live_range_reordering: values.boolean("live-range-reordering")?,
            read_back: values.boolean("read-back")?,
            functions: values.list("function").map(str::to_owned).collect(),
            machine,
        })
    }

    /// Whether the pass works on a function of this name.
    pub fn selects(&self, function: &str) -> bool {
        self.functions.is_empty() || self.functions.contains(function)
    }
}

const SCHEDULERS: &[(&str, Option<Scheduler>)] = &[
    ("unified", Some(Scheduler::Unified)),
    ("ppcg", Some(Scheduler::Ppcg)),
    ("pluto", Some(Scheduler::Pluto)),
    ("feautrier", Some(Scheduler::Feautrier)),
    ("isl", Some(Scheduler::Isl)),
    ("none", Some(Scheduler::None)),
];

const CLUSTERS: &[(&str, Option<Cluster>)] =
    &[("none", Some(Cluster::None)), ("chains", None), ("basic-block", None), ("scc", None), ("auto", None)];

const DUMPS: &[(&str, Option<Dump>)] = &[
    ("scop", Some(Dump::Scop)),
    ("dependences", Some(Dump::Dependences)),
    ("constraints", Some(Dump::Constraints)),
    ("schedule", Some(Dump::Schedule)),
    ("ast", Some(Dump::Ast)),
];

/// The sizes of tiles, at each level.
fn tile_sizes(values: &Values, machine: &Machine) -> Result<TileSizes, OptionError> {
    if values.optional("tile-sizes").is_none() {
        return Ok(TileSizes::for_machine(machine));
    }
    let fit = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    let levels = values.nested_numbers("tile-sizes", 1)?;
    let sizes =
        TileSizes::nested(&levels.into_iter().map(|sizes| sizes.into_iter().map(fit).collect()).collect::<Vec<_>>());
    if sizes.is_descending() {
        return Ok(sizes);
    }
    Err(OptionError::Value {
        option: "tile-sizes".to_owned(),
        value: values.text("tile-sizes").to_owned(),
        allowed: "a list of levels from the largest tiles to the smallest".to_owned(),
    })
}

/// The degrees of pipelined parallelism.
fn degrees(values: &Values) -> Result<Option<usize>, OptionError> {
    if values.optional("wavefront").is_none() {
        return Ok(None);
    }
    // No band has that many members.
    Ok(Some(usize::try_from(values.number("wavefront", 0)?).unwrap_or(usize::MAX)))
}

/// The strategy file, which is for our own scheduler.
fn strategy(values: &Values, scheduler: Scheduler) -> Result<Option<PathBuf>, OptionError> {
    let Some(value) = values.optional("strategy") else { return Ok(None) };
    match scheduler {
        Scheduler::Ppcg | Scheduler::Pluto | Scheduler::Feautrier | Scheduler::Unified => {
            Ok(Some(PathBuf::from(value)))
        }
        Scheduler::Isl | Scheduler::None => Err(OptionError::Value {
            option: "strategy".to_owned(),
            value,
            allowed: "for this scheduler, but for ppcg, pluto, feautrier and unified".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests;
