//! Affine forms that are non-negative on a relation (ppcg report, section 6.3).

/// The coefficients of the affine forms that are non-negative on a set of points: exactly the vectors `c` over
/// `[constant, parameters.., in.., out..]` with `row · c = 0` for all rows of `equalities` and `row · c ≥ 0` for all rows of
/// `inequalities`. On a set of differences there are no `out` entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coefficients {
    /// The number of parameters.
    pub n_param: usize,
    /// The number of variables of the first tuple, or of the difference.
    pub n_in: usize,
    /// The number of variables of the second tuple; none for differences.
    pub n_out: usize,
    /// Rows that are zero.
    pub equalities: Vec<Vec<i64>>,
    /// Rows that are not negative.
    pub inequalities: Vec<Vec<i64>>,
}
