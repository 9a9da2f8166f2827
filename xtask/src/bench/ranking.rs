//! How well the cost model ranks what was measured.
//!
//! Each rewritten region says by how much its code is expected to be faster (`predicted=6.1x`); what is left as it is
//! counts as 1. The prediction of a program is the geometric mean over its regions, since how long each takes is not
//! known. Two things are compared by pairs, of those whose measured times differ by more than a tenth: the
//! configurations of each kernel, which is what the model chooses by, and the kernels of each configuration.

use super::results::Row;

/// Pairs of measurements, by whether their predictions are in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranking {
    /// In the same order.
    pub right: usize,
    /// In the opposite order.
    pub wrong: usize,
    /// With equal predictions.
    pub open: usize,
}

impl Ranking {
    /// Compares all pairs of `(predicted, measured)` speedups.
    fn of(points: &[(f64, f64)]) -> Self {
        let mut ranking = Self::default();
        for (index, one) in points.iter().enumerate() {
            for other in &points[index + 1..] {
                let measured = one.1 / other.1;
                if (0.9..=1.0 / 0.9).contains(&measured) {
                    continue;
                }
                let predicted = one.0 / other.0;
                if (0.99..=1.0 / 0.99).contains(&predicted) {
                    ranking.open += 1;
                } else if (predicted > 1.0) == (measured > 1.0) {
                    ranking.right += 1;
                } else {
                    ranking.wrong += 1;
                }
            }
        }
        ranking
    }

    fn add(self, other: Self) -> Self {
        Self { right: self.right + other.right, wrong: self.wrong + other.wrong, open: self.open + other.open }
    }
}

impl std::fmt::Display for Ranking {
    /// `12 of 20 pairs right, 5 wrong, 3 predicted equal`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { right, wrong, open } = self;
        write!(f, "{right} of {} pairs right, {wrong} wrong, {open} predicted equal", right + wrong + open)
    }
}

/// The predicted speedup of a program, from what the plugin said about its regions; none if it said nothing.
pub fn predicted(said: &str) -> Option<f64> {
    let mut logarithms = Vec::new();
    for remark in said.lines().filter(|line| line.contains("remark:") && line.contains("scop:")) {
        let value = remark.split_once("predicted=").and_then(|(_, rest)| rest.split_once('x')?.0.parse::<f64>().ok());
        match value {
            Some(value) if value > 0.0 => logarithms.push(value.ln()),
            None if remark.contains("left as it is") => logarithms.push(0.0),
            _ => {}
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a handful of regions")]
    let count = logarithms.len() as f64;
    (count > 0.0).then(|| (logarithms.iter().sum::<f64>() / count).exp())
}

/// The configurations of each kernel, over all kernels.
pub fn among_configurations(rows: &[Row], base: &str) -> Ranking {
    let of_row = |row: &Row| {
        let points = row.predicted.iter().filter_map(|(config, value)| Some((*value, row.ratio(config, base)?)));
        Ranking::of(&points.collect::<Vec<_>>())
    };
    rows.iter().map(of_row).fold(Ranking::default(), Ranking::add)
}

/// The kernels of a configuration.
pub fn among_kernels(rows: &[Row], config: &str, base: &str) -> Ranking {
    let point = |row: &Row| {
        let value = row.predicted.iter().find(|(name, _)| *name == config)?.1;
        Some((value, row.ratio(config, base)?))
    };
    Ranking::of(&rows.iter().filter_map(point).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_a_program_have_a_mean() {
        let said = "x.c:1:1: remark: scop: f: 1 statement; bands=1 predicted=8.0x [-Rpass]\n\
                    x.c:9:1: remark: scop: g: 1 statement; bands=1; left as it is: the best code found is the original\n\
                    x.c:9:1: remark: scop: h: 1 statement; predicted=1.0x guard=1\n";
        assert!((predicted(said).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(predicted("x.c:1:1: remark: refused: a call"), None);
    }

    #[test]
    fn pairs_that_were_measured_alike_do_not_count() {
        let points = [(4.0, 2.0), (2.0, 1.0), (8.0, 1.05), (4.0, 1.0)];
        // The second to the fourth are within a tenth of each other.
        assert_eq!(Ranking::of(&points), Ranking { right: 1, wrong: 1, open: 1 });
        assert_eq!(Ranking::of(&points).to_string(), "1 of 3 pairs right, 1 wrong, 1 predicted equal");
    }

    #[test]
    fn kernels_and_configurations_are_looked_at_apart() {
        let row = |kernel: &str, times: [f64; 2], predicted: [f64; 2]| Row {
            kernel: kernel.into(),
            seconds: vec![("clang", 4.0), ("default", times[0]), ("isl", times[1])],
            predicted: vec![("default", predicted[0]), ("isl", predicted[1])],
            ..Row::default()
        };
        let rows = [row("a", [1.0, 2.0], [4.0, 2.0]), row("b", [2.0, 1.0], [8.0, 2.0])];
        assert_eq!(among_configurations(&rows, "clang"), Ranking { right: 1, wrong: 1, open: 0 });
        assert_eq!(among_kernels(&rows, "default", "clang"), Ranking { right: 0, wrong: 1, open: 0 });
        assert_eq!(among_kernels(&rows, "isl", "clang"), Ranking { right: 0, wrong: 0, open: 1 });
    }
}
