//! Which references are looked at together (the unified report, 4.2, "Access Pattern Separation").
//!
//! References to an array have the same pattern if all their subscripts are the same expressions, but for the constant
//! of the last. Others are near each other only for few instances, which an affine schedule could not make use of.
//!
//! # Different statements
//! The report does not say when expressions in the iterators of different statements are the same. Here iterators count
//! by position, outermost first, and both statements must have as many of them. So what is compared is always of one
//! shape, also after completion, and having the same pattern is an equivalence. References that are alike only after
//! renaming iterators are kept apart: relating them would need one of several renamings to be preferred, which is what
//! scheduling is to find out. Uses of the same element are related by temporal proximity in any case.

use super::references::Reference;
use super::subscripts::{Subscript, Subscripts};
use crate::scop::{Scop, StatementId};

/// What references looked at together have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    array: String,
    /// Copies of a layout are scheduled apart, and near nothing but themselves.
    copy: Option<StatementId>,
    depth: usize,
    /// The last one without its constant.
    subscripts: Vec<Subscript>,
}

impl Pattern {
    /// It is one of a copy.
    pub fn is_of_copy(&self) -> bool {
        self.copy.is_some()
    }

    /// The pattern of a reference with these subscripts.
    pub fn of(scop: &Scop, reference: &Reference<'_>, subscripts: &Subscripts) -> Self {
        let mut expressions = subscripts.expressions.clone();
        if let Some(last) = expressions.last_mut() {
            last.constant = 0;
        }
        let copy = scop.statement(reference.statement).copy.then_some(reference.statement);
        Pattern { array: reference.array.name.clone(), copy, depth: subscripts.depth, subscripts: expressions }
    }
}
