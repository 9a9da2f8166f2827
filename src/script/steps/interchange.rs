//! Two loops change places.

use super::super::command::Word;
use super::super::error::Wrong;
use super::super::names::Names;
use super::super::nest::{Loop, Nest, Node};
use super::place::{nested, shell};

/// Puts each of two loops where the other one is.
pub(super) fn interchange(nest: &mut Nest, names: &Names, words: [&Word; 2]) -> Result<(), Wrong> {
    let found = nested(nest, names, &words)?;
    let (outer, inner) = (&found[0].path, &found[1].path);
    let shells = [outer, inner].map(|path| nest.root.loop_at(path).map(shell));
    let [Some(first), Some(second)] = shells else { return Err(Wrong::new("there is no such loop")) };
    put(nest, outer, second);
    put(nest, inner, first);
    Ok(())
}

/// A loop in the place of another one, whose body it gets.
fn put(nest: &mut Nest, path: &[usize], this: Loop) {
    if let Node::Loop(place) = nest.root.at_mut(path) {
        let body = std::mem::replace(&mut place.body, Box::new(Node::Leaf));
        *place = Loop { body, ..this };
    }
}
