//! Regions of LLVM IR to the affine dialect.

use super::analysis::Analysis;
use super::options::LlvmOptions;
use super::raised::{Raised, Refusal};

/// Raises the regions of a clone, in the order in which they stand in it. May change the clone in ways that keep its
/// meaning.
pub fn raise_function<'f>(_analysis: &'f Analysis<'_>, _options: &LlvmOptions) -> Vec<Result<Raised<'f>, Refusal<'f>>> {
    Vec::new()
}
