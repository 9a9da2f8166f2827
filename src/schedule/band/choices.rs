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
