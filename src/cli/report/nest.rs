//! Loop nests, of the records that are about the same place.

use super::collect::Compilation;
use super::record::{Kind, Place, Record};
use super::source::Sources;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

/// What became of a nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It could not be described, or no new code could be made of it.
    Refused,
    /// Its code is the best that was found, or nothing was tried.
    Left,
    /// It has new code.
    Transformed,
}

impl State {
    /// All of them, in the order of the table.
    pub const ALL: [State; 3] = [State::Refused, State::Left, State::Transformed];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            State::Refused => "refused",
            State::Left => "left",
            State::Transformed => "transformed",
        }
    }

    /// What a record says became of its nest; nothing for details.
    fn of(record: &Record) -> Option<Self> {
        match record.kind {
            Kind::Passed => Some(State::Transformed),
            Kind::Missed if record.name.starts_with("Left") => Some(State::Left),
            Kind::Missed | Kind::Failure => Some(State::Refused),
            Kind::Analysis => None,
        }
    }
}

/// A place in a loop nest, with all that is said of it.
#[derive(Debug)]
pub struct Nest {
    /// What became of it: the best that any record says.
    pub state: State,
    /// The number of its source in [`Sources`].
    pub source: usize,
    /// Its line, from 1 on, or 0.
    pub line: usize,
    /// The functions: those that are made of a template or a macro have the same places.
    pub functions: Vec<String>,
    /// The records about it, each once, in their order.
    pub records: Vec<Record>,
    /// The folders of the files that records name.
    pub folder: PathBuf,
    /// How many compilations have it: headers are compiled with many files.
    pub compilations: usize,
}

/// The number of a source, line, column, and a function or an outcome.
type Key = (usize, usize, usize, String);

/// The nests of one compilation, function by function.
fn of_one(compilation: &Compilation, sources: &mut Sources) -> BTreeMap<Key, Nest> {
    let mut found: BTreeMap<Key, Nest> = BTreeMap::new();
    let folder = compilation.file.parent().unwrap_or(Path::new(""));
    for record in &compilation.records {
        // Records without a place have a source without a name.
        let nowhere = Place { file: String::new(), line: 0, column: 0 };
        let Place { file, line, column } = record.place.clone().unwrap_or(nowhere);
        let source = sources.number(&file, compilation);
        let nest = found.entry((source, line, column, record.function.clone())).or_insert_with(|| Nest {
            state: State::Refused,
            source,
            line,
            functions: vec![record.function.clone()],
            records: Vec::new(),
            folder: folder.to_owned(),
            compilations: 1,
        });
        if !nest.records.contains(record) {
            nest.records.push(record.clone());
        }
    }
    found
}

impl Nest {
    /// The nests of all records, in the order of the sources and lines.
    pub fn all(compilations: &[Compilation], sources: &mut Sources) -> Vec<Nest> {
        let mut found: BTreeMap<Key, Nest> = BTreeMap::new();
        for compilation in compilations {
            for (key, mut nest) in of_one(compilation, sources) {
                // Details alone are about functions, not loops.
                let states = nest.records.iter().filter_map(State::of);
                let Some(state) = states.max() else { continue };
                nest.state = state;
                let (source, line, column, _) = key;
                match found.entry((source, line, column, nest.outcome())) {
                    Entry::Vacant(entry) => _ = entry.insert(nest),
                    Entry::Occupied(mut entry) => entry.get_mut().join(nest),
                }
            }
        }
        found.into_values().collect()
    }

    /// What it has in common with others of its place that are told once.
    fn outcome(&self) -> String {
        let main = self.main();
        format!("{:?} {} {}", self.state, main.name, main.argument("Reason").unwrap_or_default())
    }

    /// Adds one of the same place and outcome.
    fn join(&mut self, other: Nest) {
        self.compilations += other.compilations;
        for function in other.functions {
            if !self.functions.contains(&function) {
                self.functions.push(function);
            }
        }
    }

    /// The first function, and how many others there are.
    pub fn function(&self) -> String {
        let others = self.functions.len() - 1;
        if others == 0 { self.functions[0].clone() } else { format!("{} and {others} more", self.functions[0]) }
    }

    /// It is a loop by itself that has no new code: the optimizer is for nests.
    pub fn is_minor(&self) -> bool {
        self.state != State::Transformed && self.depth() < 2
    }

    /// Its file and line.
    pub fn place(&self, sources: &Sources) -> String {
        let name = sources.get(self.source).shown();
        if self.line == 0 { name.to_owned() } else { format!("{name}:{}", self.line) }
    }

    /// The record that says what became of it.
    pub fn main(&self) -> &Record {
        let main = self.records.iter().find(|record| State::of(record) == Some(self.state));
        main.unwrap_or(&self.records[0])
    }

    /// How many loops are around its innermost statement, or around what is in the way.
    pub fn depth(&self) -> u64 {
        self.records.iter().filter_map(|record| record.number("Depth")).max().unwrap_or(0)
    }

