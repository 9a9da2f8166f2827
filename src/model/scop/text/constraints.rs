//! Schedule constraints (`.sc`), as isl's tool `isl_schedule` reads them.
//!
//! The form is YAML in the large, `domain: { S[i] : ... }`, with isl notation that need not be quoted and therefore is
//! no YAML in the small. Comments may stand anywhere outside quotes; those that say `OPTIONS:` hold the options that
//! the constraints are meant to be scheduled with.

use super::diagnose;
use super::error::{ParseError, Position};
use super::fields::suggestion;
use super::limits;
use crate::isl::{self, ScheduleConstraints};

/// The keys, of which only the first is required.
const KEYS: [&str; 7] =
    ["domain", "context", "validity", "proximity", "coincidence", "condition", "conditional_validity"];

/// What marks a comment that holds options.
const OPTIONS: &str = "OPTIONS:";

/// A file of schedule constraints.
#[derive(Debug, Clone)]
pub struct ConstraintsText {
    /// The constraints.
    pub constraints: ScheduleConstraints,
    /// The words in its `OPTIONS:` comments.
    pub options: Vec<OptionWord>,
}

/// A word of an `OPTIONS:` comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionWord {
    /// The word.
    pub text: String,
    at: Position,
}

impl OptionWord {
    /// An error at the word.
    pub fn error(&self, message: impl Into<String>) -> ParseError {
        self.at.error(message)
    }
}

/// Reads schedule constraints: the keys `domain`, `context`, `validity`, `proximity`, `coincidence`, `condition` and
/// `conditional_validity`, one a line, or between braces with commas.
///
/// # Errors
/// The first thing wrong, with its place.
pub fn parse_constraints(ctx: &isl::Ctx, text: &str) -> Result<ConstraintsText, ParseError> {
    let (chars, options) = without_comments(text);
    let entries = Scanner { chars: &chars, next: 0 }.entries()?;
    Ok(ConstraintsText { constraints: Reader { ctx, chars: &chars, entries: &entries }.read()?, options })
}

/// The text with its comments blanked out, and the options in them.
fn without_comments(text: &str) -> (Vec<char>, Vec<OptionWord>) {
    let mut chars: Vec<char> = Vec::new();
    let mut options = Vec::new();
    let mut quoted = false;
    for (number, line) in text.split('\n').enumerate() {
        let comment = line.char_indices().find(|(_, c)| {
            quoted ^= *c == '"';
            *c == '#' && !quoted
        });
        let end = comment.map_or(line.len(), |(at, _)| at);
        if let Some((_, words)) = line[end..].split_once(OPTIONS) {
            let start = line.len() - words.len();
            options.extend(words_of(words).map(|(offset, word)| {
                let column = line[..start + offset].chars().count() + 1;
                OptionWord { text: word.to_owned(), at: Position { line: number + 1, column } }
            }));
        }
        chars.extend(line[..end].chars());
        chars.extend(line[end..].chars().map(|_| ' '));
        chars.push('\n');
    }
    chars.pop();
    (chars, options)
}

/// The words of a line with their places in it, in bytes.
fn words_of(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// A key and its value.
struct Entry {
    key: String,
    key_at: Position,
    value: String,
    /// Where the value starts, as a number of characters.
    start: usize,
}

struct Scanner<'t> {
    chars: &'t [char],
    next: usize,
}

