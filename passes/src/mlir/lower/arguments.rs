//! The facts of a function's arguments.

use melior::ir::{BlockRef, Value};

use super::facts::{self, ArgumentFacts};
use super::pointer::root;
use crate::mlir::ir::value::argument;

/// The facts of a function, by the arguments that it has in LLVM.
pub struct Arguments<'c, 'b> {
    pub(super) facts: &'b [ArgumentFacts<'c>],
    /// For each argument the number of the fact about it.
    owners: Vec<usize>,
    entry: BlockRef<'c, 'b>,
}

impl<'c, 'a> Arguments<'c, 'a> {
    /// Nothing if the function has other arguments than its facts.
    pub fn new(facts: &'a [ArgumentFacts<'c>], entry: BlockRef<'c, 'a>) -> Option<Self> {
        Some(Self { facts, owners: facts::of_parts(facts, entry)?, entry })
    }

    /// The facts of each argument before conversion.
    pub fn facts(&self) -> &[ArgumentFacts<'c>] {
        self.facts
    }

    /// The argument before conversion that a pointer is computed from, and what is known of it.
    pub fn fact(&self, pointer: Value<'c, 'a>) -> Option<(usize, &ArgumentFacts<'c>)> {
        let (block, number) = argument(root(pointer))?;
        let owner = *self.owners.get(number).filter(|_| block == self.entry)?;
        Some((owner, &self.facts[owner]))
    }
}
