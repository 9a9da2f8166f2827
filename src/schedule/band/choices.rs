//! The choices of a strategy that can make a member what it is: constraints on coefficients, and bounds on them.

use crate::schedule::error::Result;
use crate::schedule::explain::Bound;
use crate::schedule::graph::sizes::limits;
use crate::schedule::graph::{Graph, Statement};
use crate::schedule::strategy::{Formulation, Linear, Signs, Strategy};
use std::rc::Rc;

/// A choice that can be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Constraints of this text.
    Constraint(String),
    /// The loop of this statement is left to vectors.
    Vectorize(String),
    /// Coefficients have a largest size.
    MaxCoefficient,
    /// Constants have one.
    MaxConstant,
    /// Loops are not skewed.
    Skew,
    /// Rows have no parameters.
    Parametric,
    /// Coefficients are not negative.
    Signs,
}

/// The constraints of all members.
pub fn of_all_members(strategy: &Strategy) -> Vec<Choice> {
    of(&strategy.constraints)
}

/// Those, and what else bears upon the members of a problem, by its position.
pub fn of_problem(strategy: &Strategy, problem: usize) -> Vec<Choice> {
    let Formulation { constraints, vectorize, skew, parametric, signs, .. } = &strategy.problems[problem];
    let mut choices = of_all_members(strategy);
    choices.extend(of(constraints));
    choices.extend(vectorize.keys().cloned().map(Choice::Vectorize));
    let others = [
        (strategy.max_coefficient.is_some(), Choice::MaxCoefficient),
        (strategy.max_constant.is_some(), Choice::MaxConstant),
        (!skew, Choice::Skew),
        (!parametric, Choice::Parametric),
        (*signs == Signs::NonNegative, Choice::Signs),
    ];
    choices.extend(others.into_iter().filter_map(|(is_made, choice)| is_made.then_some(choice)));
    choices
}

fn of(constraints: &[Linear]) -> Vec<Choice> {
    constraints.iter().map(|linear| Choice::Constraint(linear.to_string())).collect()
}

impl Choice {
    /// Takes the choice back, in a strategy's problem if there is one, and in what statements of a graph know of it.
    ///
    /// # Errors
    /// [`crate::schedule::Error::Overflow`].
    pub fn leave_out(&self, strategy: &mut Strategy, problem: Option<usize>, graph: &mut Graph) -> Result<()> {
        let is_other = |linear: &Linear| !matches!(self, Choice::Constraint(text) if *text == linear.text);
        strategy.constraints.retain(is_other);
        match self {
            Choice::MaxConstant => strategy.max_constant = None,
            Choice::MaxCoefficient => {
                strategy.max_coefficient = None;
                for node in &mut graph.nodes {
                    let Statement { sizes, variables, .. } = &*node.statement;
                    let limits = limits(sizes, *variables, None)?;
                    node.statement = Rc::new(Statement { limits, ..(*node.statement).clone() });
                }
            }
            _ => {}
        }
        let Some(problem) = problem.and_then(|problem| strategy.problems.get_mut(problem)) else { return Ok(()) };
        match self {
            Choice::Constraint(_) => problem.constraints.retain(is_other),
            Choice::Vectorize(statement) => {
                problem.vectorize.remove(statement);
            }
            Choice::Skew => problem.skew = true,
            Choice::Parametric => problem.parametric = true,
            Choice::Signs => problem.signs = Signs::Any,
            Choice::MaxCoefficient | Choice::MaxConstant => {}
        }
        Ok(())
    }

    /// As files of strategies say it.
    pub fn named(&self, strategy: &Strategy, problem: Option<usize>) -> Bound {
        let bound = |most: Option<i64>| most.map_or_else(|| "\"none\"".to_owned(), |most| most.to_string());
        let choice = match self {
            Choice::Constraint(text) => return Bound::Constraint { constraint: text.clone() },
            Choice::Vectorize(statement) => {
                let of = problem.and_then(|problem| strategy.problems.get(problem)?.vectorize.get(statement));
                format!("vectorize = {{ {statement} = \"{}\" }}", of.map_or("", String::as_str))
            }
            Choice::MaxCoefficient => format!("max-coefficient = {}", bound(strategy.max_coefficient)),
            Choice::MaxConstant => format!("max-constant = {}", bound(strategy.max_constant)),
            Choice::Skew => "skew = false".to_owned(),
            Choice::Parametric => "parametric = false".to_owned(),
            Choice::Signs => "signs = \"non-negative\"".to_owned(),
        };
        Bound::Choice { choice }
    }
}

