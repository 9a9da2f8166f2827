//! From a rational solution to rows of integers (Acharya et al. 2018, section 4).
//!
//! What is asked of rows is homogeneous in their coefficients and constants together, so all rows of a connected
//! component times the same positive number ask for the same order. Shifts are often fractions where coefficients are
//! none: in a stencil with two statements `t` and `t + 1/2` make distances least. There constants rounded down will do
//! as well, and give `t` and `t` in the place of `2t` and `2t + 1`: two instances whose distance is a fraction that is
//! not negative have an integer distance that is not negative, as in unscaling (ppcg report, 7.1). That is not known
//! of points of the rational hull of a relation between them, so rows are taken only if each edge admits them.

use crate::schedule::decoupled::problem::Solution;
use crate::schedule::graph::Row;
use crate::schedule::graph::components::Components;
use crate::schedule::strategy::Term;
use num_bigint::BigInt;
use num_integer::Integer as _;

/// Rows of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaled {
    /// A row for each node.
    pub rows: Vec<Row>,
    /// What the terms come to, rounded up.
    pub values: Vec<(Term, Vec<i64>)>,
}

/// Rows of integers for a solution, the best first: with coefficients times their common denominator, constants rounded
/// down; and, if that is not the same, all times the common denominator of all. Nodes that are not connected have
/// denominators of their own. What does not fit 64 bits is left out.
pub fn scaled(solution: &Solution, connected: &Components) -> Vec<Scaled> {
    let denominators = |skip: usize| -> Vec<BigInt> {
        let mut of = vec![BigInt::from(1); connected.count];
        for (row, &component) in solution.numerators.iter().zip(&connected.of) {
            for entry in row.iter().skip(skip) {
                let own = &solution.denominator / entry.gcd(&solution.denominator);
                of[component] = of[component].lcm(&own);
            }
        }
        of
    };
    let (of_coefficients, of_all) = (denominators(1), denominators(0));
    let mut found: Vec<Scaled> = times(solution, connected, &of_coefficients).into_iter().collect();
    if of_coefficients != of_all {
        found.extend(times(solution, connected, &of_all));
    }
    found
}

/// The solution times a factor for each component. None: it does not fit.
fn times(solution: &Solution, connected: &Components, factors: &[BigInt]) -> Option<Scaled> {
    let rows = solution.numerators.iter().zip(&connected.of);
    // Only constants leave a remainder.
    let entry = |x: &BigInt, factor: &BigInt| i64::try_from((x * factor).div_floor(&solution.denominator)).ok();
    let rows = rows.map(|(row, &component)| row.iter().map(|x| entry(x, &factors[component])).collect());
    let largest = factors.iter().max()?;
    let value = |x: &BigInt| i64::try_from((x * largest).div_ceil(&solution.denominator)).ok();
    let values = solution.values.iter().map(|(term, of)| Some((*term, of.iter().map(value).collect::<Option<_>>()?)));
    Some(Scaled { rows: rows.collect::<Option<_>>()?, values: values.collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numerators: &[&[i64]], denominator: i64, of: &[usize]) -> Vec<Vec<Row>> {
        let numerators = numerators.iter().map(|row| row.iter().map(|&x| BigInt::from(x)).collect()).collect();
        let solution = Solution { numerators, denominator: denominator.into(), values: Vec::new() };
        let connected = Components { of: of.to_vec(), count: 1 + of.iter().max().unwrap() };
        scaled(&solution, &connected).into_iter().map(|scaled| scaled.rows).collect()
    }

    #[test]
    fn constants_are_rounded_where_coefficients_are_integers() {
        // t, t + 1/2
        assert_eq!(rows(&[&[0, 2], &[1, 2]], 2, &[0, 0]), [[[0, 1], [0, 1]], [[0, 2], [1, 2]]]);
        assert_eq!(rows(&[&[0, 1], &[3, 1]], 1, &[0, 0]), [[[0, 1], [3, 1]]]);
    }

    #[test]
    fn what_is_connected_has_one_denominator() {
        // i, 3/2 j, and apart from them 2k + 1/3
        let numerators: [&[i64]; 3] = [&[0, 6], &[0, 9], &[2, 12]];
        assert_eq!(rows(&numerators, 6, &[0, 0, 1]), [[[0, 2], [0, 3], [0, 2]], [[0, 2], [0, 3], [1, 6]]]);
        assert_eq!(rows(&numerators, 6, &[0, 0, 0])[0], [[0, 2], [0, 3], [0, 4]]);
    }

    #[test]
    fn what_does_not_fit_is_no_row() {
        let large = vec![BigInt::ZERO, BigInt::from(i64::MAX) * 2];
        let solution = |denominator: i64| Solution {
            numerators: vec![large.clone(), vec![BigInt::ZERO, 1.into()]],
            denominator: denominator.into(),
            values: Vec::new(),
        };
        let connected = Components { of: vec![0, 0], count: 1 };
        assert_eq!(scaled(&solution(2), &connected), []);
        let apart = Components { of: vec![0, 1], count: 2 };
        assert_eq!(scaled(&solution(2), &apart)[0].rows, [[0, i64::MAX], [0, 1]]);
    }

    #[test]
    fn values_are_of_what_is_scaled_and_rounded_up() {
        let numerators = [[0, 2], [1, 3]].map(|row| row.map(BigInt::from).to_vec()).to_vec();
        let values = vec![(Term::BoundConstant, vec![BigInt::from(1)]), (Term::VariableCoefficients, vec![5.into()])];
        let solution = Solution { numerators, denominator: 4.into(), values };
        let found = scaled(&solution, &Components { of: vec![0, 0], count: 1 });
        let expected = vec![(Term::BoundConstant, vec![1]), (Term::VariableCoefficients, vec![5])];
        assert_eq!(found, [Scaled { rows: vec![vec![0, 2], vec![1, 3]], values: expected }]);
    }
}
