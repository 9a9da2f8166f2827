//! What a user can choose about optimizing, and the schedule that a command works on.

use crate::failure::Failure;
use crate::input::{Quota, ScheduleFile};
use crate::machine::MachineChoice;
use clap::{Args, ValueEnum};
use polyrs::driver::{self, Optimized, optimize};
use polyrs::isl::Schedule;
use polyrs::scop::Scop;
use polyrs::tree::TileSizes;

/// Who finds a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    /// Ours, with the ppcg report's strategy
    Ppcg,
    /// Ours, with the Pluto paper's strategy
    Pluto,
    /// Ours, with Feautrier's strategy
    Feautrier,
    /// Ours, with the unified report's strategy for CPUs
    Unified,
    /// isl's own scheduler
    Isl,
    /// The original order, its bands found anew
    None,
}

impl Scheduler {
    /// The same for the driver.
    pub fn of_driver(self) -> driver::Scheduler {
        match self {
            Scheduler::Ppcg => driver::Scheduler::Ppcg,
            Scheduler::Pluto => driver::Scheduler::Pluto,
            Scheduler::Feautrier => driver::Scheduler::Feautrier,
            Scheduler::Unified => driver::Scheduler::Unified,
            Scheduler::Isl => driver::Scheduler::Isl,
            Scheduler::None => driver::Scheduler::None,
        }
    }
}

/// What the optimizer does.
#[derive(Debug, Args)]
#[command(next_help_heading = "Optimizer")]
pub struct Choices {
    /// Who finds the schedule [default: unified, or for constraints, which do not say what is near in memory, ppcg]
    #[arg(long, value_enum)]
    pub scheduler: Option<Scheduler>,
    /// Keep live ranges in their order
    #[arg(long)]
    pub no_live_range_reordering: bool,
    /// Prefer wide bands to coincident outermost members
    #[arg(long)]
    pub no_outer_coincidence: bool,
    /// Do not tile
    #[arg(long)]
    pub no_tile: bool,
    /// Tile sizes, outermost member first; the last one is repeated. `/` is between levels, from the largest tiles to
    /// the smallest. Default: one level that fits the nearest cache
    #[arg(long, value_name = "N,.../...")]
    pub tile_sizes: Option<TileSizes>,
    /// Do not cut the points of tiles into blocks for registers
    #[arg(long)]
    pub no_register_tiles: bool,
    /// Leave the points of tiles as the first phase and a heuristic order them; only `unified` does more
    #[arg(long, alias = "no-second-phase")]
    pub no_post_tile: bool,
    /// Degrees of pipelined parallelism where no member is coincident; 0 makes no wavefronts. Default: 1, across tiles
    #[arg(long, value_name = "N")]
    pub wavefront: Option<usize>,
    /// Make no loop parallel
    #[arg(long)]
    pub no_parallel: bool,
    /// Take what the scheduler finds, also where the original order seems no worse
    #[arg(long)]
    pub no_profitability: bool,
    #[command(flatten)]
    pub machine: MachineChoice,
}

impl Choices {
    /// Optimizes a region. The tree is not judged.
    pub fn optimize(&self, scop: &Scop, quota: &Quota) -> Result<Optimized, Failure> {
        let machine = self.machine.load()?;
        let options = driver::Options {
            scheduler: self.scheduler.unwrap_or(Scheduler::Unified).of_driver(),
            live_range_reordering: !self.no_live_range_reordering,
            outer_coincidence: self.no_outer_coincidence.then_some(false),
            tile: !self.no_tile,
            tile_sizes: self.tile_sizes.clone().unwrap_or_else(|| TileSizes::for_machine(&machine)),
            register_tiles: !self.no_register_tiles,
            post_tile: !self.no_post_tile,
            wavefront: self.wavefront,
            parallel: !self.no_parallel,
            profitability: !self.no_profitability,
            check: false,
            budget: driver::Budget::new(quota.operations()),
            ..driver::Options::new(machine)
        };
        optimize(scop, &options, &mut ()).map_err(|refusal| Failure::Failed(format!("error: {refusal}")))
    }
}

/// The schedule that a command works on.
#[derive(Debug, Args)]
pub struct Subject {
    #[command(flatten)]
    file: ScheduleFile,
    /// Use the schedule that the optimizer finds instead of the original order
    #[arg(long, conflicts_with = "schedule")]
    optimize: bool,
    #[command(flatten)]
    choices: Choices,
}

impl Subject {
    /// The schedule of the file, what the optimizer finds, or the original order.
    ///
    /// It is restricted to what is executed: a tree may speak of kills, and of parameter values that do not occur.
    pub fn schedule(&self, scop: &Scop, quota: &Quota) -> Result<Schedule, Failure> {
        let schedule = match self.file.read(scop)? {
            Some(schedule) => schedule,
            None if self.optimize => self.choices.optimize(scop, quota)?.tree,
            None => scop.schedule.clone(),
        };
        let domain = schedule.domain()?.intersect_params(scop.context.clone())?.subtract(scop.kill_domain()?)?;
        Ok(schedule.intersect_domain(domain)?)
    }
}
