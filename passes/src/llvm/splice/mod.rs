//! New code is spliced into a clone in the place of its regions: linked into the module and called there, and kept if
//! the clone is.
//!
//! | file | what |
//! |---|---|
//! | `linked_module.rs` | code that is linked into the module, to be committed or rolled back |
//! | `region_entry_exit.rs` | where a region starts and ends in the clone, and what the new code is called with |
//! | `attributes.rs` | the attributes that new functions do not get from their original |
//! | `listing.rs` | `dump=facts`: what LLVM is told of new functions as a whole |

mod attributes;
mod linked_module;
mod listing;
mod region_entry_exit;

use llvm_sys::prelude::LLVMValueRef;

use super::analysis::Analysis;
use super::ir::{Function, Module};
use super::lower::Code;
use super::raise::{Reading, StandIn};
use super::raised::Raised;
use linked_module::LinkedModule;
use polyrs_host::raw as host;
use polyrs_interface::Text;
use region_entry_exit::Splice;

/// New code in the module, called by the clone of a function.
pub struct Spliced {
    linked: Vec<LinkedModule>,
    /// The checks, with the names of their regions.
    checks: Vec<(LLVMValueRef, String)>,
    /// For each region, the reason why it stays as it is after all, if it does.
    pub lost: Vec<Option<String>>,
    /// The fault of the clone; it must be deleted then, before this is dropped.
    pub error: Option<String>,
}

impl Spliced {
    /// The facts of the new functions as a whole that LLVM is told, and why they hold.
    pub fn facts(&self, original: Function<'_>) -> String {
        let features = original.string_attribute("target-features").unwrap_or_default();
        self.linked.iter().map(|one| listing::of(&one.facts(original), &features)).collect()
    }

    /// Leaves the code in the module, after the clone took its original's place. `trace`: the program says in the
    /// end how often checks held.
    pub fn commit(mut self, trace: bool) {
        for (check, name) in self.checks.iter().filter(|_| trace) {
            // SAFETY: the check is a function of the module, which stays.
            unsafe { host::polyHostLlvmTraceCheck(*check, Text::new(name)) }
        }
        std::mem::take(&mut self.linked).into_iter().for_each(LinkedModule::commit);
    }
}

impl Drop for Spliced {
    /// What was linked last goes first: it may use what the code of other regions declared.
    fn drop(&mut self) {
        while self.linked.pop().is_some() {}
    }
}

/// A region that is measured, by what its times are called.
pub struct Timed<'f> {
    /// The label.
    pub label: String,
    /// The region, where it has no new code.
    pub as_it_is: Option<Raised<'f>>,
}

/// Moves the new code of regions, for a machine with vectors of so many bits, into the module, and calls it from the
/// clone. What is measured are those of `timed`, the ones with new code first, all of these.
pub fn splice(
    module: Module<'_>,
    analysis: &Analysis<'_>,
    reading: &Reading<'_>,
    regions: Vec<(Raised<'_>, Code)>,
    vector_bits: u32,
    timed: &[Timed<'_>],
) -> Spliced {
    let mut calls = Splice::new(analysis, reading);
    let numbers: Vec<_> = regions.iter().map(|(raised, _)| calls.mark(&raised.site, raised.location)).collect();
    let as_they_are = timed.iter().filter_map(|one| one.as_it_is.as_ref());
    let others: Vec<_> = as_they_are.map(|raised| calls.mark(&raised.site, raised.location)).collect();
    calls.split();
    let is_small = calls.is_small();
    let mut spliced = Spliced { linked: Vec::new(), checks: Vec::new(), lost: Vec::new(), error: None };
    for ((raised, code), number) in regions.into_iter().zip(numbers.iter().copied()) {
        // What came in line has its say: without it, the code might be compiled for numbers that are never NaNs.
        let linked = LinkedModule::new(module, code, analysis.function(), vector_bits);
        let called = match number {
            _ if !is_small => Err("the function has too many blocks and variables to put new code into it".to_owned()),
            Some(number) => call(&mut calls, number, &raised, &linked),
            None => Err("internal error: the region has no place to start or to end".to_owned()),
        };
        match called {
            Ok(check) => {
                spliced.checks.extend(check.map(|check| (check, raised.name)));
                spliced.linked.push(linked);
                spliced.lost.push(None);
            }
            Err(error) => spliced.lost.push(Some(error)),
        }
    }
    if is_small {
        for (one, number) in timed.iter().zip(numbers.iter().chain(&others)) {
            number.iter().for_each(|number| calls.time(*number, &one.label));
        }
    }
    if !spliced.linked.is_empty() || !others.is_empty() {
        spliced.error = calls.commit().err();
    }
    spliced
}

/// Calls the new version of one region. Gives its check, if it has one.
fn call(
    calls: &mut Splice<'_, '_, '_>,
    number: usize,
    raised: &Raised<'_>,
    linked: &LinkedModule,
) -> Result<Option<LLVMValueRef>, String> {
    for StandIn { name, call, notes_errno, .. } in &raised.calls {
        if *notes_errno { linked.note_errno(name, call.raw()) } else { linked.call_as(name, call.raw()) }?;
    }
    let [begin, end] = StandIn::flag(&raised.name);
    linked.keep_errno(&end);
    if let Some(noting) = raised.calls.iter().find(|call| call.notes_errno) {
        linked.say_errno([&begin, &end], noting.call.raw())?;
    }
    linked.merge()?;
    let function = linked.function(&raised.name)?;
    let check = raised.checked.then(|| linked.function(&format!("{}_check", raised.name))).transpose()?;
    let rows: Result<Vec<_>, _> = raised.site.rows.iter().map(|rows| linked.function(&rows.name)).collect();
    calls
        .call(number, &raised.site, [Some(function), check], &rows?)
        .map_err(|error| format!("internal error: {error}"))?;
    Ok(check.map(Function::raw))
}
