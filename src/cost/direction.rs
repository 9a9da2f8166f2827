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

/// Equations `A x + B y = 0` about differences, of instances and of their times, or of the elements that they use.
pub(super) struct Equations {
    of_first: Vec<Vec<i64>>,
    of_second: Vec<Vec<i64>>,
}

impl Equations {
    /// Those of a relation, `None` where differences are not all that counts.
    pub fn of(relation: &Map) -> Result<Option<Equations>> {
        let parts = relation.basic_map_list()?.to_vec()?;
        let [only] = &parts[..] else { return Ok(None) };
        if only.dim(DimType::Div)? > 0 {
            return Ok(None);
        }
        let Some(rows) = only.constraint_rows()?.filter(|rows| rows.inequalities.is_empty()) else { return Ok(None) };
        let start = 1 + only.dim(DimType::Param)?;
        let middle = start + only.dim(DimType::In)?;
        let columns = |from: usize, to: usize| rows.equalities.iter().map(|row| row[from..to].to_vec()).collect();
        let end = middle + only.dim(DimType::Out)?;
        Ok(Some(Equations { of_first: columns(start, middle), of_second: columns(middle, end) }))
    }

    /// The difference of instances where the loop of this number is one further on, and all others are where they are.
    pub fn step(&self, number: usize, depth: usize) -> Told {
        let sums = self.of_second.iter().map(|row| row[number].checked_neg()).collect();
        solved(&self.of_first, depth, sums)
    }

    /// The difference of what an access comes to where instances differ by this. Nothing is told where the access is for some instances
    /// alone.
    pub fn moved(&self, difference: &[i64], rank: usize) -> Told {
        if self.of_second.iter().any(|row| row.iter().all(|entry| *entry == 0)) {
            return Told::Nothing;
        }
        let sums = self.of_first.iter().map(|row| product(row, difference)?.checked_neg()).collect();
        solved(&self.of_second, rank, sums)
    }
}

/// The integer solutions of `A x = b`; an entry of `b` may be too large to be known.
fn solved(matrix: &[Vec<i64>], columns: usize, sums: Option<Vec<i64>>) -> Told {
    let (Some(sums), Ok(Hermite { form, transformation, rank, .. })) = (sums, hermite(matrix, columns)) else {
        return Told::Nothing;
    };
    if rank < columns {
        return Told::Nothing;
    }
    // H y = b from the top: a row whose entry in the next column is not zero says what y is there, and any other has to agree.
    let mut found: Vec<i64> = Vec::new();
    for (row, sum) in form.iter().zip(sums) {
        let Some(left) = product(row, &found).and_then(|known| sum.checked_sub(known)) else { return Told::Nothing };
        match row.get(found.len()).copied().filter(|entry| *entry != 0) {
            // A pivot is positive.
            Some(entry) if left % entry == 0 => found.push(left / entry),
            None if left == 0 => {}
            _ => return Told::None,
        }
    }
    let values: Option<Vec<i64>> = transformation.iter().map(|row| product(row, &found)).collect();
    values.map_or(Told::Nothing, Told::One)
}

/// The scalar product of as many entries as the shorter one has, if it fits.
fn product(a: &[i64], b: &[i64]) -> Option<i64> {
    a.iter().zip(b).try_fold(0_i64, |sum, (a, b)| sum.checked_add(a.checked_mul(*b)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_have_one_solution_none_or_many() {
        let solve = |rows: &[Vec<i64>], columns, sums: &[i64]| solved(rows, columns, Some(sums.to_vec()));
        assert_eq!(solve(&[vec![1, 1], vec![0, 1]], 2, &[0, 1]), Told::One(vec![-1, 1]));
        assert_eq!(solve(&[vec![2, 0], vec![0, 1], vec![2, 1]], 2, &[4, 3, 7]), Told::One(vec![2, 3]));
        assert_eq!(solve(&[vec![2, 0], vec![0, 1], vec![2, 1]], 2, &[4, 3, 8]), Told::None, "the last row disagrees");
        assert_eq!(solve(&[vec![2, 0], vec![0, 1]], 2, &[1, 0]), Told::None, "no integer is a half");
        assert_eq!(solve(&[vec![1, 1]], 2, &[1]), Told::Nothing, "there are many");
        assert_eq!(solve(&[], 0, &[]), Told::One(Vec::new()));
        assert_eq!(solved(&[vec![1]], 1, None), Told::Nothing);
    }
}
