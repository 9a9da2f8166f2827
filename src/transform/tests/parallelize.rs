use super::*;
use crate::check::legality::{Assumptions, CheckError, check};
use crate::dependence::samples::{self, R, Sample, W, band, sequence};
use crate::dependence::{Dependences, Mode};
use crate::isl::{NodeType, Schedule, ScheduleNode};
use crate::machine::Machine;
use crate::schedule::{IslOptions, constraints, isl_schedule, original};
use crate::schedule_tree::band::{insert_mark, mark};
use crate::schedule_tree::{Mark, TileSizes};
use crate::scop::{AccessKind, ArrayKind, Scop};
use crate::transform::{interchange, tile, wavefront};

fn analyse(scop: &Scop) -> Dependences {
    Dependences::compute(scop, Mode::default()).unwrap()
}

/// The original order, mapped.
fn mapped(scop: &Scop, options: CpuOptions) -> Schedule {
    let deps = analyse(scop);
    let tree = original(&scop.schedule, &constraints(scop, &deps, None).unwrap()).unwrap();
    cpu(scop, &deps, &tree, options, &Machine::generic()).unwrap().tree
}

/// Small samples have loops that are too small to pay; they are made parallel all the same.
const EAGER: CpuOptions = CpuOptions { parallel: true, vector: true, profitability: false };

fn marks(tree: &Schedule) -> Vec<Mark> {
    let mut found = Vec::new();
    let root = tree.root().unwrap();
    root.for_each_descendant_top_down(&mut |node| {
        found.extend(mark(node)?);
        Ok(true)
    })
    .unwrap();
    found
}

fn parallel(private: &[&str]) -> Mark {
    Mark::Parallel { private: private.iter().map(|name| (*name).to_owned()).collect() }
}

#[track_caller]
fn assert_legal(scop: &Scop, tree: &Schedule) {
    if let Err(error) = check(scop, tree, &Assumptions::default()) {
        panic!("{}: {error}\n{tree}", scop.name);
    }
}

#[test]
fn a_scalar_of_the_region_gets_a_copy_for_each_iteration() {
    let scop = samples::copy_through_scalar(ArrayKind::Scalar, true);
    let tree = mapped(&scop, EAGER);
    assert_eq!(marks(&tree), [parallel(&["t"])]);
    assert_legal(&scop, &tree);
}

#[test]
fn without_a_private_copy_the_loop_stays_sequential_because_it_would_race() {
    for (kind, kill) in [(ArrayKind::Memory, true), (ArrayKind::Memory, false), (ArrayKind::Scalar, false)] {
        let scop = samples::copy_through_scalar(kind, kill);
        assert_eq!(marks(&mapped(&scop, EAGER)), [], "{kind:?}, killed: {kill}");
    }
    // What the mapper prevents: the loop in parallel with one t for all is a race, which the checker sees.
    let scop = samples::copy_through_scalar(ArrayKind::Scalar, true);
    let deps = analyse(&scop);
    let tree = original(&scop.schedule, &constraints(&scop, &deps, None).unwrap()).unwrap();
    let band = tree.root().unwrap().first_child().unwrap();
    assert!(band.band_member_coincident(0).unwrap(), "the flag alone would allow it");
    let racy = insert_mark(band, &parallel(&[])).unwrap().schedule().unwrap();
    assert!(matches!(check(&scop, &racy, &Assumptions::default()), Err(CheckError::Illegal(_))));
}

#[test]
fn a_value_that_crosses_iterations_keeps_them_in_order() {
    let scop = samples::row_filter();
    let tree = mapped(&scop, EAGER);
    // Rows are independent, with a filter state each; within a row the state crosses from element to element.
    assert_eq!(marks(&tree), [parallel(&["p", "v"])]);
    let outer = tree.root().unwrap().first_child().unwrap();
    assert_eq!(mark(&outer).unwrap(), Some(parallel(&["p", "v"])));
    assert_legal(&scop, &tree);
}

