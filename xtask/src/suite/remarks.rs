//! Reads the remarks of `poly-schedule` from what `mlir-opt` prints.
//!
//! A remark is one line, `FILE:LINE:COLUMN: remark: poly-schedule: TEXT`. TEXT is about a region that was found (`scop:
//! N statements; key=value ...`, at the end perhaps `; not read back: REASON`) or refused (`refused: REASON`). Clang's
//! remarks are `FILE:LINE:COLUMN: remark: TEXT [-Rpass=poly-schedule]`.

use std::collections::BTreeMap;

/// One remark.
#[derive(Debug, PartialEq, Clone)]
pub struct Remark {
    /// The line of the source it is about, from 1; none where the location is not a file's.
    pub line: Option<usize>,
    /// What it says.
    pub message: Message,
}

/// What a remark says.
#[derive(Debug, PartialEq, Clone)]
pub enum Message {
    /// A region was scheduled.
    Found {
        /// How many statements it has.
        statements: usize,
        /// What was done, by name.
        facts: BTreeMap<String, String>,
    },
    /// A region was left as it was, and why.
    Refused(String),
}

/// All remarks of the pass in `stderr`, in order. Other diagnostics and quoted source lines are passed over, and what is
/// said of the code for the CPU beside kernels.
pub fn parse(stderr: &str) -> Vec<Remark> {
    stderr.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Remark> {
    let (location, text) = line.split_once("remark: ")?;
    // Clang says at the end which flag asked for the remark.
    let by_clang = || text.trim_end().strip_suffix("=poly-schedule]")?.rsplit_once(" [-Rpass").map(|(text, _)| text);
    let text = text.strip_prefix("poly-schedule: ").or_else(by_clang)?.trim();
    if text.starts_with("for the CPU: ") {
        return None;
    }
    Some(Remark { line: source_line(location), message: parse_message(text)? })
}

/// The line number of `FILE:LINE:COLUMN: `.
fn source_line(location: &str) -> Option<usize> {
    let location = location.trim_end().strip_suffix(':')?;
    let (rest, _column) = location.rsplit_once(':')?;
    rest.rsplit_once(':')?.1.parse().ok()
}

fn parse_message(text: &str) -> Option<Message> {
    if let Some(reason) = text.strip_prefix("refused") {
        return Some(Message::Refused(reason.trim_start_matches(':').trim().to_owned()));
    }
    let (text, _) = split_reason(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| word.starts_with("statement"))?;
    let statements = words[at.checked_sub(1)?].parse().ok()?;
    let facts = pairs(text).map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    Some(Message::Found { statements, facts })
}

/// What was done, and why the new code could not be read back.
fn split_reason(text: &str) -> (&str, Option<&str>) {
    match text.split_once("; not read back: ") {
        Some((facts, reason)) => (facts, Some(reason)),
        None => (text, None),
    }
}

/// Why the developer's check could not read new code back, for each region where it could not.
pub fn not_read_back(stderr: &str) -> Vec<String> {
    let about = |line: &&str| parse_line(line).is_some();
    let reasons = stderr.lines().filter(about).filter_map(|line| split_reason(line).1);
    reasons.map(|reason| reason.trim().to_owned()).collect()
}

/// The `key=value` words of a text.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split([' ', ';']).filter_map(|word| word.trim_end_matches(',').split_once('='))
}

/// The remarks that are about lines of the function `name` in the MLIR text `source`.
pub fn of_function(remarks: &[Remark], source: &str, name: &str) -> Vec<Remark> {
    let inside = is_inside(source, name);
    remarks.iter().filter(|remark| inside(remark)).cloned().collect()
}

/// As [`of_function`], but the lines as they were printed.
pub fn lines_of_function<'a>(stderr: &'a str, source: &str, name: &str) -> Vec<&'a str> {
    let inside = is_inside(source, name);
    let about = |line: &&str| parse_line(line).is_some_and(|remark| inside(&remark));
    stderr.lines().filter(about).collect()
}

