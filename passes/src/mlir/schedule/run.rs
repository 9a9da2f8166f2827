//! One function: lift its regions, optimize each, emit what was found, and say what happened.
//!
//! Regions are rewritten from the last to the first: a region's model refers to values of regions before it, which are
//! still there then. Remarks come in textual order all the same.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{Location, OperationRef};
use mlir_sys::mlirContextGetNumThreads;
use polyrs_core::driver::{self, Allowance, Budget, LayoutSearch, Memory, RegionSize, Target};
use polyrs_core::isl::Moment;

use super::records::RegionFiles;
use super::refusal::{Failure, ScheduleRefusal};
use super::rewrite::Rewrite;
use super::scripted;
use super::wanted::{Missing, Wanted, forget};
use crate::mlir::diagnostic;
use crate::mlir::ir::operation::{attribute, nested, string_attribute};
use crate::mlir::lift::{Settings, lift_function};
use crate::mlir::marker::{FOR_SIZES, WITHOUT_LAYOUT};
use crate::mlir::region::LiftedRegion;
use crate::options::Options;
use crate::options::fuel::FUEL;
use crate::pass::Outcome;
use crate::remark::{Key, Name, Remark};
use crate::timing::PhaseTimes;
use polyrs_host::raw::PolyRemarkKind;

/// Why a region is not begun.
const TOO_LARGE: &str = "it is expected to need more counted operations than are left to the function";

/// What helps.
const SMALLER: &str = "smaller functions, fewer statements in a nest, or effort=high help";

/// The outcome for one region.
pub struct Report<'c> {
    /// Where the region is.
    pub location: Location<'c>,
    /// The things that were done, or why nothing was.
    pub remark: Remark,
    /// Whether there is new code.
    pub changed: bool,
    /// The fault of code that was emitted, in words.
    pub failure: Option<Failure>,
}

/// What became of a function.
#[derive(Default)]
pub struct Scheduled<'c> {
    /// What became of its regions, in textual order.
    pub reports: Vec<Report<'c>>,
    /// What it asks for that no region could follow.
    pub missing: Vec<(Location<'c>, Missing)>,
}

impl Report<'_> {
    /// What a record of it is.
    fn kind(&self) -> PolyRemarkKind {
        match self.failure {
            Some(Failure::Users(_)) => PolyRemarkKind::Warned,
            _ if self.changed => PolyRemarkKind::Passed,
            _ => PolyRemarkKind::Missed,
        }
    }

    /// The same, said to be about one of several versions.
    fn about(self, version: &str) -> Self {
        Report { remark: self.remark.about(version), ..self }
    }
}

impl<'c> Scheduled<'c> {
    /// Nothing, as the user asks for something that makes no sense.
    fn failed(location: Location<'c>, text: String) -> Self {
        let failure = Some(Failure::Users(text.clone()));
        let remark = Remark::refused(Name::WrongRequest, text);
        let report = Report { location, remark, changed: false, failure };
        Self { reports: vec![report], missing: Vec::new() }
    }
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
    let Scheduled { mut reports, missing } =
        schedule_regions(context, function, options, &mut options.driver.allowance());
    let beside = schedule_cpu_version(context, function, options, &mut options.driver.allowance(), &reports);
    reports.extend(beside);
    for report in &reports {
        diagnostic::remark(report.location, &format!("poly-schedule: {}", report.remark.to_text()));
        diagnostic::record(report.kind(), function, report.location, &report.remark);
        if let Some(why) = report.remark.value(Key::NotTuned).filter(|_| !options.tuning.timers) {
            diagnostic::warning(report.location, &format!("poly-schedule: not as measured: {why}"));
        }
    }
    for (location, missing) in missing {
        diagnostic::warning(location, &format!("poly-schedule: {}", missing.text()));
        let remark = Remark::new(Name::WrongRequest).argument(Key::Reason, missing.text());
        diagnostic::record(PolyRemarkKind::Warned, function, location, &remark);
    }
    if let Some(failure) = reports.iter().find_map(|report| report.failure.as_ref()) {
        return Outcome::Failed(failure.text().to_owned());
    }
    if !reports.iter().any(|report| report.changed) {
        return Outcome::Unchanged;
    }
    forget(context, function);
    Outcome::Changed
}