#[test]
fn a_flag_that_is_wrong_makes_no_loop_parallel() {
    let scop = samples::row_filter();
    let deps = analyse(&scop);
    let tree = original(&scop.schedule, &constraints(&scop, &deps, None).unwrap()).unwrap();
    let mut lie = |node: ScheduleNode| {
        if node.node_type()? == NodeType::Band { node.band_member_set_coincident(0, true) } else { Ok(node) }
    };
    let lying = tree.root().unwrap().map_descendant_bottom_up(&mut lie).unwrap().schedule().unwrap();
    // Hide the outer loop from the mapper, so that it decides about the inner one.
    let outer = lying.root().unwrap().first_child().unwrap().band_member_set_coincident(0, false).unwrap();
    let mapped = cpu(&scop, &deps, &outer.schedule().unwrap(), EAGER, &Machine::generic()).unwrap().tree;
    assert_eq!(marks(&mapped), []);
}

#[test]
fn a_buffer_of_the_region_is_shared_where_iterations_keep_apart() {
    let scop = samples::two_matmuls();
    let tree = mapped(&scop, CpuOptions::default());
    let parallel_loops: Vec<_> = marks(&tree).into_iter().filter(|m| matches!(m, Mark::Parallel { .. })).collect();
    assert_eq!(parallel_loops, [parallel(&[]), parallel(&[])]);
    assert_legal(&scop, &tree);
}

#[test]
fn a_buffer_used_anew_by_each_row_gets_a_copy_for_each() {
    // for i: { for j: v[j] = X[i][j]; for j: Y[i][j] = v[n - 1 - j] }
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("X", 2), ("Y", 2)])
        .array("v", ArrayKind::Local, 1)
        .statement("[n] -> { S[i, j] : 0 <= i, j < n }", &[(R, "{ S[i, j] -> X[i, j] }"), (W, "{ S[i, j] -> v[j] }")])
        .statement(
            "[n] -> { T[i, j] : 0 <= i, j < n }",
            &[(R, "[n] -> { T[i, j] -> v[n - 1 - j] }"), (W, "{ T[i, j] -> Y[i, j] }")],
        )
        .order(
            &band(
                "S[i, j] -> [i]; T[i, j] -> [i]",
                &sequence(&[("S[i, j]", &band("S[i, j] -> [j]", "")), ("T[i, j]", &band("T[i, j] -> [j]", ""))]),
            ),
            "{ Y[i, j] }",
        );
    let tree = mapped(&scop, CpuOptions::default());
    assert_eq!(marks(&tree), [parallel(&["v"]), Mark::Vector, Mark::Vector]);
    assert_legal(&scop, &tree);
}

#[test]
fn short_loops_inside_sequential_ones_are_not_worth_threads() {
    let scop = samples::jacobi_1d();
    assert_eq!(marks(&mapped(&scop, CpuOptions::default())), [Mark::Vector, Mark::Vector]);
    let eager = marks(&mapped(&scop, EAGER));
    assert_eq!(eager.iter().filter(|m| **m == parallel(&[])).count(), 2);
    assert_legal(&scop, &mapped(&scop, EAGER));
}

#[test]
fn options_turn_marks_off() {
    let scop = samples::jacobi_1d();
    assert_eq!(marks(&mapped(&scop, CpuOptions { parallel: false, vector: false, profitability: false })), []);
}

#[test]
fn the_whole_way_is_legal_for_every_sample() {
    let samples = [
        samples::live_ranges(),
        samples::copy_through_scalar(ArrayKind::Scalar, true),
        samples::copy_through_scalar(ArrayKind::Memory, false),
        samples::matmul(),
        samples::two_matmuls(),
        samples::jacobi_1d(),
        samples::row_filter(),
    ];
    let sizes = TileSizes::new(&[4, 6]);
    for scop in &samples {
        for live_range_reordering in [true, false] {
            let deps = Dependences::compute(scop, Mode { live_range_reordering, ..Mode::default() }).unwrap();
            let constraints = constraints(scop, &deps, None).unwrap();
            let isl = |outer_coincidence| {
                isl_schedule(constraints.clone(), IslOptions { outer_coincidence, ..IslOptions::default() })
            };
            let trees = [isl(true), isl(false), original(&scop.schedule, &constraints)];
            for tree in trees {
                let tree = tile(&tree.unwrap(), &sizes).unwrap();
                let tree = wavefront(&tree, &constraints, &sizes, 1).unwrap();
                let tree = interchange(scop, &tree, &Machine::generic()).unwrap();
                let tree = cpu(scop, &deps, &tree, EAGER, &Machine::generic()).unwrap().tree;
                assert_legal(scop, &tree);
            }
        }
    }
}

