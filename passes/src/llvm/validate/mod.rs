//! The developer's check `validate=true`: a function and its rewritten clone are run on the same random memory, and
//! must do the same, bit for bit.
//!
//! The checker of the core proves schedules; this looks at what it can't see: raising, splicing, lowering and what LLVM
//! makes of the facts that are stated. Both functions are compiled by LLVM's JIT, after the passes of `-O2`, in a
//! process of their own: whatever they do there, the compiler goes on. `passes/host/llvm_trial.cpp` makes the module
//! for it.
//!
//! A run begins with small random numbers as arguments, random numbers in global variables and in the memory that
//! pointers point to, each pointer to memory of its own. What counts as the result: what is returned, the memory
//! afterwards, and the calls of functions of other modules with their arguments, in order. Where the original does not
//! end well or in time (a random size may be too large, a random pointer wild), the run does not count. A function that
//! is never run to its end is *not validated*, and a remark says so. An exception is the end of a run: what was done up
//! to there counts, and nothing is caught.
//!
//! A random size may be beyond an array: so there is room around global variables that belongs to nobody, and the
//! original is run a second time, its variables elsewhere on the stack and full of something else, and the run does not
//! count where that makes a difference. Other undefined behaviour on such arguments may still tell a function apart
//! from its rewritten form without being wrong.

mod jit;
mod memory;
mod process;
mod trial;
mod verdict;

pub use verdict::Verdict;

use crate::llvm::analysis::Analysis;
use polyrs_host::raw as host;
use polyrs_interface::{ARGUMENT, Sink, Text};

/// Runs the original of a clone and the clone, whose regions have their new code.
pub fn validate(analysis: &Analysis<'_>) -> Verdict {
    let (mut table, mut reason) = (String::new(), String::new());
    // SAFETY: the analysis is alive; the buffer is ours.
    let code = unsafe {
        let mark = Text::new(ARGUMENT);
        host::polyHostLlvmTrial(analysis.raw(), mark, Sink::into_string(&mut table), Sink::into_string(&mut reason))
    };
    if code.is_null() {
        return Verdict::NotValidated(reason);
    }
    let Some(objects) = memory::parse(&table) else {
        return Verdict::NotValidated("the table of its memory is malformed".to_owned());
    };
    trial::run(code, &objects)
}
