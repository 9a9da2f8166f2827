//! Decoupled fusion and permutation: bands without integer programming (Acharya, Bondhugula and Cohen, *Polyhedral
//! auto-transformation with no integer linear programming*, 2018, and *Effective loop fusion in polyhedral compilation
//! using fusion conflict graphs*, 2020).
//!
//! What a band's members are made of is decided first, by a graph, and numbers later, by linear problems over
//! rationals:
//!
//! 1. A vertex of the fusion conflict graph is a loop of a statement; an edge is between loops that cannot share a
//!    level.
//! 2. A colour of it, a loop for each statement, is a level of the band. Components are coloured in topological order.
//!    Where one has no loop that goes with those before, the band ends, or the components before are cut off if it is
//!    the first level.
//! 3. One linear problem scales and shifts the loops of a level. It has two columns for each statement, and makes least
//!    what the strategy's problem does. Rational solutions are scaled to integers.
//! 4. Where a component has no colour by itself, as stencils have none after time, its order within what the members
//!    before do not carry gives one. A linear problem then adds multiples of loops that are outside already: it skews.
//!    Failing that, multiples of any loops.
//!
//! Each member is compared with what edges admit before it is taken. Where none is found the scheduler goes on as after
//! any other band (ppcg report, 6.5.8): it cuts, or takes a step of Feautrier's algorithm.
//!
//! The first paper's skewing goes over a finished permutation; here it comes as soon as a level needs it, which gives
//! the same members, and ends a band where none is left to find.
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

use crate::isl::Ctx;
use crate::schedule::band::binding::{Parts, Question, binding, kinds};
use crate::schedule::band::choices::{Choice, of_problem};
use crate::schedule::band::lp::{Found, Member};
use crate::schedule::band::{Context, Own, conditions, restart};
use crate::schedule::decoupled::colouring::{Colour, colour, is_left};
use crate::schedule::decoupled::conflicts::{Conflicts, admitted};
use crate::schedule::decoupled::problem::Problem;
use crate::schedule::decoupled::scaling::{Scaled, scaled};
use crate::schedule::error::Result;
use crate::schedule::explain::{BandEnd, Bound, Event, Origin, name, names};
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Graph, Row};
use crate::schedule::strategy::{Formulation, Strategy};

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
    Found(Found, Origin),
    None(BandEnd),
}

/// The search for the levels of a band.
struct Search<'a> {
    strategy: &'a Strategy,
    ctx: &'a Ctx,
    /// The problem of the strategy's only step.
    formulation: &'a Formulation,
    components: &'a Components,
    connected: Components,
    conflicts: Conflicts<'a>,
    /// Once a level was skewed.
    rest: Option<Rest<'a>>,
}

/// What the members of a band do not carry.
struct Rest<'a> {
    /// What the members outside of its band carry is left out.
    graph: Graph,
    conflicts: Conflicts<'a>,
}

/// Computes the members of a band, as many as there are: appends them to the rows of the graph's nodes, as
/// [`crate::schedule::band::compute`] does. Members that happen to be coincident are marked.
///
/// # Errors
/// [`crate::schedule::Error::Budget`], [`crate::schedule::Error::Overflow`], and isl's.
pub fn compute(graph: &mut Graph, components: &Components, context: &mut Context) -> Result<BandEnd> {
    graph.forget_local();
    let conditional =
        graph.edges.iter().any(|edge| edge.kinds.condition) && graph.edges.iter().any(|edge| edge.kinds.conditioned);
    let (strategy, ctx) = (context.strategy, context.ctx);
    let Some(mut search) = Search::new(graph, components, strategy, ctx) else { return Ok(BandEnd::NoSolution) };
    while !graph.is_complete() {
        let (found, mut origin) = match search.level(graph)? {
            Level::Found(found, origin) => (found, origin),
            Level::None(end) => {
                if context.explains {
                    let bound_by = bounds(graph, components, &Member::None(end), (strategy, ctx))?;
                    let (problem, statements) = (search.formulation.name.clone(), names(graph));
                    let members = graph.rows() - graph.band_start;
                    (context.observer)(Event::NoMember { statements, members, problem, bound_by });
                }
                return Ok(end);
            }
        };
        if context.explains {
            origin.bound_by = bounds(graph, components, &Member::Found(found.clone()), (strategy, ctx))?;
            (context.observer)(Event::Member { statements: names(graph), origin });
        }
        search.follow(&found.rows)?;
        graph.push_rows(found.rows, false)?;
        conditions::mark_coincident(graph)?;
        if conditional && restart(graph, context, &mut Own)?.changed {
            search = match Search::new(graph, components, strategy, ctx) {
                Some(search) => search,
                None => return Ok(BandEnd::NoSolution),
            };
        }
    }
    Ok(BandEnd::Complete)
}

