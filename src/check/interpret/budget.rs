//! The bound on the work.

use super::Error;
use std::cell::Cell;

/// A number of steps that may still be taken. A step is a point enumerated, an instance placed or a node visited.
#[derive(Debug)]
pub(super) struct Budget {
    bound: u64,
    left: Cell<u64>,
}

impl Budget {
    pub fn new(bound: u64) -> Self {
        Self { bound, left: Cell::new(bound) }
    }

    /// Takes steps, or says that there are not as many left.
    pub fn take(&self, steps: usize) -> Result<(), Error> {
        let left = u64::try_from(steps).ok().and_then(|steps| self.left.get().checked_sub(steps));
        self.left.set(left.ok_or(Error::TooMuch(self.bound))?);
        Ok(())
    }

    /// The steps that have been taken.
    pub fn taken(&self) -> u64 {
        self.bound - self.left.get()
    }

    /// The points of a set without parameters.
    pub fn points(&self, set: &crate::isl::Set) -> Result<Vec<Vec<i64>>, Error> {
        let limit = usize::try_from(self.left.get()).unwrap_or(usize::MAX);
        let points = set.points(limit)?.ok_or(Error::TooMuch(self.bound))?;
        self.take(points.len())?;
        Ok(points)
    }
}
