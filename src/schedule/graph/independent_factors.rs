//! Conjunctions that fall apart: what one part of the variables satisfies has nothing to do with the others.
//!
//! A product of polyhedra has as many vertices as all choices of one from each factor, but whether a constraint is
//! needed depends on its own factor alone.

use crate::isl::ConstraintRows;

/// The constraints on some of the variables, with the constant's column before theirs.
pub(in crate::schedule) struct Factor {
    /// The columns, the constant's first.
    pub columns: Vec<usize>,
    /// The constraints.
    pub rows: ConstraintRows,
    /// Which of the inequalities of the whole they are.
    pub inequalities: Vec<usize>,
    /// What holds anyway, in the same columns.
    pub known: Vec<Vec<i64>>,
}

/// The independent factors of a conjunction over so many columns, the constant's first, in the order of their first
/// columns; rows of what is `known` may be shorter. Variables are in the same factor if a row has both. Rows without
/// variables are in none.
pub(in crate::schedule) fn independent_factors(
    dimension: usize,
    rows: &ConstraintRows,
    known: &[Vec<i64>],
) -> Vec<Factor> {
    let all = || rows.equalities.iter().chain(&rows.inequalities).chain(known);
    let of = partition(dimension, all());
    let columns: Vec<Vec<usize>> = (1..dimension)
        .filter(|&column| of[column] == column && all().any(|row| row.get(column).is_some_and(|entry| *entry != 0)))
        .map(|factor| std::iter::once(0).chain((1..dimension).filter(|&column| of[column] == factor)).collect())
        .collect();
    let part = |columns: &Vec<usize>| {
        let within = |row: &&Vec<i64>| columns[1..].iter().any(|&column| row.get(column).is_some_and(|a| *a != 0));
        let narrow = |row: &Vec<i64>| columns.iter().map(|&column| row.get(column).copied().unwrap_or(0)).collect();
        let inequalities = (0..rows.inequalities.len()).filter(|&i| within(&&rows.inequalities[i]));
        let inequalities: Vec<usize> = inequalities.collect();
        Factor {
            columns: columns.clone(),
            rows: ConstraintRows {
                equalities: rows.equalities.iter().filter(within).map(narrow).collect(),
                inequalities: inequalities.iter().map(|&i| narrow(&rows.inequalities[i])).collect(),
            },
            inequalities,
            known: known.iter().filter(within).map(narrow).collect(),
        }
    };
    columns.iter().map(part).collect()
}

/// For each column the first one of its factor.
fn partition<'r>(dimension: usize, rows: impl Iterator<Item = &'r Vec<i64>>) -> Vec<usize> {
    let mut of: Vec<usize> = (0..dimension).collect();
    for row in rows {
        let mut columns = (1..row.len().min(dimension)).filter(|&column| row[column] != 0);
        let Some(first) = columns.next() else { continue };
        for column in columns {
            let (a, b) = (of[first].min(of[column]), of[first].max(of[column]));
            if a != b {
                of.iter_mut().filter(|factor| **factor == b).for_each(|factor| *factor = a);
            }
        }
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_in_one_row_are_in_one_block() {
        // [1, n, m, x, y, z]
        let rows = ConstraintRows {
            equalities: vec![vec![3, 0, 0, 0, 1, -2]],
            inequalities: vec![vec![0, 0, 0, 0, 1, 0], vec![0, 1, 0, -1, 0, 0], vec![5, 0, 0, 0, 0, 0]],
        };
        let found = independent_factors(6, &rows, &[vec![-1, 1], vec![7, 0, -1]]);
        let [first, second, third] = &found[..] else { panic!("{} factors", found.len()) };
        assert_eq!((&first.inequalities, &first.rows.inequalities), (&vec![1], &vec![vec![0, 1, -1]]));
        assert_eq!((first.rows.equalities.len(), &first.known), (0, &vec![vec![-1, 1, 0]]));
        assert_eq!((&second.inequalities, &second.known), (&vec![], &vec![vec![7, -1]]));
        assert_eq!((&third.inequalities, &third.rows.inequalities), (&vec![0], &vec![vec![0, 1, 0]]));
        assert_eq!((&third.rows.equalities, third.known.len()), (&vec![vec![3, 1, -2]], 0));
    }
}
