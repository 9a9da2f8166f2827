//! How much loops should be inside of others, so that what is left to the innermost ones walks along rows, or with short
//! strides (PolyTOPS, Consolaro et al. 2024, "contiguity").

use crate::schedule::strategy::Term;

/// References that count together.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'r> {
    /// How often: their number times their weight.
    pub times: i64,
    /// The variables that go from element to element along rows.
    pub along_rows: &'r [bool],
    /// For each variable, the last subscript that it is in, counted from 1; zero: it is in none.
    pub last_subscript: &'r [i64],
}

/// What the coefficients of a node's variables count for. Sums that do not fit are the largest number that does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contiguity {
    /// For each variable, how many references walk along rows with it; nothing without references.
    along_rows: Vec<i64>,
    /// For each variable, the sum over all references of the last subscripts that it is in; nothing without references.
    strides: Vec<i64>,
}

impl Contiguity {
    /// Of a statement with these references.
    pub fn of(references: &[Counted], variables: usize) -> Contiguity {
        if references.is_empty() {
            return Contiguity::default();
        }
        let sum = |count: &dyn Fn(&Counted, usize) -> i64| {
            let add = |sum: i64, one: &Counted, variable: usize| {
                sum.saturating_add(one.times.saturating_mul(count(one, variable)))
            };
            (0..variables).map(|variable| references.iter().fold(0, |sum, one| add(sum, one, variable))).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(contiguity: &Contiguity, term: Term) -> Vec<i64> {
        (0..2).map(|variable| contiguity.count(term, variable)).collect()
    }

    #[test]
    fn references_count_by_subscripts_and_weights() {
        // Two of A[i, j], one of B[j], which counts ten times, one of C[j, i], which does not count.
        let all = [
            Counted { times: 2, along_rows: &[false, true], last_subscript: &[1, 2] },
            Counted { times: 10, along_rows: &[false, true], last_subscript: &[0, 1] },
            Counted { times: 0, along_rows: &[true, false], last_subscript: &[2, 1] },
        ];
        let of = Contiguity::of(&all, 2);
        assert_eq!(counts(&of, Term::RowCoefficients), [0, 12]);
        assert_eq!(counts(&of, Term::StrideCoefficients), [2, 14]);
        assert_eq!(counts(&of, Term::VariableCoefficients), [1, 1]);
        assert_eq!(counts(&Contiguity::of(&[], 2), Term::StrideCoefficients), [0, 0]);
        let much = Contiguity::of(&[Counted { times: i64::MAX, ..all[1] }, all[0]], 2);
        assert_eq!(counts(&much, Term::StrideCoefficients), [2, i64::MAX], "what does not fit");
    }

    #[test]
    fn members_of_clusters_count_as_their_statements_do() {
        let of_one = [Counted { times: 1, along_rows: &[false, true], last_subscript: &[1, 2] }];
        let (one, other) = (Contiguity::of(&of_one, 2), Contiguity::default());
        // i and j + 2i, beside a statement without references.
        let rows: [&[i64]; 2] = [&[1, 0], &[-2, 1]];
        let of = Contiguity::composed([(&one, rows.to_vec()), (&other, rows.to_vec())].into_iter(), 2);
        assert_eq!(counts(&of, Term::StrideCoefficients), [1, 4]);
        assert_eq!(counts(&of, Term::RowCoefficients), [0, 1]);
    }
}
