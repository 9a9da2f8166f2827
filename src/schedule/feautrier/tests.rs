use super::*;
use crate::dependence::{Dependences, Mode};
use crate::isl::{Ctx, ScheduleConstraints, UnionMap, UnionSet};
use crate::schedule::constraints;
use crate::scop::Scop;
use std::path::Path;

const FALLBACK: Purpose = Purpose { fallback: true, coincidence: false };
const ALONE: Purpose = Purpose { fallback: false, coincidence: false };

/// The graph of validity constraints.
fn graph(ctx: &Ctx, domain: &str, validity: &str, strategy: &Strategy) -> Graph {
    let constraints = ScheduleConstraints::on_domain(UnionSet::parse(ctx, domain).unwrap()).unwrap();
    let constraints = constraints.set_validity(UnionMap::parse(ctx, validity).unwrap()).unwrap();
    Graph::from_constraints(&constraints, &[], strategy).unwrap()
}

/// The graph of a listing of the report, without live-range reordering.
fn listing(name: &str, strategy: &Strategy) -> Graph {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/scop/papers/verdoolaege2017").join(name);
    let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(path).unwrap()).unwrap();
    let deps = Dependences::compute(&scop, Mode { live_range_reordering: false, ..Mode::default() }).unwrap();
    Graph::from_constraints(&constraints(&scop, &deps, None).unwrap(), &[], strategy).unwrap()
}

