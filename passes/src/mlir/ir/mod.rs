//! Reading and writing MLIR where melior's types stop: views of affine operations, integer sets, uses,
//! cloning with a value map, and a builder that appends at a point.
//!
//! Lifetimes follow melior: `'c` is the context's, `'a` that of the IR that owns the operation. The
//! compiler does not know when an operation is erased; erasing is therefore `unsafe`. melior's `to_ref`
//! functions point into the handle that they are called on, not into MLIR: nothing here keeps one, and
//! a `&Context` is handed down from the pass's entry.

pub mod affine;
pub mod builder;
pub mod captures;
pub mod clone;
pub mod integer_set;
pub mod operation;
pub mod value;

pub use affine::{Access, AccessKind, AffineFor, AffineIf, AffineParallel, Apply, ApplyKind, Bound};
pub use builder::{Builder, Loop};
pub use captures::captures;
pub use clone::ValueMap;
pub use integer_set::IntegerSet;

#[cfg(test)]
mod tests;
