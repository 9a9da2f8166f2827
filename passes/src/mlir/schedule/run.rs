//! One function: lift its regions, optimize each, emit what was found, and say what happened.
//!
//! Regions are rewritten from the last to the first: a region's model refers to values of regions before it, which are
//! still there then. Remarks come in textual order all the same.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, OperationRef};
use mlir_sys::mlirContextGetNumThreads;
use polyrs_core::driver::{self, Allowance, Budget, Optimized, Target, Tiles};
use polyrs_core::isl::Moment;
use polyrs_core::schedule::Strategy;
use polyrs_core::scop::text::schedule_to_text;

use super::files;
use super::refusal::{Failure, ScheduleRefusal};
use super::relaid;
use super::show::Show;
use crate::mlir::diagnostic;
use crate::mlir::emit::{Stage, emit};
use crate::mlir::ir::operation::string_attribute;
use crate::mlir::lift::{Settings, lift_function};
use crate::mlir::region::LiftedRegion;
use crate::mlir::translation_validation::Validation;
use crate::options::Options;
use crate::options::fuel::{FUEL, Fuel};
use crate::pass::Outcome;
use crate::timing::PhaseTimes;

/// The outcome for one region.
pub struct Report<'c> {
    /// Where the region is.
    pub location: Location<'c>,
    /// A text: the things that were done, or why nothing was.
    pub text: String,
    /// Whether there is new code.
    pub changed: bool,
    /// The fault of code that was emitted, in words.
    pub failure: Option<Failure>,
}

/// Lifts, schedules, checks and rewrites the affine regions of one `func.func`.
pub fn schedule_function<'c>(context: &'c Context, function: OperationRef<'c, '_>, options: &Options) -> Outcome {
    if !string_attribute(function, "sym_name").is_some_and(|name| options.selects(&name)) {
        return Outcome::Unchanged;
    }
    // SAFETY: the context is alive.
    if options.fuel.is_some() && unsafe { mlirContextGetNumThreads(context.to_raw()) } > 1 {
        return Outcome::Failed(format!(
            "{FUEL} counts functions in their order: say --mlir-disable-threading as well"
        ));
    }
    let mut reports = schedule_regions(context, function, options, &mut Allowance::of_function());
    reports.extend(schedule_cpu_version(context, function, options, &mut Allowance::of_function()));
    for report in &reports {
        diagnostic::remark(report.location, &format!("poly-schedule: {}", report.text));
    }
    if let Some(failure) = reports.iter().find_map(|report| report.failure.as_ref()) {
        return Outcome::Failed(failure.text().to_owned());
    }
    if !reports.iter().any(|report| report.changed) {
        return Outcome::Unchanged;
    }
    relaid::forget_maps(function);
    Outcome::Changed
}

/// Where kernels were made, works on the code for the CPU beside them, and on regions without kernels.
pub fn schedule_cpu_version<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    options: &Options,
    allowance: &mut Allowance,
) -> Vec<Report<'c>> {
    if options.driver.target != Target::Gpu || !options.device.keep_original {
        return Vec::new();
    }
    let mut reports = schedule_regions(context, function, &options.for_cpu_version(), allowance);
    reports.iter_mut().for_each(|report| report.text.insert_str(0, "for the CPU: "));
    reports
}

/// Works on the regions of a function, which share an allowance, and says what became of each, in textual order.
pub fn schedule_regions<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    options: &Options,
    allowance: &mut Allowance,
) -> Vec<Report<'c>> {
    let mut times = PhaseTimes::default();
    let lifted = times.measure("lift", || lift_function(function, settings(options)));
    let count = lifted.iter().filter(|found| found.is_ok()).count();
    let mut reports = Vec::new();
    let mut left = count;
    for found in lifted.into_iter().rev() {
        reports.push(match found {
            Ok(region) => {
                let (isl, budget) = (region.scop.ctx().clone(), allowance.of_region(left));
                left -= 1;
                let before = isl.operations();
                let report = optimize(context, function, region, (count, budget), options, &mut times);
                allowance.count(isl.operations() - before);
                report
            }
            Err(refusal) => Report { location: refusal.location, text: refusal.text(), changed: false, failure: None },
        });
    }
    times.log();
    reports.reverse();
    reports
}

fn settings(options: &Options) -> Settings {
    Settings { assume_noalias: options.assume_noalias, deadline: Moment::after(options.time_budget) }
}

fn optimize<'c, 'a>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    region: LiftedRegion<'c, 'a>,
    regions: (usize, Budget),
    options: &Options,
    times: &mut PhaseTimes,
) -> Report<'c> {
    let location = region.location;
    let result = rewrite(context, function, region, regions, options, times);
    match result {
        Ok((text, changed)) => Report { location, text, changed, failure: None },
        Err(refusal) => {
            let text = format!("refused: {}", refusal.reason());
            Report { location, text, changed: false, failure: refusal.failure() }
        }
    }
}

