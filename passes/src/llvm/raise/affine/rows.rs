//! Rows behind pointers: a table of pointers, one for each row, as `double **` and vectors of vectors have it.
//!
//! Where neighbours are equally far apart, `table[i][j]` is an element of an array of one dimension more: of the row `i`,
//! whose pointer lies `step` bytes behind that of the row before, as many elements further on. So an access through such a
//! pointer is described as one that starts where row zero does, with the distance of rows as one more value from outside.
//! Both are found before the region, by a function that looks at all pointers that the region loads
//! ([`emit::rows`](crate::llvm::raise::emit::rows)).

use super::assumptions::Domain;
use super::polynomial::{Polynomial, Symbol};
use crate::llvm::raise::code::function::Rows;
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::refusal::{Reason, Step};

/// The bytes of a pointer.
pub const POINTER: i64 = 8;

/// The load of a pointer to a row.
#[derive(Clone, Debug)]
pub struct RowLoad {
    /// The load.
    pub value: ValueId,
    /// The row's number.
    pub row: Polynomial,
    /// When it runs.
    pub domain: Domain,
    /// Its offset is exact, not only modulo 2^64.
    pub exact: bool,
}

/// A table of pointers to rows, and what a region loads of it.
#[derive(Clone, Debug)]
pub struct RowTable {
    /// What stands for its rows.
    pub rows: Rows,
    /// The bytes between the pointers of neighbours.
    pub step: i64,
    /// The bytes from the start of the table to the pointer of row zero.
    pub first: i64,
    /// The bytes of an element, once a row is accessed.
    pub element: Option<i64>,
    /// The loads.
    pub loads: Vec<RowLoad>,
}

impl RowTable {
    /// A table of which a pointer at an offset in bytes is loaded first.
    pub fn new(rows: Rows, offset: &Polynomial) -> Step<Self> {
        let (steps, constants): (Vec<_>, Vec<_>) = offset.terms().partition(|(monomial, _)| !monomial.is_empty());
        let step = steps.iter().fold(0, |step, (_, coefficient)| gcd(step, coefficient.unsigned_abs()));
        let step = i64::try_from(step).map_err(|_| Reason::Base)?;
        let step = if step == 0 { POINTER } else { step };
        let constant = constants.first().map_or(0, |(_, constant)| *constant);
        let first = i64::try_from(constant.rem_euclid(i128::from(step))).map_err(|_| Reason::Base)?;
        // Pointers are aligned, and do not overlap.
        if step % POINTER != 0 || first % POINTER != 0 || !(POINTER..=MOST_STEP).contains(&step) {
            return Err(Reason::Base);
        }
        Ok(Self { rows, step, first, element: None, loads: Vec::new() })
    }

    /// The row whose pointer is at an offset in bytes.
    pub fn row_at(&self, offset: &Polynomial) -> Step<Polynomial> {
        let behind = offset.sub(&Polynomial::constant(i128::from(self.first))).ok_or(Reason::Base)?;
        let row = behind.divide(i128::from(self.step)).ok_or(Reason::Base)?;
        if row.is_affine() { Ok(row) } else { Err(Reason::Base) }
    }

    /// The offset in bytes from where row zero starts of what is so far behind the pointer of a row, which a load loads.
    pub fn offset(&mut self, load: ValueId, behind: &Polynomial, element: i64) -> Step<Polynomial> {
        if *self.element.get_or_insert(element) != element {
            return Err(Reason::Sizes);
        }
        let row = &self.loads.iter().find(|other| other.value == load).ok_or(Reason::Base)?.row;
        let spacing = Polynomial::product(vec![Symbol::Value(self.rows.spacing)], i128::from(element));
        row.mul(&spacing).and_then(|before| before.add(behind)).ok_or(Reason::Base)
    }
}

/// There are at most so many rows.
pub const MOST_ROWS: i128 = 1 << 40;
/// The bytes of a structure with a pointer to a row in it.
const MOST_STEP: i64 = 1 << 16;

fn gcd(one: u128, other: u128) -> u128 {
    if other == 0 { one } else { gcd(other, one % other) }
}
