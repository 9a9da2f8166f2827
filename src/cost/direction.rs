//! Steps of loops by their coefficients: which instance follows, and which element of an access.
//!
//! Where loops are affine functions of the iterators, instances that are one apart along a loop and equal along all others differ by a
//! vector, the same everywhere, if only one vector does that (unified report, section 2.3, looks at such steps). So do the elements that
//! an affine access uses there. That is a small system of equations over the integers, which costs a tenth of the same question about
//! sets. Whatever is not as simple, divisions and loops that only pieces of the instances have among it, is not told here.

use crate::isl::{DimType, Map, Result};
use crate::linear::{Hermite, hermite};

/// What is known of a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    /// It is the only one.
    One(Vec<i64>),
    /// There is none.
    None,
    /// Nothing.
    Nothing,
}

/// Equations `A x + B y = 0` about differences of what a relation relates, solved for `x`.
pub(super) struct Equations {
    /// `A` in Hermite's form; its columns are independent.
    unknown: Hermite,
    /// `B`
    known: Vec<Vec<i64>>,
}

impl Equations {
    /// How instances differ by how their times do: `{ S[i] -> [t] }`. `None` where that is not all there is to say, or several vectors
    /// do.
    pub fn of_times(times: &Map) -> Result<Option<Equations>> {
        Ok(rows(times)?.and_then(|[instances, times]| Equations::new(instances, times)))
    }

    /// How elements differ by how instances do, of an access that all instances have: `{ S[i] -> A[a] }`.
    pub fn of_access(access: &Map) -> Result<Option<Equations>> {
        let found = rows(access)?.and_then(|[instances, elements]| Equations::new(elements, instances));
        // Where elements are all integer vectors, each row says what one of them is.
        let is_total = |found: &Equations| {
            let rows = found.unknown.form.iter().enumerate();
            found.unknown.form.len() == found.unknown.rank && rows.into_iter().all(|(i, row)| row[i] == 1)
        };
        Ok(found.filter(is_total))
    }

    fn new(unknown: Rows, known: Rows) -> Option<Equations> {
        let unknown = hermite(&unknown.entries, unknown.columns).ok()?;
        (unknown.rank == unknown.inverse.len()).then_some(Equations { unknown, known: known.entries })
    }

    /// The `x` for a `y`.
    pub fn solve(&self, y: &[i64]) -> Told {
        let sums: Option<Vec<i64>> = self.known.iter().map(|row| product(row, y)?.checked_neg()).collect();
        sums.map_or(Told::Nothing, |sums| self.unknown_of(&sums))
    }

    /// The integer solution of `A x = b`.
    fn unknown_of(&self, sums: &[i64]) -> Told {
        // H z = b from the top: a row whose entry in the next column is not zero says what z is there, and any other has to agree.
        let mut found: Vec<i64> = Vec::new();
        for (row, sum) in self.unknown.form.iter().zip(sums) {
            let left = product(row, &found).and_then(|known| sum.checked_sub(known));
            let Some(left) = left else { return Told::Nothing };
            match row.get(found.len()).copied().filter(|entry| *entry != 0) {
                // A pivot is positive.
                Some(entry) if left % entry == 0 => found.push(left / entry),
                None if left == 0 => {}
                _ => return Told::None,
            }
        }
        let values: Option<Vec<i64>> = self.unknown.transformation.iter().map(|row| product(row, &found)).collect();
        values.map_or(Told::Nothing, Told::One)
    }
}

/// Rows with so many entries.
struct Rows {
    entries: Vec<Vec<i64>>,
    columns: usize,
}

/// The equations of a relation, its domain's columns and its range's; `None` where there is more to it than these.
fn rows(relation: &Map) -> Result<Option<[Rows; 2]>> {
    let parts = relation.basic_map_list()?.to_vec()?;
    let [only] = &parts[..] else { return Ok(None) };
    if only.dim(DimType::Div)? > 0 {
        return Ok(None);
    }
    let Some(rows) = only.constraint_rows()?.filter(|rows| rows.inequalities.is_empty()) else { return Ok(None) };
    let (first, inputs, outputs) = (1 + only.dim(DimType::Param)?, only.dim(DimType::In)?, only.dim(DimType::Out)?);
    let part = |from: usize, columns: usize| {
        let entries = rows.equalities.iter().map(|row| row[from..from + columns].to_vec());
        Rows { entries: entries.collect(), columns }
    };
    Ok(Some([part(first, inputs), part(first + inputs, outputs)]))
}

/// The scalar product of as many entries as the shorter one has, if it fits.
fn product(a: &[i64], b: &[i64]) -> Option<i64> {
    a.iter().zip(b).try_fold(0_i64, |sum, (a, b)| sum.checked_add(a.checked_mul(*b)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::Ctx;

    #[test]
    fn systems_have_one_solution_none_or_many() {
        let solve = |rows: &[Vec<i64>], columns, sums: &[i64]| {
            let rows = Rows { entries: rows.to_vec(), columns };
            let minus = (0..sums.len()).map(|i| (0..sums.len()).map(|j| -i64::from(i == j)).collect());
            let found = Equations::new(rows, Rows { entries: minus.collect(), columns: sums.len() });
            found.map_or(Told::Nothing, |found| found.solve(sums))
        };
        assert_eq!(solve(&[vec![1, 1], vec![0, 1]], 2, &[0, 1]), Told::One(vec![-1, 1]));
        assert_eq!(solve(&[vec![2, 0], vec![0, 1], vec![2, 1]], 2, &[4, 3, 7]), Told::One(vec![2, 3]));
        assert_eq!(solve(&[vec![2, 0], vec![0, 1], vec![2, 1]], 2, &[4, 3, 8]), Told::None, "the last row disagrees");
        assert_eq!(solve(&[vec![2, 0], vec![0, 1]], 2, &[1, 0]), Told::None, "no integer is a half");
        assert_eq!(solve(&[vec![1, 1]], 2, &[1]), Told::Nothing, "there are many");
        assert_eq!(solve(&[], 0, &[]), Told::One(Vec::new()));
        assert_eq!(solve(&[vec![1]], 1, &[i64::MIN]), Told::Nothing, "it does not fit");
    }

    #[test]
    fn accesses_tell_if_all_instances_have_them() {
        let ctx = Ctx::new();
        let change = |access: &str, difference: &[i64]| {
            let found = Equations::of_access(&Map::parse(&ctx, access).unwrap()).unwrap();
            found.map_or(Told::Nothing, |found| found.solve(difference))
        };
        assert_eq!(change("[n] -> { S[i, j] -> A[n - i, i + 2j] }", &[1, 1]), Told::One(vec![-1, 3]));
        assert_eq!(change("{ S[i] -> A[] }", &[1]), Told::One(Vec::new()));
        assert_eq!(change("{ S[i] -> A[a] : 2a = i }", &[2]), Told::Nothing, "every second one");
        assert_eq!(change("{ S[i, j] -> A[i] : j = 0 }", &[1, 0]), Told::Nothing, "those of one column");
        assert_eq!(change("[n] -> { S[i] -> A[i] : n = 0 }", &[1]), Told::Nothing, "for one size");
        assert_eq!(change("{ S[i] -> A[a] }", &[1]), Told::Nothing, "any element");
        assert_eq!(change("{ S[i] -> A[a, b] : a = b }", &[1]), Told::Nothing, "a diagonal");
        assert_eq!(change("{ S[i] -> A[i] : i >= 0 }", &[1]), Told::Nothing, "some instances");
        assert_eq!(change("{ S[i] -> A[floor(i/2)] }", &[2]), Told::Nothing, "a division");
    }
}
