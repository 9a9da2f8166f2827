//! Linear independence of the members of a statement (ppcg report, section 6.5.6).

use crate::schedule::error::{Error, Result};

/// The rank of some rows, and what is independent of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Independence {
    /// The number of independent rows.
    pub rank: usize,
    /// Forms that are zero on exactly the combinations of the rows. Each has as many zeros at its end as possible; its
    /// first entry that is not zero is positive; it is in lowest terms.
    pub forms: Vec<Vec<i64>>,
}

impl Independence {
    /// Of rows with this number of variables.
    ///
    /// The report takes the last rows of the transpose of the unimodular matrix that brings the rows to Hermite normal
    /// form, and normalizes them by Gaussian elimination from the last columns. They span the space of the `v` with
    /// `row · v = 0`, and the normal form of a basis of that space is unique up to scale; so it is read off the rows'
    /// own echelon form with the first possible pivots: a column without pivot gives the `v` with a one there and zeros
    /// in the other such columns.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn of<'r>(rows: impl Iterator<Item = &'r [i64]>, variables: usize) -> Result<Independence> {
        let mut echelon: Vec<Vec<i128>> = Vec::new();
        let mut pivots: Vec<usize> = Vec::new();
        for row in rows {
            let mut row: Vec<i128> = row.iter().map(|&a| i128::from(a)).collect();
            for (other, &pivot) in echelon.iter().zip(&pivots) {
                eliminate(&mut row, other, pivot)?;
            }
            let Some(pivot) = row.iter().position(|&a| a != 0) else { continue };
            for other in &mut echelon {
                eliminate(other, &row, pivot)?;
            }
            echelon.push(row);
            pivots.push(pivot);
        }
        let forms = (0..variables)
            .filter(|column| !pivots.contains(column))
            .map(|column| form(&echelon, &pivots, column, variables))
            .collect::<Result<_>>()?;
        Ok(Independence { rank: pivots.len(), forms })
    }

    /// The row is a combination of the rows.
    pub fn is_dependent(&self, row: &[i64]) -> bool {
        let value = |form: &Vec<i64>| form.iter().zip(row).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum::<i128>();
        self.forms.iter().all(|form| value(form) == 0)
    }
}

/// The form that belongs to a column without pivot.
fn form(echelon: &[Vec<i128>], pivots: &[usize], column: usize, variables: usize) -> Result<Vec<i64>> {
    let mut form = vec![0i128; variables];
    form[column] = 1;
    for (row, &pivot) in echelon.iter().zip(pivots) {
        // row[pivot] * form[pivot] + row[column] * form[column] = 0
        let product = form[column].checked_mul(row[column]).ok_or(Error::Overflow)?;
        let scale = row[pivot] / gcd(row[pivot], product);
        for entry in &mut form {
            *entry = entry.checked_mul(scale).ok_or(Error::Overflow)?;
        }
        let product = form[column].checked_mul(row[column]).ok_or(Error::Overflow)?;
        form[pivot] = -(product / row[pivot]);
    }
    reduce(&mut form);
    if form.iter().find(|a| **a != 0).is_some_and(|a| *a < 0) {
        form.iter_mut().for_each(|a| *a = -*a);
    }
    form.into_iter().map(|a| i64::try_from(a).map_err(|_| Error::Overflow)).collect()
}

/// Makes the column of `pivot` zero in `row`.
fn eliminate(row: &mut [i128], other: &[i128], pivot: usize) -> Result<()> {
    if row[pivot] == 0 {
        return Ok(());
    }
    let common = gcd(row[pivot], other[pivot]);
    let (a, b) = (other[pivot] / common, row[pivot] / common);
    for (x, &y) in row.iter_mut().zip(other) {
        let scaled = x.checked_mul(a).zip(y.checked_mul(b));
        *x = scaled.and_then(|(x, y)| x.checked_sub(y)).ok_or(Error::Overflow)?;
    }
    reduce(row);
    Ok(())
}

fn reduce(row: &mut [i128]) {
    let divisor = row.iter().fold(0, |divisor, &a| gcd(divisor, a));
    if divisor > 1 {
        row.iter_mut().for_each(|a| *a /= divisor);
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    num_integer::Integer::gcd(&a, &b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[i64]], variables: usize) -> Independence {
        Independence::of(rows.iter().copied(), variables).unwrap()
    }

    #[test]
    fn ppcg_example_11() {
        assert_eq!(of(&[&[4, 2, 1]], 3), Independence { rank: 1, forms: vec![vec![1, -2, 0], vec![1, 0, -4]] });
        assert_eq!(of(&[&[4, 2, 1], &[1, 0, 0]], 3), Independence { rank: 2, forms: vec![vec![0, 1, -2]] });
    }

    #[test]
    fn forms_vanish_on_combinations_alone() {
        let unit = of(&[], 2);
        assert_eq!(unit, Independence { rank: 0, forms: vec![vec![1, 0], vec![0, 1]] });
        let all = of(&[&[1, 1], &[2, 2], &[1, -1]], 2);
        assert_eq!(all, Independence { rank: 2, forms: vec![] });
        let some = of(&[&[2, 3, 5, 0], &[0, 0, 7, 2]], 4);
        assert_eq!(some.rank, 2);
        assert!(some.is_dependent(&[2, 3, 12, 2]));
        assert!(!some.is_dependent(&[2, 3, 12, 1]));
        for (form, row) in some.forms.iter().flat_map(|f| [[2, 3, 5, 0], [0, 0, 7, 2]].map(|r| (f.clone(), r))) {
            assert_eq!(form.iter().zip(row).map(|(a, b)| a * b).sum::<i64>(), 0, "{form:?}");
        }
    }
}
