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

    /// One that a quarter is shorter than: where the shortest is luck, and what disturbed most of them is no matter.
    pub fn low(&self) -> f64 {
        self.0[self.0.len() / 4]
    }

    /// The one in the middle.
    pub fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    /// The same work at other times as well.
    pub fn and(mut self, other: Times) -> Times {
        self.0.extend(other.0);
        self.0.sort_by(f64::total_cmp);
        self
    }

    /// The same with something that takes so many nanoseconds more, or less where they are negative; never less than
    /// none.
    pub fn plus(mut self, nanoseconds: f64) -> Times {
        self.0.iter_mut().for_each(|time| *time = (*time + nanoseconds).max(0.0));
        self
    }

    /// The usual time is so much longer than the shortest that something else was running.
    pub fn is_disturbed(&self) -> bool {
        const USUAL: f64 = 1.5;
        self.median() > USUAL * self.least()
    }
}

/// The times of work and of the same work without what is asked for.
#[derive(Debug, Clone)]
pub struct Difference {
    with: Times,
    without: Times,
}

impl Difference {
    /// Does both so many times, one after the other, so that both find the machine as busy. Both work on the same.
    pub fn of<T>(
        repeats: usize,
        on: &mut T,
        mut with: impl FnMut(&mut T) -> f64,
        mut without: impl FnMut(&mut T) -> f64,
    ) -> Difference {
        let mut others = Vec::new();
        let with = Times::of(repeats, || {
            others.push(without(on));
            with(on)
        });
        others.sort_by(f64::total_cmp);
        Difference { with, without: Times(others) }
    }

    /// The same work at other times as well.
    pub fn and(self, other: Difference) -> Difference {
        Difference { with: self.with.and(other.with), without: self.without.and(other.without) }
    }

    /// What is asked for: the work beyond the shortest without it. Each time of its own would have what disturbed the
    /// other one.
    pub fn times(&self) -> Times {
        self.with.clone().plus(-self.without.least())
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
    fn differences_are_between_the_shortest() {
        let (mut with, mut without) = ([9.0, 7.0, 12.0].into_iter(), [5.0, 4.0, 6.0].into_iter());
        let difference = Difference::of(2, &mut (), |()| with.next().unwrap(), |()| without.next().unwrap());
        assert_eq!(difference.times().least(), 3.0);
        let other = Difference { with: Times(vec![20.0]), without: Times(vec![2.0]) };
        assert_eq!(difference.and(other).times().least(), 5.0);
    }

    #[test]
    fn the_first_time_does_not_count() {
        let mut each = [1.0, 5.0, 4.0, 7.0].into_iter();
        let times = Times::of(3, || each.next().unwrap());
        assert_eq!((times.least(), times.low(), times.median()), (4.0, 4.0, 5.0));
        assert_eq!(Times(vec![1.0, 2.0, 3.0, 4.0]).low(), 2.0);
        assert_eq!((times.clone().plus(2.0).least(), times.clone().plus(-4.5).least()), (6.0, 0.0));
        let more = times.clone().and(Times(vec![1.0, 6.0]));
        assert_eq!((more.least(), more.median()), (1.0, 5.0));
        assert!(!times.is_disturbed() && Times(vec![1.0, 2.0, 2.0]).is_disturbed());
    }
}
