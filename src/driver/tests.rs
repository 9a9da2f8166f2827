//! Whole runs: what comes out is checked, interpreted and compared with the original.

use super::analysis::{Analysis, obligations};
use super::candidate::{Candidate, Tiles};
use super::foreseen::samples;
use super::obligations::Obligations;
use super::steps::Steps;
use super::{Budget, LayoutSearch, Observer, Optimized, Options, Order, Scheduler, Stage, optimize};
use crate::check::legality;
use crate::dependence::Mode;
use crate::dependence::samples::{R, Sample, W, band, sequence};
use crate::isl::{Ctx, Moment, UnionMap};
use crate::machine::Machine;
use crate::schedule_tree::{Mark, Statistics, TileSizes, has_mark};
use crate::scop::{ArrayKind, Scop};
use std::path::Path;

fn scop(name: &str) -> Scop {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/scop/basic").join(name);
    Scop::parse(&Ctx::new(), &std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Remembers which stages were shown.
#[derive(Default)]
struct Stages(Vec<Stage>);

impl Observer for Stages {
    fn wants(&self, _: Stage) -> bool {
        true
    }
    fn show(&mut self, stage: Stage, text: &str) {
        assert!(!text.is_empty());
        self.0.push(stage);
    }
}

/// Remembers what was shown.
#[derive(Default)]
struct Shown(Vec<(Stage, String)>);

impl Observer for Shown {
    fn wants(&self, _: Stage) -> bool {
        true
    }
    fn show(&mut self, stage: Stage, text: &str) {
        self.0.push((stage, text.to_owned()));
    }
}

#[test]
fn gemm_is_tiled_and_parallel() {
    let mut stages = Stages::default();
    let found = optimize(&scop("gemm.scop"), &Options::default(), &mut stages).unwrap();
    assert_eq!(stages.0, [Stage::Dependences, Stage::Constraints, Stage::Schedule, Stage::Ast]);
    assert_eq!((found.statistics.tiled, found.statistics.parallel), (1, 1));
    assert!(found.statistics.coincident >= 2);
}

#[test]
fn every_combination_of_options_is_accepted_by_the_checker() {
    for name in ["gemm.scop", "jacobi-2d.scop", "seidel-2d.scop"] {
        for scheduler in [Scheduler::default(), Scheduler::Own("ppcg"), Scheduler::Isl, Scheduler::None] {
            for bits in [0, 3, 5, 6, 9, 12, 15] {
                let bit = |i: u32| bits >> i & 1 == 1;
                let options = Options {
                    scheduler,
                    live_range_reordering: bit(0),
                    outer_coincidence: Some(bit(1)),
                    parallel: bit(2),
                    remove_dead: bit(3),
                    tile_sizes: TileSizes::new(&[7, 3]),
                    check: false,
                    ..Options::default()
                };
                let scop = scop(name);
                let found = optimize(&scop, &options, &mut ()).unwrap();
                let verdict = legality::check(&scop, &found.tree, &legality::Assumptions::default());
                assert!(verdict.is_ok(), "{name} {options:?}: {verdict:?}");
            }
        }
    }
}

#[test]
fn order_through_a_dead_instance_is_kept() {
    let scop = Sample::new("{ : }")
        .array("t", ArrayKind::Local, 0)
        .memory(&[("B", 0), ("C", 0)])
        .statement("{ W[] }", &[(W, "{ W[] -> t[] }")])
        .statement("{ P[] }", &[(R, "{ P[] -> t[] }"), (W, "{ P[] -> B[] }")])
        .statement("{ D[] }", &[(W, "{ D[] -> t[] }")])
        .statement("{ X[] }", &[(W, "{ X[] -> t[] }")])
        .statement("{ Q[] }", &[(R, "{ Q[] -> t[] }"), (W, "{ Q[] -> C[] }")])
        .order(&sequence(&["W[]", "P[]", "D[]", "X[]", "Q[]"].map(|name| (name, ""))), "{ B[]; C[] }");
    let options = Options { remove_dead: true, live_range_reordering: false, ..Options::default() };
    let mode = Mode { live_range_reordering: false, ..Mode::default() };
    let Obligations { dependences, dead } = obligations(&mut Steps::new(&scop, &options), mode).unwrap();
    assert_eq!(dead.unwrap().to_string(), "{ D[] }");
    let needed = UnionMap::parse(scop.ctx(), "{ P[] -> X[]; W[] -> X[] }").unwrap();
    assert!(needed.is_subset(&dependences.dep_false).unwrap(), "{}", dependences.dep_false);
}

#[test]
fn a_domain_on_which_isl_carries_nothing_is_scheduled_otherwise() {
    let scop = Sample::new("{ : }")
        .memory(&[("A", 0)])
        .statement("{ S[i, j] : 0 <= i <= 5 and 0 <= j <= 1 }", &[(W, "{ S[i, j] -> A[] }")])
        .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ A[] }");
    let options = Options { outer_coincidence: Some(true), ..Options::default() };
    optimize(&scop, &options, &mut ()).unwrap();
}

/// isl schedules W and L apart from U, forgets that the live range from L to U spans what is between, and puts W there.
#[test]
fn an_order_that_isl_gets_wrong_is_found_without_moving_live_ranges() {
    let scop = Sample::new("[m] -> { : }")
        .array("t", ArrayKind::Local, 0)
        .statement("[m] -> { W[] }", &[(W, "{ W[] -> t[] }")])
        .statement("[m] -> { L[i] : -5 <= i < m - 1 }", &[(W, "{ L[i] -> t[] }")])
        .statement("[m] -> { U[i] : 0 <= i < 5 }", &[(R, "{ U[i] -> t[] }"), (W, "{ U[i] -> t[] }")])
        .order(
            &sequence(&[("W[]", ""), ("L[i]", &band("L[i] -> [i]", "")), ("U[i]", &band("U[i] -> [i]", ""))]),
            "{ }",
        );
    let options = Options { scheduler: Scheduler::Isl, profitability: false, ..Options::default() };
    let mut shown = Shown::default();
    optimize(&scop, &options, &mut shown).unwrap();
    // Only what the second attempt made is shown: without live ranges, which are conditions.
    let stages: Vec<Stage> = shown.0.iter().map(|(stage, _)| *stage).collect();
    assert_eq!(stages, [Stage::Dependences, Stage::Constraints, Stage::Schedule, Stage::Ast]);
    assert!(shown.0[1].1.contains("validity") && !shown.0[1].1.contains("condition"), "{}", shown.0[1].1);
    let mut first = Shown::default();
    let once = Options { scheduler: Scheduler::None, ..options };
    optimize(&scop, &once, &mut first).unwrap();
    assert!(first.0[1].1.contains("condition"), "{}", first.0[1].1);
}

#[test]
fn seidel_gets_a_wavefront() {
    let options = Options { outer_coincidence: Some(false), ..Options::default() };
    let found = optimize(&scop("seidel-2d.scop"), &options, &mut ()).unwrap();
    assert_eq!((found.statistics.wavefronts, found.statistics.parallel), (1, 1));
}

#[test]
fn loaded_schedule_is_checked_even_without_check() {
    let scop = scop("gemm.scop");
    let reversed = scop.schedule.to_string().replace("[(k)]", "[(-k)]");
    assert_ne!(reversed, scop.schedule.to_string());
    let options = Options { load_schedule: Some(reversed), check: false, ..Options::default() };
    let refusal = optimize(&scop, &options, &mut ()).unwrap_err();
    assert!(refusal.reason.contains("illegal"), "{refusal}");
    let same = Options { load_schedule: Some(scop.schedule.to_string()), ..options };
    optimize(&scop, &same, &mut ()).unwrap();
}

/// With debug assertions a context that isl cannot free ends the program: see `isl::leftovers`.
#[test]
fn a_quota_that_strikes_anywhere_leaves_nothing_behind() {
    for (name, scheduler) in [("gemm.scop", Scheduler::Isl), ("jacobi-2d.scop", Scheduler::None)] {
        let at = |quota| Options { scheduler, budget: Budget::new(quota), ..Options::default() };
        let mut quota = 1;
        while let Err(refusal) = optimize(&scop(name), &at(quota), &mut ()) {
            assert!(refusal.exhausted, "{name} {scheduler:?} {quota}: {refusal}");
            quota += 1 + quota / 3;
        }
        assert!(quota > 1000, "{name} {scheduler:?} needs no more than {quota}");
    }
}

#[test]
fn quota_is_a_refusal_that_leaves_the_question_open() {
    let options = Options { budget: Budget::new(1000), ..Options::default() };
    let refusal = optimize(&scop("gemm.scop"), &options, &mut ()).unwrap_err();
    assert!(refusal.exhausted, "{refusal}");
}

/// With a bound for each step they would take a multiple of it.
#[test]
fn no_region_takes_more_than_its_budget() {
    let (mut found, mut refused) = (0, 0);
    for name in ["gemm.scop", "jacobi-2d.scop", "seidel-2d.scop"] {
        for quota in [3_000, 30_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000] {
            let scop = scop(name);
            let before = scop.ctx().operations();
            let result = optimize(&scop, &Options { budget: Budget::new(quota), ..Options::default() }, &mut ());
            let taken = scop.ctx().operations() - before;
            // Each bound strikes when an operation is over, some of which count for many.
            assert!(taken < quota + quota / 4 + 1_000, "{name} {quota}: {taken}");
            match result {
                Ok(_) => found += 1,
                Err(refusal) => {
                    assert!(refusal.exhausted, "{name} {quota}: {refusal}");
                    refused += 1;
                }
            }
        }
    }
    assert!(found > 4 && refused > 4, "{found} {refused}");
}

/// Memory that is used up is refused as operations are, and there is some again for what comes next.
#[test]
fn memory_that_runs_out_is_a_refusal_or_a_tree_that_is_right() {
    let scop = scop("jacobi-2d.scop");
    let ctx = scop.ctx();
    let options = Options { check: false, ..Options::default() };
    let (whole, most) = ctx.memory_of(|| optimize(&scop, &options, &mut ()).unwrap());
    assert!((100_000..Budget::MEMORY / 25).contains(&most), "{most}");
    let mut refused = 0;
    for part in 1..=13 {
        match ctx.with_memory(most / 12 * part, || optimize(&scop, &options, &mut ())) {
            Err(refusal) => {
                assert!(refusal.exhausted && refusal.reason.contains("memory"), "{refusal}");
                refused += 1;
            }
            Ok(found) => {
                legality::check(&scop, &found.tree, &legality::Assumptions::default()).unwrap();
            }
        }
    }
    assert!(refused > 0 && refused < 13, "{refused}");
    let again = optimize(&scop, &options, &mut ()).unwrap();
    assert_eq!(again.tree.to_string(), whole.tree.to_string());
}

/// A region that is refused in the end has its steps down in the refusal, where there were any.
#[test]
fn a_refusal_tells_what_was_tried_before() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/polybench/scop/deriche.scop");
    let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(path).unwrap()).unwrap();
    let mut told = 0;
    for operations in [6_000_000, 10_000_000, 14_000_000] {
        let options = Options { budget: Budget::new(operations), ..Options::default() };
        let Err(refusal) = optimize(&scop, &options, &mut ()) else { continue };
        assert!(refusal.exhausted, "{refusal}");
        let text = refusal.to_string();
        assert_eq!(text.contains("; stepped down: "), !refusal.stepped_down.is_empty(), "{text}");
        told += usize::from(!refusal.stepped_down.is_empty());
    }
    assert!(told > 0);
}

