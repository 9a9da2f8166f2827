//! The thread that stops isl when the time is up.
//!
//! A single call into isl may take minutes, so that looking at the clock between calls is no bound. isl looks at its
//! abort flag at each operation that it counts; the watchdog sets that flag.

use std::ffi::c_void;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

unsafe extern "C" {
    fn isl_ctx_abort(ctx: *mut c_void);
}

/// Calls one function and sleeps.
const STACK_BYTES: usize = 64 << 10;

/// Sets the abort flag of one context at one time, unless it is dropped before. When the drop returns the thread is
/// gone, so the flag does not change any more.
pub(super) struct Watchdog {
    /// Nothing is ever sent: the thread wakes up when this end is gone.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A context that a watchdog may abort.
struct Target(*mut c_void);

// SAFETY: the other thread does nothing but set the abort flag, an aligned `int` that isl reads afresh at each operation
// and that nothing else writes before the thread is joined.
unsafe impl Send for Target {}

impl Target {
    fn abort(&self) {
        // SAFETY: the maker of the watchdog keeps the context alive until the watchdog is dropped.
        unsafe { isl_ctx_abort(self.0) }
    }
}

impl Watchdog {
    /// Begins to watch. Where there can be no thread, the clock is only looked at between calls into isl.
    ///
    /// # Safety
    /// The context must outlive the watchdog.
    pub(super) unsafe fn start(ctx: *mut c_void, end: Instant) -> Self {
        let target = Target(ctx);
        let (stop, stopped) = channel();
        let builder = Builder::new().name("poly-deadline".to_owned()).stack_size(STACK_BYTES);
        let thread = builder
            .spawn(move || watch(&target, end, &stopped))
            .inspect_err(|error| tracing::warn!(%error, "no thread watches the time budget"))
            .ok();
        Watchdog { stop: Some(stop), thread }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread has nothing that could panic, and there would be nothing to do about it.
            let _ = thread.join();
        }
    }
}

fn watch(target: &Target, end: Instant, stopped: &Receiver<()>) {
    let left = end.saturating_duration_since(Instant::now());
    if stopped.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
        target.abort();
    }
}
