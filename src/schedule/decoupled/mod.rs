//! Decoupled fusion and permutation: bands without integer programming (Acharya, Bondhugula and Cohen, *Polyhedral
//! auto-transformation with no integer linear programming*, 2018, and *Effective loop fusion in polyhedral compilation
//! using fusion conflict graphs*, 2020).
//!
//! What a band's members are made of is decided first, by a graph, and numbers later, by linear problems over rationals:
//!
//! 1. A vertex of the fusion conflict graph is a loop of a statement; an edge is between loops that cannot share a
//!    level.
//! 2. A colour of it, a loop for each statement, is a level of the band. Components are coloured in topological order.
//!    Where one has no loop that goes with those before, the band ends, or the components before are cut off if it is
//!    the first level.
//! 3. One linear problem scales and shifts the loops of a level. It has two columns for each statement, and what it makes
//!    least is what the strategy's problem does. Rational solutions are scaled to integers.
//! 4. Where a component has no colour by itself, as stencils have none after time, its order within what the members
//!    before do not carry gives one. A linear problem then adds multiples of loops that are outside already: it skews.
//!    Failing that, and for a first member, multiples of any loops.
//!
//! Each member is compared with what edges admit before it is taken. Where none is found the scheduler goes on as after
//! any other band (ppcg report, 6.5.8): it cuts, or takes a step of Feautrier's algorithm.
//!
//! The first paper's skewing goes over a finished permutation; here it comes as soon as a level needs it, which gives the
//! same members, and ends a band where none is left to find.
//!
//! | file | what |
//! |---|---|
//! | `conflicts.rs` | the fusion conflict graph |
//! | `colouring.rs` | a level as a colour |
//! | `problem.rs` | the linear problem of a level |
//! | `scaling.rs` | from rationals to integers |

mod colouring;
mod conflicts;
mod problem;
mod scaling;
#[cfg(test)]
mod tests;

use crate::schedule::band::{Context, conditions};
use crate::schedule::decoupled::colouring::{Colour, colour, is_left};
use crate::schedule::decoupled::conflicts::{Choice, Conflicts, admitted};
use crate::schedule::decoupled::problem::{Problem, Shape};
use crate::schedule::decoupled::scaling::scaled;
use crate::schedule::error::Result;
use crate::schedule::explain::{BandEnd, Event, Origin, names};
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Graph, Row};
use crate::schedule::strategy::{Formulation, Strategy, Term};

/// How a level may be made of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A loop of each statement.
    Permuted,
    /// And multiples of those outside of it.
    Skewed,
    /// And of those inside.
    Any,
}

/// A level, or why there is none.
enum Level {
    Found(Vec<Row>, Origin),
    None(BandEnd),
}

/// Computes the members of a band, as many as there are: appends them to the rows of the graph's nodes, as
/// [`crate::schedule::band::compute`] does. Members that happen to be coincident are marked.
///
/// # Errors
/// [`crate::schedule::Error::Budget`], [`crate::schedule::Error::Overflow`], and isl's.
pub fn compute(graph: &mut Graph, components: &Components, context: &mut Context) -> Result<BandEnd> {
    for edge in &mut graph.edges {
        edge.local = false;
    }
    let conditional =
        graph.edges.iter().any(|edge| edge.kinds.condition) && graph.edges.iter().any(|edge| edge.kinds.conditioned);
    let Some(formulation) = formulation(context.strategy) else { return Ok(BandEnd::NoSolution) };
    let connected = Components::weak(graph);
    let mut conflicts = Conflicts::new(graph, formulation);
    while !graph.is_complete() {
        let parts = (components, &connected);
        match level(graph, parts, formulation, &mut conflicts, context)? {
            Level::Found(rows, origin) => {
                (context.observer)(Event::Member { statements: names(graph), origin });
                graph.push_rows(rows, false)?;
                conditions::mark_coincident(graph)?;
            }
            Level::None(end) => return Ok(end),
        }
        if conditional && restarts(graph, context)? {
            conflicts = Conflicts::new(graph, formulation);
        }
    }
    Ok(BandEnd::Complete)
}

/// The problem of the strategy's only step.
fn formulation(strategy: &Strategy) -> Option<&Formulation> {
    strategy.steps.last().map(|step| &strategy.problems[step.problem])
}

/// Conditions that the members violate become local, and the band begins anew. True: conditions became local, be it
/// by chance, so that other rows conflict.
fn restarts(graph: &mut Graph, context: &mut Context) -> Result<bool> {
    let count = |graph: &Graph| graph.edges.iter().filter(|edge| edge.local).count();
    let known = count(graph);
    let local = conditions::make_local(graph)?;
    if !local.is_empty() {
        (context.observer)(Event::BandRestarted { statements: names(graph), local });
        graph.reset_band()?;
    }
    Ok(count(graph) != known)
}

