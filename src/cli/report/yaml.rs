//! Reading records from YAML, as LLVM writes it: a document for each record, whose tag says what kind it is.

use super::record::{Kind, Place, Record};
use saphyr_parser::{Event, Parser, ScanError, Span, StrInput};
use std::fmt;

/// What is wrong with a text, and in which line.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    line: usize,
    what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.what)
    }
}

/// A value. Records are no deeper than three levels.
#[derive(Debug)]
enum Value {
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

/// A deeper text is no record.
const MOST_LEVELS: usize = 8;

/// The records of a text.
///
/// # Errors
/// What is no record.
pub fn records(text: &str) -> Result<Vec<Record>, Wrong> {
    let mut reader = Reader { parser: Parser::new_from_str(text), line: 1 };
    let mut records = Vec::new();
    loop {
        match reader.next()? {
            Event::StreamEnd => return Ok(records),
            Event::MappingStart(_, tag) => {
                let line = reader.line;
                let word = tag.map(|tag| tag.suffix.clone()).unwrap_or_default();
                let fields = reader.map(0)?;
                records.push(record(&word, fields).map_err(|what| Wrong { line, what })?);
            }
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            _ => return Err(reader.wrong("this is no record")),
        }
    }
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    line: usize,
}

impl<'t> Reader<'t> {
    fn wrong(&self, what: impl Into<String>) -> Wrong {
        Wrong { line: self.line, what: what.into() }
    }

    fn next(&mut self) -> Result<Event<'t>, Wrong> {
        let next: Option<Result<(Event<'t>, Span), ScanError>> = self.parser.next_event();
        match next {
            Some(Ok((event, span))) => {
                self.line = span.start.line().max(1);
                Ok(event)
            }
            Some(Err(error)) => {
                let line = error.marker().line().max(1);
                Err(Wrong { line, what: format!("this is not YAML: {}", error.info()) })
            }
            None => Err(self.wrong("the text ends too early")),
        }
    }

    /// The rest of a mapping.
    fn map(&mut self, level: usize) -> Result<Vec<(String, Value)>, Wrong> {
        let mut entries = Vec::new();
        loop {
            match self.next()? {
                Event::MappingEnd => return Ok(entries),
                Event::Scalar(key, ..) => {
                    let event = self.next()?;
                    entries.push((key.into_owned(), self.value(event, level + 1)?));
                }
                _ => return Err(self.wrong("a key is missing here")),
            }
        }
    }

    fn value(&mut self, event: Event<'t>, level: usize) -> Result<Value, Wrong> {
        if level > MOST_LEVELS {
            return Err(self.wrong("the text is too deep for a record"));
        }
        match event {
            Event::Scalar(text, ..) => Ok(Value::Text(text.into_owned())),
            Event::MappingStart(..) => self.map(level).map(Value::Map),
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(Value::List(items)),
                        event => items.push(self.value(event, level + 1)?),
                    }
                }
            }
            _ => Err(self.wrong("a value is missing here")),
        }
    }
}

/// A record of its fields.
fn record(kind: &str, fields: Vec<(String, Value)>) -> Result<Record, String> {
    let kind = match kind {
        "Passed" => Kind::Passed,
        "Missed" => Kind::Missed,
        "Failure" => Kind::Failure,
        _ if kind.starts_with("Analysis") => Kind::Analysis,
        _ => return Err(format!("there are no records of the kind `{kind}`")),
    };
    let (mut pass, mut name, mut function) = (None, None, None);
    let (mut place, mut arguments) = (None, Vec::new());
    for (key, value) in fields {
        match (key.as_str(), value) {
            ("Pass", Value::Text(text)) => pass = Some(text),
            ("Name", Value::Text(text)) => name = Some(text),
            ("Function", Value::Text(text)) => function = Some(text),
            ("DebugLoc", Value::Map(fields)) => place = Some(self::place(fields)?),
            ("Args", Value::List(items)) => arguments = items.into_iter().filter_map(argument).collect(),
            // Hotness, and what later versions add.
            _ => {}
        }
    }
    let missing = |what: &str| format!("the record has no `{what}`");
    Ok(Record {
        kind,
        pass: pass.ok_or_else(|| missing("Pass"))?,
        name: name.ok_or_else(|| missing("Name"))?,
        place,
        function: function.ok_or_else(|| missing("Function"))?,
        arguments,
    })
}

fn place(fields: Vec<(String, Value)>) -> Result<Place, String> {
    let mut place = Place { file: String::new(), line: 0, column: 0 };
    let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number of a line or column"));
    for (key, value) in fields {
        match (key.as_str(), value) {
            ("File", Value::Text(text)) => place.file = text,
            ("Line", Value::Text(text)) => place.line = number(&text)?,
            ("Column", Value::Text(text)) => place.column = number(&text)?,
            _ => {}
        }
    }
    Ok(place)
}

/// An argument: the first text of a mapping, which may have a place beside it.
fn argument(item: Value) -> Option<(String, String)> {
    let Value::Map(entries) = item else { return None };
    entries.into_iter().find_map(|(key, value)| match value {
        Value::Text(text) if key != "DebugLoc" => Some((key, text)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::records;
    use crate::report::record::Kind;

    const TWO: &str = "--- !Missed
Pass:            poly-schedule
Name:            NotRaised
DebugLoc:        { File: 'a b.c', Line: 11, Column: 23 }
Function:        bad
Hotness:         3
Args:
  - String:          'refused: '
  - Reason:          'it''s <b>: \"x\" & y'
    DebugLoc:        { File: a.c, Line: 1, Column: 2 }
  - Depth:           '2'
...
--- !AnalysisFPCommute
Pass:            loop-vectorize
Name:            CantReorderFPOps
Function:        g
...
";

    #[test]
    fn records_are_read() {
        let found = records(TWO).unwrap();
        assert_eq!(found.len(), 2);
        let place = found[0].place.as_ref().unwrap();
        assert_eq!((place.file.as_str(), place.line, place.column), ("a b.c", 11, 23));
        assert_eq!(found[0].argument("Reason"), Some("it's <b>: \"x\" & y"));
        assert_eq!(found[0].text(), "refused: it's <b>: \"x\" & y");
        assert_eq!((found[1].kind, found[1].place.is_none()), (Kind::Analysis, true));
        assert!(records("").unwrap().is_empty());
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let wrong = |text: &str| records(text).unwrap_err().to_string();
        assert_eq!(wrong("--- !Passed\nPass: p\nName: n\n...\n"), "1: the record has no `Function`");
        assert_eq!(wrong("--- !Other\nPass: p\n...\n"), "1: there are no records of the kind `Other`");
        assert_eq!(wrong("--- !Passed\nPass: p\nDebugLoc: { Line: x }\n"), "1: `x` is no number of a line or column");
        assert!(wrong(&format!("{TWO}--- !Passed\nPass: 'p\n")).contains(": this is not YAML"));
        assert!(wrong("- a\n- b\n").contains("this is no record"));
        assert!(wrong(&format!("--- !Passed\na: {}\n", "[".repeat(30))).contains("too deep"));
    }

    /// Files that end too early, or that something else was written into, are told, whatever they are.
    #[test]
    fn no_text_makes_the_reader_panic() {
        for end in 0..TWO.len() {
            let _ = records(&TWO[..end]);
            let _ = records(&format!("{}\u{0}*&[{{{}", &TWO[..end], &TWO[end..]));
        }
    }
}
