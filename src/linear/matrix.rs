//! Integer matrices by rows: the Hermite normal form with its unimodular transformation.

/// An entry does not fit 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Overflow;

type Result<T> = std::result::Result<T, Overflow>;

/// A matrix by rows.
pub(crate) type Matrix = Vec<Vec<i64>>;

/// `M U = H` and `M = H Q`, with `U` and `Q` inverse to each other (Schrijver, *Theory of linear and integer
/// programming*, 1986, chapter 4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hermite {
    /// Lower triangular in echelon form: column `i < rank` has its first entry, which is positive, below that of the
    /// column before; the entries left of it are not negative and less. The other columns are zero.
    pub form: Matrix,
    /// `U`.
    pub transformation: Matrix,
    /// `Q`.
    pub inverse: Matrix,
    /// The number of columns that are not zero.
    pub rank: usize,
}

/// The Hermite normal form of a matrix with this many columns.
///
/// # Errors
/// [`Overflow`], where an entry on the way is too large.
pub(crate) fn hermite(matrix: &[Vec<i64>], columns: usize) -> Result<Hermite> {
    let unit = |i| (0..columns).map(|j| i64::from(i == j)).collect();
    let unit: Matrix = (0..columns).map(unit).collect();
    let mut result = Hermite { form: matrix.to_vec(), transformation: unit.clone(), inverse: unit, rank: 0 };
    for row in 0..matrix.len() {
        if result.pivot(row)? {
            result.rank += 1;
        }
    }
    Ok(result)
}

impl Hermite {
    /// Makes the row zero right of column `rank`, by operations on columns from there on. False: it is zero there, too.
    fn pivot(&mut self, row: usize) -> Result<bool> {
        let column = self.rank;
        let columns = self.inverse.len();
        let not_zero =
            |this: &Hermite, from: usize| (from..columns).filter(|&i| this.form[row][i] != 0).collect::<Vec<_>>();
        let Some(least) = not_zero(self, column).into_iter().min_by_key(|&i| self.form[row][i].unsigned_abs()) else {
            return Ok(false);
        };
        self.exchange(column, least);
        if self.form[row][column] < 0 {
            self.negate(column)?;
        }
        // Euclid's algorithm on the pivot and one of the others at a time.
        while let Some(&other) = not_zero(self, column + 1).first() {
            self.subtract(column, other, self.form[row][other].div_euclid(self.form[row][column]))?;
            if self.form[row][other] != 0 {
                self.exchange(column, other);
            }
        }
        for before in 0..column {
            self.subtract(column, before, self.form[row][before].div_euclid(self.form[row][column]))?;
        }
        Ok(true)
    }

    fn exchange(&mut self, a: usize, b: usize) {
        self.form.iter_mut().chain(&mut self.transformation).for_each(|row| row.swap(a, b));
        self.inverse.swap(a, b);
    }

    fn negate(&mut self, column: usize) -> Result<()> {
        let entries = self.form.iter_mut().chain(&mut self.transformation).map(|row| &mut row[column]);
        for entry in entries.chain(&mut self.inverse[column]) {
            *entry = entry.checked_neg().ok_or(Overflow)?;
        }
        Ok(())
    }

    /// Subtracts so many times a column from another; in the inverse a row is added to a row.
    fn subtract(&mut self, column: usize, from: usize, times: i64) -> Result<()> {
        if times == 0 {
            return Ok(());
        }
        for row in self.form.iter_mut().chain(&mut self.transformation) {
            let product = row[column].checked_mul(times).ok_or(Overflow)?;
            row[from] = row[from].checked_sub(product).ok_or(Overflow)?;
        }
        for i in 0..self.inverse.len() {
            let product = self.inverse[from][i].checked_mul(times).ok_or(Overflow)?;
            self.inverse[column][i] = self.inverse[column][i].checked_add(product).ok_or(Overflow)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &[Vec<i64>], b: &[Vec<i64>]) -> Matrix {
        let entry = |row: &Vec<i64>, j: usize| row.iter().zip(b).map(|(x, row)| x * row[j]).sum();
        a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
    }

    #[test]
    fn verdoolaege2017_example_11_normal_forms() {
        // (48) with the leading entry as it multiplies out, and (55).
        let one = hermite(&[vec![4, 2, 1]], 3).unwrap();
        assert_eq!(one.form, [[1, 0, 0]]);
        let two = hermite(&[vec![4, 2, 1], vec![1, 0, 0]], 3).unwrap();
        assert_eq!(two.form, [[1, 0, 0], [0, 1, 0]]);
        assert_eq!(two.rank, 2);
        // The last column of U is, up to sign, (56).
        let last: Vec<i64> = two.transformation.iter().map(|row| row[2]).collect();
        assert!(last == [0, 1, -2] || last == [0, -1, 2], "{last:?}");
    }

    #[test]
    fn the_factors_multiply_out_and_are_inverse() {
        let mut state: u64 = 7;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as i64
        };
        for case in 0..2000 {
            let (rows, columns) = (1 + case % 4, 1 + (case / 4) % 5);
            let matrix: Matrix = (0..rows).map(|_| (0..columns).map(|_| next() % 9 - 4).collect()).collect();
            let Hermite { form, transformation, inverse, rank } = hermite(&matrix, columns).unwrap();
            assert_eq!(product(&matrix, &transformation), form, "{matrix:?}");
            assert_eq!(product(&form, &inverse), matrix);
            let unit: Matrix = (0..columns).map(|i| (0..columns).map(|j| i64::from(i == j)).collect()).collect();
            assert_eq!(product(&transformation, &inverse), unit);
            let first = |j: usize| form.iter().position(|row| row[j] != 0);
            assert!((rank..columns).all(|j| first(j).is_none()));
            for j in 0..rank {
                let at = first(j).unwrap();
                assert!(j == 0 || first(j - 1).unwrap() < at, "{form:?}");
                assert!(form[at][j] > 0 && (0..j).all(|i| (0..form[at][j]).contains(&form[at][i])), "{form:?}");
            }
        }
    }

    #[test]
    fn overflow_is_an_error() {
        assert_eq!(hermite(&[vec![i64::MAX, i64::MAX - 1], vec![i64::MIN, i64::MAX]], 2), Err(Overflow));
    }
}
