//! The side of LLVM IR: regions are raised to the affine dialect, optimized there, and called in place of the original.

pub mod analysis;
pub mod driver;
pub mod host;
pub mod ir;
pub mod lower;
pub mod options;
pub mod raise;
pub mod raised;
pub mod remark;
pub mod validate;

pub use analysis::Analysis;
pub use polyrs_interface::ARGUMENT;

use polyrs_interface::{Candidate, Request, guard};

use crate::host::{Sink, Status};
use options::LlvmOptions;

/// Works on functions of a module of LLVM IR, as the plugin asks.
///
/// # Safety
/// What the request points to is alive and belongs together, and nobody else uses it meanwhile.
pub unsafe extern "C" fn run(request: &Request<'_>, error: Sink) -> Status {
    let work = || {
        let options = LlvmOptions::parse(&request.options.to_text()).map_err(|error| error.to_string())?;
        // SAFETY: passed on to the caller.
        let module = unsafe { driver::Target::new(request.module, request.manager.cast()) };
        let candidates: &[Candidate] = if request.count == 0 {
            &[]
        } else {
            // SAFETY: passed on to the caller.
            unsafe { std::slice::from_raw_parts(request.candidates, request.count) }
        };
        driver::run(&module, candidates, &options)
    };
    match guard(work) {
        Ok(true) => Status::Changed,
        Ok(false) => Status::Unchanged,
        Err(text) => {
            error.write(&text);
            Status::Failed
        }
    }
}
