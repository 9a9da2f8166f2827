//! Taking a common factor out of a schedule (ppcg report, 7.1).

use crate::schedule::graph::Row;

/// Divides the rows, one a node, by the greatest common divisor of all coefficients but the constants, which are
/// rounded down (81). The order that the remainders of the constants gave is left to be found below: it can be had, but
/// need not.
///
/// A single row stays as it is. So do rows without coefficients. The divisor is what is found.
pub(in crate::schedule) fn unscale(rows: &mut [Row]) -> i64 {
    if rows.len() < 2 {
        return 1;
    }
    let coefficients = rows.iter().flat_map(|row| &row[1..]);
    let divisor = coefficients.fold(0, |divisor, x| crate::schedule::farkas::cone::gcd(divisor, *x));
    if divisor <= 1 {
        return 1;
    }
    for row in rows {
        row[0] = row[0].div_euclid(divisor);
        row[1..].iter_mut().for_each(|x| *x /= divisor);
    }
    divisor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unscaled(rows: &[&[i64]]) -> Vec<Row> {
        let mut rows: Vec<Row> = rows.iter().map(|row| row.to_vec()).collect();
        unscale(&mut rows);
        rows
    }

    #[test]
    fn verdoolaege2017_example_19() {
        // S[t, i, j] -> 2t; T[t, i, j] -> 2t + 1
        assert_eq!(unscaled(&[&[0, 2, 0, 0], &[1, 2, 0, 0]]), [[0, 1, 0, 0], [0, 1, 0, 0]]);
    }

    #[test]
    fn only_what_all_have_in_common_goes() {
        assert_eq!(unscaled(&[&[5, 3, -6], &[-1, 9, 0]]), [[1, 1, -2], [-1, 3, 0]]);
        assert_eq!(unscaled(&[&[4, 2], &[4, 3]]), [[4, 2], [4, 3]]);
        assert_eq!(unscaled(&[&[4, 2]]), [[4, 2]]);
        assert_eq!(unscaled(&[&[4, 0], &[2, 0]]), [[4, 0], [2, 0]]);
    }
}
