//! YAML as a tree of nodes that know their places, with repeated keys kept so that they can be reported.

use super::error::{ParseError, Position};
use saphyr_parser::{Event, Marker, Parser, StrInput};

/// A deeper text is refused, so that reading it cannot exhaust the stack.
const MAX_DEPTH: usize = 200;

/// A node.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Where it starts.
    pub at: Position,
    /// The same as a number of characters from the start of the text.
    start: usize,
    /// What it is.
    pub data: Data,
}

/// What a node is.
#[derive(Debug, Clone)]
pub(super) enum Data {
    /// A scalar of any style, as text.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the text.
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// The kind of node in words.
    pub fn kind(&self) -> &'static str {
        match self.data {
            Data::Text(_) => "text",
            Data::List(_) => "a list",
            Data::Map(_) => "a mapping",
        }
    }

    /// The place of a character of a scalar, given how many characters that are not blank come before it.
    ///
    /// Lines of a scalar are folded when it is read, which changes blanks alone. After an escape the place is only
    /// near.
    pub fn place_in(&self, source: &str, solid_before: usize) -> Position {
        let mut at = self.at;
        let mut left = solid_before;
        for (i, c) in source.chars().skip(self.start).enumerate() {
            let quote = i == 0 && matches!(c, '"' | '\'');
            if !quote && !c.is_whitespace() {
                if left == 0 {
                    return at;
                }
                left -= 1;
            }
            if c == '\n' {
                at = Position { line: at.line + 1, column: 1 };
            } else {
                at.column += 1;
            }
        }
        self.at
    }
}

fn position(mark: &Marker) -> Position {
    Position { line: mark.line().max(1), column: mark.col() + 1 }
}

/// Reads the single document of a text.
pub(super) fn load(text: &str) -> Result<Node, ParseError> {
    let mut reader = Reader { parser: Parser::new_from_str(text), last: Position { line: 1, column: 1 } };
    let mut document = None;
    loop {
        match reader.next()? {
            (Event::StreamEnd, at) => {
                return document.ok_or_else(|| at.error("the text is empty"));
            }
            (Event::DocumentStart(_), at) if document.is_some() => {
                return Err(at.error("a second document starts here").help("write each document to a file of its own"));
            }
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
            (event, at) => document = Some(reader.node(event, at, 0)?),
        }
    }
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    last: Position,
}

impl<'t> Reader<'t> {
    /// The next event, its place, and its start as a number of characters.
    fn next(&mut self) -> Result<(Event<'t>, Place), ParseError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.last = position(&span.start);
                Ok((event, Place { at: self.last, start: span.start.index() }))
            }
            Some(Err(error)) => Err(position(error.marker()).error(format!("this is not YAML: {}", error.info()))),
            None => Err(self.last.error("the text ends too early")),
        }
    }

    fn node(&mut self, event: Event<'t>, place: Place, depth: usize) -> Result<Node, ParseError> {
        if depth > MAX_DEPTH {
            return Err(place.at.error(format!("the text nests deeper than {MAX_DEPTH} levels")));
        }
        let data = match event {
            Event::Scalar(text, ..) => Data::Text(text.into_owned()),
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break Data::List(items),
                        (event, place) => items.push(self.node(event, place, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut entries = Vec::new();
                loop {
                    let key = match self.next()? {
                        (Event::MappingEnd, _) => break Data::Map(entries),
                        (event, place) => self.node(event, place, depth + 1)?,
                    };
                    let (event, place) = self.next()?;
                    entries.push((key, self.node(event, place, depth + 1)?));
                }
            }
            Event::Alias(_) => return Err(place.at.error("aliases are not supported").help("repeat the value")),
            _ => return Err(place.at.error("a value is missing here")),
        };
        Ok(Node { at: place.at, start: place.start, data })
    }
}

/// Where an event starts.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: Position,
    start: usize,
}

impl Place {
    fn error(self, message: &str) -> ParseError {
        self.at.error(message)
    }
}

/// A scalar that reads back as the text: plain where that is safe, else between double quotes.
pub(super) fn scalar(text: &str) -> String {
    let reserved = ["true", "false", "null"].contains(&text.to_ascii_lowercase().as_str());
    let first = text.chars().next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_ +*()".contains(c)) && !text.ends_with(' ');
    if first && plain && !reserved { text.to_owned() } else { quoted(text) }
}

/// A text between double quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\U{:08x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(node: &Node) -> &str {
        match &node.data {
            Data::Text(text) => text,
            _ => panic!("{node:?} is no text"),
        }
    }

    #[test]
    fn scalars_read_back() {
        for case in [
            "n",
            "n + 1",
            "true",
            "",
            " ",
            "a: b",
            "-",
            "- x",
            "?",
            "\"q\"",
            "\\",
            "\u{7}\n\t",
            "# no comment",
            "é\u{2028}",
        ] {
            let line = format!("key: {}", scalar(case));
            let Data::Map(entries) = load(&line).unwrap().data else { panic!("{line}") };
            assert_eq!(text(&entries[0].1), case, "{line}");
        }
    }

    #[test]
    fn places_count_over_folded_lines() {
        let source = "a: \"{ x;\n     y }\"\n";
        let Data::Map(entries) = load(source).unwrap().data else { panic!() };
        assert_eq!(text(&entries[0].1), "{ x; y }");
        let at = |n| entries[0].1.place_in(source, n);
        assert_eq!(at(0), Position { line: 1, column: 5 });
        assert_eq!(at(1), Position { line: 1, column: 7 });
        assert_eq!(at(3), Position { line: 2, column: 6 });
    }

    #[test]
    fn deep_nesting_is_an_error() {
        assert!(load(&"[".repeat(10_000)).is_err());
        assert!(load(&"- ".repeat(10_000)).is_err());
    }
}
