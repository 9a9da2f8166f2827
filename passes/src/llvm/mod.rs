//! The side of LLVM IR: regions are raised to the affine dialect, optimized there, and called in place of the original.

pub mod advice;
pub mod analysis;
pub mod annotation;
pub mod driver;
#[cfg(test)]
mod faults;
pub mod ir;
pub mod lower;
pub mod options;
pub mod raise;
pub mod raised;
pub mod remark;
pub mod splice;
pub mod validate;

pub use analysis::Analysis;
pub use polyrs_interface::ARGUMENT;

use polyrs_interface::{Candidate, Session, Sink, Status, Text, guard};

use driver::Driver;
use options::LlvmOptions;

/// Begins to work with these options; null and an error if they are wrong.
pub extern "C" fn open(options: Text<'_>, error: Sink) -> *mut Session {
    let work = || {
        let options = LlvmOptions::parse(&options.to_text()).map_err(|error| error.to_string())?;
        Ok(Box::into_raw(Box::new(Driver::new(options))).cast())
    };
    guard(work).unwrap_or_else(|text| {
        error.write(&text);
        std::ptr::null_mut()
    })
}

/// Works on a function of a module of LLVM IR, as the plugin asks.
///
/// # Safety
/// The session is open; what the candidate points to is alive and belongs together, nobody else uses it meanwhile, and
/// nobody uses its clone afterwards.
pub unsafe extern "C" fn work(session: *mut Session, candidate: &Candidate<'_>, error: Sink) -> Status {
    let work = || {
        // SAFETY: the session is what `open` returned, and used by nobody else meanwhile.
        let driver = unsafe { &mut *session.cast::<Driver>() };
        // SAFETY: passed on to the caller.
        Ok(unsafe { driver.run(candidate) })
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

/// Ends what [`open`] began.
///
/// # Safety
/// The session is open, and nobody uses it afterwards.
pub unsafe extern "C" fn close(session: *mut Session) {
    // SAFETY: what `open` returned, once.
    let driver = unsafe { Box::from_raw(session.cast::<Driver>()) };
    // Nobody could do anything about a failure here.
    let _ = guard(|| {
        drop(driver);
        Ok(())
    });
}
