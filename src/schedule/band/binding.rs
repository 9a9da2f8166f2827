//! Which constraints make a member what it is: a few that alone leave the step that found it nothing better, and none of which can be
//! left out of these. Where it found none, they alone are in the way.
//!
//! They are found by leaving out one constraint after the other for good if nothing better is found without it. So of two that
//! ask for the same the second one is named. Searches that are cut short, or look at some cases only, may make one seem needed that
//! is not, or the other way round.

use crate::isl::Ctx;
use crate::schedule::band::lp::{Found, Member};
use crate::schedule::band::proximity::PART;
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::Bound;
use crate::schedule::graph::{Edge, Graph, Kinds};
use crate::schedule::strategy::Formulation;
use crate::schedule::work::within;

/// So many constraints are looked at.
const MOST: usize = 200;

/// Finds a member for a graph, of which the pairs of the edges with a flag have to be together.
type Search<'s> = &'s mut dyn FnMut(&Graph, &[bool]) -> Result<Member>;

/// The edges that bind what a search for a problem's solution found, with what they ask, in words. Half of the work that is left may go into that: what
/// is not looked at by then is not named.
///
/// # Errors
/// Those of the search, but not that a part of the work was not enough.
pub fn binding(
    graph: &Graph,
    together: &[bool],
    (formulation, found): (&Formulation, &Member),
    ctx: &Ctx,
    search: Search,
) -> Result<Vec<(usize, Vec<&'static str>)>> {
    let half = ctx.remaining() / 2;
    let (mut left, mut together) = (graph.clone(), together.to_vec());
    let mut bounds = Vec::new();
    for (index, edge) in graph.edges.iter().enumerate().take(MOST) {
        let kinds = kinds(edge, together[index], formulation);
        if kinds.is_empty() || ctx.remaining() < half {
            continue;
        }
        let asked = std::mem::replace(&mut together[index], false);
        left.edges[index] = Edge { kinds: Kinds::default(), local: false, proximity: Vec::new(), ..edge.clone() };
        let is_needed = match within(ctx, PART, || search(&left, &together)) {
            Ok(Some(member)) => is_better(&member, found),
            Ok(None) | Err(Error::Overflow) => true,
            Err(error) => return Err(error),
        };
        if is_needed {
            (left.edges[index], together[index]) = (edge.clone(), asked);
            bounds.push((index, kinds));
        }
    }
    Ok(bounds)
}

/// What was found, with the names of nodes, each once.
pub fn named(graph: &Graph, found: Vec<(usize, Vec<&'static str>)>, name: impl Fn(usize) -> String) -> Vec<Bound> {
    let mut bounds: Vec<Bound> = Vec::new();
    for (edge, kinds) in found {
        let edge = &graph.edges[edge];
        let bound = Bound { source: name(edge.source), target: name(edge.target), kinds };
        if !bounds.contains(&bound) {
            bounds.push(bound);
        }
    }
    bounds
}

/// What an edge asks of members here, in words.
fn kinds(edge: &Edge, together: bool, formulation: &Formulation) -> Vec<&'static str> {
    let asked = [
        (edge.kinds.validity, "validity"),
        (together, "coincidence"),
        (edge.local, "live range"),
        (edge.is_near(formulation), "proximity"),
        (edge.kinds.spatial, "spatial proximity"),
    ];
    asked.into_iter().filter(|(asks, _)| *asks).map(|(_, word)| word).collect()
}

fn is_better(without: &Member, with: &Member) -> bool {
    let sizes = |found: &Found| -> Vec<i64> { found.values.iter().flat_map(|(_, values)| values.clone()).collect() };
    match (without, with) {
        (Member::Found(without), Member::Found(with)) => sizes(without) < sizes(with),
        (Member::Found(_), Member::None(_)) => true,
        (Member::None(_), _) => false,
    }
}
