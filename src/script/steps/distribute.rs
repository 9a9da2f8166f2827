//! A loop for each part of a loop's body.

use super::super::command::Word;
use super::super::error::{NotDone, Wrong};
use super::super::names::{Named, Names};
use super::super::nest::{Loop, Nest, Node, Part};
use super::super::similar::nearest;
use super::place::shell;
use crate::isl::UnionSet;

/// Gives each part of a loop's body a loop of its own; or makes two loops, the second one from the part with a statement
/// on.
pub(super) fn distribute(
    nest: &mut Nest,
    names: &Names,
    of: &Word,
    between: Option<&(Word, Word)>,
) -> Result<(), NotDone> {
    let named = names.find(of)?.named;
    let Node::Loop(this) = nest.root.at(&named.path) else { return Err(Wrong::new("there is no such loop").into()) };
    let parts = parts(nest, named, this, of)?;
    let this = shell(this);
    let groups = match between {
        None => parts.into_iter().map(|part| vec![part]).collect(),
        Some((before, after)) => {
            let (early, late) = (holder(&parts, named, before)?, holder(&parts, named, after)?);
            if early >= late {
                let message = format!("`{}` does not come before `{}` in `{}`", before.text, after.text, named.label);
                return Err(Wrong::at(before.column, message).into());
            }
            let mut parts = parts;
            let rest = parts.split_off(late);
            vec![parts, rest]
        }
    };
    let mut loops = Vec::new();
    for group in groups {
        let mut filter: Option<UnionSet> = None;
        for part in &group {
            filter = Some(match filter {
                None => part.filter.clone(),
                Some(before) => before.union(part.filter.clone())?,
            });
        }
        let Some(filter) = filter else { continue };
        let statements = filter.tuple_names()?;
        let mut names = this.names.clone();
        names.retain(|statement, _| statements.contains(statement));
        let node = Node::Loop(Loop { names, body: Box::new(Node::sequence(group)?), ..this.clone() });
        loops.push(Part { filter, node });
    }
    *nest.root.at_mut(&named.path) = Node::sequence(loops)?;
    flatten(nest, &named.path)
}

/// The parts of a loop's body.
fn parts(nest: &Nest, named: &Named, this: &Loop, word: &Word) -> Result<Vec<Part>, NotDone> {
    match &*this.body {
        Node::Parts { parts, .. } => Ok(parts.clone()),
        Node::Leaf if named.statements.len() > 1 => {
            let instances = nest.instances(&named.path)?.universe()?;
            let of_each = named.statements.iter().map(|statement| {
                let sets = instances.named_sets()?;
                let set = sets.get(statement).cloned();
                let filter = set.ok_or_else(|| Wrong::new("there is no such statement"))?.to_union_set()?;
                Ok(Part { filter, node: Node::Leaf })
            });
            of_each.collect()
        }
        Node::Leaf | Node::Loop(_) | Node::Mark { .. } => {
            let wrong = Wrong::at(word.column, format!("the body of `{}` has one part only", named.label));
            Err(match &*this.body {
                Node::Loop(inner) => match inner.names.values().next() {
                    Some(name) => {
                        wrong.help(format!("distribute the loop in it first, `{name}{}`", inner.kind.suffix()))
                    }
                    None => wrong.help("distribute the loop in it first"),
                },
                _ => wrong,
            }
            .into())
        }
    }
}

/// The part with a statement.
fn holder(parts: &[Part], named: &Named, statement: &Word) -> Result<usize, NotDone> {
    for (number, part) in parts.iter().enumerate() {
        if part.statements()?.contains(&statement.text) {
            return Ok(number);
        }
    }
    let wrong = Wrong::at(statement.column, format!("the statement `{}` is not in `{}`", statement.text, named.label));
    let known = || named.statements.iter().map(String::as_str);
    let all = known().collect::<Vec<_>>().join(", ");
    Err(match nearest(&statement.text, known()) {
        Some(near) => wrong.help(format!("is `{near}` meant?")),
        None => wrong.help(format!("there are {all}")),
    }
    .into())
}

/// A sequence in a sequence becomes a part of it.
fn flatten(nest: &mut Nest, path: &[usize]) -> Result<(), NotDone> {
    let Some(parent) = path.len().checked_sub(1) else { return Ok(()) };
    if let Node::Parts { ordered: true, parts } = nest.root.at_mut(&path[..parent]) {
        let parts = std::mem::take(parts);
        *nest.root.at_mut(&path[..parent]) = Node::sequence(parts)?;
    }
    Ok(())
}