/// Every step from dependences to marks, in isl's order.
fn whole_way(scop: &Scop) -> Schedule {
    let deps = analyse(scop);
    let constraints = constraints(scop, &deps, None).unwrap();
    let tree = isl_schedule(constraints.clone(), IslOptions::default()).unwrap();
    let sizes = TileSizes::default();
    let tree = wavefront(&tile(&tree, &sizes).unwrap(), &constraints, &sizes, 1).unwrap();
    let kept = original(&scop.schedule, &constraints).unwrap();
    assert_legal(scop, &cpu(scop, &deps, &kept, EAGER, &Machine::generic()).unwrap().tree);
    cpu(scop, &deps, &interchange(scop, &tree, &Machine::generic()).unwrap(), EAGER, &Machine::generic()).unwrap().tree
}

#[test]
fn degenerate_regions_pass_through() {
    let ctx = crate::isl::Ctx::new();
    let empty = "scop: empty\narrays: {}\nstatements: {}\nschedule: { domain: \"{ }\" }\nlive_out: \"{ }\"\n";
    let empty = Scop::parse(&ctx, empty).unwrap();
    let no_access = Sample::new("[n] -> { : }")
        .statement("[n] -> { S[i, j] : 0 <= i, j < n }", &[])
        .with(|s| s.side_effect = true)
        .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ }");
    let no_instance = Sample::new("[n] -> { : n < 0 }")
        .memory(&[("A", 1)])
        .statement("[n] -> { S[i] : 0 <= i < n }", &[(W, "{ S[i] -> A[i] }")])
        .order(&band("S[i] -> [i]", ""), "{ A[i] }");
    let one_instance = Sample::new("{ : }")
        .memory(&[("A", 0)])
        .statement("{ S[] }", &[(R, "{ S[] -> A[] }"), (W, "{ S[] -> A[] }")])
        .order("{ schedule: \"[]\" }", "{ A[] }");
    for scop in [empty, no_access, no_instance, one_instance] {
        let tree = whole_way(&scop);
        assert!(tree.domain().unwrap().is_equal(&scop.domain().unwrap()).unwrap());
        assert_legal(&scop, &tree);
    }
}

#[test]
fn accesses_that_may_be_anywhere_keep_their_loop_sequential() {
    // A[B[i]] = ..: the element is not known.
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 1), ("B", 1)])
        .statement(
            "[n] -> { S[i] : 0 <= i < n }",
            &[(R, "{ S[i] -> B[i] }"), (samples::M, "[n] -> { S[i] -> A[a] : 0 <= a < n }")],
        )
        .order(&band("S[i] -> [i]", ""), "{ A[i] }");
    let tree = whole_way(&scop);
    assert_eq!(marks(&tree), []);
    assert_legal(&scop, &tree);
}

#[test]
fn known_work_is_weighed_against_the_start_of_threads() {
    // for t < 3: for i < length: S
    let nest = |length: &str| {
        Sample::new("[n] -> { : }")
            .memory(&[("A", 2)])
            .statement(
                &format!("[n] -> {{ S[t, i] : 0 <= t < 3 and 0 <= i < {length} }}"),
                &[(W, "{ S[t, i] -> A[t, i] }")],
            )
            .order(&band("S[t, i] -> [t]", &band("S[t, i] -> [i]", "")), "{ A[t, i] }")
    };
    let machine = |text: &str| Machine::parse(&format!("parallel-start: 3000\n{text}")).unwrap();
    let parallel_loops = |scop: &Scop, machine: &Machine| {
        let deps = analyse(scop);
        let tree = original(&scop.schedule, &constraints(scop, &deps, None).unwrap()).unwrap();
        let Mapped { tree, too_little_work } = cpu(scop, &deps, &tree, CpuOptions::default(), machine).unwrap();
        let count = marks(&tree).iter().filter(|mark| **mark == parallel(&[])).count();
        assert_eq!(too_little_work, count == 0, "{tree}");
        count
    };
    let two = machine("cores: 2");
    assert_eq!((parallel_loops(&nest("2000"), &two), parallel_loops(&nest("2001"), &two)), (0, 1));
    assert_eq!(parallel_loops(&nest("n"), &two), 1, "what is not known may be much");
    assert_eq!(parallel_loops(&nest("1100"), &machine("cores: 16")), 1);
    assert_eq!(parallel_loops(&nest("n"), &machine("cores: 1")), 0);
}

