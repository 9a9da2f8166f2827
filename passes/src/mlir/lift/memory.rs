//! Buffers, and the arrays that they are.

use std::collections::{BTreeMap, HashMap};

use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::{OperationRef, Value};

use super::frame::Frame;
use super::kind::Kind;
use super::tree::ArrayInfo;
use super::views;
use crate::mlir::ir::operation::{attribute, is, nested, operands};
use crate::mlir::ir::value::{ValueId, defining, id};

/// Where memory comes from. Different roots do not overlap, arguments and globals only by assumption.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    /// An argument of the function.
    Argument(usize),
    /// A global variable.
    Global(String),
    /// An allocation of the function, numbered in the order in which they are met.
    Allocation(usize),
}

/// The buffers met so far.
#[derive(Default)]
pub(super) struct Memory<'c, 'a> {
    /// The arrays of the region, scalars included.
    pub arrays: Vec<ArrayInfo<'c, 'a>>,
    /// The arrays by their roots.
    pub positions: BTreeMap<Root, usize>,
    allocations: Vec<ValueId>,
    /// For each buffer that may overlap another: its array, and the first operation that touches it.
    pub shared: Vec<(usize, Root, OperationRef<'c, 'a>)>,
    /// The arrays that are written, with the first operation that does.
    pub written: Vec<(usize, OperationRef<'c, 'a>)>,
    /// For each root, the one value that all accesses of the region go through; nothing if there are several.
    pub handles: HashMap<ValueId, Option<ValueId>>,
}

impl<'c, 'a> Memory<'c, 'a> {
    /// Finds out which values the region accesses each buffer through.
    pub fn find_handles(&mut self, frame: &Frame<'c, 'a>) {
        for operation in frame.operations.iter().flat_map(|operation| nested(*operation)) {
            let accessed = match Kind::of(operation) {
                Kind::Affine(view) => vec![view.memref],
                Kind::Indexed(view) => vec![view.memref],
                Kind::Copy => operands(operation),
                _ => continue,
            };
            for handle in accessed {
                let key = id(handle);
                let known = self.handles.entry(id(root(handle))).or_insert(Some(key));
                if *known != Some(key) {
                    *known = None;
                }
            }
        }
    }

    /// Adds an array.
    pub fn add(&mut self, array: ArrayInfo<'c, 'a>) -> usize {
        self.arrays.push(array);
        self.arrays.len() - 1
    }

    /// Whether an array is written.
    pub fn is_written(&self, array: usize) -> bool {
        self.written.iter().any(|(written, _)| *written == array)
    }

    /// The number of an allocation.
    pub fn allocation(&mut self, value: Value<'c, 'a>) -> usize {
        let key = id(value);
        match self.allocations.iter().position(|known| *known == key) {
            Some(position) => position,
            None => {
                self.allocations.push(key);
                self.allocations.len() - 1
            }
        }
    }
}

/// The value that a memref is a view of, through all views.
pub fn root<'c: 'a, 'a>(memref: Value<'c, 'a>) -> Value<'c, 'a> {
    let mut value = memref;
    while let Some((source, number)) = defining(value) {
        match views::base(source, number) {
            Some(base) => value = base,
            None => break,
        }
    }
    value
}

/// Whether two memrefs are views of one buffer: of the same value, or of values that name the same global.
pub fn is_same_buffer(one: Value<'_, '_>, other: Value<'_, '_>) -> bool {
    let (one, other) = (root(one), root(other));
    id(one) == id(other) || global(one).is_some_and(|name| global(other) == Some(name))
}

/// The name of the global that a memref is; nothing for others.
pub(super) fn global(memref: Value<'_, '_>) -> Option<String> {
    let (source, _) = defining(memref)?;
    let name = attribute(source, "name").filter(|_| is(source, "memref.get_global"))?;
    FlatSymbolRefAttribute::try_from(name).ok().map(|name| name.value().to_owned())
}
