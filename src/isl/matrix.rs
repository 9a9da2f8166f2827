//! The constraints of a conjunction as matrices.

use super::layout::{self, Integer};
use super::macros::Arg;
use super::{BasicMap, BasicSet, Ctx, DimType, Error, Result, Space, Val};
use std::ffi::{c_int, c_uint, c_void};

object! {
    /// A matrix of integers.
    Mat, isl_mat_copy, isl_mat_free
}

methods! { Mat:
    /// The number of rows.
    fn rows(&self) -> usize = isl_mat_rows;
    /// The number of columns.
    fn cols(&self) -> usize = isl_mat_cols;
    /// An element replaced.
    fn set_small(self, row: i32, column: i32, value: i32) -> Mat = isl_mat_set_element_si;
    /// An element replaced.
    fn set_element(self, row: i32, column: i32, value: Val) -> Mat = isl_mat_set_element_val;
}

methods! { BasicMap:
    /// The equalities, with the columns in the order of these kinds, each of which is given once.
    fn equalities_matrix(&self, c1: DimType, c2: DimType, c3: DimType, c4: DimType, c5: DimType) -> Mat = isl_basic_map_equalities_matrix;
    /// The inequalities (a row is non-negative), with the columns in the order of these kinds, each of which is given
    /// once.
    fn inequalities_matrix(&self, c1: DimType, c2: DimType, c3: DimType, c4: DimType, c5: DimType) -> Mat = isl_basic_map_inequalities_matrix;
}

methods! { BasicSet:
    /// The equalities, with the columns in the order of these kinds, each of which is given once.
    fn equalities_matrix(&self, c1: DimType, c2: DimType, c3: DimType, c4: DimType) -> Mat = isl_basic_set_equalities_matrix;
    /// The inequalities (a row is non-negative), with the columns in the order of these kinds, each of which is given
    /// once.
    fn inequalities_matrix(&self, c1: DimType, c2: DimType, c3: DimType, c4: DimType) -> Mat = isl_basic_set_inequalities_matrix;
}

/// The rows of a conjunction's constraints. A row is `[constant, parameters, (domain,) range or set, divisions]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConstraintRows {
    /// Rows that are zero.
    pub equalities: Vec<Vec<i64>>,
    /// Rows that are not negative.
    pub inequalities: Vec<Vec<i64>>,
}

/// An integer of isl's that is freed with this.
struct Owned(Integer);

unsafe extern "C" {
    fn isl_sioimath_init(number: *mut u64);
    fn isl_sioimath_clear(number: *mut u64);
    fn isl_mat_get_element(matrix: *mut c_void, row: c_int, column: c_int, value: *mut u64) -> c_int;
}

impl Owned {
    fn new() -> Owned {
        let mut number = 0;
        // SAFETY: the word is ours, and needs no value before.
        unsafe { isl_sioimath_init(&mut number) };
        Owned(Integer(number))
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the number is one of isl's and not used any more.
        unsafe { isl_sioimath_clear(&mut self.0.0) };
    }
}

impl Mat {
    /// The elements. None: some do not fit.
    pub fn to_rows(&self) -> Result<Option<Vec<Vec<i64>>>> {
        let (rows, columns) = (position(self.rows()?)?, position(self.cols()?)?);
        let mut number = Owned::new();
        let mut all = Vec::with_capacity(rows as usize);
        for row in 0..rows {
            let mut entries = Vec::with_capacity(columns as usize);
            for column in 0..columns {
                // SAFETY: the matrix is valid, and the number one of isl's.
                if unsafe { isl_mat_get_element(self.ptr.as_ptr(), row, column, &mut number.0.0) } < 0 {
                    return Err(self.ctx.take_error());
                }
                match number.0.get() {
                    Some(entry) => entries.push(entry),
                    None => return Ok(None),
                }
            }
            all.push(entries);
        }
        Ok(Some(all))
    }
}

