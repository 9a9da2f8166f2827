//! Members that combine several directions into one (ppcg report, 7.5).
//!
//! The prevention of 7.5.3 is [`crate::schedule::graph::sizes::limits`], the bounds on differences that are left out
//! (7.5.5) are in [`crate::schedule::farkas`]. Here is what is left of 7.5.5 and the detection of 7.5.4.

use crate::schedule::farkas::cone::Cone;
use num_bigint::BigInt;

/// The direction `j` whose coefficient makes the coefficients coalesce (105): `|c_i| > ⌈S_j / 2⌉ |c_j|` for some `i`,
/// with `c_j` not zero and `S_j` the size in that direction. The first one, `None` if there is none.
pub(in crate::schedule) fn coalesced(coefficients: &[BigInt], sizes: &[Option<i64>]) -> Option<usize> {
    let largest = |j: usize| {
        let others = coefficients.iter().enumerate().filter(|(i, _)| *i != j);
        others.map(|(_, c)| c.magnitude()).max()
    };
    (0..coefficients.len().min(sizes.len())).find(|&j| {
        let (Some(size), Some(largest)) = (sizes[j], largest(j)) else { return false };
        let half = BigInt::from(size / 2 + size % 2);
        let own = coefficients[j].magnitude();
        *own != 0u32.into() && *largest > half.magnitude() * own
    })
}

/// Adds lines to a cone; those that are zero in all other coordinates say that the coefficient there is zero.
pub(in crate::schedule) fn with_lines(hull: Cone, lines: &[Vec<i64>]) -> Cone {
    let mut hull = hull;
    hull.lines.extend_from_slice(lines);
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(coefficients: &[i64], sizes: &[Option<i64>]) -> Option<usize> {
        coalesced(&coefficients.iter().map(|&c| BigInt::from(c)).collect::<Vec<_>>(), sizes)
    }

    #[test]
    fn verdoolaege2017_example_30_coalescing_is_seen() {
        let sizes = [Some(9999), Some(9999)];
        assert_eq!(of(&[10000, 1], &sizes), Some(1));
        assert_eq!(of(&[-10000, 1], &sizes), Some(1));
        assert_eq!(of(&[1, 0], &sizes), None);
        // Near coalescing counts, half the size does not (93).
        assert_eq!(of(&[5001, 1], &sizes), Some(1));
        assert_eq!(of(&[5000, 1], &sizes), None);
        assert_eq!(of(&[5000, 1], &[Some(9999), None]), None);
        assert_eq!(of(&[7], &[Some(2)]), None);
        assert_eq!(of(&[1, 2, 0], &[Some(1), Some(9), Some(9)]), Some(0));
    }
}
