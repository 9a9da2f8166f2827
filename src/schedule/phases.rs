//! Where the time of a schedule goes, for those who measure. Nothing is decided by it.

use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A part of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The graph of statements and constraints (ppcg report, section 6.1), with compression (7.2).
    Graph,
    /// From constraints to conditions on coefficients (6.3).
    Farkas,
    /// Setting up linear problems (6.4.2, 6.5.5).
    Problem,
    /// Solving them.
    Ilp,
    /// Which constraints hold, and which are carried (6.5.4).
    Checks,
    /// Which clusters to combine (7.3).
    Clusters,
    /// The tree.
    Tree,
    /// All the rest.
    Other,
}

impl Phase {
    /// All of them, in the order of their meaning.
    pub const ALL: [Phase; 8] = [
        Phase::Graph,
        Phase::Farkas,
        Phase::Problem,
        Phase::Ilp,
        Phase::Checks,
        Phase::Clusters,
        Phase::Tree,
        Phase::Other,
    ];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Graph => "graph",
            Phase::Farkas => "farkas",
            Phase::Problem => "problem",
            Phase::Ilp => "ilp",
            Phase::Checks => "checks",
            Phase::Clusters => "clusters",
            Phase::Tree => "tree",
            Phase::Other => "other",
        }
    }
}

struct Clock {
    times: [Duration; Phase::ALL.len()],
    /// The phases that are open, the innermost last.
    open: Vec<Phase>,
    /// When the innermost one was last charged.
    since: Instant,
}

impl Clock {
    fn charge(&mut self) {
        let now = Instant::now();
        let phase = self.open.last().copied().unwrap_or(Phase::Other);
        self.times[phase as usize] += now.duration_since(self.since);
        self.since = now;
    }
}

thread_local! {
    /// Runs only inside of [`measured`].
    static CLOCK: RefCell<Option<Clock>> = const { RefCell::new(None) };
}

/// Runs work of this thread, and says how long each phase of the schedulers in it took, less the phases within it.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, Vec<(Phase, Duration)>) {
    let clock = Clock { times: Default::default(), open: Vec::new(), since: Instant::now() };
    let outer = CLOCK.replace(Some(clock));
    let result = work();
    let clock = CLOCK.replace(outer);
    let times = clock.map_or_else(Default::default, |mut clock| {
        clock.charge();
        clock.times
    });
    (result, Phase::ALL.into_iter().zip(times).collect())
}

/// From here to the end of the guard's life is a phase.
#[must_use]
pub(super) fn enter(phase: Phase) -> Guard {
    CLOCK.with_borrow_mut(|clock| {
        if let Some(clock) = clock {
            clock.charge();
            clock.open.push(phase);
        }
    });
    Guard
}

/// See [`enter`].
pub(super) struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        CLOCK.with_borrow_mut(|clock| {
            if let Some(clock) = clock {
                clock.charge();
                clock.open.pop();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Phase, enter, measured};
    use std::time::Duration;

    #[test]
    fn phases_within_others_do_not_count_twice() {
        let pause = || std::thread::sleep(Duration::from_millis(2));
        let ((), times) = measured(|| {
            let _ilp = enter(Phase::Ilp);
            pause();
            {
                let _farkas = enter(Phase::Farkas);
                pause();
            }
        });
        let of = |phase| times.iter().find(|(other, _)| *other == phase).unwrap().1;
        let (ilp, farkas) = (of(Phase::Ilp), of(Phase::Farkas));
        assert!(ilp >= Duration::from_millis(2) && farkas >= Duration::from_millis(2));
        assert_eq!(of(Phase::Clusters), Duration::ZERO);
        // Outside, nothing is measured.
        let _guard = enter(Phase::Tree);
        assert_eq!(measured(|| ()).1.iter().filter(|(phase, _)| *phase == Phase::Tree).count(), 1);
    }
}