/// Where kernels were made, works on the code for the CPU beside them, and on regions without kernels; `reports` are about the
/// kernels.
pub fn schedule_cpu_version<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    options: &Options,
    allowance: &mut Allowance,
    reports: &[Report<'c>],
) -> Vec<Report<'c>> {
    // A function that asks for something wrong stays as it is.
    let is_wrong = reports.iter().any(|report| matches!(report.failure, Some(Failure::Users(_))));
    if options.driver.target != Target::Gpu || !options.device.keep_original || is_wrong {
        return Vec::new();
    }
    // What is missing was said.
    let reports = schedule_regions(context, function, &options.for_cpu_version(), allowance).reports;
    reports.into_iter().map(|report| report.about("for the CPU")).collect()
}

/// Works on the regions of a function, which share an allowance, and says what became of each, in textual order. Where
/// a region got another layout, works on what runs where that is not used, too; where new code is for large sizes alone, on
/// what runs for others, if that may have threads.
pub fn schedule_regions<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    options: &Options,
    allowance: &mut Allowance,
) -> Scheduled<'c> {
    let settings = Settings {
        assume_noalias: options.assume_noalias,
        reorder_reductions: options.driver.reorder_reductions,
        granularity: options.granularity,
        deadline: Moment::after(options.time_budget),
        beside: None,
    };
    let of_function = |all| Arc::new(Memory::of_function(all));
    let memory = options.driver.memory.as_ref().map(of_function);
    let options = &Options { driver: driver::Options { memory, ..options.driver.clone() }, ..options.clone() };
    // The marks are ours: what the program has by these names may be in loops that go away.
    [WITHOUT_LAYOUT, FOR_SIZES].into_iter().for_each(|marker| unmark(&marked(function, marker), marker));
    let mut scheduled = schedule_lifted(context, function, options, settings, allowance);
    let without_layout = driver::Options { layout: LayoutSearch::None, ..options.driver.clone() };
    let others =
        schedule_beside(context, function, WITHOUT_LAYOUT, Some(without_layout), (options, settings), allowance);
    scheduled.reports.extend(others.into_iter().map(|report| report.about("where the layout is not used")));
    let in_caches = options.driver.for_data_in_caches();
    // What is shown of a region is what is done with the most data.
    let options = &Options { dump: BTreeSet::new(), ..options.clone() };
    let others = schedule_beside(context, function, FOR_SIZES, in_caches, (options, settings), allowance);
    // That it stays as it is was said.
    let others = others.into_iter().filter(|report| report.changed || report.failure.is_some());
    scheduled.reports.extend(others.map(|report| report.about("for other sizes")));
    scheduled
}

/// Works on what stayed as it was beside new code, at operations with a marker, which goes.
fn schedule_beside<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    marker: &'static str,
    driver: Option<driver::Options>,
    (options, settings): (&Options, Settings),
    allowance: &mut Allowance,
) -> Vec<Report<'c>> {
    let open = marked(function, marker);
    let mut reports = Vec::new();
    if let Some(driver) = driver.filter(|_| !open.is_empty()) {
        let settings = Settings { deadline: Moment::after(options.time_budget), beside: Some(marker), ..settings };
        // Files are about the region as the program has it.
        let options = options.for_version(driver);
        forget(context, function);
        reports = schedule_lifted(context, function, &options, settings, allowance).reports;
    }
    unmark(&open, marker);
    reports
}

/// The operations of a function that have a marker.
fn marked<'c, 'a>(function: OperationRef<'c, 'a>, marker: &str) -> Vec<OperationRef<'c, 'a>> {
    nested(function).into_iter().filter(|operation| attribute(*operation, marker).is_some()).collect()
}

