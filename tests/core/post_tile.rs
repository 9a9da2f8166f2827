//! The post-tile phase (unified report, section 7): loops over tiles that nests share, and points scheduled anew
//! inside.

use polyrs::check::interpret::{Interpreter, Reading, small_parameters};
use polyrs::check::legality::{Assumptions, check};
use polyrs::cost::{Freedom, LEAST_WAIT, LastDimensions, Threads, cost, cost_lower_bound, cost_unmapped, waits};
use polyrs::dependence::{Dependences, Mode};
use polyrs::driver::{Options, Scheduler, optimize};
use polyrs::isl::{Ctx, NodeType, Schedule, ScheduleConstraints, ScheduleNode};
use polyrs::machine::Machine;
use polyrs::proximity::{Line, Proximity, ReferenceGroup};
use polyrs::schedule::{Fusion, Strategy, constraints, original, schedule_groups};
use polyrs::schedule_tree::{Mark, TileSizes};
use polyrs::scop::Scop;
use polyrs::transform;
use polyrs::transform::post_tile::{Common, Request, points, rows_passed, share};
use polyrs::transform::{interchange, register_tile, tile};
use std::collections::BTreeSet;
use std::path::Path;

/// A region with what the post-tile phase is given.
pub(super) struct Problem {
    scop: Scop,
    pub constraints: ScheduleConstraints,
    groups: Vec<ReferenceGroup>,
}

impl Problem {
    fn read(file: &Path) -> Problem {
        Problem::parse(&file.display().to_string(), &std::fs::read_to_string(file).unwrap())
    }

    /// A region's text, from a place that is named where it cannot be read.
    pub fn parse(place: &str, text: &str) -> Problem {
        let scop = Scop::parse(&Ctx::new(), text).unwrap_or_else(|error| panic!("{place}:{error}"));
        let dependences = Dependences::compute(&scop, Mode { live_range_reordering: true, ..Mode::default() }).unwrap();
        let constraints = constraints(&scop, &dependences, None).unwrap();
        let groups = Proximity::compute(&scop, None, Line::default()).unwrap().groups;
        Problem { scop, constraints, groups }
    }

    fn named(name: &str) -> Problem {
        Problem::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("test").join(name))
    }

    /// What the first phase finds, with bands as wide as they can be.
    pub fn wide(&self, fusion: Fusion) -> Schedule {
        let strategy = Strategy { register_limit: None, fusion, ..Strategy::unified_cpu(&Machine::generic()) };
        schedule_groups(&self.constraints, &self.groups, &strategy, &mut |_| ()).unwrap()
    }

    /// The original order, its bands found anew.
    pub fn original(&self) -> Schedule {
        original(&self.scop.schedule, &self.constraints).unwrap()
    }

    fn points(&self, tiled: &Schedule) -> Option<Schedule> {
        let strategy = Strategy::unified_cpu(&Machine::generic());
        let (constraints, groups) = (&self.constraints, self.groups.as_slice());
        points(tiled, Request { constraints, groups, strategy: &strategy }, &mut |_| ()).unwrap()
    }

    /// Loops over rows that nests share, of so many rows.
    fn over_rows(&self, tree: &Schedule, rows: u32) -> Option<Schedule> {
        let passed = rows_passed(&self.scop, &Machine::generic()).unwrap();
        share(tree, &self.constraints, &TileSizes::new(&[rows]), Common::Rows(&passed)).unwrap()
    }

    /// Both checkers accept a tree.
    pub fn accept(&self, tree: &Schedule, place: &str) {
        let checked = check(&self.scop, tree, &Assumptions::default());
        assert!(checked.is_ok(), "{place}: {checked:?}\n{tree}");
        let least = if self.scop.parameters().unwrap().len() > 3 { 2 } else { 3 };
        let parameters = small_parameters(&self.scop, least).unwrap().expect("the context is not empty");
        let machine = Interpreter::new(&self.scop, &parameters, 20_000_000).unwrap();
        assert!(machine.compare_tree(tree, Reading::Marks).unwrap().is_same(), "{place}\n{tree}");
    }
}

/// The names of the statements that reach a node.
fn statements(node: &ScheduleNode) -> BTreeSet<String> {
    let sets = node.domain().unwrap().set_list().unwrap().to_vec().unwrap();
    sets.into_iter().filter(|set| !set.is_empty().unwrap()).filter_map(|set| set.tuple_name().unwrap()).collect()
}

