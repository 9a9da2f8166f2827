//! The way of a module: each function is cloned and raised, and its regions optimized and put in place.

use std::time::Instant;

use llvm_sys::core::LLVMCountBasicBlocks;
use llvm_sys::prelude::LLVMModuleRef;
use polyrs_core::driver::Allowance;
use polyrs_interface::{Candidate, Outlook};

use super::host::{self, Manager, RemarkKind};
use super::ir::{Function, Location, Module};
use super::lower::{Code, Lowering, Placed, place};
use super::options::LlvmOptions;
use super::raise::{raise_function, read};
use super::raised::Raised;
use super::validate::{Verdict, validate};
use super::{ARGUMENT, Analysis, remark};
use crate::host::Text;

/// The module that the pass runs on.
pub struct Target<'m> {
    module: Module<'m>,
    manager: *mut Manager,
}

impl<'m> Target<'m> {
    /// # Safety
    /// Both live for `'m`, belong together, and are used by nobody else meanwhile.
    pub unsafe fn new(module: LLVMModuleRef, manager: *mut Manager) -> Self {
        // SAFETY: passed on to the caller.
        Self { module: unsafe { Module::new(module) }, manager }
    }
}

/// Works on those of the functions that the options select. Says whether anything changed.
///
/// # Errors
/// What must make the compiler fail.
pub fn run(target: &Target<'_>, candidates: &[Candidate], options: &LlvmOptions) -> Result<bool, String> {
    let mut lowering = Lowering::default();
    let mut changed = false;
    for candidate in candidates {
        // SAFETY: a function of the module, by the contract of `Target::new`.
        let function = unsafe { Function::new(candidate.function) };
        if options.schedule.selects(&function.name()) && is_worth(candidate, options) {
            changed |= run_on(target, candidate, &options.of(function), &mut lowering);
        }
    }
    Ok(changed)
}

/// Whether anything could be done about a function, or is to be said.
fn is_worth(candidate: &Candidate, options: &LlvmOptions) -> bool {
    candidate.explain
        || match candidate.outlook {
            Outlook::Nothing => false,
            Outlook::Single => options.single_loops || options.dump_raised,
            Outlook::Several => true,
        }
}

/// Works on one function. Says whether it changed.
fn run_on(target: &Target<'_>, candidate: &Candidate, options: &LlvmOptions, lowering: &mut Lowering) -> bool {
    // SAFETY: a function of the module, by the contract of `Target::new`.
    let function = unsafe { Function::new(candidate.function) };
    let refuse = |location: Location<'_>, reason: &str| {
        remark::emit(RemarkKind::Missed, function, location, &format!("refused: {reason}"));
    };
    if let Some(reason) = obstacle(target.module, function) {
        refuse(Location::unknown(), &reason);
        return false;
    }
    let deadline = Instant::now().checked_add(options.schedule.time_budget);
    // SAFETY: the manager is the module's, by the contract of `Target::new`.
    let analysis = unsafe { Analysis::new(function, target.manager) };
    let reading = read(&analysis);
    let mut regions = Vec::new();
    let mut said = Vec::new();
    let found = raise_function(&analysis, &reading, options, candidate.explain, deadline);
    let mut left = found.iter().filter(|found| found.is_ok()).count();
    let mut allowance = Allowance::of_function();
    for found in found {
        match found {
            Ok(raised) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
                refuse(raised.location, "the time for this function is used up");
            }
            // Nobody would have looked if it were not for the remarks, and those change no code.
            Ok(raised) if !is_foreseen(&raised, candidate.outlook) => {
                refuse(raised.location, "internal error: the first look at the loops did not foresee this region");
            }
            Ok(raised) => {
                let mut done = Vec::new();
                let mut part = allowance.split(left);
                left -= 1;
                let code = optimize(target, &raised, options, lowering, function, &mut done, &mut part);
                allowance.join(part);
                if let Some(code) = code {
                    said.push((raised.location, done));
                    regions.push((raised, code));
                }
            }
            Err(refusal) => refuse(refusal.location, &refusal.reason),
        }
    }
    if regions.is_empty() {
        return false;
    }
    let placed = place(target.module, &analysis, &reading, regions);
    let accepted = accept(&analysis, &placed, said, options, function);
    drop(reading);
    if !accepted {
        // The clone calls what was placed, so it goes first.
        drop(analysis);
        return false;
    }
    analysis.keep();
    placed.stay(options.trace_checks);
    // SAFETY: the function is alive, and the text lives during the call.
    unsafe { host::polyHostLlvmMark(function.raw(), Text::new(ARGUMENT)) }
    true
}

/// Whether a clone may take its original's place. Says what became of its regions.
fn accept(
    analysis: &Analysis<'_>,
    placed: &Placed,
    said: Vec<(Location<'_>, Vec<(RemarkKind, String)>)>,
    options: &LlvmOptions,
    function: Function<'_>,
) -> bool {
    let refuse = |location: Location<'_>, error: &str| {
        remark::emit(RemarkKind::Missed, function, location, &format!("refused: internal error: {error}"));
    };
    let verdict = (placed.error.is_none() && options.validate).then(|| validate(analysis));
    let wrong = match &verdict {
        Some(verdict @ Verdict::Differs(_)) => Some(verdict.text()),
        _ => placed.error.clone(),
    };
    if let Some(error) = wrong {
        refuse(Location::unknown(), &error);
        return false;
    }
    for ((location, done), lost) in said.into_iter().zip(&placed.lost) {
        match lost {
            Some(error) => refuse(location, error),
            None => done.into_iter().for_each(|(kind, text)| remark::emit(kind, function, location, &text)),
        }
    }
    if let Some(verdict) = verdict {
        remark::emit(RemarkKind::Analysed, function, Location::unknown(), &verdict.text());
    }
    placed.lost.iter().any(Option::is_none)
}

