//! Statements scheduled as one: whoever decides, the tree is legal, and the region of macro-statements computes the same.

use polyrs::check::legality::{Assumptions, check};
use polyrs::clustering::{Clustering, Clusters, CoarseRegion, Decision, Quotient};
use polyrs::dependence::{Dependences, Mode};
use polyrs::driver::{LayoutSearch, Options, optimize};
use polyrs::isl::{Ctx, ScheduleConstraints};
use polyrs::machine::Machine;
use polyrs::proximity::{Line, Proximity};
use polyrs::schedule::{IslOptions, Strategy, constraints, isl_schedule, schedule_groups};
use polyrs::schedule_tree::Positions;
use polyrs::scop::Scop;

/// All regions, with the basic blocks that their trees have.
fn regions() -> Vec<Scop> {
    let read = |file: &std::path::PathBuf| Scop::parse(&Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap();
    let mut regions: Vec<Scop> = crate::regions::files().iter().map(read).collect();
    regions.retain(|scop| scop.statements.len() > 1 && scop.statements.len() <= 20);
    regions.iter_mut().for_each(find_blocks);
    regions
}

/// Statements one after the other in the same loops are in one block.
fn find_blocks(scop: &mut Scop) {
    let positions = Positions::of(&scop.schedule).unwrap();
    let mut order: Vec<usize> = (0..scop.statements.len()).filter(|&s| !scop.statements[s].is_kill()).collect();
    order.sort_by_key(|&s| positions.number(&scop.statements[s].name));
    for pair in order.windows(2) {
        let [first, second] = [pair[0], pair[1]].map(|s| scop.statements[s].name.clone());
        let is_next = positions.number(&first).checked_add(1) == Some(positions.number(&second));
        if is_next && positions.share_loops(&first, &second) {
            let block = scop.statements[pair[0]].block.unwrap_or(pair[0]);
            scop.statements[pair[0]].block = Some(block);
            scop.statements[pair[1]].block = Some(block);
        }
    }
}

fn constraints_of(scop: &Scop, live_range_reordering: bool) -> ScheduleConstraints {
    constraints(scop, &Dependences::compute(scop, Mode { live_range_reordering, ..Mode::default() }).unwrap(), None)
        .unwrap()
}

const HEURISTICS: [Clustering; 3] = [Clustering::Chains, Clustering::BasicBlock, Clustering::Scc];

#[test]
fn schedules_of_macro_statements_are_legal() {
    let (mut clustered, machine) = (0, Machine::generic());
    for scop in regions() {
        for (clustering, reordering) in HEURISTICS.into_iter().flat_map(|c| [(c.clone(), true), (c, false)]) {
            let constraints = constraints_of(&scop, reordering);
            let Clusters { positions, decision } = clustering.decide(&scop, &constraints).unwrap();
            if decision.is_empty() {
                continue;
            }
            let quotient = Quotient::new(&constraints, &positions, &decision).unwrap();
            let groups = Proximity::compute(&scop, None, Line::of(&machine)).unwrap().groups;
            let groups = quotient.groups(&groups).unwrap();
            // isl's scheduler may forget live ranges.
            let of_isl = isl_schedule(quotient.constraints().clone(), IslOptions::default()).unwrap();
            let mut trees = vec![(of_isl, reordering)];
            for strategy in
                [Strategy::ppcg(), Strategy::pluto(), Strategy::feautrier(), Strategy::unified_cpu(&machine)]
            {
                let groups = if strategy.looks_at_references() { groups.as_slice() } else { &[] };
                let tree = schedule_groups(quotient.constraints(), groups, &strategy, &mut |_| ()).ok();
                trees.extend(tree.map(|tree| (tree, false)));
            }
            assert!(trees.len() > 3, "{}: {clustering:?}", scop.name);
            for (tree, may_forget) in trees {
                let tree = quotient.expand(tree).unwrap();
                let checked = check(&scop, &tree, &Assumptions::default());
                assert!(checked.is_ok() || may_forget, "{}: {clustering:?}: {checked:?}\n{tree}", scop.name);
                clustered += usize::from(checked.is_ok());
            }
        }
    }
    assert!(clustered > 100, "{clustered} trees");
}

#[test]
fn the_original_order_of_macro_statements_is_that_of_the_statements() {
    let mut coarse = 0;
    for scop in regions() {
        let constraints = constraints_of(&scop, true);
        for clustering in HEURISTICS {
            let decision = clustering.decide(&scop, &constraints).unwrap().decision;
            let Some(region) = CoarseRegion::new(&scop, &decision).unwrap() else { continue };
            assert!(region.scop.statements.len() < scop.statements.len());
            let tree = region.expand(region.scop.schedule.clone()).unwrap();
            assert!(tree.domain().unwrap().is_equal(&scop.domain().unwrap()).unwrap(), "{}", scop.name);
            check(&scop, &tree, &Assumptions::default()).unwrap_or_else(|error| panic!("{}: {error}", scop.name));
            // What statements need from each other, macro-statements need from each other.
            let all = Dependences::compute(&region.scop, Mode::default()).unwrap();
            let read = all.may_live_in.is_empty().unwrap();
            let fine = Dependences::compute(&scop, Mode::default()).unwrap().may_live_in.is_empty().unwrap();
            assert_eq!(read, fine, "{}: what is read from before", scop.name);
            coarse += 1;
        }
    }
    assert!(coarse > 15, "{coarse} regions");
}

#[test]
fn regions_are_optimized_with_clusters() {
    let mut fewer = 0;
    let options = |clustering| Options {
        clustering,
        layout: LayoutSearch::None,
        profitability: false,
        ..Options::new(Machine::generic())
    };
    for scop in regions() {
        let Ok(alone) = optimize(&scop, &options(Clustering::None), &mut ()) else { continue };
        for clustering in [Clustering::BasicBlock, Clustering::Scc] {
            let found = optimize(&scop, &options(clustering.clone()), &mut ());
            let found = found.unwrap_or_else(|error| panic!("{}: {clustering:?}: {error}", scop.name));
            assert!(found.tree.domain().unwrap().is_equal(&alone.tree.domain().unwrap()).unwrap());
            fewer += usize::from(!found.tree.plain_is_equal(&alone.tree).unwrap());
        }
    }
    assert!(fewer > 10, "{fewer} other trees");
}

#[test]
fn a_decision_of_statements_that_are_not_there_does_nothing() {
    let scop = &regions()[0];
    let decision: Decision = "X0 X1\nX2 X3".parse().unwrap();
    assert!(CoarseRegion::new(scop, &decision).unwrap().is_none());
}
