//! The options of `poly-schedule`, the same in every tool: those of the optimizer ([`OPTIONS`]), and those that concern
//! files and functions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use polyrs_core::driver::{self, OPTIONS};
use polyrs_core::text_file::read;

use super::budget::{BUDGET, budget};
use super::file;
use super::fuel::{Fuel, fuel};
use super::machine::{MACHINE, machine};
use super::tuned::{TUNED, Tuning, tuning};
use super::value::{OptionError, Values, option};
use crate::mlir::emit::{Device, DeviceMemory};
use crate::mlir::lift::Granularity;
use polyrs_host::OptionRow;
use polyrs_interface::RECORDS;

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
#[derive(Clone, Debug)]
pub struct Options {
    /// What is done to a region. The strategy, the schedule that is loaded and the budget are set for each. What is
    /// remembered is of the pass.
    pub driver: driver::Options,
    /// A file with choices of our own scheduler.
    pub strategy: Option<PathBuf>,
    /// Whether distinct memref arguments are taken not to overlap.
    pub assume_noalias: bool,
    /// What becomes a statement.
    pub granularity: Granularity,
    /// The stages to show on standard error.
    pub dump: BTreeSet<Dump>,
    /// Where a report of each region is written.
    pub report: Option<PathBuf>,
    /// A schedule tree to use instead of a scheduler's.
    pub load_schedule: Option<PathBuf>,
    /// Steps that make a schedule of a region's own order.
    pub script: Option<PathBuf>,
    /// Where the schedule tree is written.
    pub save_schedule: Option<PathBuf>,
    /// A file of layout maps.
    pub layout_maps: Option<PathBuf>,
    /// What was measured of regions, and what is to be.
    pub tuning: Tuning,
    /// The processor time of one region; when it strikes, the region stays as it was.
    pub time_budget: Duration,
    /// How many regions may get new code; no bound without it.
    pub fuel: Option<Fuel>,
    /// Where regions are written, for records: the environment's, no option.
    pub records: Option<PathBuf>,
    /// How kernels are emitted.
    pub device: Device,
    /// A developer's check: new code is read back and must be what the schedule says; if not, the pass fails.
    pub read_back: bool,
    /// The functions to work on; empty for all.
    pub functions: BTreeSet<String>,
    /// Kernels were made where that is possible, and this is about the rest. The original beside them has what it had
    /// but for the place: a buffer that the region alone used may not be its own any more.
    pub is_for_cpu_version: bool,
}

/// The options that only the passes have.
const OWN: [OptionRow; 15] = [
    MACHINE,
    option("strategy", "FILE", "", "A file with choices for a scheduler of our own"),
    option(
        "assume-noalias",
        "true|false",
        "true",
        "Take distinct memref arguments not to overlap, as upstream's affine passes do",
    ),
    option(
        "granularity",
        "op|store|block",
        "store",
        "What becomes a statement: each operation, as in three-address code, each store with what it is computed from, \
         or each basic block as far as it may be one",
    ),
    option("dump", "scop,dependences,constraints,schedule,ast", "", "Show these stages on standard error"),
    option("report", "DIR", "", "Write a report of each region to a directory"),
    option("load-schedule", "FILE", "", "Use the schedule tree in a file instead of a scheduler's"),
    option("save-schedule", "FILE", "", "Write the schedule tree to a file"),
    option("script", "FILE", "", "Make the schedule by the steps in a file (docs/try.md) instead of a scheduler"),
    option("layout-maps", "FILE", "", "Give arrays the layouts of the maps in a file (docs/layout.md)"),
    TUNED,
    BUDGET,
    option("function", "NAME,NAME,...", "", "Work on these functions only"),
    option(
        "device-memory",
        "true|false",
        "false",
        "With target=gpu, take buffers to be where the device can access them, and copy nothing",
    ),
    option(
        "cpu-version",
        "true|false",
        "true",
        "With target=gpu, leave code for the CPU beside kernels, and optimize it and all other regions for the CPU",
    ),
];

/// The developer's option, which is listed last.
const READ_BACK: OptionRow = option(
    "read-back",
    "true|false",
    "false",
    "For developers: read new code back and fail if it is not the schedule's",
);

const COUNT: usize = OPTIONS.len() + OWN.len() + 1;

/// The optimizer's options as rows for the tools, then those of the passes.
const ROWS: [OptionRow; COUNT] = {
    let mut rows = [READ_BACK; COUNT];
    let mut i = 0;
    while i < OPTIONS.len() {
        let row = &OPTIONS[i];
        rows[i] = option(row.name, row.values, row.default, row.help);
        i += 1;
    }
    let mut i = 0;
    while i < OWN.len() {
        rows[OPTIONS.len() + i] = OWN[i];
        i += 1;
    }
    rows
};

impl Options {
    /// The table that the tools list and parse.
    pub const ROWS: &[OptionRow] = &ROWS;

