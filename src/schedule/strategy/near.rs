//! Which relations the distances of a problem are over.

use std::collections::BTreeSet;

/// What relates instances that should be near each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependenceKind {
    /// A value that one writes and the other reads.
    Flow,
    /// An element that the second one overwrites.
    False,
    /// A value that both read ([`super::Strategy::input_dependences`]).
    Input,
}

impl DependenceKind {
    /// All of them.
    const ALL: [DependenceKind; 3] = [DependenceKind::Flow, DependenceKind::False, DependenceKind::Input];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            DependenceKind::Flow => "flow",
            DependenceKind::False => "false",
            DependenceKind::Input => "input",
        }
    }
}

/// A choice among the relations of what is near: by kinds, by arrays, or by both. A relation takes part if its kind is
/// listed, or no kind is, and its array is listed, or no array is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    kinds: BTreeSet<DependenceKind>,
    arrays: BTreeSet<String>,
}

impl Near {
    /// Nothing is left out.
    pub fn is_all(&self) -> bool {
        self.kinds.is_empty() && self.arrays.is_empty()
    }

    /// Relations of this kind take part.
    pub fn takes(&self, kind: DependenceKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Relations on this array take part.
    pub fn takes_array(&self, array: &str) -> bool {
        self.arrays.is_empty() || self.arrays.contains(array)
    }

    /// The kinds that are listed.
    pub fn kinds(&self) -> impl Iterator<Item = DependenceKind> {
        self.kinds.iter().copied()
    }

    /// The arrays that are listed.
    pub fn arrays(&self) -> &BTreeSet<String> {
        &self.arrays
    }

    /// The list as files have it.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| kind.name()).chain(self.arrays.iter().map(String::as_str))
    }

    /// Adds an entry of a list: a kind, or else an array. An array that is called like a kind cannot be listed.
    ///
    /// # Errors
    /// It is there twice, or is no name.
    pub(super) fn add(&mut self, entry: &str) -> Result<(), String> {
        if entry.is_empty() || entry.contains(char::is_whitespace) {
            return Err(format!("`{entry}` is neither \"flow\", \"false\" or \"input\" nor the name of an array"));
        }
        let kind = DependenceKind::ALL.into_iter().find(|kind| kind.name() == entry);
        let is_new = match kind {
            Some(kind) => self.kinds.insert(kind),
            None => self.arrays.insert(entry.to_owned()),
        };
        if is_new { Ok(()) } else { Err(format!("{entry} is there twice")) }
    }
}