#[test]
fn the_work_of_one_run_counts_and_not_that_of_all() {
    // for t < 100: for i < length: A[i] += .., carried by t
    let nest = |length: u32| {
        Sample::new("{ : }")
            .memory(&[("A", 3)])
            .statement(
                &format!("{{ S[t, i, j, k] : 0 <= t < 100 and 0 <= i, j, k < {length} }}"),
                &[(R, "{ S[t, i, j, k] -> A[i, j, k] }"), (W, "{ S[t, i, j, k] -> A[i, j, k] }")],
            )
            .order(
                &band(
                    "S[t, i, j, k] -> [t]",
                    &band("S[t, i, j, k] -> [i]", &band("S[t, i, j, k] -> [j]", &band("S[t, i, j, k] -> [k]", ""))),
                ),
                "{ A[i, j, k] }",
            )
    };
    let parallel_loops = |length| {
        let tree = mapped(&nest(length), CpuOptions::default());
        marks(&tree).iter().filter(|mark| **mark == parallel(&[])).count()
    };
    assert_eq!((parallel_loops(18), parallel_loops(19)), (0, 1), "2 * 18^3 < 12000 < 2 * 19^3");
}

/// `for i, j: { S: C[i][j] = B[j - shift]; if (j >= 1) T: D[i][j] = C[i][j]; B[j] = .. }`, all in one loop.
fn guarded(shift: i32) -> Scop {
    Sample::new("[n] -> { : }")
        .memory(&[("B", 2), ("C", 2), ("D", 2)])
        .statement(
            "[n] -> { S[i, j] : 0 <= i, j < n }",
            &[(R, &format!("{{ S[i, j] -> B[i, j - ({shift})] }}")), (W, "{ S[i, j] -> C[i, j] }")],
        )
        .statement(
            "[n] -> { T[i, j] : 0 <= i < n and 1 <= j < n }",
            &[(R, "{ T[i, j] -> C[i, j] }"), (W, "{ T[i, j] -> B[i, j] }")],
        )
        .order(
            &band(
                "S[i, j] -> [i]; T[i, j] -> [i]",
                &band("S[i, j] -> [j]; T[i, j] -> [j]", &sequence(&[("S[i, j]", ""), ("T[i, j]", "")])),
            ),
            "{ B[i, j]; C[i, j]; D[i, j] }",
        )
}

#[test]
fn an_innermost_loop_is_distributed_over_statements_with_conditions() {
    let scop = guarded(0);
    let tree = mapped(&scop, CpuOptions::default());
    assert_eq!(marks(&tree), [parallel(&[]), Mark::Vector, Mark::Vector], "{tree}");
    assert_legal(&scop, &tree);
    // The value goes from T to S of the next iteration: S of all iterations cannot come first.
    let scop = guarded(1);
    let tree = mapped(&scop, CpuOptions::default());
    assert_eq!(marks(&tree), [parallel(&[])], "{tree}");
    assert_legal(&scop, &tree);
    // Both are executed in every iteration: nothing is gained.
    let scop = samples::matmul();
    let tree = mapped(&scop, CpuOptions::default());
    assert_legal(&scop, &tree);
}

#[test]
fn statements_without_conditions_stay_in_one_loop() {
    let scop = samples::row_filter();
    let inner = mapped(&scop, EAGER).root().unwrap().first_child().unwrap().first_child().unwrap();
    assert_eq!(inner.node_type().unwrap(), NodeType::Band);
    let mut leaves_with_bands = 0;
    inner
        .for_each_descendant_top_down(&mut |node| {
            leaves_with_bands += usize::from(node.node_type()? == NodeType::Band);
            Ok(true)
        })
        .unwrap();
    assert_eq!(leaves_with_bands, 2, "the loops over i and j, each once");
}

