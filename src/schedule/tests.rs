use super::*;
use crate::dependence::samples;
use crate::dependence::{Dependences, Mode};
use crate::isl::{NodeType, Schedule, ScheduleNode, UnionMap};
use crate::scop::{ArrayKind, Scop};

fn schedule(scop: &Scop, mode: Mode, options: IslOptions) -> (Dependences, Schedule) {
    let deps = Dependences::compute(scop, mode).unwrap();
    let schedule = isl_schedule(constraints(scop, &deps, None).unwrap(), options).unwrap();
    (deps, schedule)
}

/// The bands of a tree, parents first.
fn bands(schedule: &Schedule) -> Vec<ScheduleNode> {
    let mut found = Vec::new();
    let root = schedule.root().unwrap();
    root.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == NodeType::Band {
            found.push(node.clone());
        }
        Ok(true)
    })
    .unwrap();
    found
}

/// No pair of the relation is executed in the wrong order or unordered.
fn keeps(schedule: &Schedule, relation: &UnionMap) -> bool {
    let order = schedule.map().unwrap();
    let before = order.clone().lex_lt_union_map(order).unwrap();
    relation.is_subset(&before).unwrap()
}

const MODES: [Mode; 2] = [
    Mode { live_range_reordering: true, false_for_proximity: true },
    Mode { live_range_reordering: false, false_for_proximity: true },
];

#[test]
fn matmul_becomes_one_permutable_band_with_two_coincident_members() {
    for mode in MODES {
        let scop = samples::matmul();
        let (deps, tree) = schedule(&scop, mode, IslOptions::default());
        let bands = bands(&tree);
        let outer = &bands[0];
        assert!(outer.band_permutable().unwrap(), "{tree}");
        assert_eq!(outer.band_coincident().unwrap().iter().filter(|c| **c).count(), 2, "{tree}");
        assert!(keeps(&tree, &deps.flow));
    }
}

#[test]
fn every_sample_keeps_its_flow_in_both_modes() {
    let samples = [
        samples::live_ranges(),
        samples::copy_through_scalar(ArrayKind::Scalar, true),
        samples::copy_through_scalar(ArrayKind::Memory, false),
        samples::matmul(),
        samples::two_matmuls(),
        samples::jacobi_1d(),
        samples::seidel_2d(),
        samples::row_filter(),
    ];
    for scop in &samples {
        for mode in MODES {
            for outer_coincidence in [true, false] {
                let options = IslOptions { outer_coincidence, ..IslOptions::default() };
                let (deps, tree) = schedule(scop, mode, options);
                assert!(keeps(&tree, &deps.flow), "{tree}");
                assert!(keeps(&tree, &deps.forced), "{tree}");
                assert!(mode.live_range_reordering || keeps(&tree, &deps.dep_false), "{tree}");
                assert!(tree.domain().unwrap().is_equal(&scop.domain().unwrap()).unwrap());
            }
        }
    }
}

#[test]
fn live_range_reordering_makes_a_scalar_chain_coincident() {
    let scop = samples::copy_through_scalar(ArrayKind::Scalar, true);
    let coincident = |mode| bands(&schedule(&scop, mode, IslOptions::default()).1)[0].band_coincident().unwrap()[0];
    assert!(coincident(MODES[0]));
    assert!(!coincident(MODES[1]));
}

#[test]
fn order_dependences_on_memory_stay_in_coincidence() {
    let scop = samples::copy_through_scalar(ArrayKind::Memory, true);
    let (_, tree) = schedule(&scop, MODES[0], IslOptions::default());
    assert!(bands(&tree).iter().all(|b| b.band_coincident().unwrap().iter().all(|c| !c)), "{tree}");
}

/// `for i: { for j: t[j] = A[i][j]; for j: B[i][j] = t[j] }` with a row that belongs to the region.
fn copy_through_row() -> Scop {
    use crate::dependence::samples::{R, Sample, W, band, sequence};
    let rows = sequence(&[("S[i, j]", &band("S[i, j] -> [j]", "")), ("T[i, j]", &band("T[i, j] -> [j]", ""))]);
    Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2)])
        .array("t", ArrayKind::Local, 1)
        .statement("[n] -> { S[i, j] : 0 <= i, j < n }", &[(R, "{ S[i, j] -> A[i, j] }"), (W, "{ S[i, j] -> t[j] }")])
        .statement("[n] -> { T[i, j] : 0 <= i, j < n }", &[(R, "{ T[i, j] -> t[j] }"), (W, "{ T[i, j] -> B[i, j] }")])
        .order(&band("S[i, j] -> [i]; T[i, j] -> [i]", &rows), "{ B[i, j] }")
}

/// ppcg report, 4.3: order dependences on scalars alone are left out of coincidence there; here those on local arrays are,
/// too, unless the strategy says otherwise.
#[test]
fn arrays_are_private_as_scalars_are_unless_the_strategy_says_otherwise() {
    let coincident = |scop: &Scop, text: &str| {
        let strategy = Strategy::parse(text, &crate::machine::Machine::generic()).unwrap();
        let deps = Dependences::compute(scop, MODES[0]).unwrap();
        let made = as_aimed(constraints(scop, &deps, None).unwrap(), scop, &deps, &strategy).unwrap();
        let tree = super::schedule(&made, &strategy, &mut |_| ()).unwrap();
        assert!(keeps(&tree, &deps.flow), "{tree}");
        shape(&tree).concat()
    };
    let (row, scalar) = (copy_through_row(), samples::copy_through_scalar(ArrayKind::Scalar, true));
    let memory = samples::copy_through_scalar(ArrayKind::Memory, true);
    for (text, of_row) in
        [("", [true, true]), ("private-arrays = true", [true, true]), ("private-arrays = false", [true, false])]
    {
        assert_eq!(coincident(&row, text), of_row, "{text}");
        assert_eq!((coincident(&scalar, text), coincident(&memory, text)), (vec![true], vec![false]), "{text}");
    }
}

