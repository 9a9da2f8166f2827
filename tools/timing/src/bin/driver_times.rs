//! How long the driver takes from constraints to the trees that it ranks, by scheduler: what `cargo xtask bench driver`
//! runs.
//!
//! `driver_times REPEAT PARALLEL FILE.scop` prints `SCHEDULER PHASE SECONDS` for each scheduler and each phase of the
//! fastest of so many runs that take turns; `PARALLEL` is `true` or `false`. All options are the defaults, but that
//! nothing is checked, for a machine that `POLYRS_MACHINE` chooses.

use polyrs::driver::{Options, Phase, Phases, Scheduler, optimize};
use polyrs::isl::Ctx;
use polyrs::machine::Choice;
use polyrs::scop::Scop;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// After so long no further round of runs is begun.
const ENOUGH: Duration = Duration::from_secs(10);

const SCHEDULERS: [&str; 2] = ["ppcg", "unified"];

/// What is done for a choice among trees.
const COUNTED: [Phase; 5] = [Phase::Proximity, Phase::Schedule, Phase::PostTile, Phase::Tile, Phase::Map];

fn total(phases: &Phases) -> Duration {
    COUNTED.into_iter().map(|phase| phases.of(phase)).sum()
}

/// One run; the region is read anew, as what isl knows of its sets is kept with them.
fn run(text: &str, options: &Options) -> Result<Phases, Failure> {
    Ok(optimize(&Scop::parse(&Ctx::new(), text)?, options, &mut ())?.phases)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [repeat, parallel, file] = arguments.as_slice() else {
        return Err("usage: driver_times REPEAT PARALLEL FILE.scop".into());
    };
    let (repeat, parallel): (u32, bool) = (repeat.parse()?, parallel.parse()?);
    let text = std::fs::read_to_string(file)?;
    let target = Choice::of_environment().load()?;
    let mut best: [Option<Phases>; SCHEDULERS.len()] = Default::default();
    let start = Instant::now();
    for round in 0..repeat {
        if round > 0 && start.elapsed() > ENOUGH {
            break;
        }
        for (name, best) in SCHEDULERS.into_iter().zip(&mut best) {
            let scheduler = Scheduler::Own(name);
            let options = Options { scheduler, parallel, check: false, ..Options::new(target.clone()) };
            let phases = run(&text, &options)?;
            if best.as_ref().is_none_or(|known| total(&phases) < total(known)) {
                *best = Some(phases);
            }
        }
    }
    for (name, best) in SCHEDULERS.into_iter().zip(&best) {
        for phase in COUNTED {
            let time = best.as_ref().map_or(Duration::ZERO, |phases| phases.of(phase));
            println!("{name} {} {}", phase.word(), time.as_secs_f64());
        }
    }
    Ok(())
}