#[test]
fn statements_without_an_order_get_one_that_makes_vectors() {
    // Skewed for time tiles, both updates of a stencil share an innermost loop whose iterations conflict.
    let scop = samples::jacobi_1d();
    let deps = analyse(&scop);
    let constraints = constraints(&scop, &deps, None).unwrap();
    let wide = IslOptions { outer_coincidence: false, ..IslOptions::default() };
    let tree = isl_schedule(constraints.clone(), wide).unwrap();
    let sizes = TileSizes::default();
    let tree = wavefront(&tile(&tree, &sizes).unwrap(), &constraints, &sizes, 1).unwrap();
    let tree = cpu(&scop, &deps, &tree, CpuOptions::default(), &Machine::generic()).unwrap().tree;
    assert_eq!(marks(&tree).iter().filter(|m| **m == Mark::Vector).count(), 2, "{tree}");
    assert_legal(&scop, &tree);
    let scalar = CpuOptions { vector: false, ..CpuOptions::default() };
    let plain = cpu(
        &scop,
        &deps,
        &tile(&isl_schedule(constraints, wide).unwrap(), &sizes).unwrap(),
        scalar,
        &Machine::generic(),
    )
    .unwrap()
    .tree;
    assert_eq!(marks(&plain), [Mark::TILE, Mark::Point], "without vectors nothing is distributed: {plain}");
}

