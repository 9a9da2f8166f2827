//! The values of parameters and iterators at a place.

use melior::ir::Value;
use polyrs_core::codegen::IteratorId;

use super::operand::{Names, Role};

/// The values of parameters and iterators at a place.
#[derive(Clone)]
pub struct Scope<'c, 'a> {
    /// The value of each parameter and what affine operations may use it as.
    pub parameters: Vec<(Value<'c, 'a>, Option<Role>)>,
    /// The value of each iterator whose loop is open.
    pub iterators: Vec<Option<Value<'c, 'a>>>,
}

impl<'c, 'a> Names<'c, 'a> for Scope<'c, 'a> {
    fn parameter(&self, position: usize) -> Option<(Value<'c, 'a>, Role)> {
        let (value, role) = *self.parameters.get(position)?;
        Some((value, role?))
    }

    fn iterator(&self, iterator: IteratorId) -> Option<Value<'c, 'a>> {
        self.iterators.get(iterator.0).copied().flatten()
    }
}
