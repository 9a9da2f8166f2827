//! One permutable band (ppcg report, sections 6.5.3, 6.5.4 and 6.5.8; unified report, section 4.7).
//!
//! | file | what |
//! |---|---|
//! | `lp.rs` | the integer problem of the next member (6.5.5) |
//! | `conditions.rs` | conditional validity (4.2, 6.5.4) |
//! | `proximity.rs` | as few proximity relations carried as possible (unified report, 4.4, 4.5) |
//! | `spatial.rs` | as many spatial ones carried as possible (unified report, 4.6) |

pub(in crate::schedule) mod conditions;
pub(in crate::schedule) mod lp;
pub(in crate::schedule) mod proximity;
pub(in crate::schedule) mod spatial;

use crate::isl::Ctx;
use crate::schedule::band::lp::{Member, Problem};
use crate::schedule::error::Result;
use crate::schedule::explain::{BandEnd, Event, Observer, Rule, names};
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Edge, Graph};
use crate::schedule::strategy::{Cost, Strategy};
use std::collections::BTreeMap;

/// What the parts of the scheduler share.
pub struct Context<'a> {
    /// The aims.
    pub strategy: &'a Strategy,
    /// Where the work is counted.
    pub ctx: &'a Ctx,
    /// Who is told of decisions.
    pub observer: Observer<'a>,
}

/// What the members of a band mean for the statements that they schedule.
pub trait Statements {
    /// Looks at the last member, and makes conditions local as [`conditions::make_local`] does.
    fn make_local(&mut self, graph: &mut Graph) -> Result<Vec<(String, String)>>;
    /// Marks the last member as [`conditions::mark_coincident`] does.
    fn mark_coincident(&mut self, graph: &mut Graph) -> Result<()>;
    /// The groups of references in the order of their importance for the next member ([`proximity::order`]).
    fn order(&mut self, graph: &Graph) -> Result<Vec<usize>>;
    /// The number of members outside of the next one.
    fn depth(&self, graph: &Graph) -> usize;
    /// Which nodes have a coincident member already.
    fn are_parallel(&self, graph: &Graph) -> Vec<bool>;
}

/// The nodes are the statements.
pub struct Own;

impl Statements for Own {
    fn make_local(&mut self, graph: &mut Graph) -> Result<Vec<(String, String)>> {
        conditions::make_local(graph)
    }

    fn mark_coincident(&mut self, graph: &mut Graph) -> Result<()> {
        conditions::mark_coincident(graph)
    }

    fn order(&mut self, graph: &Graph) -> Result<Vec<usize>> {
        proximity::order(graph)
    }

    fn depth(&self, graph: &Graph) -> usize {
        graph.rows()
    }

    fn are_parallel(&self, graph: &Graph) -> Vec<bool> {
        graph.nodes.iter().map(|node| node.is_parallel(&graph.coincident)).collect()
    }
}

/// Computes the members of a band, as many as there are: appends them to the rows of the graph's nodes.
///
/// The graph is any whose `target` is set ([`Graph::set_target`]), with its strongly connected components. Members are
/// coincident as long as possible; with [`Strategy::outer_coincidence`] there is no member at all when the first cannot
/// be coincident. When a member violates a conditioned constraint next to a condition whose ends are apart, those
/// conditions become local for the whole band, which is computed anew.
pub fn compute(graph: &mut Graph, components: &Components, context: &mut Context) -> Result<BandEnd> {
    let end = compute_of(graph, components, context, &mut Own)?;
    if context.strategy.carry_spatial_last && spatial::leaves_nothing(graph)? {
        graph.shorten_band(1)?;
        (context.observer)(Event::BandShortened { statements: names(graph) });
    }
    Ok(end)
}