impl Mat {
    /// The matrix of these rows, with so many columns.
    fn from_rows(ctx: &Ctx, rows: &[Vec<i64>], columns: usize) -> Result<Mat> {
        unsafe extern "C" {
            fn isl_mat_zero(ctx: *mut c_void, rows: c_uint, columns: c_uint) -> *mut c_void;
        }
        let size = |n: usize| c_uint::try_from(n).map_err(|_| Error::invalid("a matrix too large"));
        // SAFETY: the context is alive.
        let raw = unsafe { isl_mat_zero(ctx.ptr(), size(rows.len())?, size(columns)?) };
        let mut matrix = <Mat as super::macros::Ret>::from_raw(raw, ctx)?;
        for (i, row) in rows.iter().enumerate() {
            for (j, &element) in row.iter().enumerate().filter(|(_, element)| **element != 0) {
                matrix = match i32::try_from(element) {
                    Ok(small) => matrix.set_small(position(i)?, position(j)?, small)?,
                    Err(_) => matrix.set_element(position(i)?, position(j)?, Val::int(ctx, element)?)?,
                };
            }
        }
        Ok(matrix)
    }
}

impl ConstraintRows {
    /// The equalities and the inequalities, without divisions, as matrices for a space.
    fn to_matrices(&self, space: &Space) -> Result<[Mat; 2]> {
        let (ctx, columns) = (space.ctx(), 1 + space.dim(DimType::All)?);
        Ok([Mat::from_rows(ctx, &self.equalities, columns)?, Mat::from_rows(ctx, &self.inequalities, columns)?])
    }
}

fn position(n: usize) -> Result<i32> {
    i32::try_from(n).map_err(|_| Error::invalid("a matrix too large"))
}

impl BasicMap {
    /// The pairs that satisfy the rows, in the column order `[constant, parameters, domain, range]` of a map space.
    pub fn from_constraint_rows(space: Space, rows: &ConstraintRows) -> Result<BasicMap> {
        use DimType::{Cst, Div, In, Out, Param};
        let [equalities, inequalities] = rows.to_matrices(&space)?;
        type Kind = <DimType as Arg>::Raw;
        unsafe extern "C" {
            fn isl_basic_map_from_constraint_matrices(
                space: *mut c_void,
                equalities: *mut c_void,
                inequalities: *mut c_void,
                c1: Kind,
                c2: Kind,
                c3: Kind,
                c4: Kind,
                c5: Kind,
            ) -> *mut c_void;
        }
        let ctx = space.ctx().clone();
        ctx.check_deadline()?;
        let [c1, c2, c3, c4, c5] = [Cst, Param, In, Out, Div].map(DimType::into_raw);
        // SAFETY: isl takes the space and both matrices, which move.
        let raw = unsafe {
            let (equalities, inequalities) = (equalities.into_raw(), inequalities.into_raw());
            isl_basic_map_from_constraint_matrices(space.into_raw(), equalities, inequalities, c1, c2, c3, c4, c5)
        };
        ctx.returned(raw)
    }

    /// The constraints, in the column order `[constant, parameters, domain, range, divisions]`. None: some entries do
    /// not fit.
    pub fn constraint_rows(&self) -> Result<Option<ConstraintRows>> {
        let columns = 1 + self.dim(DimType::All)?;
        // SAFETY: the pointer is to a valid object with as many columns.
        let rows = unsafe { layout::constraint_rows(self.ptr, columns) };
        let rows = rows.map(|[equalities, inequalities]| ConstraintRows { equalities, inequalities });
        debug_assert_eq!(rows, self.constraint_rows_by_matrices()?, "isl's structure is the one that is read");
        Ok(rows)
    }

    /// The same by isl's interface.
    pub(super) fn constraint_rows_by_matrices(&self) -> Result<Option<ConstraintRows>> {
        use DimType::{Cst, Div, In, Out, Param};
        let Some(equalities) = self.equalities_matrix(Cst, Param, In, Out, Div)?.to_rows()? else { return Ok(None) };
        let inequalities = self.inequalities_matrix(Cst, Param, In, Out, Div)?.to_rows()?;
        Ok(inequalities.map(|inequalities| ConstraintRows { equalities, inequalities }))
    }
}

impl BasicSet {
    /// The points that satisfy the rows, in the column order `[constant, parameters, dimensions]` of a set's or a parameter space.
    pub fn from_constraint_rows(space: Space, rows: &ConstraintRows) -> Result<BasicSet> {
        use DimType::{Cst, Div, Out, Param};
        let [equalities, inequalities] = rows.to_matrices(&space)?;
        type Kind = <DimType as Arg>::Raw;
        unsafe extern "C" {
            fn isl_basic_set_from_constraint_matrices(
                space: *mut c_void,
                equalities: *mut c_void,
                inequalities: *mut c_void,
                c1: Kind,
                c2: Kind,
                c3: Kind,
                c4: Kind,
            ) -> *mut c_void;
        }
        let ctx = space.ctx().clone();
        ctx.check_deadline()?;
        let [c1, c2, c3, c4] = [Cst, Param, Out, Div].map(DimType::into_raw);
        // SAFETY: isl takes the space and both matrices, which move.
        let raw = unsafe {
            let (equalities, inequalities) = (equalities.into_raw(), inequalities.into_raw());
            isl_basic_set_from_constraint_matrices(space.into_raw(), equalities, inequalities, c1, c2, c3, c4)
        };
        ctx.returned(raw)
    }

