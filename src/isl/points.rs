//! The points of a set, one by one.

use super::macros::{Arg, Ret};
use super::{DimType, Error, Point, Result, Set};
use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn isl_set_foreach_point(
        set: *mut c_void,
        visit: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        user: *mut c_void,
    ) -> c_int;
}

const ISL_STAT_OK: c_int = 0;
const ISL_STAT_ERROR: c_int = -1;

/// What the visits share.
struct Visit<'s> {
    set: &'s Set,
    dim: i32,
    limit: usize,
    points: Vec<Vec<i64>>,
    /// Why the walk was stopped by us; `Ok` when the limit was reached.
    stopped: Option<Result<()>>,
}

impl Set {
    /// All points in lexicographic order, or `None` when there are more than `limit`.
    ///
    /// # Errors
    /// When the set has parameters, is unbounded, or has a coordinate beyond 64 bits.
    pub fn points(&self, limit: usize) -> Result<Option<Vec<Vec<i64>>>> {
        if self.dim(DimType::Param)? > 0 {
            return Err(Error::invalid("points of a set with parameters"));
        }
        if !self.is_bounded()? {
            return Err(Error::invalid("points of an unbounded set"));
        }
        let dim = i32::try_from(self.dim(DimType::SET)?).map_err(|_| Error::invalid("too many dimensions"))?;
        let mut visit = Visit { set: self, dim, limit, points: Vec::new(), stopped: None };
        let user = (&raw mut visit).cast::<c_void>();
        // SAFETY: the set is valid and kept; isl calls back during this call alone, when `visit` is alive and not
        // otherwise used.
        let status = unsafe { isl_set_foreach_point(self.into_raw(), add_point, user) };
        match visit.stopped {
            Some(Ok(())) => Ok(None),
            Some(Err(error)) => Err(error),
            None if status < 0 => Err(self.ctx.take_error()),
            None => {
                visit.points.sort();
                visit.points.dedup();
                Ok(Some(visit.points))
            }
        }
    }
}

unsafe extern "C" fn add_point(point: *mut c_void, user: *mut c_void) -> c_int {
    // SAFETY: `user` is the `Visit` that `points` passes, borrowed by nothing else during the call.
    let visit = unsafe { &mut *user.cast::<Visit<'_>>() };
    let coordinates = Point::from_raw(point, &visit.set.ctx)
        .and_then(|point| (0..visit.dim).map(|i| point.coordinate(DimType::SET, i)?.to_i64()).collect());
    match coordinates {
        Err(error) => visit.stopped = Some(Err(error)),
        Ok(_) if visit.points.len() >= visit.limit => visit.stopped = Some(Ok(())),
        Ok(coordinates) => visit.points.push(coordinates),
    }
    if visit.stopped.is_some() { ISL_STAT_ERROR } else { ISL_STAT_OK }
}

#[cfg(test)]
mod tests {
    use super::super::Ctx;
    use super::*;

    #[test]
    fn enumerates_in_order_up_to_a_limit() {
        let ctx = Ctx::new();
        let set = Set::parse(&ctx, "{ A[i, j] : 0 <= i < 3 and i <= 2j <= 4 }").unwrap();
        let points = vec![vec![0, 0], vec![0, 1], vec![0, 2], vec![1, 1], vec![1, 2], vec![2, 1], vec![2, 2]];
        assert_eq!(set.points(7).unwrap(), Some(points));
        assert_eq!(set.points(6).unwrap(), None);
        assert_eq!(Set::parse(&ctx, "{ A[] }").unwrap().points(1).unwrap(), Some(vec![vec![]]));
        assert!(Set::parse(&ctx, "{ A[i] : i >= 0 }").unwrap().points(6).is_err());
        assert!(Set::parse(&ctx, "[n] -> { A[i] : i = n }").unwrap().points(6).is_err());
        // The context still works after a walk was stopped.
        assert!(!set.is_empty().unwrap());
    }
}
