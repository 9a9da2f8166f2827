//! New code in the place of the regions of a clone, and the clone in the place of its original.

use std::ptr;

use llvm_sys::prelude::LLVMValueRef;

use super::Code;
use crate::host::{Sink, Text};
use crate::llvm::ARGUMENT;
use crate::llvm::Analysis;
use crate::llvm::host::{self, Adopted};
use crate::llvm::ir::{Function, Module};
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
            host::polyHostLlvmAdopt(module.raw(), code.into_raw(), original.raw(), Text::new(ARGUMENT), tuning)
        })
    }

    fn function(&self, name: &str) -> Result<LLVMValueRef, String> {
        // SAFETY: what was adopted is alive.
        let found = unsafe { host::polyHostLlvmAdoptedFunction(self.0, Text::new(name)) };
        if found.is_null() { Err(format!("the new code lacks @{name}")) } else { Ok(found) }
    }

    /// Lets calls of a placeholder be calls of what a call of the clone calls.
    fn call_as(&self, name: &str, call: LLVMValueRef) -> Result<(), String> {
        // SAFETY: what was adopted is alive, and the call is of its module.
        let good = unsafe { host::polyHostLlvmCallAs(self.0, Text::new(name), call) };
        if good { Ok(()) } else { Err(format!("the new code does not call @{name}")) }
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
    /// What is wrong; the clone must be deleted then, before this is dropped.
    pub error: Option<String>,
}

impl Placed {
    /// Lets the code stay in the module, after the clone took its original's place.
    pub fn stay(self) {
        self.guests.into_iter().for_each(Guest::stay);
    }
}

/// Moves the new code of regions into the module and calls it from the clone.
pub fn place(module: Module<'_>, analysis: &Analysis<'_>, regions: Vec<(Raised<'_>, Code)>) -> Placed {
    let mut placed = Placed { guests: Vec::new(), error: None };
    for (raised, code) in regions {
        let guest = Guest::new(module, code, analysis.original());
        let called = call(&raised, &guest);
        placed.guests.push(guest);
        if let Err(error) = called {
            placed.error = Some(error);
            return placed;
        }
    }
    let mut error = String::new();
    // SAFETY: the analysis is alive.
    if !unsafe { host::polyHostLlvmTidy(analysis.raw(), Sink::into_string(&mut error)) } {
        placed.error = Some(error);
    }
    placed
}

/// Calls the new version of one region.
fn call(raised: &Raised<'_>, guest: &Guest) -> Result<(), String> {
    for (name, call) in &raised.calls {
        guest.call_as(name, call.raw())?;
    }
    let function = guest.function(&raised.name)?;
    let check = if raised.checked { guest.function(&format!("{}_check", raised.name))? } else { ptr::null_mut() };
    let arguments: Vec<_> = raised.arguments.iter().map(|argument| argument.raw()).collect();
    let mut error = String::new();
    // SAFETY: blocks and values are alive and of the same function, the functions are of its module.
    let good = unsafe {
        host::polyHostLlvmCallInstead(
            raised.entry.raw(),
            raised.first.raw(),
            raised.exit.raw(),
            function,
            check,
            arguments.as_ptr(),
            arguments.len(),
            raised.location.raw(),
            Sink::into_string(&mut error),
        )
    };
    if good { Ok(()) } else { Err(error) }
}
