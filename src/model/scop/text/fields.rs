//! The entries of a mapping: known keys, each once, with the required ones present.

use super::error::{ParseError, Position};
use super::notation::text_of;
use super::yaml::{Data, Node};
use crate::spelling::changes;

/// The entries of a mapping by key.
pub(super) struct Fields<'n> {
    at: Position,
    what: &'static str,
    entries: Vec<(&'n str, &'n Node)>,
}

/// The entries of a mapping whose keys are names, in order, each once.
pub(super) fn named<'n>(node: &'n Node, what: &str) -> Result<Vec<(&'n str, &'n Node, &'n Node)>, ParseError> {
    let Data::Map(entries) = &node.data else {
        return Err(node.at.error(format!("expected {what}, found {}", node.kind())));
    };
    let mut seen: Vec<(&str, &Node, &Node)> = Vec::new();
    for (key, value) in entries {
        let name = text_of(key, "a name")?;
        if let Some((_, first, _)) = seen.iter().find(|(other, _, _)| *other == name) {
            let first = first.at.line;
            return Err(key.at.error(format!("`{name}` is there twice; the first is in line {first}")));
        }
        seen.push((name, key, value));
    }
    Ok(seen)
}

impl<'n> Fields<'n> {
    /// The entries of a mapping, whose keys must be among those known; `what` says what the mapping describes.
    pub fn new(node: &'n Node, what: &'static str, known: &[&str]) -> Result<Self, ParseError> {
        let mut entries = Vec::new();
        for (name, key, value) in named(node, what)? {
            if !known.contains(&name) {
                let error = key.at.error(format!("`{name}` is no key of {what}"));
                return Err(error.help(suggestion(name, known)));
            }
            entries.push((name, value));
        }
        Ok(Self { at: node.at, what, entries })
    }

    /// The value of a key that may be absent.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(name, _)| *name == key).map(|(_, node)| *node)
    }

    /// The value of a key that must be there.
    pub fn require(&self, key: &str) -> Result<&'n Node, ParseError> {
        self.get(key).ok_or_else(|| self.at.error(format!("`{key}` is missing in {}", self.what)))
    }

    /// The truth value of a key, false when it is absent.
    pub fn flag(&self, key: &str) -> Result<bool, ParseError> {
        let Some(node) = self.get(key) else { return Ok(false) };
        match text_of(node, "true or false")? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(node.at.error(format!("`{other}` is neither true nor false"))),
        }
    }
}

/// The known word that is nearest, or all of them.
pub(super) fn suggestion(word: &str, known: &[&str]) -> String {
    let nearest = known.iter().map(|k| (changes(word, k), *k)).min();
    match nearest {
        Some((d, k)) if d <= 2 && d < k.len() => format!("did you mean `{k}`?"),
        _ => format!("expected one of {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_key() {
        assert_eq!(changes("domian", "domain"), 2);
        assert_eq!(suggestion("domian", &["domain", "text"]), "did you mean `domain`?");
        assert_eq!(suggestion("zzz", &["domain", "text"]), "expected one of domain, text");
    }
}
