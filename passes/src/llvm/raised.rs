//! A raised region, as raising hands it to lowering.

use polyrs_interface::Outlook;

use super::ir::{Location, Value};
use super::raise::{Reason, Site, StandIn};

/// A region of the clone as a function of the affine dialect.
pub struct Raised<'f> {
    /// A `builtin.module` with `func.func @NAME(...)` in the affine, arith, math and llvm dialects (memrefs, indices,
    /// floats and integers as arguments) and, if `checked`, `func.func @NAME_check(same arguments) -> i1`, which is
    /// true when the raised function does what the region does. The check is safe to run always.
    pub text: String,
    /// The function's name, unique in the module, such as `kernel_gemm.poly.0`.
    pub name: String,
    /// Whether there is a check.
    pub checked: bool,
    /// What the check makes sure of, for people.
    pub assured: Vec<&'static str>,
    /// Which loops it has.
    pub outlook: Outlook,
    /// The parameters of the function, by their numbers in LLVM IR, whose layouts it was told.
    pub annotated: Vec<usize>,
    /// Where it is in the clone, and what it takes and gives there.
    pub site: Site,
    /// Declarations of the text that stand for functions of the module, and for each a call of the clone: the callee
    /// with everything that the call says about it.
    pub calls: Vec<StandIn<Value<'f>>>,
    /// Where the region starts, for remarks.
    pub location: Location<'f>,
}

/// Why a loop nest, or a part of it, is not raised.
pub struct RaiseRefusal<'f> {
    /// Where the reason stands.
    pub location: Location<'f>,
    /// Why.
    pub reason: Reason,
    /// How many loops are around it.
    pub depth: usize,
    /// The loops could be raised, but nothing is done about any of their kind.
    pub is_unwanted: bool,
}
