//! Loops over tiles around loops.

use super::super::command::Word;
use super::super::error::NotDone;
use super::super::names::{Named, Names};
use super::super::nest::{Kind, Loop, Nest, Node};
use super::place::{nested, over_points, shell};
use crate::schedule_tree::band::origin;

/// Cuts loops into tiles: the loops over tiles go right around the outermost of them, in the order of the loops. What
/// is in tiles already gets tiles in tiles.
pub(super) fn tile(nest: &mut Nest, names: &Names, loops: &[(Word, u32)]) -> Result<(), NotDone> {
    let words: Vec<&Word> = loops.iter().map(|(word, _)| word).collect();
    let found = nested(nest, names, &words)?;
    let mut sized = Vec::new();
    for (word, size) in loops {
        let named = names.find(word)?.named;
        over_points(named, word)?;
        sized.push((named, *size));
    }
    sized.sort_by_key(|(named, _)| named.path.len());
    let (outermost, innermost) = (found[0].path.clone(), found[found.len() - 1].path.clone());
    for length in 0..outermost.len() {
        raise_level(nest.root.at_mut(&outermost[..length]), &found);
    }
    let mut tiles = Vec::new();
    for (named, size) in sized {
        let Node::Loop(points) = nest.root.at_mut(&named.path) else { continue };
        let mut over = shell(points);
        over.kind = Kind::Tile { level: 1 };
        over.member = origin(&points.member, size)?;
        // Whoever wanted the iterations in parallel wants the tiles so; of other loops the checker may not take them.
        over.parallel = if named.path == outermost { points.parallel.take() } else { None };
        tiles.push(over);
    }
    for length in outermost.len()..=innermost.len() {
        if let Node::Loop(points) = nest.root.at_mut(&innermost[..length])
            && points.kind == Kind::Plain
        {
            points.kind = Kind::Point;
        }
    }
    let place = nest.root.at_mut(&outermost);
    let inside = std::mem::replace(place, Node::Leaf);
    *place = super::place::around_all(tiles, inside);
    Ok(())
}

/// Tiles of the same iterations become tiles of tiles.
fn raise_level(node: &mut Node, cut: &[&Named]) {
    let Node::Loop(Loop { kind: Kind::Tile { level }, names, .. }) = node else { return };
    let is_same = |named: &&Named| names.iter().any(|(statement, name)| named.iterators.get(statement) == Some(name));
    if cut.iter().any(is_same) {
        *level += 1;
    }
}
