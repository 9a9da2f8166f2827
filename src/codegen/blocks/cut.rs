//! Cut blocks: what is left at the end of an array.
//!
//! Their loops over points have as many iterations as those of whole blocks, and a point asks whether it is before the
//! end; what is held ends there as well. In a kernel a thread has one point at a time, and may ask. Elsewhere the points
//! of a block are vectors, so that those beyond the end are computed like all others, and nobody looks at what becomes
//! of them: what they write is held, and is not copied back. What they read has to be memory: they read what is held,
//! what is packed, and what other points of the block read as well. Where that is not so the loops stay as they are, from
//! where the block begins to where the array ends; a row of such a block takes several times as long as one of a whole block.

use crate::codegen::{Error, For};
use crate::isl::Ctx;

/// Blocks at the end of an array get this part of what operations are left, and no more than [`MOST_FOR_ENDS`]: products
/// take up to 100,000.
const SHARE_OF_ENDS: u64 = 32;

/// The most operations for blocks at the end of an array.
const MOST_FOR_ENDS: u64 = 250_000;

/// Which loops over the points of a block may end before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// All of them.
    All,
    /// Those that are vectors.
    Columns,
}

impl Ends {
    /// What is tried, in this order: in kernels, and elsewhere.
    pub const IN_KERNELS: &[Ends] = &[Ends::All];
    pub const ON_CPU: &[Ends] = &[Ends::All, Ends::Columns];

    /// A loop is one of these.
    pub fn are_of(self, node: &For) -> bool {
        self == Ends::All || node.vector
    }
}

/// The operations that are left for blocks at the end of an array.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Work(u64);

impl Work {
    /// What a region may take for them.
    pub fn new(ctx: &Ctx) -> Self {
        Work((ctx.remaining() / SHARE_OF_ENDS).min(MOST_FOR_ENDS))
    }

    /// Does some of it; nothing once that is done.
    pub fn on<T>(&mut self, ctx: &Ctx, work: impl FnOnce() -> Result<Option<T>, Error>) -> Result<Option<T>, Error> {
        if self.0 == 0 {
            return Ok(None);
        }
        let before = ctx.operations();
        let found = ctx.with_quota(self.0, work);
        let took = ctx.operations() - before;
        match found {
            Err(error) if error.is_exhausted() && took >= self.0 => {
                self.0 = 0;
                Ok(None)
            }
            found => {
                self.0 -= took.min(self.0);
                found
            }
        }
    }
}
