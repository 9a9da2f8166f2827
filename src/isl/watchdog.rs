//! The thread that stops isl when the time is up.
//!
//! A single call into isl may take minutes, so that looking at the clock between calls is no bound. isl looks at its
//! abort flag at each operation that it counts; the watchdog sets that flag. The clock is that of the working thread, so that other work
//! on the machine brings no deadline nearer.

use super::moment::{Clock, Moment};
use std::ffi::c_void;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

unsafe extern "C" {
    fn isl_ctx_abort(ctx: *mut c_void);
}

/// Calls one function and sleeps.
const STACK_BYTES: usize = 64 << 10;

/// The shortest sleep: a thread that shares its processor gets on slower than the clock on the wall.
const NAP: Duration = Duration::from_millis(2);

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
    /// Begins to watch the calling thread. Where there can be no other thread, the clock is only looked at between calls into isl.
    ///
    /// # Safety
    /// The context must outlive the watchdog.
    pub(super) unsafe fn start(ctx: *mut c_void, end: Moment) -> Self {
        let target = Target(ctx);
        let clock = Clock::of_this_thread();
        let (stop, stopped) = channel();
        let builder = Builder::new().name("poly-deadline".to_owned()).stack_size(STACK_BYTES);
        let thread = clock.and_then(|clock| {
            builder
                .spawn(move || watch(&target, &clock, end, &stopped))
                .inspect_err(|error| tracing::warn!(%error, "no thread watches the time budget"))
                .ok()
        });
        Watchdog { stop: Some(stop), thread }
    }

    /// There is a thread that sets the flag.
    pub(super) fn is_watching(&self) -> bool {
        self.thread.is_some()
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

/// Sleeps as long as the watched thread has left at least, until nothing is left.
fn watch(target: &Target, clock: &Clock, end: Moment, stopped: &Receiver<()>) {
    while let Some(left) = clock.until(end) {
        if left.is_zero() {
            return target.abort();
        }
        if stopped.recv_timeout(left.max(NAP)) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
