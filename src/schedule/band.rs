//! One permutable band (ppcg report, sections 6.5.3, 6.5.4 and 6.5.8).

use super::components::Components;
use super::conditions;
use super::error::Result;
use super::explain::{BandEnd, Event, Observer, names};
use super::graph::Graph;
use super::lp::{Member, Problem};
use super::strategy::Strategy;
use crate::ilp::Budget;

/// What the parts of the scheduler share.
pub struct Context<'a> {
    /// The aims.
    pub strategy: &'a Strategy,
    /// Pivots left.
    pub budget: &'a mut Budget,
    /// Who is told of decisions.
    pub observer: Observer<'a>,
}

/// Makes conditions local after a member was found, as [`conditions::make_local`] does.
pub type MakeLocal<'a> = &'a mut dyn FnMut(&mut Graph) -> Result<Vec<(String, String)>>;

/// Computes the members of a band, as many as there are: appends them to the rows of the graph's nodes.
///
/// The graph is any whose `target` is set ([`Graph::set_target`]), with its strongly connected components. Members are coincident
/// as long as possible; with [`Strategy::outer_coincidence`] there is no member at all when the first cannot be coincident. When
/// a member violates a conditioned constraint next to a condition whose ends are apart, those conditions become local
/// for the whole band, which is computed anew.
pub fn compute(graph: &mut Graph, components: &Components, context: &mut Context) -> Result<BandEnd> {
    compute_judged(graph, components, context, &mut conditions::make_local)
}

/// The same, where something else than [`conditions::make_local`] tells after each member which conditions have to be local.
pub fn compute_judged(
    graph: &mut Graph,
    components: &Components,
    context: &mut Context,
    make_local: MakeLocal,
) -> Result<BandEnd> {
    for edge in &mut graph.edges {
        edge.local = false;
    }
    let conditional =
        graph.edges.iter().any(|edge| edge.kinds.condition) && graph.edges.iter().any(|edge| edge.kinds.conditioned);
    let strategy = context.strategy;
    let any_coincidence = strategy.prefer_coincidence && graph.edges.iter().any(|edge| edge.kinds.coincidence);
    let mut coincidence = any_coincidence;
    let mut problem = None;
    while !graph.is_complete() {
        let problem_now = match &mut problem {
            Some(problem) => problem,
            None => problem.insert(Problem::new(graph, components, strategy, coincidence)?),
        };
        match problem_now.solve(graph, components, strategy, context.budget)? {
            Member::Found(rows) => {
                graph.push_rows(rows, !any_coincidence || coincidence)?;
                if !strategy.prefer_coincidence {
                    conditions::mark_coincident(graph)?;
                }
            }
            Member::None(_) if coincidence && (!strategy.outer_coincidence || !graph.band_is_empty()) => {
                let members = graph.rows() - graph.band_start;
                (context.observer)(Event::CoincidenceGivenUp { statements: names(graph), members });
                coincidence = false;
                problem = None;
                continue;
            }
            Member::None(end) => return Ok(end),
        }
        if !conditional {
            continue;
        }
        let local = make_local(graph)?;
        if !local.is_empty() {
            (context.observer)(Event::BandRestarted { statements: names(graph), local });
            graph.reset_band()?;
            coincidence = any_coincidence;
            problem = None;
        }
    }
    Ok(BandEnd::Complete)
}
