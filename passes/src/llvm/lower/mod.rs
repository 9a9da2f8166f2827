//! From a raised region to code of LLVM's: scheduled and lowered as `mlir-opt` would, and translated.
//!
//! Nothing here changes the module; [`splice`](super::splice) does, when all regions of a function went through
//! [`Lowering::optimize`].

mod code;
mod context;

pub use code::Code;

use melior::Context;
use melior::ir::Module as MlirModule;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, OperationRef};

use self::context::{Messages, new_context, run_pipeline};
use super::ir::Module;
use super::options::LlvmOptions;
use super::raised::Raised;
use crate::mlir::ir::operation::{is, nested, string_attribute};
use crate::mlir::lower::kernels::LEFT_TO_CPU;
use crate::mlir::names::PART;
use crate::mlir::schedule::{Failure, Missing, Report, Scheduled, forget, schedule_cpu_version, schedule_regions};
use crate::options::Options;
use crate::remark::{Key, Name, Remark};
use polyrs_core::driver::{Allowance, Target};

/// The context of MLIR that the regions of one module share. It is made for the first of them.
#[derive(Default)]
pub struct Lowering {
    context: Option<Context>,
}

/// What is said about a part of a region.
pub struct Told {
    /// Whether that part is new.
    pub changed: bool,
    /// Something that was asked for is wrong.
    pub wrong: bool,
    /// The things that were done, or why nothing was.
    pub remark: Remark,
}

/// The outcome for a region.
pub struct Optimized {
    /// The new code; nothing if the original is as good.
    pub code: Option<Code>,
    /// The remarks about it.
    pub remarks: Vec<Told>,
    /// Layouts that are asked for of arrays that it does not have.
    pub missing: Vec<Missing>,
}

impl Lowering {
    /// Schedules a raised region, and lowers it if that made it another one.
    ///
    /// # Errors
    /// Why there is no new code, where that is our fault: what was raised or emitted is wrong.
    pub fn optimize(
        &mut self,
        module: Module<'_>,
        raised: &Raised<'_>,
        options: &LlvmOptions,
        (is_part, with_debug): (bool, bool),
        allowance: &mut Allowance,
    ) -> Result<Optimized, String> {
        let context = self.context.get_or_insert_with(new_context);
        let messages = Messages::listen(context);
        let mut parsed = MlirModule::parse(context, &raised.text)
            .ok_or_else(|| format!("the raised region is malformed: {}", messages.text()))?;
        if is_part {
            mark_as_part(context, &parsed, &raised.name);
        }
        let (mut remarks, missing) =
            schedule(context, &parsed, &raised.name, &inner_options(&options.schedule), allowance)?;
        if !remarks.iter().any(|remark| remark.changed) {
            return Ok(Optimized { code: None, remarks, missing });
        }
        let parallel = nested(parsed.as_operation()).into_iter().any(|loops| is(loops, "affine.parallel"));
        run_pipeline(context, &mut parsed, &pipeline(options, parallel, with_debug))
            .map_err(|error| format!("lowering failed: {error}: {}", messages.text()))?;
        remarks.extend(messages.about(LEFT_TO_CPU).iter().map(|text| Told {
            changed: false,
            wrong: false,
            remark: left_to_cpu(text),
        }));
        let code = Code::translate(&parsed, module)
            .ok_or_else(|| format!("translation to LLVM IR failed: {}", messages.text()))?;
        Ok(Optimized { code: Some(code), remarks, missing })
    }
}

/// The remark for a message of the lowering of kernels.
fn left_to_cpu(message: &str) -> Remark {
    let reason = message.strip_prefix(LEFT_TO_CPU).and_then(|rest| rest.strip_prefix(": "));
    match reason {
        Some(reason) => Remark::new(Name::LeftToCpu).text(format!("{LEFT_TO_CPU}: ")).argument(Key::Reason, reason),
        None => Remark::new(Name::LeftToCpu).text(message),
    }
}

/// Says that a function is one of several regions that texts of layouts are about.
fn mark_as_part(context: &Context, module: &MlirModule<'_>, name: &str) {
    if let Some(function) = find(module.as_operation(), name) {
        // SAFETY: the function is alive, and no other reference changes it meanwhile.
        unsafe { OperationRefMut::from_raw(function.to_raw()) }.set_attribute(PART, Attribute::unit(context));
    }
}

/// The options for a raised function: it was chosen already, and its arrays are apart, by analysis or by the check.
fn inner_options(options: &Options) -> Options {
    Options { functions: std::collections::BTreeSet::new(), assume_noalias: true, ..options.clone() }
}

fn schedule(
    context: &Context,
    module: &MlirModule<'_>,
    name: &str,
    options: &Options,
    allowance: &mut Allowance,
) -> Result<(Vec<Told>, Vec<Missing>), String> {
    let function = find(module.as_operation(), name).ok_or_else(|| format!("the raised module lacks @{name}"))?;
    let mut part = allowance.split(if options.driver.target == Target::Gpu { 2 } else { 1 });
    let Scheduled { mut reports, missing } = schedule_regions(context, function, options, &mut part);
    allowance.join(part);
    let beside = schedule_cpu_version(context, function, options, allowance, &reports);
    reports.extend(beside);
    // What users asked for wrongly is said by the remark about the region.
    let ours = |failure: &Failure| matches!(failure, Failure::Ours(_));
    if let Some(failure) = reports.iter().filter_map(|report| report.failure.as_ref()).find(|failure| ours(failure)) {
        return Err(failure.text().to_owned());
    }
    forget(context, function);
    if !module.as_operation().verify() {
        return Err("the scheduled region is malformed".to_owned());
    }
    let told = |report: Report<'_>| Told {
        changed: report.changed,
        wrong: matches!(report.failure, Some(Failure::Users(_))),
        remark: report.remark,
    };
    let missing = missing.into_iter().map(|(_, missing)| missing).collect();
    Ok((reports.into_iter().map(told).collect(), missing))
}

fn find<'c, 'a>(module: OperationRef<'c, 'a>, name: &str) -> Option<OperationRef<'c, 'a>> {
    nested(module).into_iter().find(|operation| string_attribute(*operation, "sym_name").as_deref() == Some(name))
}

/// The textual pipeline from the affine dialect to that of LLVM, for code with parallel loops or without. It is the
/// code that says so: a loaded tree has what its marks say, whatever the option.
fn pipeline(options: &LlvmOptions, parallel: bool, with_debug: bool) -> String {
    let debug = if with_debug { ",ensure-debug-info-scope-on-llvm-func" } else { "" };
    let is_for_gpu = options.schedule.driver.target == Target::Gpu;
    let dumps: Vec<_> =
        options.dump_lowering.iter().filter(|stage| is_for_gpu || *stage != "kernels").map(String::as_str).collect();
    let mut given = Vec::new();
    if !dumps.is_empty() {
        given.push(format!("dump={}", dumps.join(",")));
    }
    if parallel {
        given.extend(options.machine.as_ref().map(|machine| format!("machine={machine}")));
        given.extend(options.threshold.map(|threshold| format!("parallel-threshold={threshold}")));
    }
    let mut name = if parallel { "poly-lower-openmp" } else { "poly-lower-x86" };
    if is_for_gpu {
        name = "poly-lower-nvptx";
        given.push(format!("starts=anywhere openmp={parallel}"));
        given.extend(options.chip.as_ref().map(|chip| format!("chip={chip}")));
        given.extend(options.libdevice.as_ref().map(|file| format!("libdevice={file}")));
    }
    format!("builtin.module({name}{{{}}}{debug})", given.join(" "))
}
