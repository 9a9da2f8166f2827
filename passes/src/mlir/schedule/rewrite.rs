//! One region: find its schedule, and its layout if that is open, and emit what was found.

use std::cell::Cell;

use melior::Context;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;
use polyrs_core::cost;
use polyrs_core::driver::{self, Budget, Candidate, Joint, LayoutSearch, Optimized, optimize_jointly};
use polyrs_core::isl::Moment;
use polyrs_core::layout::Applied;
use polyrs_core::schedule::Strategy;
use polyrs_core::scop::text::schedule_to_text;
use polyrs_core::tuning::Offer;

use super::files;
use super::records::{RegionFiles, write_offer};
use super::refusal::ScheduleRefusal;
use super::relaid;
use super::remark::{self, Emission, Layouts, Subject};
use super::scripted;
use super::show::Show;
use super::tuned::{Advice, offered};
use super::wanted::Wanted;
use crate::mlir::diagnostic;
use crate::mlir::emit::{Manner, Stage, emit};
use crate::mlir::ir::operation::attribute;
use crate::mlir::layout::with_layout;
use crate::mlir::lower::facts::BURDENED;
use crate::mlir::region::LiftedRegion;
use crate::mlir::translation_validation::Validation;
use crate::options::Options;
use crate::options::fuel::Fuel;
use crate::remark::{Key, Remark};
use crate::timing::PhaseTimes;

/// What a region is rewritten by.
pub struct Rewrite<'r, 'c, 'a> {
    pub context: &'c Context,
    pub function: OperationRef<'c, 'a>,
    /// How many regions the function has, and what this one may take.
    pub regions: (usize, Budget),
    /// Its number among them, from 1.
    pub number: usize,
    pub options: &'r Options,
    /// The layouts that the function asks for.
    pub wanted: &'r Wanted<'c>,
    /// The operations of isl that records took: code must not depend on whether somebody wants them.
    pub aside: &'r Cell<u64>,
}