/// What all orders need may take more than there is; each order then has its share still.
#[test]
fn what_all_orders_need_leaves_them_something() {
    let mode = Mode { live_range_reordering: true, ..Mode::default() };
    let (mut unknown, mut all_known) = (0, 0);
    let sizes = std::iter::successors(Some(1_000_000_u64), |operations| Some(operations * 4 / 3));
    for operations in sizes.take_while(|operations| *operations < 10_000_000) {
        let scop = scop("jacobi-2d.scop");
        let options = Options { budget: Budget::new(operations), ..Options::default() };
        let ctx = scop.ctx();
        options.budget.whole(ctx, || {
            let mut steps = Steps::new(&scop, &options);
            let Ok(obligations) = obligations(&mut steps, mode) else { return };
            let Ok(analysis) = Analysis::of(&mut steps, obligations) else { return };
            // Each quarter of three that it may take leaves the others.
            assert!(ctx.remaining() >= operations / 16, "{operations}: {}", ctx.remaining());
            if analysis.is_known() {
                all_known += 1;
            } else {
                unknown += 1;
            }
        });
    }
    assert!(unknown > 0 && all_known > 0, "{unknown} {all_known}");
}

/// Each candidate that was realized finds its tree again, from its text.
#[test]
fn candidates_can_be_replayed() {
    for name in ["gemm.scop", "jacobi-2d.scop", "seidel-2d.scop"] {
        let options = Options { check: false, ..Options::default() };
        let found = optimize(&scop(name), &options, &mut ()).unwrap();
        let again = |candidate: &super::Candidate| -> Optimized {
            let candidate = Some(candidate.to_string().parse().unwrap());
            optimize(&scop(name), &Options { candidate, ..options.clone() }, &mut ()).unwrap()
        };
        assert_eq!(again(&found.candidate).tree.to_string(), found.tree.to_string(), "{name}");
        assert!(found.considered.len() >= 2, "{name}");
        for (candidate, cost) in &found.considered {
            let replayed = again(candidate);
            assert_eq!((&replayed.candidate, &replayed.considered), (candidate, &vec![(candidate.clone(), *cost)]));
        }
    }
}