    /// The constraints, in the column order `[constant, parameters, dimensions, divisions]`. None: some entries do not
    /// fit.
    pub fn constraint_rows(&self) -> Result<Option<ConstraintRows>> {
        let columns = 1 + self.dim(DimType::All)?;
        // SAFETY: the pointer is to a valid object with as many columns.
        let rows = unsafe { layout::constraint_rows(self.ptr, columns) };
        let rows = rows.map(|[equalities, inequalities]| ConstraintRows { equalities, inequalities });
        debug_assert_eq!(rows, self.constraint_rows_by_matrices()?, "isl's structure is the one that is read");
        Ok(rows)
    }

    /// The same by isl's interface.
    pub(super) fn constraint_rows_by_matrices(&self) -> Result<Option<ConstraintRows>> {
        use DimType::{Cst, Div, Out, Param};
        let Some(equalities) = self.equalities_matrix(Cst, Param, Out, Div)?.to_rows()? else { return Ok(None) };
        let inequalities = self.inequalities_matrix(Cst, Param, Out, Div)?.to_rows()?;
        Ok(inequalities.map(|inequalities| ConstraintRows { equalities, inequalities }))
    }
}

impl Val {
    /// The value as an `i64`, if it is an integer that fits.
    pub fn as_i64(&self) -> Result<Option<i64>> {
        if !self.is_int()? {
            return Ok(None);
        }
        let value = self.numerator();
        match value {
            // What does not fit is reported as an error; the comparison tells it from the error of another call.
            Ok(value) if self.compare(value)? == 0 => Ok(Some(value)),
            _ => {
                let _ = self.ctx.take_error();
                Ok(None)
            }
        }
    }
}

methods! { Val:
    /// The numerator, or zero with isl's error set when it does not fit.
    fn numerator(&self) -> i64 = isl_val_get_num_si;
    /// The sign of the difference from an integer.
    fn compare(&self, value: i64) -> i32 = isl_val_cmp_si;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_integers_when_they_fit() {
        let ctx = Ctx::new();
        let read = |text: &str| Val::parse(&ctx, text).unwrap().as_i64().unwrap();
        assert_eq!(read("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(read("9223372036854775807"), Some(i64::MAX));
        assert_eq!(read("9223372036854775808"), None);
        assert_eq!(read("1/2"), None);
        assert_eq!(read("infty"), None);
        assert_eq!(read("0"), Some(0));
    }

    #[test]
    fn constraints_come_in_the_stated_column_order() {
        let ctx = Ctx::new();
        let map = BasicMap::parse(&ctx, "[n] -> { [i] -> [j] : j = i + 2 and n >= 3i }").unwrap();
        let rows = map.constraint_rows().unwrap().unwrap();
        let sign = rows.equalities[0][0].signum();
        assert_eq!(rows.equalities, [[2 * sign, 0, sign, -sign]]);
        assert!(rows.inequalities == [[0, 1, -3, 0]] || rows.inequalities == [[6, 1, 0, -3]], "{rows:?}");
        let again = BasicMap::from_constraint_rows(map.clone().to_map().unwrap().space().unwrap(), &rows).unwrap();
        assert!(again.to_map().unwrap().is_equal(&map.to_map().unwrap()).unwrap());
        for number in [1i64 << 31, -(1 << 31), i64::MAX, i64::MIN + 1, 0, -1, i64::from(i32::MAX)] {
            let set = BasicSet::parse(&ctx, &format!("[n] -> {{ [i] : i - n = {number} }}")).unwrap();
            let row = set.constraint_rows().unwrap().unwrap().equalities.remove(0);
            assert_eq!(-row[0] * row[2], number);
        }
        let large = BasicSet::parse(&ctx, "{ [i] : i >= 100000000000000000000 }").unwrap();
        assert_eq!(large.constraint_rows().unwrap(), None);
    }
}
