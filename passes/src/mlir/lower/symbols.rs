//! The names of a module that are taken.

use std::collections::BTreeSet;

use melior::ir::BlockRef;

use crate::mlir::ir::operation::{operations, string_attribute};

/// The symbols of a module, and those that are about to be.
pub struct Symbols(BTreeSet<String>);

impl Symbols {
    /// Those in the body of a module.
    pub fn new(body: BlockRef<'_, '_>) -> Self {
        Self(operations(body).into_iter().filter_map(|operation| string_attribute(operation, "sym_name")).collect())
    }

    /// Takes a name; whether it was free.
    pub fn take(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }

    /// Takes the first of these names, which are without end, that is free.
    pub fn first_free(&mut self, mut names: impl Iterator<Item = String>) -> String {
        let name = names.find(|name| !self.0.contains(name)).unwrap_or_default();
        self.take(&name);
        name
    }
}
