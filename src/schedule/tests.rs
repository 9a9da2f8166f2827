use super::*;
use crate::dependence::samples;
use crate::dependence::{Dependences, Mode};
use crate::isl::{NodeType, Schedule, ScheduleNode, UnionMap};
use crate::scop::{ArrayKind, Scop};

fn schedule(scop: &Scop, mode: Mode, options: LibraryOptions) -> (Dependences, Schedule) {
    let deps = Dependences::compute(scop, mode).unwrap();
    let schedule = library(constraints(scop, &deps, None).unwrap(), options).unwrap();
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

const MODES: [Mode; 2] = [Mode { live_range_reordering: true }, Mode { live_range_reordering: false }];

#[test]
fn matmul_becomes_one_permutable_band_with_two_coincident_members() {
    for mode in MODES {
        let scop = samples::matmul();
        let (deps, tree) = schedule(&scop, mode, LibraryOptions::default());
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
                let options = LibraryOptions { outer_coincidence, ..LibraryOptions::default() };
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
    let coincident = |mode| bands(&schedule(&scop, mode, LibraryOptions::default()).1)[0].band_coincident().unwrap()[0];
    assert!(coincident(MODES[0]));
    assert!(!coincident(MODES[1]));
}

#[test]
fn order_dependences_on_memory_stay_in_coincidence() {
    let scop = samples::copy_through_scalar(ArrayKind::Memory, true);
    let (_, tree) = schedule(&scop, MODES[0], LibraryOptions::default());
    assert!(bands(&tree).iter().all(|b| b.band_coincident().unwrap().iter().all(|c| !c)), "{tree}");
}

#[test]
fn dead_instances_are_not_scheduled() {
    let scop = samples::matmul();
    let deps = Dependences::compute(&scop, Mode::default()).unwrap();
    let dead = scop.statements[0].domain.clone().to_union_set().unwrap();
    for mode in MODES {
        let deps = Dependences { mode, ..deps.clone() };
        let constraints = constraints(&scop, &deps, Some(&dead)).unwrap();
        let tree = library(constraints, LibraryOptions::default()).unwrap();
        assert!(tree.domain().unwrap().is_disjoint(&dead).unwrap());
    }
}

#[test]
fn an_exhausted_quota_is_a_typed_error() {
    let scop = samples::seidel_2d();
    let deps = Dependences::compute(&scop, Mode::default()).unwrap();
    let constraints = constraints(&scop, &deps, None).unwrap();
    let struck = scop.ctx().with_quota(2000, || library(constraints, LibraryOptions::default()));
    assert!(struck.unwrap_err().is_exhausted());
}