/// The original order of this region takes a quarter of the budget, and it is the best there is. It is found out when
/// all others had their share, in what is left of the search.
#[test]
fn the_original_order_has_what_is_left_of_the_search() {
    for scheduler in [Scheduler::None, Scheduler::default()] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("test/scop/papers/verdoolaege2017/listing29-convolution.scop");
        let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(path).unwrap()).unwrap();
        let found = optimize(&scop, &Options { scheduler, check: false, ..Options::default() }, &mut ()).unwrap();
        // In tiles, which is not the region as it is.
        let is_original = |(one, _): &(Candidate, u64)| one.order == Order::Original && one.tiles != Tiles::None;
        assert!(found.considered.iter().any(is_original), "{scheduler:?} {:?}", found.considered);
    }
}

/// Takes long to look at the code.
struct Slow(Ctx);

impl Observer for Slow {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Ast
    }
    fn show(&mut self, _: Stage, _: &str) {
        self.0.set_deadline(Some(Moment::now()));
    }
}

#[test]
fn nothing_is_taken_when_the_clock_may_have_decided() {
    // Only the comparison with the original's code comes after this, and it says "differs" when it fails.
    let scop = scop("gemm.scop");
    let refusal = optimize(&scop, &Options::default(), &mut Slow(scop.ctx().clone())).unwrap_err();
    assert!(refusal.exhausted && refusal.help.contains("time-budget-ms"), "{refusal}");
}