#[test]
fn dead_instances_are_not_scheduled() {
    let scop = samples::matmul();
    let deps = Dependences::compute(&scop, Mode::default()).unwrap();
    let dead = scop.statements[0].domain.clone().to_union_set().unwrap();
    for mode in MODES {
        let deps = Dependences { mode, ..deps.clone() };
        let constraints = constraints(&scop, &deps, Some(&dead)).unwrap();
        let tree = isl_schedule(constraints, IslOptions::default()).unwrap();
        assert!(tree.domain().unwrap().is_disjoint(&dead).unwrap());
    }
}

#[test]
fn an_exhausted_quota_is_a_typed_error() {
    let scop = samples::seidel_2d();
    let deps = Dependences::compute(&scop, Mode::default()).unwrap();
    let constraints = constraints(&scop, &deps, None).unwrap();
    let struck = scop.ctx().with_quota(2000, || isl_schedule(constraints, IslOptions::default()));
    assert!(struck.unwrap_err().is_exhausted());
}

fn all_samples() -> Vec<Scop> {
    vec![
        samples::live_ranges(),
        samples::copy_through_scalar(ArrayKind::Scalar, true),
        samples::copy_through_scalar(ArrayKind::Memory, false),
        samples::matmul(),
        samples::two_matmuls(),
        samples::jacobi_1d(),
        samples::seidel_2d(),
        samples::row_filter(),
    ]
}

fn keep_original(scop: &Scop, mode: Mode) -> Schedule {
    let deps = Dependences::compute(scop, mode).unwrap();
    original(&scop.schedule, &constraints(scop, &deps, None).unwrap()).unwrap()
}

#[test]
fn the_original_order_is_kept_exactly() {
    for scop in all_samples() {
        for mode in MODES {
            let tree = keep_original(&scop, mode);
            let pairs = |schedule: &Schedule| {
                let order = schedule.map().unwrap().intersect_domain(scop.domain().unwrap()).unwrap();
                order.clone().lex_lt_union_map(order).unwrap()
            };
            assert!(pairs(&tree).is_equal(&pairs(&scop.schedule)).unwrap(), "{tree}");
            assert!(tree.domain().unwrap().is_equal(&scop.domain().unwrap()).unwrap());
        }
    }
}

fn shape(schedule: &Schedule) -> Vec<Vec<bool>> {
    bands(schedule).iter().map(|b| b.band_coincident().unwrap()).collect()
}

#[test]
fn original_loops_are_gathered_into_permutable_bands() {
    // The statement that sets an element to zero stands between the loops over j and k.
    assert_eq!(shape(&keep_original(&samples::matmul(), MODES[0])), [vec![true, true], vec![false]]);
    // Neighbours in time go backwards in space: nothing is permutable, nothing is parallel.
    assert_eq!(shape(&keep_original(&samples::seidel_2d(), MODES[0])), [[false], [false], [false]]);
    assert_eq!(shape(&keep_original(&samples::jacobi_1d(), MODES[0])), [[false], [true], [true]]);
}

#[test]
fn original_loops_skip_kills() {
    let scop = samples::copy_through_scalar(ArrayKind::Scalar, true);
    assert_eq!(shape(&keep_original(&scop, MODES[0])), [[true]]);
    assert_eq!(shape(&keep_original(&scop, MODES[1])), [[false]]);
}

#[test]
fn local_live_ranges_do_not_prevent_permutable_bands() {
    use crate::dependence::samples::{R, Sample, W, band, sequence};
    // for i, j: v = X[i][j]; Y[i][j] = v, and a variant where v crosses from one j to the next.
    let build = |crossing: bool| {
        let read = if crossing { "{ T[i, j] -> v[j - 1] }" } else { "{ T[i, j] -> v[j] }" };
        let body = sequence(&[("S[i, j]", ""), ("T[i, j]", "")]);
        let inner = band("S[i, j] -> [j]; T[i, j] -> [j]", &body);
        Sample::new("[n] -> { : }")
            .memory(&[("X", 2), ("Y", 2)])
            .array("v", ArrayKind::Local, 1)
            .statement(
                "[n] -> { S[i, j] : 0 <= i, j < n }",
                &[(R, "{ S[i, j] -> X[i, j] }"), (W, "{ S[i, j] -> v[j] }")],
            )
            .statement("[n] -> { T[i, j] : 0 <= i < n and 1 <= j < n }", &[(R, read), (W, "{ T[i, j] -> Y[i, j] }")])
            .order(&band("S[i, j] -> [i]; T[i, j] -> [i]", &inner), "{ Y[i, j] }")
    };
    assert_eq!(shape(&keep_original(&build(false), MODES[0])), [[true, true]]);
    // v[j - 1] is read in iteration (i, j) and overwritten in (i + 1, j - 1): not permutable.
    assert_eq!(shape(&keep_original(&build(true), MODES[0])), [[true], [false]]);
}