/// The nodes of a tree for which something holds, outer ones first.
fn nodes(tree: &Schedule, holds: impl Fn(&ScheduleNode) -> bool) -> Vec<ScheduleNode> {
    let mut found = Vec::new();
    tree.root()
        .unwrap()
        .for_each_descendant_top_down(&mut |node| {
            if holds(node) {
                found.push(node.clone());
            }
            Ok(true)
        })
        .unwrap();
    found
}

fn is_mark(node: &ScheduleNode, wanted: &Mark) -> bool {
    let name = || node.mark_id().unwrap().name().unwrap().unwrap_or_default();
    node.node_type().unwrap() == NodeType::Mark && name() == wanted.to_string()
}

fn is_band(node: &ScheduleNode) -> bool {
    node.node_type().unwrap() == NodeType::Band
}

/// What each loop nest over tiles holds.
fn tiled(tree: &Schedule) -> Vec<BTreeSet<String>> {
    nodes(tree, |node| is_mark(node, &Mark::TILE)).iter().map(statements).collect()
}

/// What each innermost band holds.
fn innermost(tree: &Schedule) -> Vec<BTreeSet<String>> {
    let has_band = |node: &ScheduleNode| {
        let mut found = false;
        let mut look = |below: &ScheduleNode| {
            found |= is_band(below);
            Ok(!found)
        };
        node.clone().first_child().unwrap().for_each_descendant_top_down(&mut look).unwrap();
        found
    };
    nodes(tree, |node| is_band(node) && !has_band(node)).iter().map(statements).collect()
}

fn names(names: &str) -> BTreeSet<String> {
    names.split_whitespace().map(str::to_owned).collect()
}

/// What the driver makes for one thread.
fn final_tree(problem: &Problem, post_tile: bool) -> Schedule {
    let options = Options { scheduler: Scheduler::default(), parallel: false, post_tile, ..Options::default() };
    let found = optimize(&problem.scop, &options, &mut ()).unwrap();
    problem.accept(&found.tree, &problem.scop.name);
    found.tree
}

#[test]
fn gramschmidt_has_all_of_a_step_in_tiles() {
    let problem = Problem::named("polybench/scop/gramschmidt.scop");
    let whole = names("S1 S2 S3 S4 S6 S7");
    let holds = |tree: &Schedule| tiled(tree).iter().any(|part| part.is_superset(&whole));
    let first = problem.wide(Fusion::Incremental);
    let sizes = TileSizes::new(&[4]);
    assert!(!holds(&tile(&first, &sizes).unwrap()), "{first}");
    let shared = share(&first, &problem.constraints, &sizes, Common::Written).unwrap().expect("steps are shared");
    assert!(holds(&shared), "{shared}");
    problem.accept(&shared, "gramschmidt");
    let after = problem.points(&shared).expect("there are tiles");
    assert!(holds(&after), "{after}");
    problem.accept(&after, "gramschmidt");
    let dot = names("S6 S7");
    assert!(innermost(&after).iter().any(|part| part.is_superset(&dot)), "{after}");
    // The driver has dot products and updates share tiles inside of each step instead: all steps of a tile would pass
    // all of the matrix before the next one comes back to it.
    let best = final_tree(&problem, true);
    assert!(!holds(&best) && tiled(&best).contains(&dot), "{best}");
    // They walk along rows in vector loops of their own.
    let vectors: Vec<_> = nodes(&best, |node| is_mark(node, &Mark::Vector)).iter().map(statements).collect();
    assert!(vectors.contains(&names("S6")) && vectors.contains(&names("S7")), "{best}");
}

