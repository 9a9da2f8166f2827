//! What a strategy with [`super::Algorithm::Decoupled`] may say: one problem, for all members, that has no choices beyond
//! those of loops.

use super::aims::{Fusion, Strategy};
use super::formulation::{Independence, Signs, Term};
use super::step::{Coincident, Otherwise};

/// The part of a file that something is wrong with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// `fusion`
    Fusion,
    /// `constraints`, of all members.
    Constraints,
    /// `steps`
    Steps,
    /// The problem.
    Problem,
}

/// Gives choices that nothing comes of the values that they have where nobody speaks of them.
///
/// # Errors
/// Where something is said that does not go with the algorithm, and what.
pub(super) fn settle(strategy: &mut Strategy) -> Result<(), (Place, String)> {
    let wrong = |place: Place, what: &str| Err((place, format!("with algorithm \"decoupled\" {what}")));
    if strategy.fusion == Fusion::Incremental {
        return wrong(Place::Fusion, "components get loops together: fusion is \"smart\", \"max\" or \"none\"");
    }
    let [step] = &strategy.steps[..] else {
        return wrong(Place::Steps, "there is one step: all members are found by one problem");
    };
    let is_plain = step.when.is_empty() && step.keep.is_none() && !step.ends_band;
    if !is_plain || step.coincident != Coincident::None || step.otherwise != Otherwise::Relax {
        return wrong(Place::Steps, "the step has a problem and coincident = \"none\", and nothing else");
    }
    let problem = &mut strategy.problems[step.problem];
    if problem.is_near_by_groups() {
        return wrong(Place::Problem, "no problem has distances of groups or uncarried-spatial, which need integers");
    }
    if problem.minimizes(Term::WeightedDistances) {
        return wrong(Place::Problem, "there is one bound for all pairs: no weighted-distances");
    }
    let without = "loops are chosen by conflicts: no constraints, and no vectorize";
    if !strategy.constraints.is_empty() {
        return wrong(Place::Constraints, without);
    }
    if !problem.constraints.is_empty() || !problem.vectorize.is_empty() {
        return wrong(Place::Problem, without);
    }
    if problem.signs == Signs::Any {
        return wrong(Place::Problem, "signs are \"non-negative\": loops run forwards");
    }
    problem.independence = Independence::Forms;
    Ok(())
}