/// Takes a marker from operations, which are all there.
fn unmark(operations: &[OperationRef<'_, '_>], marker: &str) {
    for operation in operations {
        // SAFETY: the operation is alive, and no other reference changes it meanwhile.
        let _ = unsafe { OperationRefMut::from_raw(operation.to_raw()) }.remove_attribute(marker);
    }
}

/// Works on the regions that are found.
fn schedule_lifted<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    options: &Options,
    settings: Settings,
    allowance: &mut Allowance,
) -> Scheduled<'c> {
    let mut times = PhaseTimes::default();
    let wanted = match Wanted::of(function) {
        Ok(wanted) => wanted,
        Err(error) => return Scheduled::failed(function.location(), error),
    };
    let lifted = times.measure("lift", || lift_function(function, settings));
    let regions: Vec<_> = lifted.iter().filter_map(|found| found.as_ref().ok()).collect();
    let mut missing = match wanted.missing(&regions) {
        Ok(missing) => missing,
        Err(error) => return Scheduled::failed(function.location(), error),
    };
    if let (Some(script), Some(name)) = (&options.script, string_attribute(function, "sym_name")) {
        missing.extend(scripted::missing(script, &name, &regions, function.location()));
    }
    let count = regions.len();
    let mut reports = Vec::new();
    let mut left = count;
    for found in lifted.into_iter().rev() {
        reports.push(match found {
            Ok(region) => {
                let (budget, number) = (allowance.of_region(left), left);
                left -= 1;
                let regions = ((count, budget), number, &wanted);
                optimize(context, function, region, regions, (options, allowance), &mut times)
            }
            Err(refusal) => {
                Report { location: refusal.location, remark: refusal.remark(), changed: false, failure: None }
            }
        });
    }
    times.log();
    reports.reverse();
    Scheduled { reports, missing }
}

/// Optimizes a region with a budget, unless that is known not to be enough, and counts what it takes.
fn optimize<'c, 'a>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    region: LiftedRegion<'c, 'a>,
    (regions, number, wanted): ((usize, Budget), usize, &Wanted<'c>),
    (options, allowance): (&Options, &mut Allowance),
    times: &mut PhaseTimes,
) -> Report<'c> {
    let (location, isl, name) = (region.location, region.scop.ctx().clone(), region.scop.name.clone());
    let depth = region.depth();
    let unchanged = |remark, failure| Report { location, remark, changed: false, failure };
    // What users ask for is followed, or they are told what is wrong with it.
    let has_tree = options.load_schedule.is_some() || options.script.is_some();
    let is_asked = !wanted.sources.is_empty() || options.layout_maps.is_some() || has_tree;
    let size = if is_asked { None } else { RegionSize::of(&region.scop).ok().flatten() };
    if size.is_some_and(|size| !allowance.suffices(size, regions.1)) {
        let remark = Remark::refused(Name::RefusedOutOfQuota, TOO_LARGE).text("; ").argument(Key::Help, SMALLER);
        return unchanged(remark.hidden(Key::Region, &region.scop.name).hidden(Key::Depth, depth), None);
    }
    let scop = options.records.is_some().then(|| region.scop.clone());
    let before = isl.operations();
    let aside = Cell::new(0);
    let result = Rewrite { context, function, regions, number, options, wanted, aside: &aside }.run(region, times);
    let operations = isl.operations() - before - aside.get();
    allowance.count(operations);
    if let (Some(size), Err(ScheduleRefusal::Exhausted(_)), Ok(())) = (size, &result, isl.check_deadline()) {
        allowance.was_exceeded(size, regions.1);
    }
    match result {
        Ok((remark, changed)) => {
            Report { location, remark: remark.hidden(Key::Operations, operations), changed, failure: None }
        }
        Err(refusal) => {
            let tell = || refusal.remark().hidden(Key::Region, &name).hidden(Key::Depth, depth);
            let mut remark = times.measure("remark", tell);
            if let (Some(folder), Some(scop)) = (&options.records, scop) {
                remark = RegionFiles::new(folder, &name).write(remark, &scop, None);
            }
            unchanged(remark.hidden(Key::Operations, operations), refusal.failure())
        }
    }
}
