//! Loops whose iterations run at the same time.

use super::super::command::Word;
use super::super::error::{NotDone, Wrong};
use super::super::names::Names;
use super::super::nest::{Nest, Node};

/// Makes a loop parallel. There is one on each way from the root to a statement, as there is in what the optimizer makes.
pub(super) fn parallel(nest: &mut Nest, names: &Names, of: &Word) -> Result<(), NotDone> {
    let named = names.find(of)?.named;
    let is_other = |path: &[usize]| path.starts_with(&named.path) || named.path.starts_with(path);
    if let Some(other) = names.loops.iter().find(|other| other.parallel.is_some() && is_other(&other.path)) {
        let (label, other) = (&named.label, &other.label);
        let message = match label == other {
            true => format!("`{label}` runs in parallel already"),
            false => format!("`{other}` runs in parallel already, and is in one nest with `{label}`"),
        };
        return Err(Wrong::at(of.column, message).into());
    }
    with_private(nest, &named.path, Vec::new());
    Ok(())
}

/// Says which arrays each iteration of a parallel loop has a copy of.
pub(in super::super) fn with_private(nest: &mut Nest, path: &[usize], private: Vec<String>) {
    if let Node::Loop(this) = nest.root.at_mut(path) {
        this.parallel = Some(private);
    }
}
