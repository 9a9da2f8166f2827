//! Iterators that the subscripts do not tell (the unified report, 4.2, "Access Completion").
//!
//! Several instances use the same element where the subscripts leave some direction open, as `B[k][j]` does with `i`.
//! Then the next use of a line is, at the end of the line, that of another `i`, at a distance as large as a line: true,
//! but not what a schedule is to be bent for. Further subscripts are put in front until the element tells the instance:
//! `B[i][k][j]`.

use crate::linear::{Overflow, hermite};

/// Combinations of the iterators that complete these, given by their coefficients, to a basis of all integer
/// combinations: as many as are missing.
///
/// Let `A` be the given rows and `A = H Q`, with `Q` unimodular and the columns of `H` from the rank on zero. The rows
/// of `Q` from the rank on (in the report, unit vectors times the inverse of the transformation) are then independent
/// of those of `A`, and with them tell all iterators.
///
/// There is a choice where a subscript adds iterators up, as in `A[i + j]`. The form is brought about from the
/// innermost iterator on, so that outer ones are put in front (here `i`): the relations left are those along inner
/// loops, whose instances are next to each other in the original order.
pub(super) fn completion(matrix: &[Vec<i64>], iterators: usize) -> Result<Vec<Vec<i64>>, Overflow> {
    let reversed = |row: &Vec<i64>| row.iter().rev().copied().collect::<Vec<i64>>();
    let inner_first: Vec<Vec<i64>> = matrix.iter().map(reversed).collect();
    let normal = hermite(&inner_first, iterators)?;
    // The other order of the rows, too, so that they come outermost first.
    Ok(normal.inverse[normal.rank..].iter().rev().map(reversed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zinenko2017_4_2_the_iterator_that_is_missing_is_put_in_front() {
        // B[k][j] in i, j, k.
        assert_eq!(completion(&[vec![0, 0, 1], vec![0, 1, 0]], 3).unwrap(), [[1, 0, 0]]);
        // A[i][k] and C[i][j].
        assert_eq!(completion(&[vec![1, 0, 0], vec![0, 0, 1]], 3).unwrap(), [[0, 1, 0]]);
        assert_eq!(completion(&[vec![1, 0, 0], vec![0, 1, 0]], 3).unwrap(), [[0, 0, 1]]);
    }

    #[test]
    fn sums_multiples_and_constants_are_completed() {
        // A[i + j][j] tells both.
        assert!(completion(&[vec![1, 1], vec![0, 1]], 2).unwrap().is_empty());
        // A[2 i], alone and within j.
        assert!(completion(&[vec![2]], 1).unwrap().is_empty());
        assert_eq!(completion(&[vec![2, 0]], 2).unwrap(), [[0, 1]]);
        // A[i + j], by the outer one.
        assert_eq!(completion(&[vec![1, 1]], 2).unwrap(), [[1, 0]]);
        // A[0], A[i][i].
        assert_eq!(completion(&[vec![0, 0]], 2).unwrap(), [[1, 0], [0, 1]]);
        assert_eq!(completion(&[], 1).unwrap(), [[1]]);
        assert_eq!(completion(&[vec![1, 0], vec![1, 0]], 2).unwrap(), [[0, 1]]);
        assert!(completion(&[vec![i64::MAX, i64::MAX - 1], vec![i64::MIN, i64::MAX]], 2).is_err());
    }

    #[test]
    fn with_the_completion_the_rank_is_full_and_the_rest_unimodular() {
        let mut state: u64 = 11;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as i64
        };
        for case in 0..1000 {
            let (rows, columns) = (case % 4, 1 + (case / 4) % 5);
            let matrix: Vec<Vec<i64>> = (0..rows).map(|_| (0..columns).map(|_| next() % 5 - 2).collect()).collect();
            let more = completion(&matrix, columns).unwrap();
            let rank = hermite(&matrix, columns).unwrap().rank;
            assert_eq!(more.len(), columns - rank, "{matrix:?}");
            let all: Vec<Vec<i64>> = more.iter().chain(&matrix).cloned().collect();
            assert_eq!(hermite(&all, columns).unwrap().rank, columns, "{matrix:?}");
            // What is put in front can itself be completed to a unimodular matrix: its Hermite normal form is a unit
            // matrix.
            let form = hermite(&more, columns).unwrap().form;
            for (i, row) in form.iter().enumerate() {
                assert!((0..columns).all(|j| row[j] == i64::from(i == j)), "{matrix:?}: {form:?}");
            }
        }
    }
}