#[test]
fn gramschmidt_takes_a_few_columns_of_a_large_matrix_at_a_time() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("test/polybench/scop/gramschmidt.scop"));
    let of = |rows: u64, columns: u64| {
        let extent = format!("extent: [{rows}, {columns}]");
        let problem = Problem::parse(&extent, &text.as_ref().unwrap().replace(r#"extent: ["?", "?"]"#, &extent));
        let best = final_tree(&problem, true);
        let whole = names("S1 S2 S3 S4 S6 S7");
        assert!(tiled(&best).contains(&names("S6 S7")), "{best}");
        tiled(&best).contains(&whole)
    };
    assert!(of(1000, 1200));
    // The nearest cache has all that a step needs of some columns: they would be begun anew too often.
    assert!(!of(30, 100_000));
    // A core's own cache has all of the matrix.
    assert!(!of(250, 100));
}

#[test]
fn adi_has_sweeps_there_and_back_in_shared_tiles() {
    let problem = Problem::named("polybench/scop/adi.scop");
    // The sweeps of the first half, or of the second.
    let halves = [names("S3 S4 S6"), names("S10 S11 S13")];
    let holds = |tree: &Schedule| halves.iter().any(|half| tiled(tree).iter().any(|part| part.is_superset(half)));
    // Points that do not wait for each other cost less than these, so that nobody takes them by itself.
    let of = |candidate: &str| {
        let candidate = Some(candidate.parse().unwrap());
        let options = Options { scheduler: Scheduler::default(), parallel: false, candidate, ..Options::default() };
        let found = optimize(&problem.scop, &options, &mut ()).unwrap();
        problem.accept(&found.tree, &problem.scop.name);
        found.tree
    };
    let with = of("order=scheduled+tiles=shared:32+points=rescheduled+register-tiles=true");
    let without = of("order=scheduled+tiles=32+points=interchanged+register-tiles=true");
    assert!(holds(&with) && !holds(&without), "{with}\n{without}");
    let best = final_tree(&problem, true);
    assert!(!holds(&best) && !waits(&problem.scop, &best, &Machine::generic(), LEAST_WAIT).unwrap(), "{best}");
}

#[test]
fn gesummv_has_nests_of_all_depths_in_shared_tiles() {
    let problem = Problem::named("polybench/scop/gesummv.scop");
    let apart = problem.wide(Fusion::None);
    assert_eq!(innermost(&apart).len(), 5, "{apart}");
    let shared = share(&apart, &problem.constraints, &TileSizes::new(&[4, 3]), Common::Written)
        .unwrap()
        .expect("rows are shared");
    assert_eq!(tiled(&shared), [names("S0 S1 S2 S3 S4")], "{shared}");
    problem.accept(&shared, "gesummv");
    let after = problem.points(&shared).expect("there are tiles");
    assert!(innermost(&after).len() < 5, "the points are fused: {after}");
    problem.accept(&after, "gesummv");
}

#[test]
fn nussinov_has_parallel_points_in_tiles_of_its_imperfect_nest() {
    let problem = Problem::named("polybench/scop/nussinov.scop");
    let all = names("S0 S1 S2 S3 S4");
    let before = tile(&problem.wide(Fusion::Incremental), &TileSizes::new(&[4, 3])).unwrap();
    let after = problem.points(&before).expect("there are tiles");
    let is_coincident = |node: &ScheduleNode| is_band(node) && node.band_coincident().unwrap().contains(&true);
    for (tree, coincident) in [(&before, false), (&after, true)] {
        assert_eq!(tiled(tree), std::slice::from_ref(&all), "{tree}");
        let points = nodes(tree, |node| is_coincident(node) && statements(node) == all);
        assert_eq!(points.is_empty(), !coincident, "{tree}");
    }
    problem.accept(&after, "nussinov");
}

#[test]
fn sweeps_share_tiles_along_what_no_dependence_goes_against() {
    for name in ["second/sweeps.scop", "second/near-miss.scop"] {
        let problem = Problem::named(name);
        let before = problem.original();
        let shared = share(&before, &problem.constraints, &TileSizes::new(&[4, 3]), Common::Written).unwrap();
        let shared = shared.unwrap_or_else(|| panic!("{name}: nothing is shared\n{before}"));
        assert_eq!(tiled(&shared), [names("S T")], "{shared}");
        let tiles = nodes(&shared, |node| is_mark(node, &Mark::TILE))[0].clone().first_child().unwrap();
        assert_eq!(tiles.band_n_member().unwrap(), 1, "{shared}");
        problem.accept(&shared, name);
        let after = problem.points(&shared).expect("there are tiles");
        assert!(innermost(&after).contains(&names("T")), "{after}");
        problem.accept(&after, name);
    }
}

#[test]
fn tiles_are_not_shared_along_what_goes_backwards() {
    let problem = Problem::named("second/turned.scop");
    for tree in [problem.original(), problem.wide(Fusion::None)] {
        let shared = share(&tree, &problem.constraints, &TileSizes::new(&[4, 3]), Common::Written).unwrap();
        assert!(shared.is_none(), "{shared:?}");
    }
}

#[test]
fn nests_share_a_loop_over_the_rows_that_they_pass_through() {
    // The matrix times a vector, and its transpose times the result, or another one; the loops of the two are in different orders.
    for (name, both) in [("atax", "S2 S3"), ("bicg", "S2 S3"), ("mvt", "S0 S1")] {
        let problem = Problem::named(&format!("polybench/scop/{name}.scop"));
        let shared = problem.over_rows(&problem.wide(Fusion::Incremental), 4);
        let shared = shared.unwrap_or_else(|| panic!("{name}: nothing is shared"));
        assert!(tiled(&shared).iter().any(|part| part.is_superset(&names(both))), "{name}\n{shared}");
        let tiles = nodes(&shared, |node| is_mark(node, &Mark::TILE))[0].clone().first_child().unwrap();
        assert_eq!(tiles.band_n_member().unwrap(), 1, "{shared}");
        problem.accept(&shared, name);
        let (with, without) = (final_tree(&problem, true), problem.wide(Fusion::Incremental));
        assert!(tiled(&with).iter().any(|part| part.is_superset(&names(both))), "{name}\n{with}");
        let cost = |tree: &Schedule| cost(&problem.scop, tree, &Machine::generic()).unwrap();
        assert!(cost(&with) < cost(&without), "{name}");
    }
}

#[test]
fn rows_are_not_shared_where_nests_come_to_them_in_another_order() {
    // The second nest is turned round; and products come back to rows, which tiles of their own are for.
    for name in ["second/turned.scop", "polybench/scop/2mm.scop", "polybench/scop/gemm.scop"] {
        let problem = Problem::named(name);
        for tree in [problem.original(), problem.wide(Fusion::None)] {
            let shared = problem.over_rows(&tree, 4);
            assert!(shared.is_none(), "{name}: {shared:?}");
        }
    }
}

/// Every tree of the post-tile phase, whether it is worth it or not, of every region.
#[test]
fn what_the_post_tile_phase_finds_is_accepted_by_both_checkers() {
    let mut files = crate::regions::files();
    files.extend(crate::regions::below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("test/second")));
    let (mut anew, mut together, mut rows) = (0, 0, 0);
    for file in files {
        let problem = Problem::read(&file);
        for sizes in [TileSizes::new(&[3, 2]), TileSizes::nested(&[vec![6, 4], vec![3, 2]])] {
            for fusion in [Fusion::Incremental, Fusion::None] {
                let scheduled = problem.wide(fusion);
                let shared = share(&scheduled, &problem.constraints, &sizes, Common::Written).unwrap();
                together += usize::from(shared.is_some());
                let over_rows = problem.over_rows(&scheduled, 3);
                rows += usize::from(over_rows.is_some());
                for tree in [Some(scheduled), shared, over_rows].into_iter().flatten() {
                    let place = format!("{} {fusion:?} {sizes}", file.display());
                    let tree = tile(&tree, &sizes).unwrap();
                    problem.accept(&tree, &place);
                    if let Some(tree) = problem.points(&tree) {
                        anew += 1;
                        problem.accept(&tree, &place);
                    }
                }
            }
        }
    }
    assert!(anew >= 80 && together >= 20 && rows >= 15, "{anew} {together} {rows}");
}