type Other<'a> = (&'a str, &'a str, &'a [(AccessKind, &'a str)]);

/// A block of `i, j` around statements, in a loop along the updates of `P: C[i][j] += A[i][k] * B[k][j]`, which comes
/// behind `Z: C[i][j] = 0`, with other statements, given by name, time in that loop and accesses. `order` is the tree
/// below the block.
fn block_of_products(others: &[Other], order: &str) -> Scop {
    let mut sample = Sample::new("[n] -> { : n > 1 }")
        .memory(&[("A", 2), ("B", 2), ("C", 2), ("D", 2), ("E", 2)])
        .array("t", ArrayKind::Scalar, 0)
        .statement("[n] -> { Z[i, j] : 0 <= i, j < n }", &[(W, "{ Z[i, j] -> C[i, j] }")])
        .statement(
            "[n] -> { P[i, j, k] : 0 <= i, j, k < n }",
            &[
                (R, "{ P[i, j, k] -> A[i, k] }"),
                (R, "{ P[i, j, k] -> B[k, j] }"),
                (R, "{ P[i, j, k] -> C[i, j] }"),
                (W, "{ P[i, j, k] -> C[i, j] }"),
            ],
        );
    let mut times = "Z[i, j] -> [-1]; P[i, j, k] -> [k]".to_owned();
    let (mut rows, mut columns) =
        ("Z[i, j] -> [i]; P[i, j, k] -> [i]".to_owned(), "Z[i, j] -> [j]; P[i, j, k] -> [j]".to_owned());
    for (name, time, accesses) in others {
        sample = sample.statement(&format!("[n] -> {{ {name}[i, j] : 0 <= i, j < n }}"), accesses);
        times += &format!("; {name}[i, j] -> [{time}]");
        rows += &format!("; {name}[i, j] -> [i]");
        columns += &format!("; {name}[i, j] -> [j]");
    }
    let child = if order.is_empty() { String::new() } else { format!(", child: {order}") };
    let block = format!("{{ schedule: \"[{{ {rows} }}, {{ {columns} }}]\"{child} }}");
    let block = format!("{{ mark: \"block\", child: {block} }}");
    let points = format!("{{ schedule: \"[n] -> [{{ {times} }}]\", child: {block} }}");
    sample.order(&points, "{ C[i, j]; D[i, j]; E[i, j] }")
}

/// The tree that a scop has, mapped for one thread.
fn mapped_as_it_is(scop: &Scop) -> Schedule {
    let options = CpuOptions { parallel: false, ..EAGER };
    let tree = cpu(scop, &analyse(scop), &scop.schedule, options, &Machine::generic()).unwrap().tree;
    assert_legal(scop, &tree);
    tree
}

/// The filters of the first sequence, by names of statements.
fn groups(tree: &Schedule) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    let mut found = |node: &ScheduleNode| {
        if node.node_type()? == NodeType::Sequence && groups.is_empty() {
            for child in node.children()? {
                let sets = child.filter()?.set_list()?.to_vec()?;
                let mut names: Vec<_> = sets.iter().map(|set| set.tuple_name().unwrap().unwrap()).collect();
                names.sort();
                groups.push(names);
            }
        }
        Ok(groups.is_empty())
    };
    tree.root().unwrap().for_each_descendant_top_down(&mut found).unwrap();
    groups
}

#[test]
fn what_a_scalar_ties_together_leaves_the_products_of_a_block_alone() {
    // X: t = C[i][j]; Y: D[i][j] = t, for the last k
    let tied: [Other; 2] = [
        ("X", "n - 1", &[(R, "{ X[i, j] -> C[i, j] }"), (W, "{ X[i, j] -> t[] }")]),
        ("Y", "n - 1", &[(R, "{ Y[i, j] -> t[] }"), (W, "{ Y[i, j] -> D[i, j] }")]),
    ];
    let order = sequence(&[("Z[i, j]", ""), ("P[i, j, k]", ""), ("X[i, j]", ""), ("Y[i, j]", "")]);
    let tree = mapped_as_it_is(&block_of_products(&tied, &order));
    assert_eq!(groups(&tree), [vec!["Z"], vec!["P"], vec!["X", "Y"]], "{tree}");
    assert_eq!(marks(&tree), [Mark::Block, Mark::Vector, Mark::Block, Mark::Vector, Mark::Block], "{tree}");
    // Sequences in sequences make no difference.
    let inner = [sequence(&[("Z[i, j]", ""), ("P[i, j, k]", "")]), sequence(&[("X[i, j]", ""), ("Y[i, j]", "")])];
    let nested = sequence(&[("Z[i, j]; P[i, j, k]", &inner[0]), ("X[i, j]; Y[i, j]", &inner[1])]);
    assert_eq!(mapped_as_it_is(&block_of_products(&tied, &nested)).to_string(), tree.to_string());
}

#[test]
fn products_stay_between_what_they_must_not_pass() {
    // X: t = C[i][j]; P; Y: C[i][j] = t, X and Y for the first k: the products are between what the scalar ties
    // together.
    let tied: [Other; 2] = [
        ("X", "0", &[(R, "{ X[i, j] -> C[i, j] }"), (W, "{ X[i, j] -> t[] }")]),
        ("Y", "0", &[(R, "{ Y[i, j] -> t[] }"), (W, "{ Y[i, j] -> C[i, j] }")]),
    ];
    let order = sequence(&[("X[i, j]", ""), ("Z[i, j]", ""), ("P[i, j, k]", ""), ("Y[i, j]", "")]);
    let tree = mapped_as_it_is(&block_of_products(&tied, &order));
    assert_eq!(groups(&tree), [vec!["P", "X", "Y"], vec!["Z"]], "{tree}");
    assert_eq!(marks(&tree), [Mark::Block, Mark::Block, Mark::Vector], "{tree}");
}

#[test]
fn parts_of_a_block_change_places_where_that_frees_the_products() {
    // X: t = A[i][j]; P; Y: D[i][j] = t: the products have nothing to do with what the scalar ties together.
    let tied: [Other; 2] = [
        ("X", "0", &[(R, "{ X[i, j] -> A[i, j] }"), (W, "{ X[i, j] -> t[] }")]),
        ("Y", "0", &[(R, "{ Y[i, j] -> t[] }"), (W, "{ Y[i, j] -> D[i, j] }")]),
    ];
    let order = sequence(&[("X[i, j]", ""), ("Z[i, j]", ""), ("P[i, j, k]", ""), ("Y[i, j]", "")]);
    let tree = mapped_as_it_is(&block_of_products(&tied, &order));
    assert_eq!(groups(&tree), [vec!["X", "Y"], vec!["Z"], vec!["P"]], "{tree}");
}

/// The innermost member of a triangular solve for one row, `S: x[j] -= x[k] * L[j][k]` and `D: x[j] /= L[j][j]`, along
/// the rows of `L` under a mark.
fn solve(mark: &str) -> Scop {
    let band = "{ schedule: \"[{ S[j, k] -> [j]; D[j] -> [j] }]\", child: { sequence: [
        { filter: \"{ S[j, k] }\" }, { filter: \"{ D[j] }\" } ] } }";
    let order = format!(
        "{{ schedule: \"[{{ S[j, k] -> [k]; D[j] -> [j] }}]\", child: {{ mark: \"{mark}\", child: {band} }} }}"
    );
    Sample::new("[n] -> { : n > 1 }")
        .memory(&[("x", 1), ("L", 2)])
        .statement(
            "[n] -> { S[j, k] : 0 <= k < j < n }",
            &[
                (R, "{ S[j, k] -> x[j] }"),
                (R, "{ S[j, k] -> x[k] }"),
                (R, "{ S[j, k] -> L[j, k] }"),
                (W, "{ S[j, k] -> x[j] }"),
            ],
        )
        .statement(
            "[n] -> { D[j] : 0 <= j < n }",
            &[(R, "{ D[j] -> x[j] }"), (R, "{ D[j] -> L[j, j] }"), (W, "{ D[j] -> x[j] }")],
        )
        .order(&order, "{ x[j] }")
}

#[test]
fn a_division_goes_before_the_updates_of_its_block() {
    // In each iteration of k, D[k] has to come before S[j, k], though D[j] comes behind S[j, k].
    let tree = mapped_as_it_is(&solve("block"));
    assert_eq!(groups(&tree), [["D"], ["S"]], "{tree}");
    assert_eq!(marks(&tree), [Mark::Block, Mark::Vector, Mark::Block, Mark::Vector], "{tree}");
}

#[test]
fn points_keep_the_order_of_their_parts() {
    let scop = solve("point");
    assert_eq!(mapped_as_it_is(&scop).to_string(), scop.schedule.to_string());
}

#[test]
fn statements_at_a_leaf_of_a_block_get_an_order_of_groups() {
    // W: D[i][j] = C[i][j] + E[i][j - 1]; X: E[i][j] = D[i][j - 1], behind the products.
    let tied: [Other; 2] = [
        ("W", "n", &[(R, "{ W[i, j] -> C[i, j] }"), (R, "{ W[i, j] -> E[i, j - 1] }"), (W, "{ W[i, j] -> D[i, j] }")]),
        ("X", "n", &[(R, "{ X[i, j] -> D[i, j - 1] }"), (W, "{ X[i, j] -> E[i, j] }")]),
    ];
    let tree = mapped_as_it_is(&block_of_products(&tied, ""));
    assert_eq!(groups(&tree), [vec!["P"], vec!["W", "X"], vec!["Z"]], "{tree}");
    assert_eq!(marks(&tree), [Mark::Block, Mark::Vector, Mark::Block, Mark::Block, Mark::Vector], "{tree}");
}

/// The parallel loops of a product of matrices in tiles so long, on a machine of two cores.
fn parallel_tiles(sizes: &[u32], private: &[&str]) -> usize {
    let scop = samples::matmul();
    let deps = analyse(&scop);
    let constraints = constraints(&scop, &deps, None).unwrap();
    let tree = isl_schedule(constraints, IslOptions { outer_coincidence: true, ..IslOptions::default() }).unwrap();
    let tiled = tile(&tree, &TileSizes::new(sizes)).unwrap();
    let tree = cpu(&scop, &deps, &tiled, CpuOptions::default(), &Machine::generic()).unwrap().tree;
    assert_legal(&scop, &tree);
    marks(&tree).into_iter().filter(|mark| *mark == parallel(private)).count()
}

#[test]
fn threads_share_columns_of_tiles_where_there_are_few_rows_of_them() {
    assert_eq!(parallel_tiles(&[256, 128, 32], &[]), 2);
    assert_eq!(parallel_tiles(&[32, 128, 32], &[]), 1, "32 tiles of rows, if there are a thousand");
}
