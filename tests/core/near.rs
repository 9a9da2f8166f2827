//! What problems choose among what is near: the relations that there are to choose from, and that all of them together are what
//! problems have without a choice.

use crate::regions::files;
use crate::schedules::{read, test_file};
use polyrs::clustering::{Clustering, Clusters};
use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::{Ctx, Schedule, ScheduleConstraints, UnionMap};
use polyrs::machine::Machine;
use polyrs::schedule::{Strategy, as_aimed, constraints, schedule};
use polyrs::scop::Scop;
use std::collections::BTreeSet;

const MODES: [Mode; 2] = [
    Mode { live_range_reordering: true, false_for_proximity: true },
    Mode { live_range_reordering: false, false_for_proximity: true },
];

fn scop(path: &std::path::Path) -> Scop {
    Scop::parse(&Ctx::new(), &read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn dependences_on_arrays_are_all_dependences() {
    let (mut pairs, mut several) = (0, 0);
    for file in files() {
        let scop = scop(&file);
        let dependences = Dependences::compute(&scop, Mode::default()).unwrap();
        let input = dependences.input(&scop).unwrap();
        let mut all = [(); 3].map(|()| UnionMap::empty(scop.context.space().unwrap()).unwrap());
        for array in &scop.arrays {
            let only = BTreeSet::from([array.name.clone()]);
            let found = [
                dependences.flow_on(&scop, &only).unwrap(),
                dependences.false_on(&scop, &only).unwrap(),
                dependences.input_on(&scop, &only).unwrap(),
            ];
            several += usize::from(found.iter().filter(|relation| !relation.is_empty().unwrap()).count() > 1);
            all = std::array::from_fn(|kind| all[kind].clone().union(found[kind].clone()).unwrap());
        }
        for (of_arrays, whole) in all.iter().zip([&dependences.flow, &dependences.dep_false, &input]) {
            assert!(of_arrays.is_equal(whole).unwrap(), "{}: {of_arrays} and {whole}", file.display());
            pairs += usize::from(!whole.is_empty().unwrap());
        }
    }
    assert!(pairs > 80 && several > 20, "{pairs} relations, {several} arrays with some of several kinds");
}

/// Constraints as a strategy has them.
fn aimed(scop: &Scop, mode: Mode, strategy: &Strategy) -> ScheduleConstraints {
    let dependences = Dependences::compute(scop, mode).unwrap();
    as_aimed(constraints(scop, &dependences, None).unwrap(), scop, &dependences, strategy).unwrap()
}

fn parsed(text: &str) -> Strategy {
    Strategy::parse(text, &Machine::generic()).unwrap()
}

/// What a strategy makes of clusters.
fn clustered(clusters: &Clusters, constraints: &ScheduleConstraints, strategy: &Strategy) -> Schedule {
    clusters.schedule(constraints, &[], |constraints, _| schedule(constraints, strategy, &mut |_| ())).unwrap()
}

#[test]
fn a_list_of_all_kinds_is_no_choice() {
    let strategies = [("isl-defaults", "distances", ""), ("pluto", "hyperplane", ", \"input\"")];
    let strategies = strategies.map(|(preset, problem, input)| {
        let preset = format!("preset = \"{preset}\"\n");
        let near = format!("[problems.{problem}]\nnear = [\"false\", \"flow\"{input}]");
        (parsed(&preset), parsed(&format!("{preset}{near}")))
    });
    let adi = test_file("polybench/scop/adi.scop");
    for file in files().iter().chain([&adi]) {
        let scop = scop(file);
        let clustering = if *file == adi { Clustering::BasicBlock } else { Clustering::None };
        for (mode, (without, with)) in MODES.into_iter().flat_map(|mode| strategies.iter().map(move |two| (mode, two)))
        {
            let trees = [without, with].map(|strategy| {
                let constraints = aimed(&scop, mode, strategy);
                let clusters = clustering.decide(&scop, &constraints).unwrap();
                clustered(&clusters, &constraints, strategy)
            });
            let is_same = trees[0].map().unwrap().is_equal(&trees[1].map().unwrap()).unwrap();
            assert!(is_same, "{}, {mode:?}: {with}\n{}\n{}", file.display(), trees[0], trees[1]);
        }
    }
}

/// Clusters have the pairs of a choice as they have all others: without them nothing would be fused.
#[test]
fn clusters_have_what_problems_choose() {
    let scop = scop(&test_file("polybench/scop/adi.scop"));
    let strategy = parsed("preset = \"isl-defaults\"\n[problems.distances]\nnear = [\"flow\"]");
    let constraints = aimed(&scop, Mode::default(), &strategy);
    let clusters = Clustering::BasicBlock.decide(&scop, &constraints).unwrap();
    let near = constraints.proximity().unwrap();
    let chosen = clustered(&clusters, &constraints, &strategy);
    // Pairs without tags are for nobody.
    let plain = constraints.set_proximity(near.clone().subtract(near.zip().unwrap().zip().unwrap()).unwrap()).unwrap();
    let none = clustered(&clusters, &plain, &strategy);
    assert!(!chosen.map().unwrap().is_equal(&none.map().unwrap()).unwrap(), "{chosen}");
}

/// Dead instances take no part, and what follows from them is found without.
#[test]
fn choices_are_among_what_is_scheduled() {
    let strategy = parsed("preset = \"isl-defaults\"\n[problems.distances]\nnear = [\"C\"]");
    let scop = scop(&test_file("scop/basic/gemm.scop"));
    let dependences = Dependences::compute(&scop, Mode::default()).unwrap();
    let dead = scop.statements[0].domain.clone().to_union_set().unwrap();
    let made = constraints(&scop, &dependences, Some(&dead)).unwrap();
    let made = as_aimed(made, &scop, &dependences, &strategy).unwrap();
    // { [S[i] -> T[j]] -> [N[] -> N[]] }
    let chosen = made.proximity().unwrap().zip().unwrap();
    let ends = chosen.domain().unwrap().unwrap_map().unwrap();
    assert!(!ends.is_empty().unwrap(), "{made}");
    let ends = ends.clone().domain().unwrap().union(ends.range().unwrap()).unwrap();
    assert!(ends.is_subset(&made.domain().unwrap()).unwrap() && ends.is_disjoint(&dead).unwrap(), "{ends}");
}