fn is_inside(source: &str, name: &str) -> impl Fn(&Remark) -> bool {
    let lines = function_lines(source, name);
    move |remark| {
        let range = lines.zip(remark.line);
        range.is_some_and(|((first, last), line)| (first..=last).contains(&line))
    }
}

/// First and last line, from 1, of a function of the module: up to the next function or the end.
pub fn function_lines(source: &str, name: &str) -> Option<(usize, usize)> {
    let header = format!("@{name}(");
    let is_function = |line: &str| line.trim_start().starts_with("func.func ");
    let lines: Vec<&str> = source.lines().collect();
    let first = lines.iter().position(|line| is_function(line) && line.contains(&header))?;
    let next = lines[first + 1..].iter().position(|line| is_function(line));
    Some((first + 1, next.map_or(lines.len(), |next| first + 1 + next)))
}

#[cfg(test)]
mod tests {
    use super::{Message, Remark, function_lines, not_read_back, of_function, parse};

    #[test]
    fn clang_says_which_flag_asked() {
        let said = "a.c:4:3: remark: scop: f:4: 2 statements; bands=1 [-Rpass=poly-schedule]\n\
                    ./b.h:9:3: remark: refused: a call [-Rpass-missed=poly-schedule]\n\
                    a.c:5:3: remark: vectorized loop [-Rpass=loop-vectorize]\n";
        let [found, refused] = &parse(said)[..] else { panic!("other remarks") };
        assert!(matches!(&found.message, Message::Found { statements: 2, facts } if facts["bands"] == "1"));
        assert_eq!((refused.line, &refused.message), (Some(9), &Message::Refused("a call".to_owned())));
    }

    const STDERR: &str = "\
in.mlir:4:3: remark: poly-schedule: scop: 2 statements; bands=1 members=3, coincident=2 tiled=32,32,32
  affine.for %i = 0 to %n {
  ^
in.mlir:4:3: note: see current operation: %0 = \"scop\"
in.mlir:9:3: remark: poly-schedule: refused: call to @f
loc(unknown): remark: poly-schedule: scop: 1 statement
in.mlir:9:3: remark: another pass: 3 statements
";

    #[test]
    fn remarks_are_read_and_other_lines_are_not() {
        let remarks = parse(STDERR);
        assert_eq!(remarks.len(), 3);
        assert_eq!(remarks[0].line, Some(4));
        let Message::Found { statements, facts } = &remarks[0].message else { panic!("{remarks:?}") };
        assert_eq!(*statements, 2);
        assert_eq!((facts["members"].as_str(), facts["tiled"].as_str()), ("3", "32,32,32"));
        assert_eq!(remarks[1].message, Message::Refused("call to @f".into()));
        assert_eq!(remarks[2].line, None);
        assert_eq!(remarks[2].message, Message::Found { statements: 1, facts: Default::default() });
    }

    #[test]
    fn reasons_for_not_reading_back_are_no_facts() {
        let line = "a:1:1: remark: poly-schedule: scop: 1 statement; bands=1 read-back=0; not read back: scf.if x=1\n";
        let [Remark { message: Message::Found { facts, .. }, .. }] = &parse(line)[..] else { panic!("one remark") };
        assert_eq!(facts.get("read-back").map(String::as_str), Some("0"));
        assert!(!facts.contains_key("x"));
        assert_eq!(not_read_back(line), ["scf.if x=1"]);
        assert!(not_read_back(STDERR).is_empty());
    }

    #[test]
    fn remarks_belong_to_the_function_around_their_line() {
        let source = "\
func.func private @g()

func.func @f(%n: index) {
  affine.for %i = 0 to %n {
  }
  return
}
func.func @f2(%n: index) {
  affine.for %i = 0 to %n {
  }
}
";
        assert_eq!(function_lines(source, "f"), Some((3, 7)));
        assert_eq!(function_lines(source, "f2"), Some((8, 11)));
        assert_eq!(function_lines(source, "h"), None);
        assert_eq!(of_function(&parse(STDERR), source, "f").len(), 1);
        assert_eq!(of_function(&parse(STDERR), source, "f2").len(), 1);
    }
}
