//! The caches as far as they can be used, and the pages.

use super::chase::{self, Order, Sizes};
use super::constants::significant;
use super::steps::{self, Point, Step};
use super::system::Memory;
use polyrs::machine::{Cache, Machine};

/// The size of the last cache in bytes.
pub fn last_cache(machine: &Machine) -> u64 {
    machine.caches.last().map_or(0, |cache| cache.bytes)
}

/// The size of data in bytes that the last cache holds, though others use it as well, and a core's own does not: four times as much as
/// that has. `None` where there is no such size.
pub fn behind_own(machine: &Machine) -> Option<u64> {
    let bytes = machine.own_cache().saturating_mul(4);
    (bytes <= machine.last_cache_share()).then_some(bytes)
}

/// The time of a line in growing footprints, and in the largest one in any order.
#[derive(Debug)]
pub struct Footprints {
    curve: Vec<Point>,
    any_order: f64,
}

impl Footprints {
    /// Measures it.
    pub fn measure(machine: &Machine, memory: &Memory) -> Footprints {
        /// Smaller caches are looked for as if they had this size: the system may not know of a larger one.
        const LEAST: u64 = 64 << 20;
        let sizes = Sizes { line: machine.line_bytes.max(4), page: memory.page };
        let largest = last_cache(machine).saturating_mul(4).max(LEAST).min(memory.room());
        let curve = chase::curve(largest, sizes);
        Footprints { curve, any_order: chase::nanoseconds(largest, sizes, Order::Any) }
    }

    /// The same measured at another time as well.
    pub fn and(mut self, other: &Footprints) -> Footprints {
        for (point, other) in self.curve.iter_mut().zip(&other.curve) {
            point.nanoseconds = point.nanoseconds.min(other.nanoseconds);
        }
        self.any_order = self.any_order.min(other.any_order);
        self
    }

    /// The caches that follow, and where they come from.
    pub fn caches(&self, machine: &Machine, are_detected: bool) -> (Vec<Cache>, String) {
        follow(machine, are_detected, &steps::steps(&self.curve))
    }

    /// What was seen, for people.
    pub fn notes(&self, memory: &Memory) -> Vec<String> {
        let mut notes = describe(&self.curve, &steps::steps(&self.curve));
        notes.push(describe_pages(memory, self.page()));
        notes
    }

    /// What another page takes beyond another line.
    fn page(&self) -> f64 {
        self.curve.last().map_or(0.0, |point| (self.any_order - point.nanoseconds).max(0.0))
    }
}

/// The caches of the description, and where they come from.
///
/// What the system tells is believed, but for a last cache of which hardly anything can be used: in a virtual machine
/// it is told whole, and shared with others. Where the system tells nothing, the steps are the caches.
fn follow(machine: &Machine, are_detected: bool, steps: &[Step]) -> (Vec<Cache>, String) {
    let mut caches = machine.caches.clone();
    if !are_detected {
        let found = steps.iter().map(|step| Cache { bytes: step.bytes, cores: 1 }).collect();
        return if steps.is_empty() {
            (caches, "assumed; no step was seen".to_owned())
        } else {
            (found, "measured".to_owned())
        };
    }
    let usable = steps::usable(&caches, steps);
    let seen: Vec<String> = usable.iter().map(|bytes| bytes.map_or_else(|| "?".to_owned(), size)).collect();
    let seen = seen.join(", ");
    match (steps::smaller_last(&caches, &usable), caches.last_mut()) {
        (Some(bytes), Some(last)) => {
            let comment =
                format!("detected, but only {} of {} can be used; measured: {seen}", size(bytes), size(last.bytes));
            last.bytes = bytes;
            (caches, comment)
        }
        _ => (caches, format!("detected; measured: {seen}")),
    }
}