/// Rewrites one region and returns the remark about it and whether anything changed, or why the region stays as it was.
fn rewrite<'c, 'a>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    region: LiftedRegion<'c, 'a>,
    regions: (usize, Budget),
    options: &Options,
    times: &mut PhaseTimes,
) -> Result<(String, bool), ScheduleRefusal> {
    let isl = region.scop.ctx().clone();
    isl.set_deadline(Moment::after(options.time_budget));
    let bits = polyrs_host::index_bits(function.to_raw());
    // What is emitted uses it until the end.
    let stage = Stage::new(context);
    let maps = relaid::maps(function, &region.scop.name, regions.0, options).map_err(ScheduleRefusal::Wrong)?;
    let relaid = match &maps {
        Some(maps) => relaid::relaid(context, &region, maps, options, &stage, bits)?,
        None => None,
    };
    let is_relaid = relaid.is_some();
    let region = relaid.unwrap_or(region);
    let mut show = Show::new(options, &region.scop).map_err(|error| error.to_string())?;
    let result = find(&region, regions, options, &mut show, times);
    show.print();
    let found = result?;
    let name = region.scop.name.clone();
    let statements = region.scop.statements.iter().filter(|s| !s.is_kill()).count();
    // Whoever asks for a layout gets it, even where the order stays what it was.
    let is_better = !found.same_as_original || is_relaid;
    let fuel = options.fuel.filter(|_| is_better).map(Fuel::burn);
    let changed = is_better && fuel != Some(None);
    let note = if changed {
        // Reading the new code back has its own time.
        isl.set_deadline(Moment::after(options.time_budget));
        let tree = options.read_back.then_some(&found.tree);
        let emitted = times.measure("emit", || emit(context, region, &found.ast, bits, tree, options.device))?;
        let number = fuel.flatten().map_or(String::new(), |number| format!(" fuel={number}"));
        let guard = if emitted.guard.is_some() { format!("{number} guard=1") } else { number };
        match emitted.validation {
            None => guard,
            Some(Validation::Equal) => format!("{guard} read-back=1"),
            Some(Validation::Unknown(reason)) => format!("{guard} read-back=0; not read back: {reason}"),
        }
    } else if is_better {
        format!("; left as it is: {FUEL} is used up")
    } else {
        let reason = found.unprofitable.as_ref().map_or(String::new(), |reason| format!("; {reason}"));
        format!("; left as it is: the best code found is the original{reason}")
    };
    let plural = if statements == 1 { "" } else { "s" };
    let sizes = match &found.candidate.tiles {
        Tiles::Own(sizes) | Tiles::Shared(sizes) => sizes,
        // A loaded tree does not say what it was made with.
        Tiles::None => &options.driver.tile_sizes,
    };
    let tiles = match found.statistics.levels {
        0 => String::new(),
        // Those of kernels depend on how many loops of each run in parallel.
        _ if options.driver.target == Target::Gpu && options.driver.kernel_sizes.tiles.is_none() => String::new(),
        1 => format!(" tile-sizes={sizes}"),
        levels => format!(" tile-sizes={sizes} tile-levels={levels}"),
    };
    let work = if found.too_little_work { " too-little-work=1" } else { "" };
    // A prediction compares with the region that it is of, which is not the original with another layout.
    let effect = match found.prediction {
        _ if is_relaid => " layout=1".to_owned(),
        prediction => prediction.map_or(String::new(), |prediction| format!(" predicted={prediction}")),
    };
    let text = format!("scop: {name}: {statements} statement{plural}; {}{tiles}{work}{effect}{note}", found.statistics);
    if let Some(folder) = &options.report {
        files::save(&folder.join(format!("{}.md", files::file_name(&name))), &show.report(&text))
            .unwrap_or_else(|error| diagnostic::warning(function.location(), &error));
    }
    Ok((text, changed))
}

/// Everything up to the emission, which touches no IR.
fn find(
    region: &LiftedRegion<'_, '_>,
    regions: (usize, Budget),
    options: &Options,
    show: &mut Show<'_>,
    times: &mut PhaseTimes,
) -> Result<Optimized, String> {
    let (regions, budget) = regions;
    let name = &region.scop.name;
    let load_schedule = match &options.load_schedule {
        Some(template) => Some(files::load(&files::path_of(template, name, regions)?)?),
        None => None,
    };
    let strategy = strategy(options)?;
    let choices = driver::Options { strategy, budget, load_schedule, ..options.driver.clone() };
    let found = driver::optimize(&region.scop, &choices, show).map_err(|refusal| refusal.to_string())?;
    for (phase, time) in found.phases.iter() {
        times.add(phase.word(), time);
    }
    if let Some(template) = &options.save_schedule {
        let text = schedule_to_text(&found.tree).map_err(|error| error.to_string())?;
        files::save(&files::path_of(template, name, regions)?, &text)?;
    }
    Ok(found)
}

/// The strategy of the file, on top of the scheduler's own.
fn strategy(options: &Options) -> Result<Option<Strategy>, String> {
    let Some(path) = &options.strategy else { return Ok(None) };
    let base = options
        .driver
        .scheduler
        .strategy(options.driver.target, &options.driver.machine)
        .unwrap_or_else(Strategy::ppcg);
    let text = files::load(path)?;
    base.with_text(&text, &options.driver.machine)
        .map(Some)
        .map_err(|error| format!("strategy {}: {error}", path.display()))
}
