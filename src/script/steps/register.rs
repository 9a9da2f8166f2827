//! Blocks of points that update registers.

use super::super::command::Word;
use super::super::error::{NotDone, Wrong};
use super::super::names::Names;
use super::super::nest::{Kind, Loop, Nest, Node, Path};
use super::place::{around_all, nested, over_points, shell};
use crate::schedule_tree::band::origin;

/// Cuts one or two loops into blocks: `i, j, k` becomes blocks of `i`, blocks of `j`, `k`, points of `i`, points of `j`.
/// What is in the loops is loops alone.
pub(super) fn register(nest: &mut Nest, names: &Names, loops: &[(Word, u32)]) -> Result<(), NotDone> {
    let words: Vec<&Word> = loops.iter().map(|(word, _)| word).collect();
    let outermost = nested(nest, names, &words)?[0].path.clone();
    let mut cut: Vec<(Path, u32)> = Vec::new();
    for (word, size) in loops {
        let named = names.find(word)?.named;
        over_points(named, word)?;
        cut.push((named.path.clone(), *size));
    }
    let below = below(nest, &outermost, words[0])?;
    let mut blocks = Vec::new();
    let mut points = Vec::new();
    for (path, size) in &cut {
        let Some(this) = nest.root.loop_at(path) else { continue };
        blocks.push(Loop { kind: Kind::Register, member: origin(&this.member, *size)?, ..shell(this) });
        points.push(Loop { kind: Kind::Block, parallel: None, ..shell(this) });
    }
    let mut others = Vec::new();
    for path in below.iter().filter(|path| !cut.iter().any(|(cut, _)| cut == *path)) {
        let Some(this) = nest.root.loop_at(path) else { continue };
        let kind = if this.kind == Kind::Plain { Kind::Point } else { this.kind };
        others.push(Loop { kind, ..shell(this) });
    }
    let all = blocks.into_iter().chain(others).chain(points).collect();
    *nest.root.at_mut(&outermost) = around_all(all, Node::Leaf);
    Ok(())
}

/// The ways to a loop and to all that are in it, which are loops around statements and nothing else.
fn below(nest: &Nest, outermost: &[usize], word: &Word) -> Result<Vec<Path>, NotDone> {
    let mut paths = Vec::new();
    let mut path = outermost.to_vec();
    loop {
        match nest.root.at(&path) {
            Node::Leaf => return Ok(paths),
            Node::Loop(this) if matches!(this.kind, Kind::Plain | Kind::Point) => {
                paths.push(path.clone());
                path.push(0);
            }
            Node::Loop(_) | Node::Mark { .. } => {
                let message = "what is in the loop is cut already";
                return Err(Wrong::at(word.column, message).help("name the loops in it, or undo that first").into());
            }
            Node::Parts { .. } => {
                let message = "there are several parts in the loop, and points of blocks go innermost";
                return Err(Wrong::at(word.column, message).help("distribute the loops first").into());
            }
        }
    }
}
