//! The bound on the work.

use super::Error;
use crate::isl::DimType;
use std::cell::Cell;

/// How many times as many points as a domain the box around it has at most: three triangles in one another, and more.
const BOX: u64 = 32;

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

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Takes steps, or says that there are not as many left.
    pub fn take(&self, steps: usize) -> Result<(), Error> {
        let left = u64::try_from(steps).ok().and_then(|steps| self.left.get().checked_sub(steps));
        self.left.set(left.ok_or(Error::TooMuch(self.bound))?);
        Ok(())
    }

    /// The points of a set without parameters, if the box around it does not have many times as many as may be taken:
    /// otherwise most of them would be enumerated for nothing.
    pub fn instances(&self, set: &crate::isl::Set) -> Result<Vec<Vec<i64>>, Error> {
        let mut volume: u64 = 1;
        for position in 0..set.dim(DimType::SET)? {
            let position = i32::try_from(position).map_err(|_| Error::TooMuch(self.bound))?;
            let (first, last) = (set.clone().dim_min_val(position)?, set.clone().dim_max_val(position)?);
            // An empty or unbounded set is told by `points`.
            if !first.is_int()? || !last.is_int()? {
                return self.points(set);
            }
            let extent = last.to_i64()?.checked_sub(first.to_i64()?).and_then(|extent| u64::try_from(extent).ok());
            volume = volume.saturating_mul(extent.map_or(u64::MAX, |extent| extent.saturating_add(1)));
        }
        if volume > self.left.get().saturating_mul(BOX) { Err(Error::TooMuch(self.bound)) } else { self.points(set) }
    }

    /// The points of a set without parameters.
    pub fn points(&self, set: &crate::isl::Set) -> Result<Vec<Vec<i64>>, Error> {
        let limit = usize::try_from(self.left.get()).unwrap_or(usize::MAX);
        let points = set.points(limit)?.ok_or(Error::TooMuch(self.bound))?;
        self.take(points.len())?;
        Ok(points)
    }
}
