//! The fusion conflict graph, colours, scaling and skewing on small graphs.

use super::*;
use crate::isl::{Ctx, DimType, ScheduleConstraints, UnionMap, UnionSet};
use crate::schedule::decoupled::conflicts::Choice;
use crate::schedule::graph::Node;

/// The graph of constraints that are validity and proximity.
fn graph(ctx: &Ctx, domain: &str, relation: &str, strategy: &Strategy) -> Graph {
    let relation = UnionMap::parse(ctx, relation).unwrap();
    let constraints = ScheduleConstraints::on_domain(UnionSet::parse(ctx, domain).unwrap()).unwrap();
    let constraints = constraints.set_validity(relation.clone()).unwrap().set_proximity(relation).unwrap();
    Graph::from_constraints(&constraints, &[], strategy).unwrap()
}

fn name(node: &Node) -> String {
    node.statement.space.tuple_name(DimType::SET).unwrap().unwrap()
}

fn at(graph: &Graph, wanted: &str) -> usize {
    graph.nodes.iter().position(|node| name(node) == wanted).unwrap()
}

/// The problem of a strategy.
fn formulation(strategy: &Strategy) -> Option<&Formulation> {
    Some(&strategy.problems[strategy.steps.last()?.problem])
}

/// The rows of the band that is found, a list for each statement, sorted by name, without parameters; and its end.
fn band(ctx: &Ctx, graph: &Graph, strategy: &Strategy) -> (Vec<(String, Vec<Row>)>, BandEnd) {
    let mut graph = graph.clone();
    let components = Components::strong(&graph);
    graph.set_target();
    let mut context = Context { strategy, ctx, observer: &mut |_| (), explains: true };
    let end = compute(&mut graph, &components, &mut context).unwrap();
    let row = |row: &Row| [&row[..1], &row[1 + graph.parameters..]].concat();
    let rows = |node: &Node| (name(node), node.rows().iter().map(row).collect());
    let mut found: Vec<(String, Vec<Row>)> = graph.nodes.iter().map(rows).collect();
    found.sort();
    (found, end)
}

fn rows(of: &[(&str, &[&[i64]])]) -> Vec<(String, Vec<Row>)> {
    of.iter().map(|(name, rows)| ((*name).to_owned(), rows.iter().map(|row| row.to_vec()).collect())).collect()
}

const MATRICES: &str = "[n] -> { S[i, j] : 0 <= i, j < n; T[i, j] : 0 <= i, j < n }";

/// `T` reads what `S` has written at the transposed place, and the one before in its own row.
const TRANSPOSED: &str =
    "[n] -> { S[i, j] -> T[j, i] : 0 <= i, j < n; T[i, j] -> T[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }";

#[test]
fn loops_that_cannot_share_a_level_conflict() {
    let (ctx, strategy) = (Ctx::new(), Strategy::pluto_lp_dfp());
    let graph = graph(&ctx, MATRICES, TRANSPOSED, &strategy);
    let (s, t) = (at(&graph, "S"), at(&graph, "T"));
    let mut conflicts = Conflicts::new(&graph, formulation(&strategy).unwrap());
    let mut conflict = |one: usize, other: usize| {
        conflicts.conflict(&graph, (s, Choice::Loop(one)), (t, Choice::Loop(other)), &ctx).unwrap()
    };
    let found = [[conflict(0, 0), conflict(0, 1)], [conflict(1, 0), conflict(1, 1)]];
    assert_eq!(found, [[true, false], [false, true]]);
    assert_eq!(conflict(1, 1), conflict(1, 1));
    assert_eq!(conflicts.solved, 2, "loops that fit as they are need no problem, and answers are kept");
    let free = |node: usize| (node, Choice::Free);
    assert!(!conflicts.conflict(&graph, free(s), free(t), &ctx).unwrap());
    // Nothing is after T, so that it can wait.
    assert!(!conflicts.conflict(&graph, (s, Choice::Loop(0)), free(t), &ctx).unwrap());
}

#[test]
fn a_loop_that_runs_against_its_own_statement_conflicts_with_itself() {
    let (ctx, strategy) = (Ctx::new(), Strategy::pluto_lp_dfp());
    let order = "[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 0 < j < n }";
    let graph = graph(&ctx, "[n] -> { S[i, j] : 0 <= i, j < n }", order, &strategy);
    let conflicts = Conflicts::new(&graph, formulation(&strategy).unwrap());
    assert!(!conflicts.is_alone(&graph, 0, Choice::Loop(0)).unwrap());
    assert!(conflicts.is_alone(&graph, 0, Choice::Loop(1)).unwrap());
    assert_eq!(band(&ctx, &graph, &strategy), (rows(&[("S", &[&[0, 1, 0], &[0, 1, 1]])]), BandEnd::Complete));
    let mut straight = strategy;
    straight.problems[0].skew = false;
    assert_eq!(band(&ctx, &graph, &straight), (rows(&[("S", &[&[0, 1, 0]])]), BandEnd::NoSolution));
}

