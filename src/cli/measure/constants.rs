//! Times in nanoseconds as constants of the machine's description.

use super::clock::Times;
use polyrs::machine::Machine;

/// A time that the description has.
#[derive(Debug)]
pub struct Kind {
    /// Its key in the file form.
    pub key: &'static str,
    /// The least that is believed, in operations.
    least: u32,
    /// The most that is believed.
    most: u32,
    /// What the description says.
    get: fn(&Machine) -> u64,
    /// Says something else.
    set: fn(&mut Machine, u32),
}

/// What each link of a chain of updates waits: at least the operation itself; no processor takes ten cycles.
pub const LATENCY: Kind =
    Kind { key: "latency", least: 1, most: 20, get: |it| it.latency.into(), set: |it, value| it.latency = value };

/// A line from memory: at most as long as if no two were on their way at a time.
pub const LINE_COST: Kind = Kind {
    key: "line-cost",
    least: 1,
    most: 200,
    get: |it| it.line_cost.into(),
    set: |it, value| it.line_cost = value,
};

/// A line from the last cache.
pub const LAST_LINE_COST: Kind = Kind {
    key: "last-line-cost",
    least: 0,
    most: 200,
    get: |it| it.last_line_cost.into(),
    set: |it, value| it.last_line_cost = value,
};

/// The wait for the first line of a row.
pub const ROW_START: Kind = Kind {
    key: "row-start",
    least: 0,
    most: 2_000,
    get: |it| it.row_start.into(),
    set: |it, value| it.row_start = value,
};

/// A line of memory that was just allocated: a system that clears pages one at a time takes some hundred.
pub const FRESH_LINE: Kind = Kind {
    key: "fresh-line",
    least: 0,
    most: 2_000,
    get: |it| it.fresh_line.into(),
    set: |it, value| it.fresh_line = value,
};

/// The begin and end of an innermost loop: a jump that nobody foresaw takes about 20 cycles.
pub const LOOP_START: Kind = Kind {
    key: "loop-start",
    least: 2,
    most: 100,
    get: |it| it.loop_start.into(),
    set: |it, value| it.loop_start = value,
};

/// The start of threads and the wait for them: lines go from core to core a few times, or, where threads have no core
/// for themselves, the system gives one of them the other's.
pub const PARALLEL_START: Kind = Kind {
    key: "parallel-start",
    least: 100,
    most: 1_000_000,
    get: |it| it.parallel_start,
    set: |it, value| it.parallel_start = value.into(),
};

/// The time as the description has it, and the comment that says where it comes from.
pub fn take(machine: &mut Machine, kind: &Kind, times: &Times, operation: f64) -> String {
    let (assumed, nanoseconds) = ((kind.get)(machine), times.least());
    let operations = operations(nanoseconds, operation);
    let value = round(operations).clamp(kind.least, kind.most);
    (kind.set)(machine, value);
    let mut comment = format!("measured: {} ns; {assumed} is assumed elsewhere", significant(nanoseconds));
    if value != round(operations) {
        let Kind { least, most, .. } = kind;
        comment += &format!("; {} is not believed, which is not from {least} to {most}", significant(operations));
    }
    if times.is_disturbed() {
        comment += &format!("; something disturbed it, {} ns were usual", significant(times.median()));
    }
    comment
}

/// A time in operations; none where one of the two is no time.
fn operations(nanoseconds: f64, operation: f64) -> f64 {
    let operations = nanoseconds / operation;
    if operations.is_finite() { operations.max(0.0) } else { 0.0 }
}

/// The nearest whole number with two digits that count: more would be different each time.
fn round(value: f64) -> u32 {
    let unit = 10f64.powf((value.max(1.0).log10().floor() - 1.0).max(0.0));
    // What is too large is the largest.
    ((value / unit).round() * unit) as u32
}

/// A number for people, with two digits that count at least.
pub fn significant(value: f64) -> String {
    let digits = if value < 1.0 {
        2
    } else if value < 10.0 {
        1
    } else {
        0
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(kind: &Kind, nanoseconds: f64, operation: f64) -> (Machine, String) {
        let mut machine = Machine::generic();
        let comment = take(&mut machine, kind, &Times::of(1, || nanoseconds), operation);
        (machine, comment)
    }

    #[test]
    fn times_become_operations() {
        let (machine, comment) = taken(&LATENCY, 0.75, 0.25);
        assert_eq!(machine, Machine { latency: 3, ..Machine::generic() });
        assert_eq!(comment, "measured: 0.75 ns; 4 is assumed elsewhere");
        let (machine, comment) = taken(&PARALLEL_START, 1234.0, 0.25);
        assert_eq!(machine, Machine { parallel_start: 4900, ..Machine::generic() });
        assert_eq!(comment, "measured: 1234 ns; 6000 is assumed elsewhere");
    }

    #[test]
    fn each_kind_changes_its_own_value() {
        for kind in [LATENCY, LINE_COST, ROW_START, FRESH_LINE, LOOP_START, PARALLEL_START] {
            let mut machine = Machine::generic();
            take(&mut machine, &kind, &Times::of(1, || 111.0), 1.0);
            let written = machine.to_string();
            let value = 110.clamp(kind.least, kind.most);
            assert!(written.contains(&format!("\n{}: {value}\n", kind.key)), "{written}");
            assert_eq!((kind.get)(&machine), u64::from(value));
            let changed = written.lines().zip(Machine::generic().to_string().lines()).filter(|(a, b)| a != b).count();
            assert_eq!(changed, 1, "{}", kind.key);
        }
    }

    #[test]
    fn nonsense_is_not_believed() {
        let (machine, comment) = taken(&LATENCY, 100.0, 0.25);
        assert_eq!(machine.latency, 20);
        assert_eq!(comment, "measured: 100 ns; 4 is assumed elsewhere; 400 is not believed, which is not from 1 to 20");
        for (nanoseconds, operation) in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0), (-1.0, 1.0)] {
            assert_eq!(taken(&LINE_COST, nanoseconds, operation).0.line_cost, 1);
        }
    }

    #[test]
    fn disturbance_is_told() {
        let mut each = [1.0, 1.0, 5.0, 5.0].into_iter();
        let times = Times::of(3, || each.next().unwrap());
        let comment = take(&mut Machine::generic(), &LINE_COST, &times, 0.5);
        assert_eq!(comment, "measured: 1.0 ns; 4 is assumed elsewhere; something disturbed it, 5.0 ns were usual");
    }

    #[test]
    fn two_digits_count() {
        assert_eq!([0.4, 0.6, 3.4, 12.5, 99.4, 104.0, 136.0, 6_149.0].map(round), [0, 1, 3, 13, 99, 100, 140, 6_100]);
        assert_eq!((round(0.0), round(1e30)), (0, u32::MAX));
        assert_eq!([0.256, 3.26, 12.6].map(significant), ["0.26", "3.3", "13"]);
    }
}