/// The curve and its steps.
fn describe(curve: &[Point], steps: &[Step]) -> Vec<String> {
    let point = |point: &Point| format!("{} {}", size(point.bytes), significant(point.nanoseconds));
    // Powers of two are enough to see it.
    let curve: Vec<String> = curve.iter().step_by(2).map(point).collect();
    let step = |step: &Step| {
        format!("{} from {} to {} ns", size(step.bytes), significant(step.before), significant(step.after))
    };
    let steps: Vec<String> = steps.iter().map(step).collect();
    let steps = if steps.is_empty() { "none".to_owned() } else { steps.join(", ") };
    vec![
        format!("ns for a line that the line before leads to, by footprint: {}", curve.join(", ")),
        format!("Steps: {steps}"),
    ]
}

/// What a page costs that was not used for long, and whether there are larger ones.
fn describe_pages(memory: &Memory, nanoseconds: f64) -> String {
    let huge = match memory.huge.as_deref() {
        Some("always") => "programs get huge pages".to_owned(),
        Some("madvise") => "programs get huge pages where they ask for them (madvise)".to_owned(),
        Some("never") => "programs get no huge pages".to_owned(),
        _ => "nothing is known of huge pages".to_owned(),
    };
    format!(
        "Pages: {}; a line of another page takes {} ns more than one of the same; {huge}",
        size(memory.page),
        significant(nanoseconds)
    )
}

/// As the file form has it.
fn size(bytes: u64) -> String {
    Cache { bytes, cores: 1 }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(mib: &[u64]) -> Vec<Step> {
        mib.iter().map(|mib| Step { bytes: mib << 20, before: 4.0, after: 90.0 }).collect()
    }

    fn machine() -> Machine {
        Machine::parse("caches: 32K, 1M, 32M/8").unwrap()
    }

    fn written(caches: &[Cache]) -> Vec<String> {
        caches.iter().map(Cache::to_string).collect()
    }

    #[test]
    fn a_share_of_the_last_cache_counts_instead() {
        let (caches, comment) = follow(&machine(), true, &steps(&[1, 6]));
        assert_eq!(written(&caches), ["32K", "1M", "6M/8"]);
        assert_eq!(comment, "detected, but only 6M of 32M can be used; measured: ?, 1M, 6M");
        let (caches, comment) = follow(&machine(), true, &steps(&[1, 24]));
        assert_eq!(
            (written(&caches), comment.as_str()),
            (written(&machine().caches), "detected; measured: ?, 1M, 24M")
        );
    }

    #[test]
    fn steps_are_caches_where_none_are_detected() {
        let (caches, comment) = follow(&machine(), false, &steps(&[1, 6]));
        assert_eq!((written(&caches), comment.as_str()), (vec!["1M".to_owned(), "6M".to_owned()], "measured"));
        let (caches, comment) = follow(&machine(), false, &[]);
        assert_eq!((caches, comment.as_str()), (machine().caches, "assumed; no step was seen"));
    }

    #[test]
    fn the_shorter_times_count() {
        let of = |times: [f64; 2], any_order| {
            let curve = times.into_iter().map(|nanoseconds| Point { bytes: 1, nanoseconds }).collect();
            Footprints { curve, any_order }
        };
        let both = of([1.0, 9.0], 20.0).and(&of([2.0, 5.0], 30.0));
        assert_eq!((both.curve[0].nanoseconds, both.curve[1].nanoseconds, both.page()), (1.0, 5.0, 15.0));
    }

    #[test]
    fn curves_and_pages_are_described() {
        let point = |kib: u64, nanoseconds| Point { bytes: kib << 10, nanoseconds };
        let lines = describe(&[point(8, 1.25), point(12, 1.25), point(16, 12.4)], &steps(&[1]));
        assert_eq!(lines[0], "ns for a line that the line before leads to, by footprint: 8K 1.2, 16K 12");
        assert_eq!(lines[1], "Steps: 1M from 4.0 to 90 ns");
        assert_eq!(describe(&[], &[])[1], "Steps: none");
        let memory = Memory { page: 4096, huge: Some("never".to_owned()), available: None };
        let pages =
            "Pages: 4K; a line of another page takes 31 ns more than one of the same; programs get no huge pages";
        assert_eq!(describe_pages(&memory, 31.0), pages);
    }
}