impl Scanner<'_> {
    fn entries(mut self) -> Result<Vec<Entry>, ParseError> {
        let mut entries: Vec<Entry> = Vec::new();
        let braces = self.peek() == Some('{');
        if braces {
            self.next += 1;
        }
        loop {
            match self.peek() {
                Some('}') if braces => {
                    self.next += 1;
                    break;
                }
                Some(',') if braces && !entries.is_empty() => self.next += 1,
                Some(_) => {
                    let entry = self.entry()?;
                    if let Some(first) = entries.iter().find(|e| e.key == entry.key) {
                        let message =
                            format!("`{}` is there twice; the first is in line {}", entry.key, first.key_at.line);
                        return Err(entry.key_at.error(message));
                    }
                    entries.push(entry);
                }
                None if braces => return Err(self.position(self.next).error("the closing `}` is missing")),
                None => break,
            }
        }
        match self.peek() {
            Some(c) => Err(self.position(self.next).error(format!("`{c}` has no meaning here"))),
            None if entries.iter().all(|entry| entry.key != KEYS[0]) => {
                Err(Position { line: 1, column: 1 }.error("`domain` is missing in schedule constraints"))
            }
            None => Ok(entries),
        }
    }

    /// The next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.next).is_some_and(|c| c.is_whitespace()) {
            self.next += 1;
        }
        self.chars.get(self.next).copied()
    }

    fn entry(&mut self) -> Result<Entry, ParseError> {
        self.peek();
        let from = self.next;
        while self.chars.get(self.next).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
            self.next += 1;
        }
        let key: String = self.chars[from..self.next].iter().collect();
        let key_at = self.position(from);
        if key.is_empty() || self.peek() != Some(':') {
            return Err(key_at.error("expected a key and a colon").help(format!("the keys are {}", KEYS.join(", "))));
        }
        if !KEYS.contains(&key.as_str()) {
            let error = key_at.error(format!("`{key}` is no key of schedule constraints"));
            return Err(error.help(suggestion(&key, &KEYS)));
        }
        self.next += 1;
        let (start, value) = self.value(&key)?;
        Ok(Entry { key, key_at, value, start })
    }

    /// Isl notation: between quotes, or up to the brace that closes its first one.
    fn value(&mut self, key: &str) -> Result<(usize, String), ParseError> {
        let first = self.peek();
        let from = self.next;
        if first == Some('"') {
            let inside = &self.chars[from + 1..];
            let Some(length) = inside.iter().position(|c| *c == '"') else {
                return Err(self.position(from).error("this quote is not closed"));
            };
            self.next = from + 1 + length + 1;
            return Ok((from + 1, inside[..length].iter().collect()));
        }
        let mut open = 0_usize;
        for (offset, c) in self.chars[from..].iter().enumerate() {
            match c {
                '{' => open += 1,
                '}' if open == 1 => {
                    self.next = from + offset + 1;
                    return Ok((from, self.chars[from..self.next].iter().collect()));
                }
                '}' => open = open.saturating_sub(1),
                _ => {}
            }
        }
        let message = if open > 0 { "this brace is not closed" } else { "a value in isl notation is missing" };
        let brace = self.chars[from..].iter().position(|c| *c == '{').unwrap_or(0);
        Err(self.position(from + brace).error(format!("{message} (`{key}`)")))
    }

    fn position(&self, at: usize) -> Position {
        position(self.chars, at)
    }
}

/// The line and column of a character.
fn position(chars: &[char], at: usize) -> Position {
    let before = &chars[..at.min(chars.len())];
    let line = before.iter().filter(|c| **c == '\n').count() + 1;
    let column = before.iter().rev().take_while(|c| **c != '\n').count() + 1;
    Position { line, column }
}

/// From texts to isl objects.
struct Reader<'t> {
    ctx: &'t isl::Ctx,
    chars: &'t [char],
    entries: &'t [Entry],
}

