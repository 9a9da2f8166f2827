//! New code that was linked into the module, and leaves it again unless it is committed.

use llvm_sys::prelude::LLVMValueRef;

use super::attributes::is_passed_on;
use crate::llvm::ir::{Function, Module};
use crate::llvm::lower::Code;
use polyrs_host::raw::{self as host, PolyLlvmLinkedModule};
use polyrs_interface::{ARGUMENT, Sink, Text};

/// Features that the new code is compiled with besides the original's.
///
/// Where the sizes of arrays are constants, LLVM's vectorizer takes the short loops over the rows of a block for a good
/// place for gathers and scatters; blocked lu of 2000 rows takes 0.8 s with them and 0.11 s without on a Zen 5 with
/// AVX-512.
///
/// For many processors with AVX-512, `-march` means vectors of 256 bits. Blocks that fill the registers of 512 bits do
/// not fit then: doitgen of 140 by 150 by 160 took 0.037 s so, and takes 0.024 s.
fn tuning(triple: &str, vector_bits: u32) -> &'static str {
    match vector_bits {
        _ if !triple.starts_with("x86_64") => "",
        512.. => "+prefer-no-gather,+prefer-no-scatter,-prefer-256-bit",
        _ => "+prefer-no-gather,+prefer-no-scatter",
    }
}

/// Functions that were linked into the module; they are rolled back, which takes them out again, when this is dropped.
pub struct LinkedModule(*mut PolyLlvmLinkedModule);

impl LinkedModule {
    /// Links code for a machine with vectors of so many bits into a module, as functions that are compiled as their
    /// original is, or a clone that stands for it.
    pub fn new(module: Module<'_>, code: Code, original: Function<'_>, vector_bits: u32) -> Self {
        let tuning = Text::new(tuning(&module.triple(), vector_bits));
        // SAFETY: the modules share a context, and the code is handed over.
        Self(unsafe {
            let (raw, mark) = (code.into_raw(), Text::new(ARGUMENT));
            host::polyHostLlvmLink(module.raw(), raw, original.raw(), mark, Some(is_passed_on), tuning)
        })
    }

    /// The function that had a name in its own module.
    ///
    /// # Errors
    /// There is none.
    pub fn function(&self, name: &str) -> Result<Function<'_>, String> {
        // SAFETY: what was linked is alive.
        let found = unsafe { host::polyHostLlvmLinkedFunction(self.0, Text::new(name)) };
        if found.is_null() {
            return Err(format!("internal error: the new code lacks @{name}"));
        }
        // SAFETY: a function that lives as long as this, if not longer.
        Ok(unsafe { Function::new(found) })
    }

    /// Lets calls of a placeholder be calls of what a call of the clone calls.
    ///
    /// # Errors
    /// There is no such placeholder.
    pub fn call_as(&self, name: &str, call: LLVMValueRef) -> Result<(), String> {
        // SAFETY: what was linked is alive, and the call is of its module.
        let good = unsafe { host::polyHostLlvmCallAs(self.0, Text::new(name), call) };
        if good { Ok(()) } else { Err(format!("internal error: the new code does not call @{name}")) }
    }

    /// Lets calls of a placeholder compute what a call of the clone computes, and note in a flag what that says in `errno`.
    ///
    /// # Errors
    /// There is no such placeholder.
    pub fn note_errno(&self, name: &str, call: LLVMValueRef) -> Result<(), String> {
        // SAFETY: what was linked is alive, and the call is of its module.
        let good = unsafe { host::polyHostLlvmNoteErrno(self.0, Text::new(name), call) };
        if good { Ok(()) } else { Err(format!("internal error: the new code does not call @{name}")) }
    }

    /// Restores what `errno` is where threads are started; before a placeholder of [`Self::say_errno`] is called, if there is one.
    pub fn keep_errno(&self, end: &str) {
        // SAFETY: what was linked is alive.
        unsafe { host::polyHostLlvmKeepErrno(self.0, Text::new(end)) }
    }

    /// Makes such a flag where a placeholder is called, and says what it notes where the other one is, as a call of the clone
    /// does.
    ///
    /// # Errors
    /// There are no such placeholders.
    pub fn say_errno(&self, [begin, end]: [&str; 2], call: LLVMValueRef) -> Result<(), String> {
        // SAFETY: what was linked is alive, and the call is of its module.
        let good = unsafe { host::polyHostLlvmSayErrno(self.0, Text::new(begin), Text::new(end), call) };
        if good { Ok(()) } else { Err(format!("internal error: the new code has no @{begin} and @{end}")) }
    }

    /// Lets declarations be one with those that the module has.
    ///
    /// # Errors
    /// The module means something else by a name.
    pub fn merge(&self) -> Result<(), String> {
        let mut error = String::new();
        // SAFETY: what was linked is alive.
        let good = unsafe { host::polyHostLlvmMerge(self.0, Sink::into_string(&mut error)) };
        if good { Ok(()) } else { Err(error) }
    }

    /// The attributes and the like of the functions, for [`super::listing`].
    pub fn facts(&self, original: Function<'_>) -> String {
        let mut text = String::new();
        // SAFETY: what was linked and the original are alive.
        unsafe { host::polyHostLlvmListFacts(self.0, original.raw(), Sink::into_string(&mut text)) }
        text
    }

    /// Leaves the functions in the module.
    pub fn commit(self) {
        // SAFETY: alive, and forgotten.
        unsafe { host::polyHostLlvmCommitLink(self.0) }
        std::mem::forget(self);
    }
}

impl Drop for LinkedModule {
    fn drop(&mut self) {
        // SAFETY: alive, and used no more; whoever called the functions is deleted before.
        unsafe { host::polyHostLlvmRollbackLink(self.0) }
    }
}