/// What the driver leaves out because it cannot cost less: bounds are bounds, for trees of both phases.
#[test]
fn no_tree_costs_less_than_its_bounds() {
    let machine = Machine::generic();
    let mut tight = 0;
    for name in ["gemm", "syrk", "atax", "mvt", "cholesky", "jacobi-2d", "gramschmidt", "symm-expanded", "gesummv"] {
        let problem = Problem::named(&format!("polybench/scop/{name}.scop"));
        let scop = &problem.scop;
        let dependences = Dependences::compute(scop, Mode { live_range_reordering: true, ..Mode::default() }).unwrap();
        let conflicts = transform::Conflicts::new(scop, &dependences).unwrap();
        let tiled = tile(&problem.wide(Fusion::Incremental), &TileSizes::new(&[32])).unwrap();
        let anew = problem.points(&tiled);
        for tree in [Some(tiled), anew, Some(problem.original())].into_iter().flatten() {
            let tree = interchange(scop, &tree, &machine).unwrap();
            let blocked = register_tile(scop, &tree, &conflicts, &TileSizes::new(&[32]), None, &machine).unwrap();
            for (tree, parallel) in [(&tree, true), (&tree, false), (&blocked, true), (&blocked, false)] {
                let options = transform::CpuOptions { parallel, ..transform::CpuOptions::default() };
                let mapped = transform::cpu(scop, &dependences, tree, options, &machine).unwrap().tree;
                let least = cost_lower_bound(
                    scop,
                    &machine,
                    Freedom { parallel, register_tiles: true, pack: false },
                    &LastDimensions::new(),
                )
                .unwrap();
                let threads = if parallel { Threads::Several } else { Threads::One };
                let unmapped = cost_unmapped(scop, tree, &machine, threads).unwrap();
                let actual = cost(scop, &mapped, &machine).unwrap();
                assert!(least <= unmapped && unmapped <= actual, "{name}: {least} {unmapped} {actual}\n{mapped}");
                tight += usize::from(least == actual);
            }
        }
    }
    assert!(tight > 5, "{tight}");
}