/// Whether the first look at the loops of a function let a region through.
fn is_foreseen(raised: &Raised<'_>, outlook: Outlook) -> bool {
    outlook >= if raised.single { Outlook::Single } else { Outlook::Several }
}

/// New code for one region, if it is to have some. What is to be said once it is in place goes to `done`.
fn optimize(
    target: &Target<'_>,
    raised: &Raised<'_>,
    options: &LlvmOptions,
    lowering: &mut Lowering,
    function: Function<'_>,
    done: &mut Vec<(RemarkKind, String)>,
    allowance: &mut Allowance,
) -> Option<Code> {
    options.show_raised(&raised.name, &raised.text);
    let miss = |text: &str| remark::emit(RemarkKind::Missed, function, raised.location, text);
    match lowering.optimize(target.module, raised, options, function.has_debug_information(), allowance) {
        Ok(optimized) => {
            for found in optimized.remarks {
                if found.changed {
                    done.push((RemarkKind::Passed, found.text));
                } else {
                    miss(&found.text);
                }
            }
            if optimized.code.is_some() {
                let check = if raised.checked { "where a check at run time allows it" } else { "always" };
                let text = format!("the new code is in {} and runs {check}", raised.name);
                done.push((RemarkKind::Analysed, text));
            }
            optimized.code
        }
        Err(error) => {
            miss(&format!("refused: internal error: {error}"));
            None
        }
    }
}

/// Larger functions are left alone: what is done before a region is known grows with the function.
const BLOCKS: u32 = 5_000;
/// As [`BLOCKS`].
const INSTRUCTIONS: u32 = 100_000;

/// Attributes of functions that must stay as they are, and why.
pub(super) const OBSTACLES: &[(&str, &str)] = &[
    ("optnone", "the function must not be optimized"),
    ("naked", "the function is naked"),
    ("presplitcoroutine", "the function is a coroutine"),
    ("strictfp", "the floating-point environment is observed"),
    ("convergent", "the function is convergent"),
    ("sanitize_alloc_token", "the code is instrumented by a sanitizer"),
    ("sanitize_address", "the code is instrumented by a sanitizer"),
    ("sanitize_hwaddress", "the code is instrumented by a sanitizer"),
    ("sanitize_memory", "the code is instrumented by a sanitizer"),
    ("sanitize_memtag", "the code is instrumented by a sanitizer"),
    ("sanitize_numerical_stability", "the code is instrumented by a sanitizer"),
    ("sanitize_thread", "the code is instrumented by a sanitizer"),
    ("sanitize_type", "the code is instrumented by a sanitizer"),
    ("sanitize_realtime", "the code is instrumented by a sanitizer"),
    ("sanitize_realtime_blocking", "the code is instrumented by a sanitizer"),
];

/// The same for attributes with names that are texts.
const TEXT_OBSTACLES: &[(&str, &str)] = &[
    ("interrupt", "the function is an interrupt handler"),
    ("aarch64_pstate_sm_body", "the function runs in streaming mode"),
    ("aarch64_pstate_sm_compatible", "the function runs in streaming mode"),
    ("aarch64_pstate_sm_enabled", "the function runs in streaming mode"),
    ("aarch64_in_za", "the function shares registers of the matrix extension"),
    ("aarch64_in_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_inout_za", "the function shares registers of the matrix extension"),
    ("aarch64_inout_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_new_za", "the function shares registers of the matrix extension"),
    ("aarch64_new_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_out_za", "the function shares registers of the matrix extension"),
    ("aarch64_out_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_preserves_za", "the function shares registers of the matrix extension"),
    ("aarch64_preserves_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_za_state_agnostic", "the function shares registers of the matrix extension"),
];

/// How the triples of GPUs start.
const GPUS: &[&str] = &["amdgcn", "amdil", "dxil", "nvptx", "r600", "spir"];

/// Why a function as a whole must stay as it is.
fn obstacle(module: Module<'_>, function: Function<'_>) -> Option<String> {
    if let Some((_, reason)) = OBSTACLES.iter().find(|(name, _)| function.has_attribute(name)) {
        return Some((*reason).to_owned());
    }
    if let Some((_, reason)) = TEXT_OBSTACLES.iter().find(|(name, _)| function.string_attribute(name).is_some()) {
        return Some((*reason).to_owned());
    }
    // SAFETY: the function is alive.
    if unsafe { host::polyHostLlvmIsLibraryFunction(function.raw()) } {
        return Some("compilers call a function of this name by themselves, in its own new code as well".to_owned());
    }
    if function.has_garbage_collector() {
        return Some("the function's pointers are a garbage collector's".to_owned());
    }
    if GPUS.iter().any(|gpu| module.triple().starts_with(gpu)) {
        return Some("the code is for a GPU".to_owned());
    }
    if module.pointer_bits() != 64 {
        return Some(format!("pointers have {} bits", module.pointer_bits()));
    }
    // SAFETY: the function is alive and has a body.
    let (blocks, instructions) =
        unsafe { (LLVMCountBasicBlocks(function.raw()), host::polyHostLlvmCountInstructions(function.raw())) };
    if blocks > BLOCKS || instructions > INSTRUCTIONS {
        return Some(format!("the function is too large: {blocks} blocks, {instructions} instructions"));
    }
    // SAFETY: the function is alive and has a body.
    let (addressed, twice) = unsafe {
        (host::polyHostLlvmHasAddressedBlock(function.raw()), host::polyHostLlvmCallsReturnsTwice(function.raw()))
    };
    if addressed {
        return Some("the address of a block is taken".to_owned());
    }
    twice.then(|| "a function that is called may return twice".to_owned())
}
