//! What loops are called.
//!
//! A loop is called by the iterator of its statements, `i`, with `.tile`, `.tile2` or `.block` behind it where it
//! runs over those, `front` where it runs over wavefronts, and where several loops are called so, with a statement in front: `S1.i`. Loops that are still
//! called the same have numbers, `i#1` and `i#2`, in the order of the tree. A name that several loops have is an error
//! that lists them.

use super::command::Word;
use super::error::Wrong;
use super::nest::{Kind, Nest, Path};
use super::similar::nearest;
use crate::isl;
use crate::scop::Scop;
use std::collections::{BTreeMap, BTreeSet};

/// A loop with its names.
#[derive(Debug, Clone)]
pub struct Named {
    /// The way to it.
    pub path: Path,
    /// The name that no other loop has.
    pub label: String,
    /// All that it may be called, by other loops' names as well.
    spellings: BTreeSet<String>,
    /// Its statements, in textual order.
    pub statements: Vec<String>,
    /// For each statement its iterator.
    pub iterators: BTreeMap<String, String>,
    /// What it runs over.
    pub kind: Kind,
    /// The arrays that each iteration has a copy of, if iterations run in parallel.
    pub parallel: Option<Vec<String>>,
}

/// The loops of a tree.
#[derive(Debug, Clone)]
pub struct Names {
    /// They, in the order of the tree, the outer ones first.
    pub loops: Vec<Named>,
}

/// A loop that was asked for, by name.
pub struct Asked<'n> {
    /// It.
    pub named: &'n Named,
    /// The statement that the name has in front, if it has one.
    pub statement: Option<String>,
}

impl Names {
    /// The names of a tree's loops.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of(scop: &Scop, nest: &Nest) -> isl::Result<Names> {
        let mut loops = Vec::new();
        for (path, this, reached) in nest.loops()? {
            let in_order = scop.statements.iter().map(|statement| &statement.name);
            let statements: Vec<String> = in_order.filter(|name| reached.contains(*name)).cloned().collect();
            let suffix = this.kind.suffix();
            let mut plain: Vec<String> = Vec::new();
            let mut of_statement = Vec::new();
            for statement in &statements {
                let depth = path.len();
                let base = this.names.get(statement).cloned();
                // A statement that runs in one iteration has no iterator here: others have, or nobody.
                let base = match base {
                    Some(base) => base,
                    None if this.names.is_empty() => format!("t{depth}"),
                    None => continue,
                };
                plain.push(format!("{base}{suffix}"));
                of_statement.push(format!("{statement}.{base}{suffix}"));
            }
            let spellings = plain.iter().chain(&of_statement).cloned().collect();
            plain.extend(of_statement);
            let named = Named {
                path,
                label: plain.first().cloned().unwrap_or_default(),
                spellings,
                statements,
                iterators: this.names.clone(),
                kind: this.kind,
                parallel: this.parallel.clone(),
            };
            loops.push((named, plain));
        }
        Ok(Names { loops: with_labels(loops) })
    }

    /// The loop of a name.
    ///
    /// # Errors
    /// No loop is called so, or several are.
    pub fn find(&self, word: &Word) -> Result<Asked<'_>, Wrong> {
        let name = word.text.as_str();
        let exact = self.loops.iter().find(|named| named.label == name);
        let named = match exact {
            Some(named) if self.loops.iter().filter(|other| other.spellings.contains(name)).count() <= 1 => named,
            // A number tells it from all others.
            Some(named) if name.contains('#') => named,
            _ => self.only(word)?,
        };
        let is_of =
            |statement: &&String| name.strip_prefix(statement.as_str()).is_some_and(|rest| rest.starts_with('.'));
        Ok(Asked { named, statement: named.statements.iter().find(is_of).cloned() })
    }

    fn only(&self, word: &Word) -> Result<&Named, Wrong> {
        let name = word.text.as_str();
        let found: Vec<&Named> = self.loops.iter().filter(|named| named.spellings.contains(name)).collect();
        match found[..] {
            [only] => Ok(only),
            [] => {
                let labels = || self.loops.iter().map(|named| named.label.as_str());
                let all: Vec<&str> = labels().collect();
                let there = match all[..] {
                    [] => "there are no loops".to_owned(),
                    _ => format!("there are {}", all.join(", ")),
                };
                let near = nearest(name, labels()).map(|near| format!("is `{near}` meant? "));
                let wrong = Wrong::at(word.column, format!("no loop is called `{name}`"));
                Err(wrong.help(format!("{}{there}", near.unwrap_or_default())))
            }
            _ => {
                let all: Vec<&str> = found.iter().map(|named| named.label.as_str()).collect();
                let message = format!("several loops are called `{name}`");
                Err(Wrong::at(word.column, message).help(format!("say which: {}", all.join(", "))))
            }
        }
    }
}

/// Gives each loop the first of its names that no other has, or the first one with a number.
fn with_labels(loops: Vec<(Named, Vec<String>)>) -> Vec<Named> {
    let mut holders: BTreeMap<String, usize> = BTreeMap::new();
    for name in loops.iter().flat_map(|(named, _)| &named.spellings) {
        *holders.entry(name.clone()).or_default() += 1;
    }
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let label = |(named, names): (Named, Vec<String>)| {
        let own = names.iter().find(|name| holders.get(*name) == Some(&1)).cloned();
        let label = own.unwrap_or_else(|| {
            let number = numbers.entry(named.label.clone()).or_default();
            *number += 1;
            format!("{}#{number}", named.label)
        });
        Named { label, ..named }
    };
    loops.into_iter().map(label).collect()
}
