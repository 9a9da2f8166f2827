//! What the tests of schedulers share: constraints from files, options in their comments, schedulers by name.
#![allow(dead_code, reason = "each of these tests uses a part")]

use polyrs::check::legality::{Assumptions, check, check_constraints};
use polyrs::dependence::{Dependences, Mode, dead_instances};
use polyrs::isl::{Ctx, Schedule, ScheduleConstraints};
use polyrs::machine::Machine;
use polyrs::proximity::{Line, Proximity, ReferenceGroup};
use polyrs::schedule::{IslOptions, Strategy, constraints, isl_schedule, schedule_groups, with_reads_near};
use polyrs::scop::Scop;
use polyrs::scop::text::{OptionWord, parse_constraints};
use std::path::{Path, PathBuf};

/// Reads a file of the checkout, or of another crate.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file under `test`.
pub fn test_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test").join(name)
}

/// isl's own inputs for its scheduler, in the source of the crate that carries it: the `.sc` files, in order.
pub fn isl_inputs() -> Vec<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = std::process::Command::new(cargo)
        .args(["metadata", "--format-version=1", "--offline"])
        // What other platforms need has perhaps never been fetched here.
        .arg(format!("--filter-platform={}-unknown-linux-gnu", std::env::consts::ARCH))
        .arg("--manifest-path")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .expect("cargo can be run");
    let metadata = String::from_utf8(output.stdout).expect("metadata is text");
    let manifests = metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let folder = manifests
        .filter_map(|manifest| Path::new(manifest).parent())
        .find(|folder| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("isl-rs-")))
        .unwrap_or_else(|| panic!("isl-rs is a dependency: {}", String::from_utf8_lossy(&output.stderr)))
        .join("isl/test_inputs/schedule");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut inputs: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    inputs.retain(|path| path.extension().is_some_and(|extension| extension == "sc"));
    inputs.sort();
    inputs
}

/// Constraints and the options that their file gives.
pub struct Input {
    pub constraints: ScheduleConstraints,
    pub options: Vec<String>,
}

/// Reads a `.sc` file.
pub fn read_constraints(ctx: &Ctx, path: &Path) -> Input {
    let text = parse_constraints(ctx, &read(path)).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
    let word = |word: OptionWord| word.text;
    Input { constraints: text.constraints, options: text.options.into_iter().map(word).collect() }
}

/// How the constraints of a region are made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Making {
    /// With order dependences as conditional validity, or all false dependences as validity.
    pub live_range_reordering: bool,
    /// Without dead instances.
    pub remove_dead: bool,
    /// With reads of the same element close to each other.
    pub input: bool,
}

/// The constraints of a `.scop` file.
pub fn constraints_of_region(ctx: &Ctx, path: &Path, making: Making) -> ScheduleConstraints {
    let scop = Scop::parse(ctx, &read(path)).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
    let mode = Mode { live_range_reordering: making.live_range_reordering, ..Mode::default() };
    let mut scop = scop;
    let mut dependences = Dependences::compute(&scop, mode).unwrap();
    if making.remove_dead {
        let dead = dead_instances(&scop, &dependences).unwrap();
        scop = scop.without(&dead).unwrap();
        dependences = Dependences::compute(&scop, mode).unwrap();
    }
    let made = constraints(&scop, &dependences, None).unwrap();
    if making.input { with_reads_near(made, &scop, &dependences).unwrap() } else { made }
}

/// The groups of references of a `.scop` file.
pub fn groups_of_region(ctx: &Ctx, path: &Path) -> Vec<ReferenceGroup> {
    let scop = Scop::parse(ctx, &read(path)).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
    Proximity::compute(&scop, None, Line::default()).unwrap().groups
}

/// Who schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheduler {
    /// The library's.
    Isl,
    /// Ours, with the ppcg report's strategy.
    Ppcg,
    /// Ours, with the Pluto paper's.
    Pluto,
    /// Ours, with that of Pluto without integer programming.
    PlutoLpDfp,
    /// Ours, with Feautrier's.
    Feautrier,
    /// Ours, with the unified report's, for CPUs.
    UnifiedCpu,
    /// The same for GPUs.
    UnifiedGpu,
}

impl Scheduler {
    /// Those that aim at the same.
    pub const ALIKE: [Scheduler; 2] = [Scheduler::Isl, Scheduler::Ppcg];

    /// By its name in a file.
    pub fn named(name: &str) -> Option<Scheduler> {
        match name {
            "isl" => Some(Scheduler::Isl),
            "ppcg" => Some(Scheduler::Ppcg),
            "pluto" => Some(Scheduler::Pluto),
            "pluto-lp-dfp" => Some(Scheduler::PlutoLpDfp),
            "feautrier" => Some(Scheduler::Feautrier),
            "unified-cpu" => Some(Scheduler::UnifiedCpu),
            "unified-gpu" => Some(Scheduler::UnifiedGpu),
            _ => None,
        }
    }

    /// Schedules with options by their isl names: from isl's own defaults, but Pluto, Feautrier and the unified ones
    /// from their own.
    pub fn schedule(self, constraints: &ScheduleConstraints, options: &[String]) -> Result<Schedule, String> {
        self.schedule_groups(constraints, &[], options)
    }

    /// The same with groups of references.
    pub fn schedule_groups(
        self,
        constraints: &ScheduleConstraints,
        groups: &[ReferenceGroup],
        options: &[String],
    ) -> Result<Schedule, String> {
        let words: Vec<&str> = options.iter().map(String::as_str).collect();
        let mut strategy = match self {
            Scheduler::Isl => {
                let mut options = IslOptions::isl();
                options.apply(&words).map_err(|error| error.to_string())?;
                return isl_schedule(constraints.clone(), options).map_err(|error| error.to_string());
            }
            Scheduler::Ppcg => Strategy::isl_defaults(),
            Scheduler::Pluto => Strategy::pluto(),
            Scheduler::PlutoLpDfp => Strategy::pluto_lp_dfp(),
            Scheduler::Feautrier => Strategy::feautrier(),
            Scheduler::UnifiedCpu => Strategy::unified_cpu(&Machine::generic()),
            Scheduler::UnifiedGpu => Strategy::unified_gpu(),
        };
        strategy.apply(&words).map_err(|error| error.to_string())?;
        let groups = if strategy.looks_at_references() { groups } else { &[] };
        let found = schedule_groups(constraints, groups, &strategy, &mut |_| ());
        found.map_err(|error| error.to_string())
    }
}

/// What is wrong with a tree of a region by both judges: the one of constraints, and the one of accesses.
pub fn complaints(constraints: &ScheduleConstraints, scop: &Scop, tree: &Schedule) -> Vec<String> {
    let accesses = check(scop, tree, &Assumptions::default()).err().map(|error| error.to_string());
    complaint(constraints, tree).into_iter().chain(accesses).collect()
}

/// What is wrong with a tree, given the constraints.
pub fn complaint(constraints: &ScheduleConstraints, tree: &Schedule) -> Option<String> {
    check_constraints(constraints, tree, 0).err().map(|error| error.to_string())
}