    /// Reads the values of [`Options::ROWS`].
    ///
    /// # Errors
    /// A value that is malformed or unknown, or that is not available yet.
    pub fn parse(values: &Values) -> Result<Self, OptionError> {
        let mut driver = driver::Options::new(machine(values)?);
        for row in OPTIONS {
            let text = values.text(row.name);
            row.set(&mut driver, text).map_err(|error| OptionError::of(row.name, text, error))?;
        }
        driver.memory = Some(Arc::default());
        if driver.candidate.is_some() && values.optional("load-schedule").is_some() {
            return Err(OptionError::Value {
                option: "candidate".to_owned(),
                value: values.text("candidate").to_owned(),
                allowed: "for a tree that load-schedule takes as it is".to_owned(),
            });
        }
        Ok(Self {
            strategy: strategy(values, &driver)?,
            assume_noalias: values.boolean("assume-noalias")?,
            granularity: granularity(values)?,
            dump: values.keywords("dump", DUMPS)?.into_iter().collect(),
            report: file::folder(values, "report")?,
            load_schedule: file::input(values, "load-schedule")?,
            script: script(values)?,
            save_schedule: file::output(values, "save-schedule")?,
            layout_maps: file::input(values, "layout-maps")?,
            tuning: tuning(values)?,
            time_budget: budget(values)?,
            fuel: fuel()?,
            records: std::env::var_os(RECORDS).filter(|folder| !folder.is_empty()).map(PathBuf::from),
            device: Device {
                memory: match values.boolean("device-memory")? {
                    true => DeviceMemory::Resident,
                    false => DeviceMemory::Copied,
                },
                keep_original: values.boolean("cpu-version")?,
                offload: driver.profitability.then(|| driver.machine.offload(driver.parallel)),
            },
            read_back: values.boolean("read-back")?,
            functions: values.list("function").map(str::to_owned).collect(),
            is_for_cpu_version: false,
            driver,
        })
    }

    /// With kernels made, the options for what is left to the CPU: nothing that names files, which are the kernels'.
    #[must_use]
    pub fn for_cpu_version(&self) -> Self {
        Self {
            driver: self.driver.for_cpu(),
            dump: BTreeSet::new(),
            report: None,
            load_schedule: None,
            script: None,
            save_schedule: None,
            is_for_cpu_version: true,
            ..self.clone()
        }
    }

    /// The same for what stays as it was beside new code, with other choices; files are about the region.
    #[must_use]
    pub fn for_version(&self, driver: driver::Options) -> Self {
        let tuning = Tuning::default();
        Self { driver, save_schedule: None, report: None, layout_maps: None, script: None, tuning, ..self.clone() }
    }

    /// Whether the pass works on a function of this name.
    pub fn selects(&self, function: &str) -> bool {
        self.functions.is_empty() || self.functions.contains(function)
    }
}

const DUMPS: &[(&str, Option<Dump>)] = &[
    ("scop", Some(Dump::Scop)),
    ("dependences", Some(Dump::Dependences)),
    ("constraints", Some(Dump::Constraints)),
    ("schedule", Some(Dump::Schedule)),
    ("ast", Some(Dump::Ast)),
];

/// What becomes a statement.
fn granularity(values: &Values) -> Result<Granularity, OptionError> {
    match values.text("granularity") {
        "op" => Ok(Granularity::Operation),
        "store" => Ok(Granularity::Store),
        "block" => Ok(Granularity::Block),
        other => Err(OptionError::Value {
            option: "granularity".to_owned(),
            value: other.to_owned(),
            allowed: "one of op, store, block".to_owned(),
        }),
    }
}

/// The file of steps, which begin with a tree of their own.
fn script(values: &Values) -> Result<Option<PathBuf>, OptionError> {
    let Some(path) = file::lasting(values, "script")? else { return Ok(None) };
    if values.optional("load-schedule").is_none() {
        return Ok(Some(path));
    }
    let value = path.display().to_string();
    let allowed = "for a tree that load-schedule takes as it is: a script begins with `start file TREE`".to_owned();
    Err(OptionError::Value { option: "script".to_owned(), value, allowed })
}

/// The strategy file, which is for our own scheduler.
fn strategy(values: &Values, driver: &driver::Options) -> Result<Option<PathBuf>, OptionError> {
    let Some(value) = values.optional("strategy") else { return Ok(None) };
    let Some(base) = driver.scheduler.strategy(driver.target, &driver.machine) else {
        return Err(OptionError::Value {
            option: "strategy".to_owned(),
            value,
            allowed: "for this scheduler, but for our own: all but isl and none".to_owned(),
        });
    };
    let wrong = |problem| OptionError::File { option: "strategy".to_owned(), problem };
    let path = PathBuf::from(value);
    if file::is_stream(&path) {
        return Ok(Some(path));
    }
    let text = read(&path).map_err(wrong)?;
    base.with_text(&text, &driver.machine)
        .map_err(|error| wrong(format!("{}:{}:1: {}", path.display(), error.line, error.problem)))?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests;
