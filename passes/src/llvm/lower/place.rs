//! New code in the place of the regions of a clone, and the clone in the place of its original.

use llvm_sys::prelude::LLVMValueRef;

use super::Code;
use super::attributes::is_passed_on;
use super::listing;
use crate::host::{Sink, Text};
use crate::llvm::ARGUMENT;
use crate::llvm::Analysis;
use crate::llvm::host::{self, Adopted};
use crate::llvm::ir::{Function, Module};
use crate::llvm::raise::{Placement, Reading};
use crate::llvm::raised::Raised;

/// Features that the new code is compiled with besides the original's.
///
/// Where the sizes of arrays are constants, LLVM's vectorizer takes the short loops over the rows of a block for a good place for
/// gathers and scatters; blocked lu of 2000 rows takes 0.8 s with them and 0.11 s without on a Zen 5 with AVX-512.
fn tuning(triple: &str) -> &'static str {
    if triple.starts_with("x86_64") { "+prefer-no-gather,+prefer-no-scatter" } else { "" }
}

/// Functions that joined the module; they leave it again when this is dropped.
struct Guest(*mut Adopted);

impl Guest {
    fn new(module: Module<'_>, code: Code, original: Function<'_>) -> Self {
        let tuning = Text::new(tuning(&module.triple()));
        // SAFETY: the modules share a context, and the code is handed over.
        Self(unsafe {
            let (raw, mark) = (code.into_raw(), Text::new(ARGUMENT));
            host::polyHostLlvmAdopt(module.raw(), raw, original.raw(), mark, is_passed_on, tuning)
        })
    }

    fn function(&self, name: &str) -> Result<Function<'_>, String> {
        // SAFETY: what was adopted is alive.
        let found = unsafe { host::polyHostLlvmAdoptedFunction(self.0, Text::new(name)) };
        if found.is_null() {
            return Err(format!("internal error: the new code lacks @{name}"));
        }
        // SAFETY: a function that lives as long as this, if not longer.
        Ok(unsafe { Function::new(found) })
    }

    /// Lets calls of a placeholder be calls of what a call of the clone calls.
    fn call_as(&self, name: &str, call: LLVMValueRef) -> Result<(), String> {
        // SAFETY: what was adopted is alive, and the call is of its module.
        let good = unsafe { host::polyHostLlvmCallAs(self.0, Text::new(name), call) };
        if good { Ok(()) } else { Err(format!("internal error: the new code does not call @{name}")) }
    }

    /// Lets declarations be one with those that the module has.
    fn merge(&self) -> Result<(), String> {
        let mut error = String::new();
        // SAFETY: what was adopted is alive.
        let good = unsafe { host::polyHostLlvmMerge(self.0, Sink::into_string(&mut error)) };
        if good { Ok(()) } else { Err(error) }
    }

    fn facts(&self, original: Function<'_>) -> String {
        let mut text = String::new();
        // SAFETY: what was adopted and the original are alive.
        unsafe { host::polyHostLlvmListFacts(self.0, original.raw(), Sink::into_string(&mut text)) }
        text
    }

    fn stay(self) {
        // SAFETY: alive, and forgotten.
        unsafe { host::polyHostLlvmSettle(self.0, true) }
        std::mem::forget(self);
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // SAFETY: alive, and used no more; whoever called the functions is deleted before.
        unsafe { host::polyHostLlvmSettle(self.0, false) }
    }
}

/// New code in the module, called by the clone of a function.
pub struct Placed {
    guests: Vec<Guest>,
    /// The checks, with the names of their regions.
    checks: Vec<(LLVMValueRef, String)>,
    /// For each region, the reason why it stays as it is after all, if it does.
    pub lost: Vec<Option<String>>,
    /// What is wrong with the clone; it must be deleted then, before this is dropped.
    pub error: Option<String>,
}

impl Placed {
    /// What LLVM is told of the new functions as a whole, and why that holds.
    pub fn facts(&self, original: Function<'_>) -> String {
        let features = original.string_attribute("target-features").unwrap_or_default();
        self.guests.iter().map(|guest| listing::of(&guest.facts(original), &features)).collect()
    }

    /// Lets the code stay in the module, after the clone took its original's place. `trace`: the program says in the
    /// end how often checks held.
    pub fn stay(self, trace: bool) {
        for (check, name) in self.checks.iter().filter(|_| trace) {
            // SAFETY: the check is a function of the module, which stays.
            unsafe { host::polyHostLlvmTraceCheck(*check, Text::new(name)) }
        }
        self.guests.into_iter().for_each(Guest::stay);
    }
}

/// Moves the new code of regions into the module and calls it from the clone.
pub fn place(
    module: Module<'_>,
    analysis: &Analysis<'_>,
    reading: &Reading<'_>,
    regions: Vec<(Raised<'_>, Code)>,
) -> Placed {
    let mut placement = Placement::new(analysis, reading);
    let numbers: Vec<_> = regions.iter().map(|(raised, _)| placement.mark(&raised.site, raised.location)).collect();
    placement.split();
    let is_small = placement.is_small();
    let mut placed = Placed { guests: Vec::new(), checks: Vec::new(), lost: Vec::new(), error: None };
    for ((raised, code), number) in regions.into_iter().zip(numbers) {
        let guest = Guest::new(module, code, analysis.original());
        let called = match number {
            _ if !is_small => Err("the function has too many blocks and variables to put new code into it".to_owned()),
            Some(number) => call(&mut placement, number, &raised, &guest),
            None => Err("internal error: the region has no place to start or to end".to_owned()),
        };
        match called {
            Ok(check) => {
                placed.checks.extend(check.map(|check| (check, raised.name)));
                placed.guests.push(guest);
                placed.lost.push(None);
            }
            Err(error) => placed.lost.push(Some(error)),
        }
    }
    if !placed.guests.is_empty() {
        placed.error = placement.commit().err();
    }
    placed
}

/// Calls the new version of one region. Gives its check, if it has one.
fn call(
    placement: &mut Placement<'_, '_, '_>,
    number: usize,
    raised: &Raised<'_>,
    guest: &Guest,
) -> Result<Option<LLVMValueRef>, String> {
    for (name, call) in &raised.calls {
        guest.call_as(name, call.raw())?;
    }
    guest.merge()?;
    let function = guest.function(&raised.name)?;
    let check = raised.checked.then(|| guest.function(&format!("{}_check", raised.name))).transpose()?;
    placement.call(number, function, check).map_err(|error| format!("internal error: {error}"))?;
    Ok(check.map(Function::raw))
}
