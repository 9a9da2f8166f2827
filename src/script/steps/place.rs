//! Where loops are to each other.

use super::super::command::Word;
use super::super::error::Wrong;
use super::super::names::{Named, Names};
use super::super::nest::{Kind, Loop, Nest, Node};

/// Loops by name, the outer ones first, each in the one before with nothing beside it.
///
/// # Errors
/// A name that is none; a loop that is named twice; loops that are not in each other, or that something is between.
pub(super) fn nested<'n>(nest: &Nest, names: &'n Names, words: &[&Word]) -> Result<Vec<&'n Named>, Wrong> {
    let mut found: Vec<(&Named, &Word)> = Vec::new();
    for word in words {
        let named = names.find(word)?.named;
        if found.iter().any(|(other, _)| other.path == named.path) {
            return Err(Wrong::at(word.column, format!("the loop `{}` is named twice", named.label)));
        }
        found.push((named, word));
    }
    found.sort_by_key(|(named, _)| named.path.len());
    for pair in found.windows(2) {
        let [(outer, _), (inner, word)] = pair else { continue };
        if !inner.path.starts_with(&outer.path) {
            let message = format!("`{}` and `{}` are not in each other", outer.label, inner.label);
            return Err(Wrong::at(word.column, message).help("fuse loops that follow one another first"));
        }
        nothing_between(nest, outer, inner, word)?;
    }
    Ok(found.into_iter().map(|(named, _)| named).collect())
}

/// There are loops alone between two.
fn nothing_between(nest: &Nest, outer: &Named, inner: &Named, word: &Word) -> Result<(), Wrong> {
    for length in outer.path.len() + 1..inner.path.len() {
        match nest.root.at(&inner.path[..length]) {
            Node::Loop(_) | Node::Leaf => {}
            Node::Mark { mark, .. } => {
                let message = format!("`{mark}` stands between `{}` and `{}`", outer.label, inner.label);
                return Err(Wrong::at(word.column, message).help("undo that first, and do it after this"));
            }
            Node::Parts { .. } => {
                let message = format!("`{}` has other parts beside `{}`", outer.label, inner.label);
                let around = around(nest, &inner.path[..length]).map_or(String::new(), |label| label.to_owned());
                let around = if around.is_empty() { outer.label.clone() } else { around };
                return Err(Wrong::at(word.column, message).help(format!("distribute `{around}` first")));
            }
        }
    }
    Ok(())
}

/// The iterator of the loop right around a node.
fn around<'n>(nest: &'n Nest, path: &[usize]) -> Option<&'n str> {
    let parent = path.len().checked_sub(1)?;
    nest.root.loop_at(&path[..parent])?.names.values().next().map(String::as_str)
}

/// A loop that runs over iterations or points, which can be cut and moved.
///
/// # Errors
/// It runs over something else.
pub(super) fn over_points(named: &Named, word: &Word) -> Result<(), Wrong> {
    let what = match named.kind {
        Kind::Plain | Kind::Point => return Ok(()),
        Kind::Tile { .. } => "tiles",
        Kind::Register => "blocks",
        Kind::Block => "the points of blocks",
        Kind::Front => "wavefronts",
    };
    Err(Wrong::at(word.column, format!("`{}` runs over {what}: this is for loops over iterations", named.label)))
}

/// A loop without what is in it.
pub(super) fn shell(this: &Loop) -> Loop {
    Loop { body: Box::new(Node::Leaf), ..this.clone() }
}

/// Loops, the outer ones first, around a node.
pub(super) fn around_all(loops: Vec<Loop>, inside: Node) -> Node {
    loops.into_iter().rev().fold(inside, |inside, this| Node::Loop(Loop { body: Box::new(inside), ..this }))
}