impl Reader<'_> {
    fn read(&self) -> Result<ScheduleConstraints, ParseError> {
        let failed = |error| Position { line: 1, column: 1 }.isl(error);
        let domain = self.get("domain", "a union set", isl::UnionSet::parse)?;
        let mut constraints = match domain {
            Some(domain) => ScheduleConstraints::on_domain(domain).map_err(failed)?,
            None => return Err(failed(isl::Error::invalid("there is no domain"))),
        };
        if let Some(context) = self.get("context", "a set of parameters", isl::Set::parse)? {
            constraints = constraints.set_context(context).map_err(failed)?;
        }
        for (key, set) in [
            ("validity", ScheduleConstraints::set_validity as fn(_, _) -> _),
            ("proximity", ScheduleConstraints::set_proximity),
            ("coincidence", ScheduleConstraints::set_coincidence),
        ] {
            if let Some(relation) = self.relation(key)? {
                constraints = set(constraints, relation).map_err(failed)?;
            }
        }
        let (condition, conditioned) = (self.relation("condition")?, self.relation("conditional_validity")?);
        let empty = |other: &isl::UnionMap| isl::UnionMap::empty(other.space()?);
        let (condition, conditioned) = match (condition, conditioned) {
            (Some(condition), Some(conditioned)) => (condition, conditioned),
            (None, Some(conditioned)) => (empty(&conditioned).map_err(failed)?, conditioned),
            (Some(condition), None) => (condition.clone(), empty(&condition).map_err(failed)?),
            (None, None) => return Ok(constraints),
        };
        constraints.set_conditional_validity(condition, conditioned).map_err(failed)
    }

    fn relation(&self, key: &str) -> Result<Option<isl::UnionMap>, ParseError> {
        self.get(key, "a union relation", isl::UnionMap::parse)
    }

    /// The value of a key, if it is there.
    fn get<T>(
        &self,
        key: &str,
        what: &str,
        reader: impl Fn(&isl::Ctx, &str) -> isl::Result<T>,
    ) -> Result<Option<T>, ParseError> {
        let Some(entry) = self.entries.iter().find(|entry| entry.key == key) else { return Ok(None) };
        if let Some(excess) = limits::excess(&entry.value) {
            return Err(position(self.chars, entry.start + excess.before).error(excess.message));
        }
        reader(self.ctx, &entry.value).map(Some).map_err(|error| self.explain(entry, what, error))
    }

    fn explain(&self, entry: &Entry, what: &str, error: isl::Error) -> ParseError {
        let start = position(self.chars, entry.start);
        if error.is_exhausted() {
            return start.isl(error);
        }
        let complaint = format!("this is not {what} in isl notation");
        match diagnose::find(&entry.value, &[]) {
            Some(found) => {
                let solid = |(_, c): &(usize, &char)| !c.is_whitespace();
                let offset = self.chars[entry.start..].iter().enumerate().filter(solid).nth(found.solid_before);
                let at = position(self.chars, entry.start + offset.map_or(0, |(offset, _)| offset));
                at.error(format!("{complaint}: {}", found.message))
            }
            None if error.message.contains("syntax error") => start.error(complaint),
            None => start.error(format!("{complaint}: {}", error.message)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ConstraintsText, ParseError> {
        parse_constraints(&isl::Ctx::new(), text)
    }

    fn complaint(text: &str) -> String {
        read(text).map(|read| read.constraints.to_string()).unwrap_err().to_string()
    }

    const SMALL: &str = "# About it. OPTIONS: --one=1 two\ndomain: { A[i] : 0 <= i < 9;\n  B[] } # more\n\
                         # OPTIONS: three\nvalidity: \"{ A[i] -> A[i'] : i' = i + 1 }\"\n";

    #[test]
    fn keys_options_and_places_are_read() {
        let small = read(SMALL).unwrap();
        assert_eq!(small.constraints.domain().unwrap().n_set().unwrap(), 2);
        assert!(!small.constraints.validity().unwrap().is_empty().unwrap());
        let words: Vec<_> = small.options.iter().map(|w| (w.text.as_str(), w.at.line, w.at.column)).collect();
        assert_eq!(words, [("--one=1", 1, 22), ("two", 1, 30), ("three", 4, 12)]);
    }

    #[test]
    fn what_isl_writes_is_read_back() {
        let text = "domain: [n] -> { A[i] : 0 <= i < n }\ncontext: [n] -> { : n > 3 }\nproximity: { A[i] -> A[i + 1] }\n\
                    condition: { [A[i] -> R[]] -> [A[i] -> Q[]] }\n\
                    conditional_validity: { [A[i] -> Q[]] -> [A[i + 1] -> R[]] }";
        let once = read(text).unwrap().constraints.to_string();
        assert_eq!(read(&once).unwrap().constraints.to_string(), once);
        let by_isl = ScheduleConstraints::parse(&isl::Ctx::new(), text).unwrap();
        assert_eq!(by_isl.to_string(), once);
    }

    #[test]
    fn errors_have_their_place() {
        assert_eq!(
            complaint("domain: { A[i] : 0 <= i < m }"),
            "1:27: this is not a union set in isl notation: \
            `m` is neither a parameter nor a dimension of a tuple"
        );
        assert_eq!(
            complaint("domain: { A[] }\n\nvalidty: { }"),
            "3:1: `validty` is no key of schedule constraints; \
            did you mean `validity`?"
        );
        assert_eq!(complaint("domain: nothing"), "1:9: a value in isl notation is missing (`domain`)");
        assert_eq!(complaint("domain: { A[]\n"), "1:9: this brace is not closed (`domain`)");
        assert_eq!(complaint("# nothing\n"), "1:1: `domain` is missing in schedule constraints");
        assert_eq!(
            complaint("domain: { A[] }\ndomain: { B[] }"),
            "2:1: `domain` is there twice; the first is in line 1"
        );
        assert!(complaint("{ domain: { A[] }").starts_with("1:18: the closing `}` is missing"));
        assert!(complaint("domain: { A[] } ]").starts_with("1:17: expected a key"));
        assert!(complaint("domain: \"{ A[] }").starts_with("1:9: this quote is not closed"));
        assert!(complaint("domain: { A[i] -> B[i] }").starts_with("1:9: this is not a union set"));
    }
}