/// The same for nodes that stand for something else.
pub fn compute_of(
    graph: &mut Graph,
    components: &Components,
    context: &mut Context,
    statements: &mut dyn Statements,
) -> Result<BandEnd> {
    for edge in &mut graph.edges {
        edge.local = false;
    }
    let conditional =
        graph.edges.iter().any(|edge| edge.kinds.condition) && graph.edges.iter().any(|edge| edge.kinds.conditioned);
    let strategy = context.strategy;
    let any_coincidence = strategy.prefer_coincidence && graph.edges.iter().any(|edge| edge.kinds.coincidence);
    let mut coincidence = any_coincidence;
    let mut problem: Option<(Vec<bool>, Problem)> = None;
    let mut waived = false;
    while !graph.is_complete() {
        let demand = Demand::new(graph, strategy, coincidence, statements);
        if demand.waived && !waived {
            let (depth, rule) = (statements.depth(graph), Rule::InnerParallelism);
            (context.observer)(Event::CoincidenceWaived { statements: names(graph), depth, rule });
            waived = true;
        }
        let problem_now = match &mut problem {
            Some((together, problem)) if *together == demand.together => problem,
            other => {
                let new = Problem::new(graph, components, strategy, &demand.together)?;
                &mut other.insert((demand.together.clone(), new)).1
            }
        };
        match member(problem_now, graph, components, context, statements, &demand)? {
            Member::Found(rows) => {
                graph.push_rows(rows, !any_coincidence || coincidence && demand.complete)?;
                if !strategy.prefer_coincidence || coincidence && !demand.complete {
                    statements.mark_coincident(graph)?;
                }
            }
            Member::None(_) if demand.any() && (!strategy.outer_coincidence || !graph.band_is_empty()) => {
                if graph.band_is_empty() && is_heavy(graph, strategy) {
                    let (depth, rule) = (statements.depth(graph), Rule::AvoidFusion);
                    (context.observer)(Event::CoincidenceWaived { statements: names(graph), depth, rule });
                    return Ok(BandEnd::NoSolution);
                }
                let members = graph.rows() - graph.band_start;
                (context.observer)(Event::CoincidenceGivenUp { statements: names(graph), members });
                coincidence = false;
                problem = None;
                continue;
            }
            Member::None(end) => return Ok(end),
        }
        if conditional && restarts(graph, context, statements, &mut problem)? {
            coincidence = any_coincidence;
        }
    }
    Ok(BandEnd::Complete)
}

/// Conditions that the members found so far violate become local, and the band begins anew; the problem is made anew as
/// well where conditions became local, be it by chance, since they have to stay so.
fn restarts(
    graph: &mut Graph,
    context: &mut Context,
    statements: &mut dyn Statements,
    problem: &mut Option<(Vec<bool>, Problem)>,
) -> Result<bool> {
    let known = graph.edges.iter().filter(|edge| edge.local).count();
    let local = statements.make_local(graph)?;
    if graph.edges.iter().filter(|edge| edge.local).count() != known {
        *problem = None;
    }
    if local.is_empty() {
        return Ok(false);
    }
    (context.observer)(Event::BandRestarted { statements: names(graph), local });
    graph.reset_band()?;
    *problem = None;
    Ok(true)
}

/// Which pairs that should coincide have to.
struct Demand {
    /// For each edge.
    together: Vec<bool>,
    /// All that should.
    complete: bool,
    /// Not, because so few members are left.
    waived: bool,
}

impl Demand {
    fn new(graph: &Graph, strategy: &Strategy, coincidence: bool, statements: &dyn Statements) -> Demand {
        let left = graph.target - graph.independent;
        let inner = strategy.relax_inner_coincidence && statements.depth(graph) > 0 && left <= 2;
        let parallel = match strategy.single_coincidence {
            true => statements.are_parallel(graph),
            false => vec![false; graph.nodes.len()],
        };
        let asked = |edge: &Edge| {
            coincidence && !inner && edge.kinds.coincidence && !(parallel[edge.source] && parallel[edge.target])
        };
        let together: Vec<bool> = graph.edges.iter().map(asked).collect();
        let complete = graph.edges.iter().zip(&together).all(|(edge, together)| *together || !edge.kinds.coincidence);
        let waived = coincidence && inner && !complete;
        Demand { together, complete, waived }
    }

    fn any(&self) -> bool {
        self.together.contains(&true)
    }
}

/// The next member.
fn member(
    problem: &mut Problem,
    graph: &Graph,
    components: &Components,
    context: &mut Context,
    statements: &mut dyn Statements,
    demand: &Demand,
) -> Result<Member> {
    let Context { strategy, ctx, .. } = context;
    let outermost_parallel = || !statements.are_parallel(graph).contains(&true);
    if strategy.carry_spatial_first && demand.complete && outermost_parallel() {
        let found = spatial::solve(graph, components, strategy, &demand.together, ctx)?;
        if let Member::Found(rows) = &found
            && spatial::carries(graph, rows)?
        {
            return Ok(found);
        }
    }
    if strategy.cost != Cost::Groups {
        return problem.solve(graph, components, strategy, ctx);
    }
    if strategy.carry_spatial_last && graph.independent + 1 == graph.target {
        return spatial::solve(graph, components, strategy, &demand.together, ctx);
    }
    proximity::solve(problem, graph, components, strategy, &statements.order(graph)?, ctx)
}

/// The references of the statements weigh more than the strategy has room for: each that is different from the others
/// counts as much as its statement has loops (unified report, 4.7).
fn is_heavy(graph: &Graph, strategy: &Strategy) -> bool {
    let Some(limit) = strategy.register_limit else { return false };
    let mut different = BTreeMap::new();
    for node in &graph.nodes {
        for reference in node.statement.references.iter().flat_map(|references| &references.distinct) {
            different.insert(reference, i64::try_from(node.variables()).unwrap_or(i64::MAX));
        }
    }
    different.values().fold(0i64, |sum, weight| sum.saturating_add(*weight)) > limit
}