/// What runs in sequence with blocks for registers beats a wavefront without, unless there are many cores. Tiles that one statement has
/// alone have blocks in wavefronts, too.
#[test]
fn few_cores_are_not_worth_a_wavefront_without_blocks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/polybench/scop/lu.scop");
    let text = std::fs::read_to_string(path).unwrap();
    let marks = |cores: u32, options: &dyn Fn(Options) -> Options| {
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        let machine = Machine { cores, ..Machine::generic() };
        let found = optimize(&scop, &options(Options { check: false, ..Options::new(machine) }), &mut ()).unwrap();
        (found.statistics.wavefronts, has_mark(&found.tree, &Mark::Register).unwrap())
    };
    for scheduler in [Scheduler::default(), Scheduler::Own("ppcg")] {
        let of = |options| Options { scheduler, ..options };
        assert_eq!(marks(2, &of), (1, true), "{scheduler:?}");
        let tile = |parallel, wavefront: usize| {
            let text = format!(
                "order=scheduled+tiles=32+wavefront={wavefront}+points=interchanged+register-tiles=true+parallel={parallel}"
            );
            move |options: Options| Options { scheduler, candidate: Some(text.parse().unwrap()), ..options }
        };
        assert_eq!(marks(2, &tile(true, 1)), (1, false), "{scheduler:?}");
        assert_eq!(marks(2, &tile(false, 0)), (0, true), "{scheduler:?}");
    }
    // Who asks for a wavefront gets it.
    assert_eq!(marks(2, &|options| Options { wavefront: Some(1), ..options }), (1, true));
    assert_eq!(marks(2, &|options| Options { register_tiles: false, ..options }), (1, false));
}

/// Tiles over time that have a long part of a row have no fronts, and shorter ones in fronts start threads for little work each, whatever is
/// expected of them (measured: three points, two threads, 32 by 32 in fronts take 1.8 to 2.8 times as long as 32 by 1,024 in sequence, a Xeon).
/// With threads there are diamonds. Who asks for fronts, or none, gets that.
#[test]
fn a_stencil_along_one_row_is_in_diamonds_or_in_sequence() {
    let found = |machine: &str, wavefront: Option<usize>| {
        let scop = scop_of("jacobi-1d");
        let options = Options { check: false, wavefront, ..Options::new(Machine::parse(machine).unwrap()) };
        let found = optimize(&scop, &options, &mut ()).unwrap();
        let has_diamonds = matches!(found.candidate.tiles, Tiles::Diamonds(_));
        (found.statistics.tiled, found.statistics.wavefronts, has_diamonds)
    };
    for machine in ["cores: 2", "cores: 16", "vector-bits: 256\nparallel-start: 0", "vector-bits: 512\ncaches: 48K, 1M"]
    {
        assert_eq!(found(machine, None), (1, 1, true), "{machine}");
        assert_eq!(found(machine, Some(0)), (1, 0, false), "{machine}");
    }
    assert_eq!(found("cores: 2", Some(1)), (1, 1, false));
}

/// Each tile would read its rows from memory once, a few lines at a time.
#[test]
fn tiles_that_only_wait_for_memory_are_not_made_for_threads() {
    assert_eq!(wavefronts("floyd-warshall", "cores: 2"), 0);
    assert_eq!(wavefronts("floyd-warshall", "cores: 2\nrow-start: 0"), 1);
    assert_eq!(wavefronts("floyd-warshall", "cores: 8"), 1);
}