    /// How many tenths of the time of the new code the original is expected to take.
    pub fn gain(&self) -> Option<u64> {
        let gains = self.records.iter().filter(|record| record.kind == Kind::Passed);
        gains.filter_map(|record| tenths(record.argument("Predicted")?)).max()
    }

    /// Counted work.
    pub fn operations(&self) -> Option<u64> {
        let counts: Vec<u64> = self.records.iter().filter_map(|record| record.number("Operations")).collect();
        (!counts.is_empty()).then(|| counts.iter().sum())
    }

    /// Why it is as it is, where it has no new code.
    pub fn reason(&self) -> Option<String> {
        if self.state == State::Transformed {
            return None;
        }
        let main = self.main();
        Some(main.argument("Reason").map_or_else(|| main.text(), str::to_owned))
    }
}

/// `6.1x` as 61.
fn tenths(factor: &str) -> Option<u64> {
    let (whole, tenth) = factor.strip_suffix('x')?.split_once('.')?;
    let (whole, tenth): (u64, u64) = (whole.parse().ok()?, tenth.parse().ok()?);
    (tenth < 10).then(|| whole.saturating_mul(10).saturating_add(tenth))
}

/// The order of the table: what is refused first, the deepest nests of it first, as nobody knows what they would gain;
/// then what is left; then what has new code, by what that is expected to gain.
pub fn in_order(nests: &[Nest]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..nests.len()).collect();
    order.sort_by_key(|number| {
        let nest = &nests[*number];
        let (depth, gain) = (nest.depth(), nest.gain().unwrap_or(0));
        (nest.state, std::cmp::Reverse(if nest.state == State::Transformed { gain } else { depth }), *number)
    });
    order
}

#[cfg(test)]
mod tests {
    use super::{Nest, State, in_order, tenths};
    use crate::report::collect::Compilation;
    use crate::report::source::Sources;
    use crate::report::yaml::records;
    use std::path::PathBuf;

    fn compilation(text: &str) -> Compilation {
        let file = PathBuf::from("/records/a.opt.yaml");
        Compilation { file, records: records(text).unwrap(), folder: None, milliseconds: None }
    }

    fn record(kind: &str, name: &str, line: usize, arguments: &str) -> String {
        format!(
            "--- !{kind}\nPass: poly-schedule\nName: {name}\nDebugLoc: {{ File: a.c, Line: {line}, Column: 1 }}\n\
             Function: f\nArgs: {arguments}\n...\n"
        )
    }

    #[test]
    fn records_of_a_place_are_one_nest() {
        let one = compilation(
            &[
                record("Passed", "Scheduled", 3, "[{Predicted: 2.5x}, {Operations: 10}]"),
                record("Analysis", "Placed", 3, "[{Runs: always}]"),
                record("Missed", "NotRaised", 9, "[{Reason: r1}, {Depth: 1}]"),
                record("Missed", "NotRaised", 12, "[{Reason: r2}, {Depth: 3}]"),
                record("Missed", "LeftNotBetter", 20, "[{Reason: r3}]"),
                record("Passed", "Scheduled", 30, "[{Predicted: 12.0x}]"),
                record("Analysis", "Validated", 40, "[]"),
            ]
            .concat(),
        );
        let two = compilation(&record("Passed", "Scheduled", 3, "[{Predicted: 2.5x}, {Operations: 10}]"));
        let nests = Nest::all(&[one, two], &mut Sources::default());
        let lines: Vec<usize> = in_order(&nests).into_iter().map(|number| nests[number].line).collect();
        assert_eq!(lines, [12, 9, 20, 30, 3]);
        assert_eq!((nests[0].records.len(), nests[0].compilations, nests[0].operations()), (2, 2, Some(10)));
        let minor: Vec<usize> = nests.iter().filter(|nest| nest.is_minor()).map(|nest| nest.line).collect();
        assert_eq!(minor, [9, 20]);
        assert_eq!((nests[0].state, nests[0].gain(), nests[0].reason()), (State::Transformed, Some(25), None));
        assert_eq!(nests[1].reason().as_deref(), Some("r1"));
    }

    #[test]
    fn functions_of_a_macro_are_one_nest_where_they_have_the_same_outcome() {
        let refused = record("Missed", "NotRaised", 9, "[{Reason: r1}, {Depth: 2}]");
        let other = refused.replace("Function: f", "Function: g");
        let better = record("Passed", "Scheduled", 9, "[]").replace("Function: f", "Function: h");
        let nests = Nest::all(&[compilation(&[refused, other, better].concat())], &mut Sources::default());
        let functions: Vec<String> = nests.iter().map(Nest::function).collect();
        assert_eq!(functions, ["f and 1 more", "h"]);
    }

    #[test]
    fn gains_are_read() {
        assert_eq!((tenths("32.8x"), tenths("1.0x")), (Some(328), Some(10)));
        assert_eq!((tenths("x"), tenths("1.12x"), tenths("-1.0x"), tenths("3x")), (None, None, None, None));
    }
}
