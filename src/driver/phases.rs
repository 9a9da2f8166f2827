//! Where the time goes.

use crate::isl::{Ctx, Moment};
use std::fmt;
use std::time::Duration;

/// A step of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Phase {
    Dependences,
    Constraints,
    Proximity,
    Cluster,
    Schedule,
    Tile,
    PostTile,
    Map,
    Check,
    Codegen,
}

impl Phase {
    /// All of them, in the order of the steps.
    pub const ALL: [Phase; 10] = [
        Phase::Dependences,
        Phase::Constraints,
        Phase::Proximity,
        Phase::Cluster,
        Phase::Schedule,
        Phase::Tile,
        Phase::PostTile,
        Phase::Map,
        Phase::Check,
        Phase::Codegen,
    ];

    /// One word for tables and messages.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Dependences => "dependences",
            Phase::Constraints => "constraints",
            Phase::Proximity => "proximity",
            Phase::Cluster => "cluster",
            Phase::Schedule => "schedule",
            Phase::Tile => "tile",
            Phase::PostTile => "post-tile",
            Phase::Map => "map",
            Phase::Check => "check",
            Phase::Codegen => "codegen",
        }
    }
}

/// The processor time of each step.
#[derive(Debug, Clone, Default)]
pub struct Phases([Duration; Phase::ALL.len()]);

impl Phases {
    /// Runs `work` and books its time on a phase.
    pub fn time<T>(&mut self, phase: Phase, ctx: &Ctx, work: impl FnOnce() -> T) -> T {
        let span = tracing::debug_span!("phase", name = phase.word());
        let _entered = span.enter();
        let (start, before) = (Moment::now(), ctx.operations());
        let result = work();
        let elapsed = start.elapsed();
        let operations = ctx.operations() - before;
        tracing::debug!(operations, milliseconds = elapsed.as_secs_f64() * 1e3, "done");
        self.0[phase as usize] += elapsed;
        result
    }

    /// Adds the times of others.
    pub fn add(&mut self, other: &Phases) {
        self.0.iter_mut().zip(other.0).for_each(|(time, more)| *time += more);
    }

    /// The time of one phase.
    pub fn of(&self, phase: Phase) -> Duration {
        self.0[phase as usize]
    }

    /// The phases in order, with their times.
    pub fn iter(&self) -> impl Iterator<Item = (Phase, Duration)> + '_ {
        Phase::ALL.into_iter().map(|phase| (phase, self.of(phase)))
    }
}

/// `dependences=1.2 constraints=0.3 ...`, in milliseconds.
impl fmt::Display for Phases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (phase, time)) in self.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(f, "{space}{}={:.1}", phase.word(), time.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}