#[test]
fn shifts_let_loops_share_a_level_and_parameters_do_only_where_they_may() {
    let ctx = Ctx::new();
    let next = "[n] -> { S[i] -> T[i - 3] : 3 <= i < n }";
    let all = "[n] -> { S[i] -> T[j] : 0 <= i, j < n }";
    let mut strategy = Strategy::pluto_lp_dfp();
    for (relation, parametric, expected) in [(next, false, false), (all, false, true), (all, true, false)] {
        strategy.problems[0].parametric = parametric;
        let graph = graph(&ctx, "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }", relation, &strategy);
        let mut conflicts = Conflicts::new(&graph, formulation(&strategy).unwrap());
        let found = conflicts.conflict(&graph, (0, Choice::Loop(0)), (1, Choice::Loop(0)), &ctx).unwrap();
        assert_eq!(found, expected, "{relation}, {parametric}");
    }
}

#[test]
fn a_colour_has_a_loop_of_each_statement() {
    let (ctx, strategy) = (Ctx::new(), Strategy::pluto_lp_dfp());
    let graph = graph(&ctx, MATRICES, TRANSPOSED, &strategy);
    let found = band(&ctx, &graph, &strategy);
    let expected = rows(&[("S", &[&[0, 1, 0], &[0, 0, 1]]), ("T", &[&[0, 0, 1], &[0, 1, 0]])]);
    assert_eq!(found, (expected, BandEnd::Complete));
}

#[test]
fn components_without_a_common_loop_are_kept_apart() {
    let (ctx, strategy) = (Ctx::new(), Strategy::pluto_lp_dfp());
    let domain = "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n; U[i] : 0 <= i < n }";
    let order = "[n] -> { S[i] -> T[i] : 0 <= i < n; T[i] -> U[j] : 0 <= i, j < n }";
    let graph = graph(&ctx, domain, order, &strategy);
    let components = Components::strong(&graph);
    let mut conflicts = Conflicts::new(&graph, formulation(&strategy).unwrap());
    let found = colour(&graph, &components, &mut conflicts, &ctx).unwrap();
    let last = components.of[at(&graph, "U")];
    assert_eq!(found, Colour::Stuck { component: last, alone: false });
    assert_eq!(band(&ctx, &graph, &strategy).1, BandEnd::Conflict { source: last - 1, target: last });
}

#[test]
fn a_stencil_needs_a_skew() {
    let (ctx, strategy) = (Ctx::new(), Strategy::pluto_lp_dfp());
    let domain = "[n] -> { S[t, i] : 0 <= t, i < n; T[t, i] : 0 <= t, i < n }";
    let order = "[n] -> { S[t, i] -> T[t, j] : 0 <= t, i, j < n and i - 1 <= j <= i + 1; \
                 T[t, i] -> S[t + 1, j] : 0 <= t < n - 1 and 0 <= i, j < n and i - 1 <= j <= i + 1 }";
    let graph = graph(&ctx, domain, order, &strategy);
    let expected = rows(&[("S", &[&[0, 1, 0], &[0, 2, 1]]), ("T", &[&[0, 1, 0], &[1, 2, 1]])]);
    assert_eq!(band(&ctx, &graph, &strategy), (expected, BandEnd::Complete));
}

#[test]
fn a_rational_solution_is_scaled() {
    let (ctx, strategy) = (Ctx::new(), Strategy::pluto_lp_dfp());
    let domain = "[n] -> { S[i] : 0 <= i < 3n; T[j] : 0 <= j < 2n }";
    let graph = graph(&ctx, domain, "[n] -> { S[i] -> T[j] : 2i = 3j and 0 <= i < 3n and 0 <= j < 2n }", &strategy);
    // The distance is zero with i and 3/2 j.
    let found = band(&ctx, &graph, &strategy);
    assert_eq!(found, (rows(&[("S", &[&[0, 2]]), ("T", &[&[0, 3]])]), BandEnd::Complete));
    let bounded = Strategy { max_constant: Some(0), ..strategy.clone() };
    assert_eq!(band(&ctx, &graph, &bounded), found, "no constant is needed");
}

#[test]
fn bounds_on_constants_are_kept() {
    let ctx = Ctx::new();
    let strategy = Strategy { max_constant: Some(2), ..Strategy::pluto_lp_dfp() };
    let with = |shift: u32| {
        let order = format!("[n] -> {{ S[i] -> T[i - {shift}] : {shift} <= i < n }}");
        let graph = graph(&ctx, "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }", &order, &strategy);
        band(&ctx, &graph, &strategy)
    };
    assert_eq!(with(2), (rows(&[("S", &[&[0, 1]]), ("T", &[&[2, 1]])]), BandEnd::Complete));
    assert_eq!(with(3).1, BandEnd::NoSolution);
}

#[test]
fn a_spent_budget_is_an_error() {
    let (ctx, strategy) = (Ctx::new(), Strategy::pluto_lp_dfp());
    let mut graph = graph(&ctx, MATRICES, TRANSPOSED, &strategy);
    let components = Components::strong(&graph);
    let mut context = Context { strategy: &strategy, ctx: &ctx, observer: &mut |_| (), explains: false };
    let found = ctx.with_quota(3, || compute(&mut graph, &components, &mut context));
    assert!(found.unwrap_err().is_exhausted());
}
