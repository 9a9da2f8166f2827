//! `polyrs machine --measure`: the times of this machine, its caches as far as they can be used, and its pages.
//!
//! Nothing that optimizes looks at a clock: what is measured is printed as a file, which is a machine like any other.
//! Every time is the shortest of several, in operations (`operation.rs`).
//!
//! | file | what |
//! |---|---|
//! | `operation.rs` | the unit, and what a chain of operations waits |
//! | `loops.rs`, `threads.rs` | starts of innermost and of parallel loops |
//! | `memory.rs` | lines in long walks, at the start of rows, in new memory |
//! | `chase.rs`, `steps.rs`, `caches.rs` | the time of a line by footprint; where it grows; the caches that follow |
//! | `system.rs` | what the system says about memory, and what else runs |
//! | `constants.rs` | times as constants of the description |
//! | `clock.rs`, `random.rs` | times of repeated work; orders that nobody foresees |

mod caches;
mod chase;
mod clock;
mod constants;
mod loops;
mod memory;
mod operation;
mod random;
mod steps;
mod system;
mod threads;

use caches::{Footprints, last_cache};
use clock::{Difference, Times};
use constants::{Kind, take};
use operation::Operation;
use polyrs::machine::{Gpu, Host, Machine};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use system::Memory;

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// The machine with it.
    pub machine: Machine,
    /// For each key whose value was measured or looked at: how.
    comments: BTreeMap<&'static str, String>,
    /// Where the other values come from.
    host: Host,
    /// What the description has no key for.
    notes: Vec<String>,
}

impl Measured {
    /// The file form, with comments.
    pub fn to_text(&self) -> String {
        let mut text = self
            .machine
            .with_comments(|key| Some(self.comments.get(key).map_or_else(|| self.host.source(key), String::as_str)));
        for note in &self.notes {
            // Writing to a string does not fail.
            let _ = writeln!(text, "# {note}");
        }
        text
    }

    /// Takes over a time.
    fn take(&mut self, kind: &Kind, times: &Times, operation: f64) {
        let comment = take(&mut self.machine, kind, times, operation);
        self.comments.insert(kind.key, comment);
    }
}

/// Measures this machine, which takes less than a minute; a GPU is taken over. What is done is said on standard error.
pub fn measure(host: &Host, gpu: Option<Gpu>) -> Measured {
    let (machine, host) = (Machine { gpu, ..host.machine.clone() }, host.clone());
    let mut measured = Measured { machine, comments: BTreeMap::new(), host, notes: Vec::new() };
    let root = Path::new("/");
    let (memory, before) = (Memory::look(root), system::others(root));
    progress("operations, and chains of them");
    let unit = Operation::measure();
    let operation = unit.nanoseconds();
    let (instance, cycle) = (unit.instance.least(), unit.cycle.least());
    measured.notes.push(format!(
        "An operation: {operation:.3} ns, the shorter of a cycle ({cycle:.3}) and a number of c[i] = a[i] + b[i] ({instance:.3})"
    ));
    measured.take(&constants::LATENCY, &operation::link(), operation);
    measure_rounds(&mut measured, &memory, operation);
    let others = before.max(system::others(root));
    if others > 0 {
        let note =
            format!("Something else was running, {others} threads at a time: times may be too long, caches too small");
        eprintln!("{note}");
        measured.notes.push(note);
    }
    measured
}

/// Says what is measured now.
fn progress(what: &str) {
    eprintln!("measuring {what}");
}

/// What is measured in a round.
struct Round {
    loop_start: Difference,
    /// Nothing on one core.
    parallel_start: Option<Times>,
    line: Times,
    /// Nothing where no cache is behind a core's own.
    last_line: Option<Difference>,
    row: Difference,
    fresh_line: Difference,
    footprints: Footprints,
}

impl Round {
    /// Measures it.
    fn measure(machine: &Machine, memory: &Memory) -> Round {
        /// Smaller caches are measured as if they had this size: what several machines share is larger.
        const LEAST: u64 = 64 << 20;
        let last = last_cache(machine).max(LEAST);
        let array = memory::Array::new(last.saturating_mul(8).min(memory.room()), machine.line_bytes);
        let (line, row) = (memory::line(&array), memory::row(&array, last.saturating_mul(2)));
        drop(array);
        let sized = |bytes| memory::Array::new(bytes, machine.line_bytes);
        let beyond = |bytes| memory::line_beyond(&sized(bytes), &sized(machine.own_cache() / 2));
        Round {
            loop_start: loops::start(),
            parallel_start: threads::start(machine.cores),
            line,
            last_line: caches::behind_own(machine).map(beyond),
            row,
            fresh_line: memory::fresh_line(machine.line_bytes),
            footprints: Footprints::measure(machine, memory),
        }
    }

    /// The same measured at another time as well.
    fn and(self, other: Round) -> Round {
        Round {
            loop_start: self.loop_start.and(other.loop_start),
            parallel_start: self.parallel_start.zip(other.parallel_start).map(|(one, other)| one.and(other)),
            line: self.line.and(other.line),
            last_line: self.last_line.zip(other.last_line).map(|(one, other)| one.and(other)),
            row: self.row.and(other.row),
            fresh_line: self.fresh_line.and(other.fresh_line),
            footprints: self.footprints.and(&other.footprints),
        }
    }
}

/// Other programs, and other machines on the same processor, are busy for seconds: what they disturb is measured
/// several times, one after the other.
fn measure_rounds(measured: &mut Measured, memory: &Memory, operation: f64) {
    const ROUNDS: usize = 3;
    let round = |number: usize| {
        progress(&format!("loops, threads, memory and caches: {number} of {ROUNDS}"));
        Round::measure(&measured.machine, memory)
    };
    let times = (2..=ROUNDS).fold(round(1), |times, number| times.and(round(number)));
    measured.take(&constants::LINE_COST, &times.line, operation);
    if let Some(times) = &times.last_line {
        measured.take(&constants::LAST_LINE_COST, &times.times(), operation);
    }
    measured.take(&constants::ROW_START, &times.row.times(), operation);
    measured.take(&constants::FRESH_LINE, &times.fresh_line.times(), operation);
    measured.take(&constants::LOOP_START, &times.loop_start.times(), operation);
    if let Some(times) = times.parallel_start {
        measured.take(&constants::PARALLEL_START, &times, operation);
    }
    let are_detected = measured.host.detected.contains_key("caches");
    let (caches, comment) = times.footprints.caches(&measured.machine, are_detected);
    measured.machine.caches = caches;
    measured.comments.insert("caches", comment);
    measured.notes.extend(times.footprints.notes(memory));
}