/// The rows as `S(constant, parameters.., variables..)`, sorted by name, the constants less the least of them.
fn step(graph: &Graph, purpose: Purpose, strategy: &Strategy) -> Option<Vec<(String, Vec<i64>)>> {
    let components = Components::strong(graph);
    let rows = carry(graph, &components, purpose, strategy, graph.nodes[0].statement.domain.ctx()).unwrap()?.rows;
    let least = rows.iter().map(|row| row[0]).min().unwrap();
    let name = |node: &Node| node.statement.space.tuple_name(crate::isl::DimType::SET).unwrap().unwrap();
    let rows = graph.nodes.iter().zip(rows).map(|(node, mut row)| {
        row[0] -= least;
        (name(node), row)
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort();
    Some(rows)
}

fn expected(rows: &[(&str, &[i64])]) -> Option<Vec<(String, Vec<i64>)>> {
    Some(rows.iter().map(|(name, row)| ((*name).to_owned(), row.to_vec())).collect())
}

/// What the report's section 6 has, without the improvements of section 7.
fn core() -> Strategy {
    Strategy { treat_coalescing: false, unscale: false, carry_self_first: false, ..Strategy::ppcg() }
}

#[test]
fn verdoolaege2017_example_10_carries_the_second_group() {
    let flow = "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1; \
                S[i, n - 1] -> S[i + 1, 0] : 0 <= i < n - 1 }";
    let graph = graph(&Ctx::new(), "[n] -> { S[i, j] : 0 <= i, j < n }", flow, &core());
    assert_eq!(step(&graph, FALLBACK, &core()), expected(&[("S", &[0, 0, 1, 0])]));
}

#[test]
fn verdoolaege2017_examples_13_and_30_recover_from_coalescing() {
    let flow = "{ S[i, j] -> S[i, j + 1] : 0 <= i < 10000 and 0 <= j < 9999; \
                S[i, 9999] -> S[i + 1, 0] : 0 <= i < 9999 }";
    let domain = "{ S[i, j] : 0 <= i, j < 10000 }";
    let coalescing = graph(&Ctx::new(), domain, flow, &core());
    assert_eq!(step(&coalescing, FALLBACK, &core()), expected(&[("S", &[0, 10000, 1])]));
    let treated = graph(&Ctx::new(), domain, flow, &Strategy::ppcg());
    for purpose in [FALLBACK, ALONE] {
        assert_eq!(step(&treated, purpose, &Strategy::ppcg()), expected(&[("S", &[0, 1, 0])]));
    }
}

#[test]
fn verdoolaege2017_examples_8_and_19_jacobi_2d() {
    // Parameters come first: _PB_TSTEPS and _PB_N.
    let carried = |strategy: &Strategy| {
        let graph = listing("listing11-jacobi-2d.scop", strategy);
        let parameters = graph.parameters;
        let rows = step(&graph, FALLBACK, strategy).unwrap();
        rows.into_iter().map(|(name, row)| (name, [&row[..1], &row[1 + parameters..]].concat())).collect::<Vec<_>>()
    };
    let scaled = expected(&[("S", &[0, 2, 0, 0]), ("T", &[1, 2, 0, 0])]).unwrap();
    let unscaled = expected(&[("S", &[0, 1, 0, 0]), ("T", &[0, 1, 0, 0])]).unwrap();
    assert_eq!(carried(&core()), scaled);
    assert_eq!(carried(&Strategy { unscale: true, ..core() }), unscaled);
    assert_eq!(carried(&Strategy { carry_self_first: true, ..core() }), unscaled);
    assert_eq!(carried(&Strategy::ppcg()), unscaled);
}

#[test]
fn verdoolaege2017_examples_16_and_34_cholesky() {
    let carried = |strategy: &Strategy| {
        let graph = listing("listing14-cholesky.scop", strategy);
        let parameters = graph.parameters;
        let rows = step(&graph, FALLBACK, strategy).unwrap();
        rows.into_iter().map(|(name, row)| (name, row[1 + parameters..].to_vec())).collect::<Vec<_>>()
    };
    let all = Strategy { carry_self_first: false, ..Strategy::ppcg() };
    let everything = expected(&[("A", &[1, 1, 1]), ("B", &[1, 2]), ("C", &[2, 1]), ("D", &[3])]);
    assert_eq!(carried(&all), everything.unwrap());
    let own = expected(&[("A", &[0, 0, 1]), ("B", &[0, 1]), ("C", &[0, 1]), ("D", &[1])]);
    assert_eq!(carried(&Strategy::ppcg()), own.unwrap());
}

#[test]
fn verdoolaege2017_example_11_seidel_2d() {
    let graph = listing("listing17-seidel-2d.scop", &Strategy::ppcg());
    let row = &step(&graph, FALLBACK, &Strategy::ppcg()).unwrap()[0].1;
    assert_eq!(row[1 + graph.parameters..], [4, 2, 1]);
}

#[test]
fn verdoolaege2017_example_32_lines_make_groups_equal() {
    let strategy = Strategy::ppcg();
    // All instances of a lexicographic order, in a box: after dropping bounds by size only the first coordinate is
    // left.
    let order = "{ S[a, b, c] -> S[x, y, z] : 0 <= a, b, c, x, y, z < 20 and \
                 (a < x or a = x and b < y or a = x and b = y and c < z) }";
    let graph = graph(&Ctx::new(), "{ S[a, b, c] : 0 <= a, b, c < 20 }", order, &strategy);
    let (intra, inter) = constraint_groups(&graph, false).unwrap();
    assert!(inter.is_empty());
    assert_eq!(intra.len(), 2, "{intra:?}");
    assert!(intra.iter().all(|group| group.hull.lines == [[0, 0, 0, 1], [0, 0, 1, 0]]), "{intra:?}");
    assert_eq!(step(&graph, FALLBACK, &strategy), expected(&[("S", &[0, 1, 0, 0])]));
}

#[test]
fn verdoolaege2017_example_33_constraints_from_domains_are_needed() {
    let strategy = Strategy::ppcg();
    let domain = "{ A[i] : 0 <= i <= 9; B[i] : 0 <= i <= 9 }";
    let exact = "{ A[0] -> B[i] : 0 <= i <= 9; B[i] -> A[1 + i] : 0 <= i <= 8 }";
    let bounded = graph(&Ctx::new(), domain, exact, &strategy);
    assert_eq!(step(&bounded, FALLBACK, &core()), expected(&[("A", &[0, 2]), ("B", &[1, 0])]));
    assert_eq!(step(&bounded, FALLBACK, &strategy), expected(&[("A", &[0, 1]), ("B", &[0, 0])]));
    let simplified = "{ A[0] -> B[i]; B[i] -> A[1 + i] }";
    let unbounded = graph(&Ctx::new(), domain, simplified, &strategy);
    assert_eq!(step(&unbounded, FALLBACK, &strategy), None);
}

#[test]
fn coincidence_counts_only_where_it_is_asked_for() {
    let ctx = Ctx::new();
    let domain = UnionSet::parse(&ctx, "{ S[i] : 0 <= i < 100 }").unwrap();
    let next = UnionMap::parse(&ctx, "{ S[i] -> S[i + 1] : 0 <= i < 99 }").unwrap();
    let constraints = ScheduleConstraints::on_domain(domain).unwrap().set_coincidence(next).unwrap();
    let strategy = Strategy::ppcg();
    let graph = Graph::from_constraints(&constraints, &[], &strategy).unwrap();
    assert_eq!(step(&graph, FALLBACK, &strategy), None);
    let both = Purpose { fallback: true, coincidence: true };
    assert_eq!(step(&graph, both, &strategy), expected(&[("S", &[0, 1])]));
}

/// The strategy with constraints on coefficients in all members.
fn within(strategy: Strategy, constraints: &[&str]) -> Strategy {
    Strategy { constraints: constraints.iter().map(|text| text.parse().unwrap()).collect(), ..strategy }
}

#[test]
fn constraints_of_all_members_hold() {
    let seidel = |constraints: &[&str]| {
        let strategy = within(Strategy::ppcg(), constraints);
        let graph = listing("listing17-seidel-2d.scop", &strategy);
        let parameters = graph.parameters;
        step(&graph, FALLBACK, &strategy).map(|rows| rows[0].1[1 + parameters..].to_vec())
    };
    assert_eq!(seidel(&[]), Some(vec![4, 2, 1]));
    assert_eq!(seidel(&["S.t <= 3"]), Some(vec![2, 1, 0]));
    assert_eq!(seidel(&["*.i = 0", "*.j = 0", "S.1 = 2"]), Some(vec![1, 0, 0]));
    assert_eq!(seidel(&["2 S.j + S.j - S.j >= 3"]), Some(vec![6, 3, 2]), "half as much would do");
    assert_eq!(seidel(&["*.i = 0", "*.j = 0", "*.t = 0"]), None);
    assert_eq!(seidel(&["2 *.i - 2 *.j = 1"]), None, "there is a rational solution");
    assert_eq!(seidel(&["T.t = 5", "*.u = 5"]), Some(vec![4, 2, 1]), "of what is not there nothing is asked");
}

#[test]
fn a_divisor_stays_where_a_constraint_has_it() {
    let jacobi = |purpose: Purpose, constraints: &[&str]| {
        let strategy = within(Strategy { carry_self_first: false, ..Strategy::ppcg() }, constraints);
        let graph = listing("listing11-jacobi-2d.scop", &strategy);
        let parameters = graph.parameters;
        let rows = step(&graph, purpose, &strategy).unwrap();
        rows.into_iter().map(|(name, row)| (name, [&row[..1], &row[1 + parameters..]].concat())).collect::<Vec<_>>()
    };
    let scaled = expected(&[("S", &[0, 2, 0, 0]), ("T", &[1, 2, 0, 0])]).unwrap();
    let unscaled = expected(&[("S", &[0, 1, 0, 0]), ("T", &[0, 1, 0, 0])]).unwrap();
    for purpose in [FALLBACK, ALONE] {
        assert_eq!(jacobi(purpose, &["S.t = T.t"]), unscaled);
        assert_eq!(jacobi(purpose, &["*.t >= 2"]), scaled);
        // Nor may a constant be rounded that is related to another one.
        assert_eq!(jacobi(purpose, &["T.1 - S.1 >= 1"]), scaled);
    }
}

/// What is told of a step, or of what is in the way of one.
fn told(graph: &Graph, purpose: Purpose, strategy: &Strategy) -> String {
    let (components, ctx) = (Components::strong(graph), graph.nodes[0].statement.domain.ctx());
    match carry(graph, &components, purpose, strategy, ctx).unwrap() {
        Some(found) => explained::told(graph, &components, purpose, (strategy, ctx), &found).unwrap().to_string(),
        None => {
            let bounds = explained::bounds(graph, &components, purpose, (strategy, ctx), None).unwrap();
            bounds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
    }
}

#[test]
fn what_a_step_carries_is_told() {
    let (ctx, domain) = (Ctx::new(), "{ S[i, j] : 0 <= i, j < 10; T[i, j] : 0 <= i, j < 10 }");
    let order = "{ S[i, j] -> S[i + 1, j - 1] : 0 <= i < 9 and 0 < j < 10; S[i, j] -> S[i, j + 1] : 0 <= i < 10 and \
                 0 <= j < 9; S[i, j] -> T[i, j] : 0 <= i, j < 10 }";
    let strategy = Strategy::feautrier();
    // 2i + j, and for T what is after all of it.
    let all = told(&graph(&ctx, domain, order, &strategy), ALONE, &strategy);
    let values = "member 1: uncarried 0 of 3, parameter-coefficients 0, variable-coefficients 3";
    let carried = "carries S to T (validity), S to S (validity)";
    assert_eq!(all, format!("{values}; {carried}; bound by S to S (validity)"));
    let strategy = within(strategy, &["S.i <= 1"]);
    let less = told(&graph(&ctx, domain, order, &strategy), ALONE, &strategy);
    let values = "member 1: uncarried 1 of 3, parameter-coefficients 0, variable-coefficients 1";
    let carried = "carries S to T (validity), 1 of 2 parts of S to S (validity)";
    let bounds = "constraint \"S.i <= 1\", S to S (validity)";
    assert_eq!(less, format!("{values}; {carried}; bound by {bounds}"));
}

#[test]
fn what_is_divided_and_what_only_holds_is_told() {
    let all = Strategy { carry_self_first: false, ..Strategy::ppcg() };
    let text = told(&listing("listing11-jacobi-2d.scop", &all), FALLBACK, &all);
    assert!(text.contains("; divided by 2; carries ") && text.contains("does not carry S to T (validity)"), "{text}");
    let own = Strategy::ppcg();
    let text = told(&listing("listing11-jacobi-2d.scop", &own), FALLBACK, &own);
    assert!(text.contains("has only to hold") && !text.contains("divided"), "{text}");
}

#[test]
fn what_is_in_the_way_of_a_step_is_told() {
    let ctx = Ctx::new();
    let (domain, order) = ("{ S[i] : 0 <= i < 100 }", "{ S[i] -> S[i + 1] : 0 <= i < 99 }");
    let none = within(Strategy::ppcg(), &["S.1 = 1", "*.i <= 0", "S.i <= 7"]);
    assert_eq!(told(&graph(&ctx, domain, order, &none), ALONE, &none), "constraint \"*.i <= 0\", S to S (validity)");
    let round = "{ S[i] -> S[i + 1] : 0 <= i < 99; S[i] -> S[i - 1] : 0 < i < 100 }";
    let strategy = Strategy::ppcg();
    assert_eq!(told(&graph(&ctx, domain, round, &strategy), ALONE, &strategy), "S to S (validity)");
}

#[test]
fn rows_without_a_need_are_not_bound() {
    // Constants alone carry it: nothing can be less than nothing.
    let (ctx, strategy) = (Ctx::new(), Strategy::feautrier());
    let graph = graph(&ctx, "{ S[]; T[] }", "{ S[] -> T[] }", &strategy);
    let values = "member 1: uncarried 0 of 1, parameter-coefficients 0, variable-coefficients 0";
    assert_eq!(told(&graph, ALONE, &strategy), format!("{values}; carries S to T (validity)"));
}

#[test]
fn trivial_rows_are_those_that_add_nothing_where_something_is_needed() {
    let strategy = Strategy::ppcg();
    let domain = "{ S[i, j] : 0 <= i, j < 10; T[i] : 0 <= i < 10 }";
    let mut graph = graph(&Ctx::new(), domain, "{ S[i, j] -> S[i + 1, j] }", &strategy);
    let at = |name: &str| {
        let is =
            |node: &Node| node.statement.space.tuple_name(crate::isl::DimType::SET).unwrap().as_deref() == Some(name);
        graph.nodes.iter().position(is).unwrap()
    };
    let (s, t) = (at("S"), at("T"));
    let rows = |of_s: &[i64], of_t: &[i64]| {
        let mut rows = vec![Vec::new(); 2];
        rows[s] = of_s.to_vec();
        rows[t] = of_t.to_vec();
        rows
    };
    // T has one row of slack.
    assert!(!is_trivial(&graph, &rows(&[0, 1, 0], &[0, 0])));
    assert!(is_trivial(&graph, &rows(&[5, 0, 0], &[0, 1])));
    graph.push_rows(rows(&[0, 1, 0], &[0, 0]), false).unwrap();
    assert!(is_trivial(&graph, &rows(&[0, 0, 1], &[0, 0])));
    assert!(is_trivial(&graph, &rows(&[0, 2, 0], &[0, 1])));
    assert!(!is_trivial(&graph, &rows(&[0, 2, 1], &[0, 1])));
}

#[test]
fn a_spent_budget_is_an_error() {
    let graph = listing("listing14-cholesky.scop", &Strategy::ppcg());
    let components = Components::strong(&graph);
    let ctx = graph.edges[0].map.ctx();
    let result = ctx.with_quota(3, || carry(&graph, &components, FALLBACK, &Strategy::ppcg(), ctx));
    assert!(result.unwrap_err().is_exhausted());
}

#[test]
fn a_graph_without_constraints_carries_nothing() {
    let graph = graph(&Ctx::new(), "{ S[i] : 0 <= i < 100 }", "{ }", &Strategy::ppcg());
    assert_eq!(step(&graph, FALLBACK, &Strategy::ppcg()), None);
}