#[cfg(test)]
mod tests {
    use crate::isl::{Ctx, ScheduleConstraints};
    use crate::machine::Machine;
    use crate::schedule::{Event, Strategy, schedule_explained};

    /// What makes the members of a band so, each by its own line, with what is in the way of others.
    fn bounds(constraints: &str, text: &str) -> Vec<String> {
        let ctx = Ctx::new();
        let constraints = ScheduleConstraints::parse(&ctx, constraints).unwrap();
        let strategy = Strategy::parse(text, &Machine::generic()).unwrap();
        let mut found = Vec::new();
        let mut observer = |event: Event| match event {
            Event::Member { origin, .. } => found.push(origin.bound_by),
            Event::NoMember { bound_by, .. } => found.push(bound_by),
            _ => {}
        };
        // Some have no schedule.
        let _ = schedule_explained(&constraints, &[], &strategy, &mut observer);
        let line = |bounds: &Vec<super::Bound>| bounds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        found.iter().map(line).collect()
    }

    /// A stencil in one dimension.
    const STENCIL: &str = "domain: [n] -> { S[t, i] : 0 <= t, i < n }\n\
        validity: [n] -> { S[t, i] -> S[t + 1, j] : 0 <= t < n - 1 and 0 <= i, j < n and i - 1 <= j <= i + 1 }\n\
        proximity: [n] -> { S[t, i] -> S[t + 1, j] : 0 <= t < n - 1 and 0 <= i, j < n and i - 1 <= j <= i + 1 }";

    #[test]
    fn each_choice_is_named_where_it_binds() {
        let order = "S to S (validity, proximity)";
        let with = |text: &str| bounds(STENCIL, &format!("preset = \"isl-defaults\"\n{text}"));
        assert_eq!(with(""), ["", order].map(|_| order));
        let [first, second] = &with("constraints = [\"S.t >= 2\", \"S.i <= 5\"]")[..] else { panic!() };
        assert!(
            [first, second].iter().all(|one| **one == format!("constraint \"S.t >= 2\", {order}")),
            "{first}, {second}"
        );
        assert_eq!(
            with("[problems.distances]\nconstraints = [\"S.t>=2\"]")[0],
            format!("constraint \"S.t>=2\", {order}")
        );
        // Without skewing only time is left, and that is a constraint's doing, and the order's.
        assert_eq!(with("[problems.distances]\nskew = false")[1], format!("skew = false, {order}"));
        assert_eq!(with("constraints = [\"S.i = 0\"]")[1], "constraint \"S.i = 0\"");
        assert_eq!(with("max-coefficient = 0")[0], "max-coefficient = 0");
        assert_eq!(
            with("[problems.distances]\nvectorize = { S = \"t\" }")[0],
            format!("vectorize = {{ S = \"t\" }}, {order}")
        );
    }

    #[test]
    fn constants_parameters_and_signs_are_named_where_they_bind() {
        let nest = |order: &str| {
            format!(
                "domain: [n] -> {{ S[i] : 0 <= i < n; T[i] : 0 <= i < n }}\nvalidity: [n] -> {{ {order} }}\n\
                 proximity: [n] -> {{ {order} }}"
            )
        };
        let with = |order: &str, text: &str| bounds(&nest(order), &format!("fusion = \"max\"\n{text}"));
        let shifted = "S[i] -> T[i - 3] : 3 <= i < n";
        assert!(with(shifted, "max-constant = 2")[0].starts_with("max-constant = 2, "));
        assert!(!with(shifted, "max-constant = 3")[0].contains("max-constant"));
        let reversed = "S[i] -> T[n - 1 - i] : 0 <= i < n";
        let negative = "preset = \"isl-defaults\"\nfusion = \"max\"\n[problems.distances]\nsigns = \"non-negative\"";
        assert!(bounds(&nest(reversed), negative)[0].starts_with("signs = \"non-negative\", "));
        let free = "preset = \"isl-defaults\"\nfusion = \"max\"\n[problems.distances]\n\
            minimize = [\"bound-sum\", \"bound-constant\", \"variable-coefficients\"]\nparametric = false";
        assert!(bounds(&nest(reversed), free)[0].contains("parametric = false"));
    }
}
