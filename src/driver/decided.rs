//! Layouts of a region, and what is decided of them, as [`super::joint`] searches them.

use crate::layout::Layout;

/// A layout, or what is decided of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decided {
    /// What iterations use anew has a place for each.
    pub expanded: bool,
    /// Reductions have partial results.
    pub reduced: bool,
    /// By the number of an order, what has windows in it.
    pub contracted: Option<usize>,
    /// By the number of a choice: which of its layouts an array has, if not its own.
    pub rows: Vec<Option<usize>>,
}

impl Decided {
    /// Values are elsewhere than where the region has them.
    pub fn is_another(&self) -> bool {
        self.expanded || self.reduced || self.contracted.is_some()
    }

    /// Arrays have windows, and all that is decided of others is that they stay as they are.
    pub fn only_contracts(&self) -> bool {
        self.contracted.is_some() && !self.expanded && !self.reduced && !self.has_other_rows()
    }

    /// An array has other rows than the region's.
    pub fn has_other_rows(&self) -> bool {
        self.rows.iter().any(Option::is_some)
    }

    /// The same with the rows that arrays have.
    pub fn with_own_rows(&self) -> Decided {
        Decided { rows: Vec::new(), ..self.clone() }
    }
}

/// A layout whose region was scheduled.
pub(super) struct Scheduled {
    pub layout: Layout,
    pub text: String,
    pub cost: u64,
    /// What it has to be below to be worth it.
    pub limit: u64,
}

/// What is decided of the first arrays. Ordered by the bound, then by the number that it was found as.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decision {
    pub bound: u64,
    pub number: usize,
    pub decided: Decided,
}
