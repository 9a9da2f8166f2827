//! Tiles of arrays in buffers of their own.

use super::super::command::Word;
use super::super::error::{NotDone, Wrong};
use super::super::names::Names;
use super::super::nest::{Nest, Node};
use super::super::similar::nearest;
use crate::schedule_tree::{Mark, PackedArray};
use crate::scop::Scop;

/// Copies what a loop reads of an array before the loop.
pub(super) fn pack(
    scop: &Scop,
    nest: &mut Nest,
    names: &Names,
    (array, at, order): (&Word, &Word, Option<&[usize]>),
) -> Result<(), NotDone> {
    let named = names.find(at)?.named;
    let Some(found) = scop.array_by_name(&array.text) else {
        let all = || scop.arrays.iter().map(|array| array.name.as_str());
        let wrong = Wrong::at(array.column, format!("there is no array `{}`", array.text));
        let help = match nearest(&array.text, all()) {
            Some(near) => format!("is `{near}` meant?"),
            None => format!("there are {}", all().collect::<Vec<_>>().join(", ")),
        };
        return Err(wrong.help(help).into());
    };
    let rank = found.rank();
    let order: Vec<usize> = order.map_or_else(|| (0..rank).collect(), <[usize]>::to_vec);
    if order.len() != rank || !(0..rank).all(|dimension| order.contains(&dimension)) {
        let message = format!("the order has to name each of the {rank} dimensions of `{}` once", array.text);
        return Err(Wrong::at(array.column, message).help("the outermost one is 0").into());
    }
    if rank == 0 {
        return Err(Wrong::at(array.column, format!("`{}` is a scalar", array.text)).into());
    }
    let one = PackedArray { name: array.text.clone(), reference: None, order };
    let place = nest.root.at_mut(&named.path);
    let body = Box::new(std::mem::replace(place, Node::Leaf));
    *place = Node::Mark { mark: Mark::Packed { arrays: vec![one] }, body };
    // Copies at one place are said by one mark.
    let Some(parent) = named.path.len().checked_sub(1) else { return Ok(()) };
    if let Node::Mark { mark: Mark::Packed { arrays: outer }, body } = nest.root.at_mut(&named.path[..parent])
        && let Node::Mark { mark: Mark::Packed { arrays: inner }, body: inside } = &mut **body
    {
        if let Some(known) = inner.iter().find(|one| outer.iter().any(|other| other.name == one.name)) {
            let message = format!("`{}` is packed there already", known.name);
            return Err(Wrong::at(array.column, message).into());
        }
        outer.append(inner);
        let inside = std::mem::replace(&mut **inside, Node::Leaf);
        **body = inside;
    }
    Ok(())
}
