//! How long each phase of a run takes, for the log and the benchmarks.
//!
//! Times are no part of any result: they go to the log (`POLYRS_LOG=polyrs::time=info`), never into a remark, and
//! nothing is decided by them.

use std::fmt;
use std::time::Duration;

use polyrs_core::isl::Moment;

/// What times are called in the log.
pub const TIMES: &str = "polyrs::time";

/// The phases of one run, in the order in which they first came, with the time spent in each.
#[derive(Clone, Debug, Default)]
pub struct PhaseTimes {
    times: Vec<(&'static str, Duration)>,
}

impl PhaseTimes {
    /// Does `work` and counts its time to the phase `name`, a single word.
    pub fn measure<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Moment::now();
        let result = work();
        self.add(name, start.elapsed());
        result
    }

    /// Counts a time measured elsewhere.
    pub fn add(&mut self, name: &'static str, time: Duration) {
        match self.times.iter_mut().find(|(known, _)| *known == name) {
            Some((_, total)) => *total += time,
            None => self.times.push((name, time)),
        }
    }

    /// Writes one line to the log: `polyrs::time: lift=1.250ms check=3.000ms`.
    pub fn log(&self) {
        if !self.times.is_empty() {
            tracing::info!(target: TIMES, "{self}");
        }
    }
}

impl fmt::Display for PhaseTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, time)) in self.times.iter().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{name}={:.3}ms", time.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::PhaseTimes;
    use std::time::Duration;

    #[test]
    fn a_phase_that_comes_again_adds_up() {
        let mut phases = PhaseTimes::default();
        phases.add("lift", Duration::from_micros(1250));
        phases.add("check", Duration::from_millis(3));
        phases.add("lift", Duration::from_millis(1));
        assert_eq!(phases.to_string(), "lift=2.250ms check=3.000ms");
    }

    #[test]
    fn work_gives_back_its_result() {
        let mut phases = PhaseTimes::default();
        assert_eq!(phases.measure("emit", || 7), 7);
        assert!(phases.to_string().starts_with("emit="));
    }
}
