//! What makes a member what it is: constraints between instances and choices of the strategy, a few that alone leave the step that
//! found it nothing better, and none of which can be left out of these. Where it found none, they alone are in the way.
//!
//! They are found by leaving out one after the other for good if nothing better is found without it, choices first: so a choice is
//! named where the member would be better without it, all else as it is. Of two that ask for the same the second one is
//! named. Searches that are cut short, or look at some cases only, may make one seem needed that is not, or the other way
//! round.

use crate::isl::Ctx;
use crate::schedule::band::choices::Choice;
use crate::schedule::band::proximity::PART;
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::Bound;
use crate::schedule::graph::{Edge, Graph, Kinds};
use crate::schedule::strategy::{Formulation, Strategy};
use crate::schedule::work::within;

/// So many constraints are looked at.
const MOST: usize = 200;

/// What a search is about.
#[derive(Debug, Clone)]
pub struct Question {
    /// Statements and constraints.
    pub graph: Graph,
    /// The aims.
    pub strategy: Strategy,
    /// The edges whose pairs a step has together.
    pub together: Vec<bool>,
}

/// What can be left out of a question.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Choices of the strategy.
    pub choices: Vec<Choice>,
    /// The position of the problem that they are about, if there is one.
    pub problem: Option<usize>,
    /// What each edge asks, in words; nothing where it asks nothing.
    pub edges: Vec<Vec<&'static str>>,
}

/// Whether a search finds something better than what is known.
type HasBetter<'s> = &'s mut dyn FnMut(&Question) -> Result<bool>;

/// What binds what is known, with the names of nodes, each once. Half of the work that is left may go into that: what
/// is not looked at by then is not named.
///
/// # Errors
/// Those of the search, but not that a part of the work was not enough.
pub fn binding(
    question: Question,
    parts: Parts,
    name: impl Fn(usize) -> String,
    ctx: &Ctx,
    has_better: HasBetter,
) -> Result<Vec<Bound>> {
    let half = ctx.remaining() / 2;
    let mut is_needed = |question: &Question| match within(ctx, PART, || has_better(question)) {
        Ok(better) => Ok(better.unwrap_or(true)),
        Err(Error::Overflow) => Ok(true),
        Err(error) => Err(error),
    };
    let mut left = question;
    let mut bounds = Vec::new();
    for choice in parts.choices {
        if ctx.remaining() < half {
            return Ok(bounds);
        }
        let mut without = left.clone();
        choice.leave_out(&mut without.strategy, parts.problem, &mut without.graph)?;
        match is_needed(&without)? {
            true => add(&mut bounds, choice.named(&left.strategy, parts.problem)),
            false => left = without,
        }
    }
    for (index, kinds) in parts.edges.into_iter().enumerate().take(MOST) {
        if kinds.is_empty() || ctx.remaining() < half {
            continue;
        }
        let edge = left.graph.edges[index].clone();
        let asked = std::mem::replace(&mut left.together[index], false);
        left.graph.edges[index] = Edge { kinds: Kinds::default(), local: false, proximity: Vec::new(), ..edge.clone() };
        if is_needed(&left)? {
            add(&mut bounds, Bound::between(name(edge.source), name(edge.target), kinds));
            (left.graph.edges[index], left.together[index]) = (edge, asked);
        }
    }
    Ok(bounds)
}

fn add(bounds: &mut Vec<Bound>, bound: Bound) {
    if !bounds.contains(&bound) {
        bounds.push(bound);
    }
}

/// What an edge asks of the members of a band, in words.
pub fn kinds(edge: &Edge, together: bool, formulation: &Formulation) -> Vec<&'static str> {
    let asked = [
        (edge.kinds.validity, "validity"),
        (together, "coincidence"),
        (edge.local, "live range"),
        (edge.is_near(formulation), "proximity"),
        (edge.kinds.spatial, "spatial proximity"),
    ];
    asked.into_iter().filter(|(asks, _)| *asks).map(|(_, word)| word).collect()
}