/// What makes a level what it is, or is in the way of one.
fn bounds(
    graph: &Graph,
    components: &Components,
    known: &Member,
    (strategy, ctx): (&Strategy, &Ctx),
) -> Result<Vec<Bound>> {
    let Some(problem) = strategy.steps.last().map(|step| step.problem) else { return Ok(Vec::new()) };
    // Coefficients are never negative here.
    let choices = of_problem(strategy, problem).into_iter().filter(|choice| *choice != Choice::Signs).collect();
    let edges = graph.edges.iter().map(|edge| kinds(edge, false, &strategy.problems[problem])).collect();
    let parts = Parts { choices, problem: Some(problem), edges };
    let question =
        Question { graph: graph.clone(), strategy: strategy.clone(), together: vec![false; graph.edges.len()] };
    let mut has_better = |Question { graph, strategy, .. }: &Question| {
        let level = Search::new(graph, components, strategy, ctx).map(|mut search| search.level(graph));
        let member = match level.transpose()? {
            Some(Level::Found(found, _)) => Member::Found(found),
            Some(Level::None(end)) => Member::None(end),
            None => Member::None(BandEnd::NoSolution),
        };
        Ok(member.is_better_than(known))
    };
    binding(question, parts, |node| name(graph, node), ctx, &mut has_better)
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

impl<'a> Search<'a> {
    /// Nothing is known yet. None: the strategy has no step.
    fn new(graph: &Graph, components: &'a Components, strategy: &'a Strategy, ctx: &'a Ctx) -> Option<Search<'a>> {
        let formulation = &strategy.problems[strategy.steps.last()?.problem];
        let connected = Components::weak(graph);
        let conflicts = Conflicts::new(graph, formulation);
        Some(Search { strategy, ctx, formulation, components, connected, conflicts, rest: None })
    }

    /// Members were found.
    fn follow(&mut self, rows: &[Row]) -> Result<()> {
        match &mut self.rest {
            Some(rest) => rest.graph.push_rows(rows.to_vec(), false),
            None => Ok(()),
        }
    }

    /// The next level: a loop of each statement, if that is possible.
    fn level(&mut self, graph: &Graph) -> Result<Level> {
        let mut failed = Vec::new();
        for way in [Way::Permuted, Way::Skewed, Way::Any] {
            if way == Way::Skewed && graph.band_is_empty() {
                continue;
            }
            match self.try_way(graph, way)? {
                Level::Found(found, origin) => return Ok(Level::Found(found, Origin { failed, ..origin })),
                // Components are kept apart, by whatever they have in common.
                Level::None(end @ BandEnd::Conflict { .. }) => return Ok(Level::None(end)),
                Level::None(_) if !self.formulation.skew => break,
                Level::None(_) => failed.push(way.name(self.formulation)),
            }
        }
        Ok(Level::None(BandEnd::NoSolution))
    }

    /// Loops by a colour, and their coefficients by a linear problem.
    fn try_way(&mut self, graph: &Graph, way: Way) -> Result<Level> {
        let choices = match self.coloured(graph, way)? {
            Colour::Whole(choices) => choices,
            Colour::Stuck { component, alone: false } => {
                return Ok(Level::None(BandEnd::Conflict { source: component - 1, target: component }));
            }
            Colour::Stuck { .. } => return Ok(Level::None(BandEnd::NoSolution)),
        };
        let mut shapes = Vec::with_capacity(choices.len());
        for (node, choice) in choices.into_iter().enumerate() {
            let mut shape = self.conflicts.shape(graph, node, choice);
            for (variable, open) in shape.open.iter_mut().enumerate() {
                *open |= way == Way::Any || way == Way::Skewed && !is_left(graph, node, variable);
            }
            shapes.push(Some(shape));
        }
        let edges: Vec<usize> = (0..graph.edges.len()).collect();
        let mut problem = Problem::new(graph, &shapes, &edges, (self.formulation, &self.formulation.minimize))?;
        let Some(solution) = problem.solve(self.ctx)? else {
            return Ok(Level::None(blame(graph, self.components, &problem)));
        };
        for Scaled { rows, values } in scaled(&solution, &self.connected) {
            if is_right(graph, self.strategy, &edges, &rows)? {
                let (depth, problem) = (graph.rows(), way.name(self.formulation));
                let values_of = values.clone();
                let origin = Origin { depth, problem, values, ..Origin::default() };
                return Ok(Level::Found(Found { rows, values: values_of, carried: Vec::new() }, origin));
            }
        }
        Ok(Level::None(BandEnd::NoSolution))
    }

    /// A colour of the graph, or where loops are skewed of what the members of the band do not carry; where multiples
    /// of any loops may be added, all loops go with each other.
    fn coloured(&mut self, graph: &Graph, way: Way) -> Result<Colour> {
        match way {
            Way::Permuted => colour(graph, self.components, &mut self.conflicts, self.ctx),
            Way::Skewed => self.coloured_below(graph),
            Way::Any => {
                let rest = Graph { edges: Vec::new(), ..graph.clone() };
                colour(&rest, self.components, &mut Conflicts::new(&rest, self.formulation), self.ctx)
            }
        }
    }

    /// A colour of what the members of the band do not carry. What the last of them carry is left out only if that is
    /// needed: it takes longer than all the rest.
    fn coloured_below(&mut self, graph: &Graph) -> Result<Colour> {
        let (components, ctx) = (self.components, self.ctx);
        if let Some(Rest { graph, conflicts }) = &mut self.rest {
            let found = colour(graph, components, conflicts, ctx)?;
            if graph.band_is_empty() || matches!(found, Colour::Whole(_)) {
                return Ok(found);
            }
        }
        let mut graph = self.rest.take().map_or_else(|| graph.clone(), |rest| rest.graph);
        graph.drop_carried()?;
        graph.next_band();
        let conflicts = Conflicts::new(&graph, self.formulation);
        let rest = self.rest.insert(Rest { graph, conflicts });
        colour(&rest.graph, components, &mut rest.conflicts, ctx)
    }
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
