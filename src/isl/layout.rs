//! The constraints of a conjunction, read where isl keeps them.
//!
//! isl's interface gives constraints by way of a copied matrix, number by number: several times the work of a scheduler
//! that then computes with them. They are read here from isl's own structure instead, that of the version in
//! `Cargo.toml`, with integers as imath-32 has them. Builds with assertions compare each result with what the interface
//! gives.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::ptr::NonNull;

/// The beginning of isl's `struct isl_basic_map`, which is `struct isl_basic_set`, too (`isl_map_private.h`).
#[repr(C)]
struct Conjunction {
    references: c_int,
    flags: c_uint,
    ctx: *mut c_void,
    space: *mut c_void,
    spare_divisions: c_uint,
    n_equalities: c_uint,
    n_inequalities: c_uint,
    n_allocated: usize,
    equalities: *const *const Integer,
    inequalities: *const *const Integer,
    n_divisions: c_uint,
    /// Rows `[denominator, constant, parameters, domain, range, divisions]`; the denominator of an unknown one is 0.
    divisions: *const *mut Integer,
}

/// isl takes the divisions to be in the form that its simplification gives them (`ISL_BASIC_MAP_NORMALIZED_DIVS`).
const NORMALIZED_DIVISIONS: c_uint = 1 << 6;

/// `isl_int`, that of imath-32: a word that is odd for a number of 32 bits, which is its upper half, or else a pointer
/// to a larger one.
#[repr(transparent)]
pub(super) struct Integer(pub(super) u64);

unsafe extern "C" {
    fn isl_sioimath_fits_slong(number: u64) -> c_int;
    fn isl_sioimath_get_si(number: u64) -> c_long;
    fn isl_seq_eq(left: *const Integer, right: *const Integer, length: c_uint) -> c_int;
    fn isl_seq_scale(result: *mut Integer, numbers: *mut Integer, factor: *const Integer, length: c_uint);
}

static TWO: Integer = Integer((2 << 32) | 1);

impl Integer {
    /// None: it does not fit.
    pub(super) fn get(&self) -> Option<i64> {
        if self.0 & 1 != 0 {
            return Some(self.0.cast_signed() >> 32);
        }
        // SAFETY: the number is one of isl's.
        unsafe { (isl_sioimath_fits_slong(self.0) != 0).then(|| isl_sioimath_get_si(self.0)) }
    }
}

/// The constraints, in the column order `[constant, parameters, domain, range, divisions]`. None: some numbers do not
/// fit.
///
/// # Safety
/// `conjunction` is a valid basic map or basic set of isl, with so many columns.
pub(super) unsafe fn constraint_rows(conjunction: NonNull<c_void>, columns: usize) -> Option<[Vec<Vec<i64>>; 2]> {
    // SAFETY: the structure has this layout, and as many rows of so many numbers as it says.
    unsafe {
        let conjunction = conjunction.cast::<Conjunction>().as_ref();
        Some([
            rows(conjunction.equalities, conjunction.n_equalities, columns)?,
            rows(conjunction.inequalities, conjunction.n_inequalities, columns)?,
        ])
    }
}

/// None: some numbers do not fit.
///
/// # Safety
/// There are so many rows of so many numbers.
unsafe fn rows(rows: *const *const Integer, count: c_uint, columns: usize) -> Option<Vec<Vec<i64>>> {
    let mut all = Vec::with_capacity(count as usize);
    for row in 0..count as usize {
        // SAFETY: the row is one of those that there are.
        let numbers = unsafe { std::slice::from_raw_parts(*rows.add(row), columns) };
        let mut entries = Vec::with_capacity(columns);
        for number in numbers {
            entries.push(number.get()?);
        }
        all.push(entries);
    }
    Some(all)
}

/// A known integer division that is written as an earlier one is.
///
/// # Safety
/// `conjunction` is a valid basic map or basic set of isl, with so many columns, divisions included.
pub(super) unsafe fn has_equal_divisions(conjunction: NonNull<c_void>, columns: usize) -> bool {
    // SAFETY: the structure has this layout.
    let conjunction = unsafe { conjunction.cast::<Conjunction>().as_ref() };
    (1..conjunction.n_divisions as usize).any(|at| {
        // SAFETY: there are so many divisions of so many numbers and a denominator.
        unsafe { conjunction.has_equal_before(at, columns) }
    })
}

/// Writes each known integer division in another way than those before it: `floor(2x/2d)` is `floor(x/d)`.
///
/// # Safety
/// `conjunction` is a valid basic map or basic set of isl that nobody else holds, with so many columns, divisions
/// included.
pub(super) unsafe fn distinguish_divisions(conjunction: NonNull<c_void>, columns: usize) {
    // SAFETY: the structure has this layout, and as many divisions of so many numbers and a denominator as it says.
    unsafe {
        let conjunction = conjunction.cast::<Conjunction>().as_mut();
        for at in 1..conjunction.n_divisions as usize {
            let row = *conjunction.divisions.add(at);
            while conjunction.has_equal_before(at, columns) {
                isl_seq_scale(row, row, &raw const TWO, length(columns));
                conjunction.flags &= !NORMALIZED_DIVISIONS;
            }
        }
    }
}

impl Conjunction {
    /// The division is known and written as an earlier one is.
    ///
    /// # Safety
    /// There are more than `at` divisions, of so many numbers and a denominator.
    unsafe fn has_equal_before(&self, at: usize, columns: usize) -> bool {
        // SAFETY: the rows are some of those that there are.
        unsafe {
            let row = *self.divisions.add(at);
            (*row).get() != Some(0)
                && (0..at).any(|before| isl_seq_eq(*self.divisions.add(before), row, length(columns)) != 0)
        }
    }
}

/// The length of a division's row: the denominator and the columns.
fn length(columns: usize) -> c_uint {
    c_uint::try_from(columns + 1).expect("isl counts columns with an int")
}

#[cfg(test)]
mod tests {
    use crate::{BasicMap, BasicSet, Ctx};

    #[test]
    fn what_is_read_is_what_the_interface_gives() {
        let ctx = Ctx::new();
        for text in [
            "{ S[] -> T[] }",
            "{ S[] -> T[] : false }",
            "[n, m] -> { S[i, j] -> T[k] : 0 <= i < n and k = j + 2m - 3 and 5k <= 7i + m and j >= -2147483647 and i >= -2147483648 }",
            "[n] -> { [i] -> [j] : i mod 3 = 1 and j = floor((n - i)/4) and i + j <= 2147483646 + n }",
            "[n] -> { [i] -> [j] : i >= 2147483649 and 4294967295 j <= n and j <= 9223372036854775807 }",
        ] {
            let map = BasicMap::parse(&ctx, text).unwrap();
            let rows = map.constraint_rows().unwrap().unwrap();
            assert_eq!(Some(rows), map.constraint_rows_by_matrices().unwrap(), "{text}");
        }
        let huge = BasicMap::parse(&ctx, "{ [i] -> [j] : i >= 100000000000000000000 }").unwrap();
        assert_eq!((huge.constraint_rows().unwrap(), huge.constraint_rows_by_matrices().unwrap()), (None, None));
        let set = BasicSet::parse(&ctx, "[n] -> { [i, j] : 0 <= i < n and 2j = i + n and j mod 5 = 2 }").unwrap();
        assert_eq!(set.constraint_rows().unwrap(), set.constraint_rows_by_matrices().unwrap());
    }
}
