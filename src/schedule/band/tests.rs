//! The order of groups of references (unified report, 4.5), and what members follow from it.

use super::demand::Demand;
use super::lp::{Found, Member, Problem};
use super::proximity;
use crate::dependence::{Dependences, Mode};
use crate::isl::Ctx;
use crate::machine::Machine;
use crate::proximity::{Line, Proximity, ReferenceGroup};
use crate::schedule::graph::Graph;
use crate::schedule::graph::components::Components;
use crate::schedule::{Strategy, constraints, schedule_groups};
use crate::scop::Scop;

/// A region of one statement, with what the strategy for CPUs makes of it.
struct Region {
    graph: Graph,
    groups: Vec<ReferenceGroup>,
    strategy: Strategy,
    /// The members of its band.
    members: Vec<String>,
}

impl Region {
    /// `S` with these loops, from zero to `N` each, and these accesses.
    fn new(loops: &str, accesses: &[(&str, &str)]) -> Region {
        let (instance, domain) = (format!("S[{loops}]"), format!("{{ S[{loops}] : 0 <= {loops} < N }}"));
        let mut text = "scop: one\nparameters: [N]\narrays:\n".to_owned();
        let mut known = Vec::new();
        for (_, access) in accesses {
            let (array, rank) = (&access[..1], access.split(',').count());
            if !known.contains(&array) {
                text +=
                    &format!("  {array}: {{ kind: memory, element: f64, extent: [{}] }}\n", vec!["N"; rank].join(", "));
                known.push(array);
            }
        }
        text += &format!("statements:\n  S:\n    domain: \"{domain}\"\n    accesses:\n");
        for (i, (kind, access)) in accesses.iter().enumerate() {
            text += &format!("      - {kind} R{i}: \"{{ {instance} -> {access} }}\"\n");
        }
        let order: Vec<String> = loops.split(", ").map(|one| format!("{{ {instance} -> [({one})] }}")).collect();
        text += &format!("schedule:\n  domain: \"{domain}\"\n  child:\n    schedule: \"[{}]\"\n", order.join(", "));
        Region::of(&(text + "live_out: \"{ }\"\n"))
    }

