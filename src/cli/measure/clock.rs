//! Times of work that is done several times.

use std::time::Instant;

/// How long the same work took each time, in nanoseconds, the shortest first.
#[derive(Debug, Clone)]
pub struct Times(Vec<f64>);

impl Times {
    /// Does the work once to get ready, and then so many times, at least once. What it returns is its time: work that
    /// has parts which do not count leaves them out.
    pub fn of(repeats: usize, mut work: impl FnMut() -> f64) -> Times {
        work();
        let mut times: Vec<f64> = (0..repeats.max(1)).map(|_| work()).collect();
        times.sort_by(f64::total_cmp);
        Times(times)
    }

    /// The shortest. Whatever else runs on the machine makes work longer, and never shorter.
    pub fn least(&self) -> f64 {
        self.0[0]
    }

    /// The one in the middle.
    pub fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    /// The same with something that takes so many nanoseconds more.
    pub fn plus(mut self, nanoseconds: f64) -> Times {
        self.0.iter_mut().for_each(|time| *time += nanoseconds);
        self
    }

    /// The usual time is so much longer than the shortest that something else was running.
    pub fn is_disturbed(&self) -> bool {
        const USUAL: f64 = 1.5;
        self.median() > USUAL * self.least()
    }
}

/// How long the work takes, in nanoseconds. What it returns is taken for used.
pub fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed().as_secs_f64() * 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_time_does_not_count() {
        let mut each = [1.0, 5.0, 4.0, 7.0].into_iter();
        let times = Times::of(3, || each.next().unwrap());
        assert_eq!((times.least(), times.median()), (4.0, 5.0));
        assert_eq!(times.clone().plus(2.0).least(), 6.0);
        assert!(!times.is_disturbed() && Times(vec![1.0, 2.0, 2.0]).is_disturbed());
    }
}