impl<'c, 'a> Rewrite<'_, 'c, 'a> {
    /// Rewrites a region and returns the remark about it and whether anything changed, or why the region stays as it
    /// was.
    pub fn run(&self, region: LiftedRegion<'c, 'a>, times: &mut PhaseTimes) -> Result<(Remark, bool), ScheduleRefusal> {
        let (context, options) = (self.context, self.options);
        self.set_deadline(&region);
        // What is emitted uses it until the end.
        let stage = Stage::new(context);
        let maps = relaid::maps(self.wanted, &region.scop.name, self.regions.0, options);
        let maps = maps.map_err(|error| ScheduleRefusal::Wrong(error.into()))?;
        match relaid::relaid(context, &region, &maps, options, &stage, self.index_bits()) {
            Ok(Some(relaid)) => {
                let (found, show) = self.find(&relaid, LayoutSearch::None, times)?;
                self.emit(relaid, &found, &Layouts::Given, &show, times)
            }
            Ok(None) => self.without_maps(region, &stage, times),
            // It was no error where kernels were made.
            Err(ScheduleRefusal::Wrong(reason)) if options.is_for_cpu_version => {
                let (remark, changed) = self.without_maps(region, &stage, times)?;
                let remark = remark.text("; without the layout that is asked for: ");
                Ok((remark.argument(Key::Reason, reason.to_text()), changed))
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// As [`Rewrite::run`], for a region that no layout is asked for: what a file of choices says, or what is found.
    fn without_maps(
        &self,
        region: LiftedRegion<'c, 'a>,
        stage: &Stage<'c, 'a>,
        times: &mut PhaseTimes,
    ) -> Result<(Remark, bool), ScheduleRefusal> {
        let before = region.scop.ctx().operations();
        let mut advice = Advice::of(&region.scop, self.options);
        self.aside.set(self.aside.get() + region.scop.ctx().operations() - before);
        if advice.keeps_original() {
            return Ok((advice.left(&region.scop.name), false));
        }
        if let Some(candidate) = advice.candidate() {
            match self.as_chosen(&region, candidate, stage, times) {
                Ok((remark, changed)) => return Ok((advice.tell(remark), changed)),
                Err(refusal @ (ScheduleRefusal::Refused(_) | ScheduleRefusal::Exhausted(_))) => {
                    advice.refused = Some(refusal.cause().to_text());
                    self.set_deadline(&region);
                }
                Err(refusal) => return Err(refusal),
            }
        }
        let mut offer = None;
        let (remark, changed) = self.as_found(region, stage, &mut offer, times)?;
        if let (Some(folder), Some(offer)) = (&self.options.records, offer) {
            write_offer(folder, &remark, &offer);
        }
        Ok((advice.tell(remark), changed))
    }

    /// A region with the candidate of a file of choices.
    fn as_chosen(
        &self,
        region: &LiftedRegion<'c, 'a>,
        (candidate, is_relaid): (&Candidate, bool),
        stage: &Stage<'c, 'a>,
        times: &mut PhaseTimes,
    ) -> Result<(Remark, bool), ScheduleRefusal> {
        let mut options = self.options.clone();
        options.driver.candidate = Some(candidate.clone());
        let own = Rewrite { options: &options, ..*self };
        if !is_relaid {
            let (found, show) = own.find(region, LayoutSearch::None, times)?;
            return own.emit(region.clone(), &found, &Layouts::Own, &show, times);
        }
        let (found, _) = self.find(region, self.options.driver.layout, times)?;
        let Some(chosen) = &found.relaid else { return Err("no other layout is chosen".to_owned().into()) };
        let relaid = with_layout(self.context, region, &chosen.applied, stage, self.index_bits())?;
        let relaid = LiftedRegion { conditions: chosen.conditions.clone(), ..relaid };
        self.set_deadline(&relaid);
        let (found, show) = own.find(&relaid, LayoutSearch::None, times)?;
        own.emit(relaid, &found, &Layouts::Given, &show, times)
    }

    /// As [`Rewrite::without_maps`], with what is found; `stage` lives until the new code is there.
    fn as_found(
        &self,
        region: LiftedRegion<'c, 'a>,
        stage: &Stage<'c, 'a>,
        offer: &mut Option<Offer>,
        times: &mut PhaseTimes,
    ) -> Result<(Remark, bool), ScheduleRefusal> {
        let (context, options) = (self.context, self.options);
        let (mut found, mut show) = self.find(&region, options.driver.layout, times)?;
        *offer = self.offered(&region, &found);
        if let Some(chosen) = &found.relaid {
            let relaid = with_layout(context, &region, &chosen.applied, stage, self.index_bits())?;
            let conditions = chosen.conditions.clone();
            let relaid = LiftedRegion { conditions, settled: chosen.settled, ..relaid };
            match self.emit(relaid, &found, &Layouts::Searched, &show, times) {
                Err(ScheduleRefusal::Refused(cause)) => {
                    tracing::debug!(reason = cause.to_text(), "without another layout instead");
                }
                other => return other,
            }
            self.set_deadline(&region);
            (found, show) = self.find(&region, LayoutSearch::None, times)?;
        }
        let layouts = if found.considered.len() > 1 { Layouts::Searched } else { Layouts::Own };
        self.emit(region, &found, &layouts, &show, times)
    }

    /// What may be measured of a region, where somebody wants to know.
    fn offered(&self, region: &LiftedRegion<'_, '_>, joint: &Joint) -> Option<Offer> {
        self.options.tuning.candidates?;
        let before = region.scop.ctx().operations();
        let offer = offered(&region.scop, joint, self.options);
        self.aside.set(self.aside.get() + region.scop.ctx().operations() - before);
        self.set_deadline(region);
        offer
    }

    fn set_deadline(&self, region: &LiftedRegion<'_, '_>) {
        region.scop.ctx().set_deadline(Moment::after(self.options.time_budget));
    }

    fn index_bits(&self) -> u32 {
        polyrs_host::index_bits(self.function.to_raw())
    }

    /// Everything up to the emission, which touches no IR.
    fn find(
        &self,
        region: &LiftedRegion<'c, 'a>,
        layout: LayoutSearch,
        times: &mut PhaseTimes,
    ) -> Result<(Joint, Show<'_>), ScheduleRefusal> {
        let mut show = Show::new(self.options, &region.scop).map_err(|error| error.to_string())?;
        let found = self.search(region, layout, &mut show, times);
        show.print();
        Ok((found?, show))
    }

    fn search(
        &self,
        region: &LiftedRegion<'c, 'a>,
        layout: LayoutSearch,
        show: &mut Show<'_>,
        times: &mut PhaseTimes,
    ) -> Result<Joint, ScheduleRefusal> {
        let (options, (regions, budget), name) = (self.options, self.regions, &region.scop.name);
        let strategy = strategy(options)?;
        let load_schedule = match (&options.load_schedule, &options.script) {
            (Some(template), _) => Some(files::load(&files::path_of(template, name, regions)?)?),
            (None, Some(script)) => {
                let choices = driver::Options { strategy: strategy.clone(), budget, ..options.driver.clone() };
                scripted::tree(script, &region.scop, self.number, choices)?
            }
            (None, None) => None,
        };
        let choices = driver::Options { strategy, budget, load_schedule, layout, ..options.driver.clone() };
        let possible = |applied: &Applied| {
            let trial = Stage::new(self.context);
            let made = with_layout(self.context, region, applied, &trial, self.index_bits());
            made.inspect_err(|error| tracing::debug!(%error, "no such layout")).is_ok()
        };
        let found = optimize_jointly(&region.scop, &choices, &possible, show)?;
        for (phase, time) in found.optimized.phases.iter() {
            times.add(phase.word(), time);
        }
        if let Some(chosen) = &found.relaid {
            show.relaid(&chosen.applied.scop).map_err(|error| error.to_string())?;
        }
        if let Some(template) = &options.save_schedule {
            let text = schedule_to_text(&found.optimized.tree).map_err(|error| error.to_string())?;
            files::save(&files::path_of(template, name, regions)?, &text)
                .map_err(|problem| ScheduleRefusal::Wrong(problem.into()))?;
        }
        Ok(found)
    }

    /// Emits what was found for a region, if it is better than what there is.
    fn emit(
        &self,
        region: LiftedRegion<'c, 'a>,
        joint: &Joint,
        layouts: &Layouts,
        show: &Show<'_>,
        times: &mut PhaseTimes,
    ) -> Result<(Remark, bool), ScheduleRefusal> {
        let (options, found) = (self.options, &joint.optimized);
        let name = region.scop.name.clone();
        let statements = region.scop.statements.iter().filter(|s| !s.is_kill()).count();
        let depth = region.depth();
        let scop = options.records.is_some().then(|| region.scop.clone());
        // Whoever asks for a layout gets it, even where the order stays what it was. Without what the
        // original does besides, its own order is better, too.
        let is_better = !found.same_as_original
            || matches!(layouts, Layouts::Given)
            || joint.relaid.is_some()
            || attribute(self.function, BURDENED).is_some();
        let mut region = region;
        region.conditions.extend_from_slice(layouts.conditions(joint));
        let emission = if is_better { self.emit_better(region, found, times)? } else { Emission::NotBetter };
        let changed = matches!(emission, Emission::Done { .. });
        let subject = Subject { name: &name, statements, depth };
        let mut remark = times.measure("remark", || remark::remark(subject, joint, layouts, &emission, options));
        if let (Some(folder), Some(scop)) = (&options.records, scop) {
            let before = scop.ctx().operations();
            remark = RegionFiles::new(folder, &name).write(remark, &scop, Some(&found.tree));
            self.aside.set(self.aside.get() + scop.ctx().operations() - before);
        }
        if let Some(folder) = &options.report {
            files::save(&folder.join(format!("{}.md", files::file_name(&name))), &show.report(&remark.to_text()))
                .unwrap_or_else(|error| diagnostic::warning(self.function.location(), &error));
        }
        Ok((remark, changed))
    }

    /// Emits what was found, as long as there is fuel.
    fn emit_better(
        &self,
        region: LiftedRegion<'c, 'a>,
        found: &Optimized,
        times: &mut PhaseTimes,
    ) -> Result<Emission, ScheduleRefusal> {
        let options = self.options;
        let fuel = options.fuel.map(Fuel::burn);
        if fuel == Some(None) {
            return Ok(Emission::OutOfFuel);
        }
        // Reading the new code back has its own time.
        self.set_deadline(&region);
        let tree = options.read_back.then_some(&found.tree);
        let (context, bits) = (self.context, self.index_bits());
        let emitted = times.measure("emit", || {
            let ahead = cost::from_memory(&region.scop, &options.driver.machine)?;
            emit(context, region, &found.ast, bits, tree, Manner { device: options.device, ahead })
        })?;
        let read_back = emitted.validation.map(|validation| match validation {
            Validation::Equal => Ok(()),
            Validation::Unknown(reason) => Err(reason),
        });
        Ok(Emission::Done { fuel: fuel.flatten(), has_guard: emitted.guard.is_some(), read_back })
    }
}

/// The strategy of the file, on top of the scheduler's own.
fn strategy(options: &Options) -> Result<Option<Strategy>, String> {
    let Some(path) = &options.strategy else { return Ok(None) };
    let base = options.driver.scheduler.strategy(options.driver.target, &options.driver.machine);
    let base = base.ok_or_else(|| format!("strategy {}: the scheduler is not ours", path.display()))?;
    let text = files::load(path)?;
    base.with_text(&text, &options.driver.machine)
        .map(Some)
        .map_err(|error| format!("strategy {}: {error}", path.display()))
}
