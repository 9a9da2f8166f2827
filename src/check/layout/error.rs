//! Why a region with a layout is refused.

use crate::isl::{self, UnionSet};

/// Why a region with a layout is refused.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// The new region does something else, or that could not be excluded.
    #[error("{0}")]
    Different(String),
    /// isl failed, or its quota struck.
    #[error(transparent)]
    Isl(#[from] isl::Error),
}

/// A refusal.
pub(super) fn different<T>(text: impl Into<String>) -> Result<T, LayoutError> {
    Err(LayoutError::Different(text.into()))
}

/// An element of a set as text.
pub(super) fn shown(set: &UnionSet) -> isl::Result<String> {
    Ok(set.clone().sample_point()?.to_string())
}
