//! The processor time of a thread, which stands still while other work has the processor.

use std::time::Duration;

/// A moment on the calling thread's clock of processor time. One of another thread says nothing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Duration);

impl Moment {
    /// This moment; where the system does not tell a thread's time, that of the clock on the wall, which gets on
    /// faster.
    pub fn now() -> Moment {
        let time = read(libc::CLOCK_THREAD_CPUTIME_ID).or_else(|| read(libc::CLOCK_MONOTONIC));
        Moment(time.unwrap_or(Duration::ZERO))
    }

    /// The moment when the calling thread has worked so much longer; `None` where that is never.
    pub fn after(time: Duration) -> Option<Moment> {
        Moment::now().0.checked_add(time).map(Moment)
    }

    /// How long the calling thread has worked since then.
    pub fn elapsed(self) -> Duration {
        Moment::now().0.saturating_sub(self.0)
    }

    /// How much longer the calling thread works until then.
    pub(super) fn left(self) -> Duration {
        self.0.saturating_sub(Moment::now().0)
    }

    /// The moment has come.
    pub fn is_over(self) -> bool {
        Moment::now() >= self
    }
}

/// The clock of one thread's processor time, to be read by another one.
pub(super) struct Clock(libc::clockid_t);

impl Clock {
    /// That of the calling thread; `None` where the system has none.
    pub(super) fn of_this_thread() -> Option<Clock> {
        let mut clock = 0;
        // SAFETY: the thread is alive, since it runs this, and the number is written to a variable of ours.
        let failed = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
        (failed == 0).then_some(Clock(clock))
    }

    /// One that tells nothing.
    #[cfg(test)]
    pub(super) fn broken() -> Clock {
        Clock(libc::clockid_t::MAX)
    }

    /// How much longer the thread works until a moment of its clock; `None` where the clock cannot be read.
    pub(super) fn until(&self, moment: Moment) -> Option<Duration> {
        read(self.0).map(|now| moment.0.saturating_sub(now))
    }
}

fn read(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is written to a variable of ours; a clock that there is not (any more) is an error.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut time) };
    // Times of a processor's clock are not negative, and there are less than 10^9 nanoseconds besides seconds.
    (failed == 0).then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

#[cfg(test)]
mod tests {
    use super::{Clock, Moment};
    use std::time::{Duration, Instant};

    #[test]
    fn a_thread_that_sleeps_takes_no_time() {
        let (begin, wall) = (Moment::now(), Instant::now());
        std::thread::sleep(Duration::from_millis(200));
        assert!(begin.elapsed() < Duration::from_millis(100), "{:?}", begin.elapsed());
        while begin.elapsed() < Duration::from_millis(20) {}
        assert!(wall.elapsed() >= Duration::from_millis(220));
        assert!(begin.is_over() && !Moment::after(Duration::from_secs(60)).unwrap().is_over());
        assert_eq!(Moment::after(Duration::MAX), None);
    }

    #[test]
    fn a_clock_is_read_by_another_thread() {
        let (clock, end) = (Clock::of_this_thread().unwrap(), Moment::after(Duration::from_secs(60)).unwrap());
        let left = std::thread::spawn(move || clock.until(end)).join().unwrap().unwrap();
        assert!(left <= Duration::from_secs(60) && left > Duration::from_secs(30), "{left:?}");
        let past = Moment::now();
        assert_eq!(Clock::of_this_thread().unwrap().until(past), Some(Duration::ZERO));
        assert_eq!(Clock::broken().until(past), None);
    }
}