/// The next level: a loop of each statement, if that is possible.
fn level(
    graph: &Graph,
    parts: (&Components, &Components),
    formulation: &Formulation,
    conflicts: &mut Conflicts,
    context: &Context,
) -> Result<Level> {
    let mut failed = Vec::new();
    for way in [Way::Permuted, Way::Skewed, Way::Any] {
        if way == Way::Skewed && graph.band_is_empty() {
            continue;
        }
        let found = match way {
            Way::Permuted => try_way((graph, graph), parts, way, conflicts, context)?,
            _ => {
                let rest = left_by_band(graph, way)?;
                try_way((graph, &rest), parts, way, &mut Conflicts::new(&rest, formulation), context)?
            }
        };
        match found {
            Level::Found(rows, origin) => return Ok(Level::Found(rows, Origin { failed, ..origin })),
            // Components are kept apart, by whatever they have in common.
            Level::None(end @ BandEnd::Conflict { .. }) => return Ok(Level::None(end)),
            Level::None(_) if !formulation.skew => break,
            Level::None(_) => failed.push(way.name(formulation)),
        }
    }
    Ok(Level::None(BandEnd::NoSolution))
}

impl Way {
    /// What is said of members that are found so.
    fn name(self, formulation: &Formulation) -> String {
        match self {
            Way::Permuted => formulation.name.clone(),
            Way::Skewed => format!("{}, skewed", formulation.name),
            Way::Any => format!("{}, of any loops", formulation.name),
        }
    }
}

/// The graph that decides about loops where they are skewed: with what the members of the band do not carry, and with no
/// edges where multiples of any loops may be added.
fn left_by_band(graph: &Graph, way: Way) -> Result<Graph> {
    let mut rest = graph.clone();
    match way {
        Way::Any => rest.edges.clear(),
        _ => rest.drop_carried()?,
    }
    Ok(rest)
}

/// Loops by a colour of one graph, `rest`, and their coefficients by a linear problem of the other.
fn try_way(
    (graph, rest): (&Graph, &Graph),
    (components, connected): (&Components, &Components),
    way: Way,
    conflicts: &mut Conflicts,
    context: &Context,
) -> Result<Level> {
    let (strategy, ctx) = (context.strategy, context.ctx);
    let Some(formulation) = formulation(strategy) else { return Ok(Level::None(BandEnd::NoSolution)) };
    let choices = match colour(rest, components, conflicts, ctx)? {
        Colour::Whole(choices) => choices,
        Colour::Stuck { component, alone: false } => {
            return Ok(Level::None(BandEnd::Conflict { source: component - 1, target: component }));
        }
        Colour::Stuck { .. } => return Ok(Level::None(BandEnd::NoSolution)),
    };
    let shape = |(node, &choice): (usize, &Choice)| {
        let mut shape = conflicts.shape(graph, node, choice);
        for variable in 0..shape.open.len() {
            shape.open[variable] |= match way {
                Way::Permuted => false,
                Way::Skewed => !is_left(graph, node, variable),
                Way::Any => true,
            };
        }
        Some(shape)
    };
    let shapes: Vec<Option<Shape>> = choices.iter().enumerate().map(shape).collect();
    let edges: Vec<usize> = (0..graph.edges.len()).collect();
    let mut problem = Problem::new(graph, &shapes, &edges, (formulation, &formulation.minimize))?;
    let Some(solution) = problem.solve(ctx)? else { return Ok(Level::None(blame(graph, components, &problem))) };
    for rows in scaled(&solution, connected) {
        if is_right(graph, strategy, &edges, &rows)? {
            let values = values(&solution.values, &rows, graph);
            let origin = Origin {
                depth: graph.rows(),
                problem: way.name(formulation),
                failed: Vec::new(),
                values,
                bound_by: Vec::new(),
            };
            return Ok(Level::Found(rows, origin));
        }
    }
    Ok(Level::None(BandEnd::NoSolution))
}

/// The components that a problem without a solution keeps apart, if it says so.
fn blame(graph: &Graph, components: &Components, problem: &Problem) -> BandEnd {
    let ends = |edge: usize| (components.of[graph.edges[edge].source], components.of[graph.edges[edge].target]);
    let apart = |edge: usize| ends(edge).0 != ends(edge).1;
    match problem.conflict(apart).map(ends) {
        Some((source, target)) => BandEnd::Conflict { source, target },
        None => BandEnd::NoSolution,
    }
}

/// The edges admit rows, each statement that needs another loop has one, and no bound of the strategy is exceeded.
fn is_right(graph: &Graph, strategy: &Strategy, edges: &[usize], rows: &[Row]) -> Result<bool> {
    let within = |value: i64, most: Option<i64>| most.is_none_or(|most| value.saturating_abs() <= most);
    for (node, row) in graph.nodes.iter().zip(rows) {
        let (fixed, linear) = row.split_at(1 + graph.parameters);
        let limits = node.statement.limits.iter().zip(linear);
        let is_small = within(row[0], strategy.max_constant)
            && fixed[1..].iter().all(|&x| within(x, strategy.max_coefficient))
            && limits.into_iter().all(|(limit, &x)| within(x, *limit));
        if !is_small || graph.needs_row(node) && node.independence().is_dependent(linear) {
            return Ok(false);
        }
    }
    admitted(graph, edges, |node| &rows[node])
}

/// What the problem's terms came to, or, where rows were scaled, the one that can be read off them.
fn values(of_solution: &[(Term, Vec<i64>)], rows: &[Row], graph: &Graph) -> Vec<(Term, Vec<i64>)> {
    if !of_solution.is_empty() {
        return of_solution.to_vec();
    }
    let linear = graph.nodes.iter().zip(rows).flat_map(|(node, row)| node.linear(row));
    vec![(Term::VariableCoefficients, vec![linear.fold(0, |sum, x| sum.saturating_add(*x))])]
}
