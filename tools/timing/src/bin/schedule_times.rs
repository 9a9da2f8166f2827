//! How long schedulers take from constraints to tree, and how much memory: what `cargo xtask bench schedule` runs.
//!
//! `schedule_times times REPEAT FILE.sc` prints a line `SCHEDULER SECONDS` for each, the fastest of at most so many
//! runs that take turns, and `phase NAME SECONDS` for the parts of one run of ours; `schedule_times peak SCHEDULER
//! FILE.sc` schedules once and prints `peak KIBIBYTES` and `data KIBIBYTES` of the process: all that was in memory at
//! once, with the pages of the program itself, and what is there at the end without them. Where the allocator gives
//! nothing back (`MALLOC_TRIM_THRESHOLD_`), the latter is a peak, too.
//!
//! All start from ppcg's options; the `OPTIONS:` comments of the file change them.

use polyrs::isl::{Ctx, Schedule, ScheduleConstraints};
use polyrs::schedule::{IslOptions, Strategy, isl_schedule, measured, schedule};
use polyrs::scop::text::parse_constraints;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// A scheduler with its options set.
type Scheduler = Box<dyn Fn(&ScheduleConstraints) -> Result<Schedule, Failure>>;

/// After so long no further round of runs is begun.
const ENOUGH: Duration = Duration::from_secs(4);

/// The name of ours.
const OURS: &str = "ppcg";

struct Input {
    constraints: ScheduleConstraints,
    schedulers: Vec<(&'static str, Scheduler)>,
}

impl Input {
    fn read(file: &str) -> Result<Self, Failure> {
        let text = parse_constraints(&Ctx::new(), &std::fs::read_to_string(file)?)?;
        let words: Vec<&str> = text.options.iter().map(|word| word.text.as_str()).collect();
        let mut options = IslOptions::default();
        options.apply(&words)?;
        let isl: Scheduler = Box::new(move |constraints| Ok(isl_schedule(constraints.clone(), options)?));
        let mut strategy = Strategy::ppcg();
        strategy.apply(&words)?;
        let ppcg: Scheduler = Box::new(move |constraints| Ok(schedule(constraints, &strategy, &mut |_| ())?));
        Ok(Input { constraints: text.constraints, schedulers: vec![("isl", isl), (OURS, ppcg)] })
    }
}

fn times(repeat: u32, file: &str) -> Result<(), Failure> {
    let input = Input::read(file)?;
    let mut best = vec![Duration::MAX; input.schedulers.len()];
    let start = Instant::now();
    for round in 0..repeat {
        if round > 0 && start.elapsed() > ENOUGH {
            break;
        }
        for ((_, scheduler), best) in input.schedulers.iter().zip(&mut best) {
            let begin = Instant::now();
            let tree = scheduler(&input.constraints);
            let took = begin.elapsed();
            drop(tree?);
            *best = took.min(*best);
        }
    }
    for ((name, scheduler), best) in input.schedulers.iter().zip(&best) {
        println!("{name} {}", best.as_secs_f64());
        if *name == OURS {
            let (tree, phases) = measured(|| scheduler(&input.constraints));
            drop(tree?);
            for (phase, time) in phases.iter().filter(|(_, time)| !time.is_zero()) {
                println!("phase {} {}", phase.name(), time.as_secs_f64());
            }
        }
    }
    Ok(())
}

fn peak(name: &str, file: &str) -> Result<(), Failure> {
    let input = Input::read(file)?;
    let (_, scheduler) = input.schedulers.iter().find(|(other, _)| *other == name).ok_or("no such scheduler")?;
    scheduler(&input.constraints)?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    for (name, key) in [("peak", "VmHWM:"), ("data", "RssAnon:")] {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).ok_or("the system does not say")?;
        println!("{name} {}", line.trim_end_matches("kB").trim());
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["times", repeat, file] => times(repeat.parse()?, file),
        ["peak", scheduler, file] => peak(scheduler, file),
        _ => Err("usage: schedule_times times REPEAT FILE.sc | schedule_times peak SCHEDULER FILE.sc".into()),
    }
}
