//! How well predictions rank what was measured.

/// Spearman's rank correlation of pairs, from -1 to 1: how far the first numbers order the pairs as the second ones do.
/// Of equals each has the mean of their ranks. `None` for fewer than two pairs, or where all numbers of a side are the same.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let first = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let second = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let mean = (pairs.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| (x - mean) * (y - mean)).sum() };
    let scale = (product(&first, &first) * product(&second, &second)).sqrt();
    (scale > 0.0).then(|| product(&first, &second) / scale)
}

/// The ranks of numbers, from 1 on.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let below = |limit: f64| numbers.iter().filter(|one| **one < limit).count() as f64;
    let equal = |number: f64| numbers.iter().filter(|one| **one == number).count() as f64;
    numbers.iter().map(|one| below(*one) + (equal(*one) + 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::{ranks, spearman};

    #[test]
    fn ranks_of_equals_are_their_mean() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn only_the_order_counts() {
        assert_eq!(spearman(&[(1.0, 10.0), (2.0, 100.0), (9.0, 101.0)]), Some(1.0));
        assert_eq!(spearman(&[(1.0, 3.0), (2.0, 2.0), (3.0, -7.0)]), Some(-1.0));
        // By hand: 1 - 6 * (1 + 1 + 0 + 0) / (4 * 15).
        let some = spearman(&[(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (4.0, 4.0)]).unwrap();
        assert!((some - 0.8).abs() < 1e-12, "{some}");
        assert_eq!(spearman(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(spearman(&[(1.0, 1.0)]), None);
    }
}
