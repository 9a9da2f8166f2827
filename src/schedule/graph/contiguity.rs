//! How much loops should be inside of others, so that what is left to the innermost ones walks along rows, or with short
//! strides (PolyTOPS, Consolaro et al. 2024, "contiguity").

use crate::schedule::graph::References;
use crate::schedule::strategy::Term;

/// What the coefficients of a node's variables count for. Sums that do not fit are the largest number that does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contiguity {
    /// For each variable, how many references walk along rows with it; nothing without references.
    along_rows: Vec<i64>,
    /// For each variable, the sum over all references of the last subscripts that it is in; nothing without references.
    strides: Vec<i64>,
}

impl Contiguity {
    /// Of a statement.
    pub fn of(references: &[References], variables: usize) -> Contiguity {
        if references.is_empty() {
            return Contiguity::default();
        }
        let sum = |count: &dyn Fn(&References, usize) -> i64| {
            let times =
                |one: &References| i64::try_from(one.multiplicity).unwrap_or(i64::MAX).saturating_mul(one.weight);
            let of = |variable: usize| {
                references
                    .iter()
                    .fold(0, |sum: i64, one| sum.saturating_add(times(one).saturating_mul(count(one, variable))))
            };
            (0..variables).map(of).collect()
        };
        Contiguity {
            along_rows: sum(&|one, variable| i64::from(one.along_rows[variable])),
            strides: sum(&|one, variable| one.last_subscript[variable]),
        }
    }

    /// Of what stands for statements whose rows are its variables, given the linear parts of these: what the coefficients
    /// of the statements come to at most.
    pub fn composed<'s>(
        statements: impl Iterator<Item = (&'s Contiguity, Vec<&'s [i64]>)>,
        variables: usize,
    ) -> Contiguity {
        let mut composed = Contiguity::default();
        for (contiguity, rows) in statements {
            for (sums, of) in
                [(&mut composed.along_rows, &contiguity.along_rows), (&mut composed.strides, &contiguity.strides)]
            {
                if of.is_empty() {
                    continue;
                }
                sums.resize(variables, 0);
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    let terms = row.iter().zip(of).map(|(x, count)| x.saturating_abs().saturating_mul(*count));
                    *sum = terms.fold(*sum, i64::saturating_add);
                }
            }
        }
        composed
    }

    /// What a variable's coefficient counts for in a term: once, or as the references say.
    pub fn count(&self, term: Term, variable: usize) -> i64 {
        let of = match term {
            Term::RowCoefficients => &self.along_rows,
            Term::StrideCoefficients => &self.strides,
            _ => return 1,
        };
        of.get(variable).copied().unwrap_or(0)
    }
}