    fn of(text: &str) -> Region {
        let scop = Scop::parse(&Ctx::new(), text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let dependences = Dependences::compute(&scop, Mode { live_range_reordering: true, ..Mode::default() }).unwrap();
        let constraints = constraints(&scop, &dependences, None).unwrap();
        let groups = Proximity::compute(&scop, None, Line::default()).unwrap().groups;
        let strategy = Strategy::unified_cpu(&Machine::generic());
        let tree = schedule_groups(&constraints, &groups, &strategy, &mut |_| ()).unwrap();
        let band = tree.root().unwrap().first_child().unwrap();
        let members = band.band_partial_schedule().unwrap().to_string();
        let members = members.split("[(").skip(1).filter_map(|rest| rest.split(")]").next()).map(str::to_owned);
        let mut graph = Graph::from_constraints(&constraints, &groups, &strategy).unwrap();
        graph.set_target();
        Region { members: members.collect(), graph, groups, strategy }
    }

    /// The band has this loop as its next member.
    fn with_member(mut self, variable: usize) -> Region {
        let row = self.row(variable);
        self.graph.push_rows(vec![row], false).unwrap();
        self
    }

    fn row(&self, variable: usize) -> Vec<i64> {
        let node = &self.graph.nodes[0];
        let mut row = vec![0; 1 + node.parameters + node.variables()];
        row[1 + node.parameters + variable] = 1;
        row
    }

    /// The arrays in the order of their groups for the next member.
    fn order(&self) -> String {
        let array = |alike: usize| self.groups.iter().find(|group| group.alike == alike).unwrap().array.as_str();
        proximity::order(&self.graph).unwrap().into_iter().map(array).collect()
    }

    /// The next member by objective (4), with the arrays' groups in this order.
    fn next(&self, order: &str) -> Vec<i64> {
        let alike = |array: char| self.groups.iter().find(|group| group.array.starts_with(array)).unwrap().alike;
        let order: Vec<usize> = order.chars().map(alike).collect();
        let formulation = self.strategy.problems.iter().find(|problem| problem.name == "temporal").unwrap();
        let (graph, components) = (&self.graph, Components::strong(&self.graph));
        let together = vec![false; graph.edges.len()];
        let aims = (&self.strategy, formulation);
        let demand = Demand { together, ..Demand::default() };
        let mut problem = Problem::new(graph, &components, aims, &demand, 0).unwrap();
        let ctx = graph.nodes[0].statement.domain.ctx();
        let wanted = proximity::wanted(formulation, &order);
        match proximity::solve(&mut problem, graph, &components, &wanted, ctx).unwrap() {
            Member::Found(Found { mut rows, .. }) => rows.remove(0),
            Member::None(end) => panic!("{end}"),
        }
    }
}

/// The report's own example (4.5 and 6.1): the product of Figure 1. First all groups have rank two, and C comes first
/// because it is read and written. With `i` outside `B[k][j]` alone has two subscripts that are open.
#[test]
fn rank_decides_before_multiplicity() {
    let product = || {
        Region::new(
            "i, j, k",
            &[("read", "C[i, j]"), ("read", "A[i, k]"), ("read", "B[k, j]"), ("must_write", "C[i, j]")],
        )
    };
    let (outer, inner) = (product(), product().with_member(0));
    assert_eq!((outer.order().as_str(), inner.order().as_str()), ("CAB", "BCA"));
    // i, k, j as in the report. By multiplicity alone C would have j first, along which B has its rows.
    assert_eq!(outer.members, ["i", "k", "j"]);
    assert_eq!(outer.next("CAB"), outer.row(0));
    assert_eq!(inner.next("BCA"), inner.row(2));
    assert_eq!(inner.next("CAB"), inner.row(1));
}

/// Of two groups with the same rank that of the array that is read twice comes first, and what it uses again and again
/// is outside.
#[test]
fn multiplicity_decides_between_groups_of_the_same_rank() {
    // Nothing of C is near anything else.
    let write = ("must_write", "C[i, j, 0]");
    let more_of_a = || Region::new("i, j", &[("read", "A[i]"), ("read", "B[j]"), ("read", "A[i]"), write]);
    let more_of_b = || Region::new("i, j", &[("read", "A[i]"), ("read", "B[j]"), ("read", "B[j]"), write]);
    assert_eq!((more_of_a().order().as_str(), more_of_b().order().as_str()), ("CAB", "CBA"));
    assert_eq!(
        (more_of_a().members, more_of_b().members),
        (["i", "j"].map(str::to_owned).into(), ["j", "i"].map(str::to_owned).into())
    );
    // The order alone makes the difference.
    for region in [more_of_a(), more_of_b()] {
        assert_eq!((region.next("CAB"), region.next("CBA")), (region.row(0), region.row(1)));
    }
    // With i outside B and C have one open subscript and one reference each, and A has none: the first reference decides.
    assert_eq!(more_of_a().with_member(0).order(), "BCA");
}

/// Subscripts that are the same but for constants are one group, whose multiplicity is the sum (4.5, "Combining groups").
#[test]
fn references_that_differ_by_constants_count_together() {
    let write = ("must_write", "C[i, j, 0]");
    let region = Region::new("i, j", &[("read", "A[i]"), ("read", "B[j]"), ("read", "B[j + 42]"), write]);
    assert_eq!(region.order(), "CBA");
}

/// The last subscript that a loop is in: of several one counts, of scalars and of what is no affine function none does.
#[test]
fn strides_are_by_the_last_subscript() {
    let write = ("must_write", "W[k, 0, i + j]");
    let reads = [("read", "A[i, j, k]"), ("read", "B[j, j]"), ("read", "C[0]"), ("read", "D[floor(i / 2), k]")];
    let region = Region::new("i, j, k", &[&reads[..], &[write]].concat());
    let strides = |variable: usize| {
        let contiguity = &region.graph.nodes[0].statement.contiguity;
        contiguity.count(crate::schedule::Term::StrideCoefficients, variable)
    };
    assert_eq!([0, 1, 2].map(strides), [1 + 3, 2 + 2 + 3, 3 + 2 + 1]);
}
