//! The thread that stops isl when the time is up.
//!
//! A single call into isl may take minutes, so that looking at the clock between calls is no bound. isl looks at its
//! abort flag at each operation that it counts; the watchdog sets that flag. The clock is that of the working thread,
//! so that other work on the machine brings no deadline nearer; where that cannot be read it is the one on the wall,
//! which gets on faster.

use super::moment::{Clock, Moment};
use std::ffi::c_void;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

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

// SAFETY: the other thread does nothing but set the abort flag, an aligned `int` that isl reads afresh at each
// operation and that nothing else writes before the thread is joined.
unsafe impl Send for Target {}

impl Target {
    fn abort(&self) {
        // SAFETY: the maker of the watchdog keeps the context alive until the watchdog is dropped.
        unsafe { isl_ctx_abort(self.0) }
    }
}

impl Watchdog {
    /// Begins to watch the calling thread. Where there can be no other thread, the clock is only looked at between
    /// calls into isl.
    ///
    /// # Safety
    /// The context must outlive the watchdog.
    pub(super) unsafe fn start(ctx: *mut c_void, end: Moment) -> Self {
        let target = Target(ctx);
        let clock = Clock::of_this_thread();
        let left = end.left();
        let (stop, stopped) = channel();
        let builder = Builder::new().name("poly-deadline".to_owned()).stack_size(STACK_BYTES);
        let thread = builder
            .spawn(move || watch(&target, clock.as_ref(), end, left, &stopped))
            .inspect_err(|error| tracing::warn!(%error, "no thread watches the time budget"))
            .ok();
        Watchdog { stop: Some(stop), thread }
    }

    /// There is a thread that will set the flag.
    pub(super) fn is_watching(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
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

/// Sleeps as long as the watched thread has left at least, until nothing is left. `whole` is what it has left at first.
fn watch(target: &Target, clock: Option<&Clock>, end: Moment, whole: Duration, stopped: &Receiver<()>) {
    let begin = Instant::now();
    loop {
        let left = clock.and_then(|clock| clock.until(end)).unwrap_or_else(|| whole.saturating_sub(begin.elapsed()));
        if left.is_zero() {
            return target.abort();
        }
        if stopped.recv_timeout(left.max(NAP)) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ctx, ErrorKind, Set};

    #[test]
    fn a_clock_that_fails_is_that_on_the_wall() {
        let (begin, time) = (Instant::now(), Duration::from_millis(30));
        for clock in [Some(Clock::broken()), None] {
            let ctx = Ctx::new();
            let set = Set::parse(&ctx, "{ A[i] : 0 <= i < 10 }").unwrap();
            let (stop, stopped) = channel();
            watch(&Target(ctx.ptr()), clock.as_ref(), Moment::after(time).unwrap(), time, &stopped);
            assert_eq!(set.is_empty().unwrap_err().kind, ErrorKind::Deadline);
            drop(stop);
        }
        assert!(begin.elapsed() >= 2 * time);
    }

    #[test]
    fn a_watchdog_that_has_struck_watches_no_more() {
        let ctx = Ctx::new();
        // SAFETY: the context outlives the watchdog.
        let watchdog = unsafe { Watchdog::start(ctx.ptr(), Moment::now()) };
        let begin = Instant::now();
        while watchdog.is_watching() {
            assert!(begin.elapsed() < Duration::from_secs(60));
        }
        drop(watchdog);
        assert_eq!(Set::parse(&ctx, "{ A[i] }").unwrap_err().kind, ErrorKind::Deadline);
    }
}