/// A kernel of PolyBench.
fn scop_of(kernel: &str) -> Scop {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("test/polybench/scop/{kernel}.scop"));
    Scop::parse(&Ctx::new(), &std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The number of wavefronts that a kernel gets on a machine.
fn wavefronts(kernel: &str, machine: &str) -> usize {
    let scop = scop_of(kernel);
    let options = Options { check: false, ..Options::new(Machine::parse(machine).unwrap()) };
    optimize(&scop, &options, &mut ()).unwrap().statistics.wavefronts
}

/// Rows of tiles of a loop over time are long, as far as what a step has of a tile stays in a core's own cache; tiles of products, and
/// of what somebody asked for, are as they were.
#[test]
fn tiles_of_a_loop_over_time_have_long_rows() {
    let tiles = |kernel: &str, machine: &str, change: &dyn Fn(Options) -> Options| {
        let machine = Machine::parse(&format!("cores: 2\n{machine}")).unwrap();
        let options = change(Options { check: false, layout: LayoutSearch::None, ..Options::new(machine) });
        optimize(&samples::scop(kernel), &options, &mut ()).unwrap().candidate.tiles.to_string()
    };
    let one_thread = |options| Options { parallel: false, ..options };
    let large = "vector-bits: 512\ncaches: 32K, 1M, 32M/2";
    let in_fronts = |options| Options { wavefront: Some(1), ..options };
    assert_eq!(tiles("jacobi-2d", large, &in_fronts), "16,32,256");
    assert_eq!(tiles("jacobi-2d", large, &|options| options), "diamonds:64,64,256");
    assert_eq!(tiles("jacobi-2d", large, &one_thread), "32,32,256");
    assert_eq!(tiles("heat-3d", large, &in_fronts), "16,8,8,256");
    assert_eq!(tiles("heat-3d", large, &|options| options), "diamonds:16,16,8,256");
    assert_eq!(tiles("seidel-2d", large, &one_thread), "32,32,256");
    // A slab takes a quarter of the cache.
    assert_eq!(tiles("heat-3d", "caches: 32K, 512K, 16M/2", &one_thread), "32,8,8,128");
    assert_eq!(tiles("jacobi-2d", "caches: 32K, 128K", &one_thread), "32,8,256");
    assert_eq!(tiles("jacobi-2d", "caches: 32K, 16M/2", &one_thread), "32,8,64");
    assert_eq!(tiles("heat-3d", "caches: 32K, 16M/2", &one_thread), "32");
    for product in ["gemm", "lu", "cholesky", "syrk"] {
        assert!(!tiles(product, large, &|options| options).contains(','), "{product}");
    }
    let asked_for = |options| Options { tile_sizes: TileSizes::new(&[16]), ..options };
    assert_eq!(tiles("jacobi-2d", large, &asked_for), "16");
    // Nor is 32 another size where somebody says it.
    let said = |mut options: Options| {
        options.kernel_sizes.tiles = Some(options.tile_sizes.clone());
        options
    };
    assert_eq!(tiles("jacobi-2d", large, &said), "32");
    let candidate = |options| Options { candidate: Some("order=scheduled+tiles=32".parse().unwrap()), ..options };
    assert_eq!(tiles("jacobi-2d", large, &candidate), "32");
}

/// Beside code for data that caches do not hold, what runs where they do has threads and no tiles.
#[test]
fn where_caches_hold_the_data_sweeps_run_in_parallel() {
    let options = Options { check: false, ..Options::new(Machine::parse("cores: 2\ncaches: 32K, 1M, 32M/2").unwrap()) };
    let jacobi = samples::scop("jacobi-2d");
    let large = optimize(&jacobi, &options, &mut ()).unwrap();
    assert!(!large.pays_where.is_empty());
    let small = optimize(&jacobi, &options.for_data_in_caches().unwrap(), &mut ()).unwrap();
    assert!(small.pays_where.is_empty());
    let Statistics { tiled, parallel, wavefronts, .. } = small.statistics;
    assert_eq!((tiled, parallel, wavefronts), (0, 2, 0));
    let none = |change: &dyn Fn(Options) -> Options| change(options.clone()).for_data_in_caches().is_none();
    assert!(none(&|options| Options { parallel: false, ..options }));
    assert!(none(&|options| Options { machine: Machine { cores: 1, ..options.machine.clone() }, ..options }));
    assert!(none(&|options| Options { wavefront: Some(1), ..options }));
}
