//! What schedulers make of the same region, side by side.

#![forbid(unsafe_code)]

mod contestants;
mod depths;
mod parallelism;
mod permutations;
mod table;

pub use contestants::{Contestant, Found, SchedulerInputs, total};
pub use depths::{Depths, parallel_depths};
pub use parallelism::{Loss, losses};
pub use permutations::{Best, Innermost, best_permutation};
pub use table::{Row, row, table};

use polyrs::{isl, schedule};

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A failure of isl.
    #[error(transparent)]
    Isl(#[from] isl::Error),
    /// A scheduler found nothing.
    #[error(transparent)]
    Schedule(#[from] schedule::Error),
}

/// The outcome of a comparison.
pub type Result<T> = std::result::Result<T, Error>;
