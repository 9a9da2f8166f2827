//! What raising hands to lowering.

use super::ir::{Block, Location, Value};

/// A region of the clone as a function of the affine dialect.
pub struct Raised<'f> {
    /// A `builtin.module` with `func.func @NAME(...)` in the affine, arith, math and llvm dialects (memrefs, indices, floats
    /// and integers as arguments) and, if `checked`, `func.func @NAME_check(same arguments) -> i1`, which is true when the
    /// raised function does what the region does. The check is safe to run always.
    pub text: String,
    /// The function's name, unique in the module, such as `kernel_gemm.poly.0`.
    pub name: String,
    /// Whether there is a check.
    pub checked: bool,
    /// Whether it is one loop, with no other in it or beside it.
    pub single: bool,
    /// The values to call with, after the calling convention of `finalize-memref-to-llvm`: a memref of rank n is a pointer,
    /// the pointer again, the offset 0 as `i64`, n sizes, n strides. All dominate the terminator of `entry`.
    pub arguments: Vec<Value<'f>>,
    /// Declarations of the text that stand for functions of the module, and for each a call of the clone: the callee with
    /// everything that the call says about it.
    pub calls: Vec<(String, Value<'f>)>,
    /// Where control comes from: over the one edge from here to `first`. Not in any region.
    pub entry: Block<'f>,
    /// The first block of the region.
    pub first: Block<'f>,
    /// Where control goes to, over one edge out of the region. No value of the region is used from here on (values that
    /// were have been demoted to stack slots), and no PHI here needs one. Not in any region.
    pub exit: Block<'f>,
    /// Where the region starts, for remarks.
    pub location: Location<'f>,
}

/// Why a loop nest, or a part of it, is not raised.
pub struct Refusal<'f> {
    /// Where the reason stands.
    pub location: Location<'f>,
    /// One line, without a full stop.
    pub reason: String,
}
