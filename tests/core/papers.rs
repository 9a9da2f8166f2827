//! The papers' examples: what a scheduler finds is the tree that the paper prints, and is legal.
//!
//! Each test has a file `test/schedule/NAME.st`: the tree as the paper has it, and above it, in comments, where it is
//! from and why it may differ, and
//! - `PROGRAM:` a region or constraints, under `test`;
//! - `WITH:` how the constraints of a region are made: `false-dependences` (no live-range reordering), `dead-removed`,
//!   `input-dependences`;
//! - `COMPARE:` what need not agree: `outermost-only`, `any-order`, `any-member-order`, `ignore-flags`;
//! - `FROM:` and `TRANSFORM:` instead: the tree is made from that of another file by `tile=SIZES`, as in `256/32,8`,
//!   and `wavefront=DEGREES`, across tiles if there are any, else across points. `FROM: original-order` is the order that the
//!   region has, `FROM: original-bands` that with its bands found anew;
//! - `RUN:` schedulers, a colon, and their options, from isl's own defaults. Without any, only that the tree is legal
//!   is tested.

use crate::closeness::{Closeness, difference};
use crate::schedules::{
    Making, Scheduler, complaint, constraints_of_region, groups_of_region, read, read_constraints, test_file,
};
use polyrs::isl::{Ctx, Schedule, ScheduleConstraints, Set, UnionMap};
use polyrs::proximity::ReferenceGroup;
use polyrs::schedule::original;
use polyrs::schedule_tree::TileSizes;
use polyrs::scop::Scop;
use polyrs::transform;
use std::collections::BTreeSet;
use std::path::Path;

/// Defines a test for each file, and the list of all files.
macro_rules! examples {
    ($($test:ident = $file:literal,)*) => {
        $(
            #[test]
            fn $test() {
                Example::read($file).check();
            }
        )*
        const FILES: &[&str] = &[$($file),*];
    };
}

examples! {
    verdoolaege2017_example_03_figure_05 = "matmul-original",
    verdoolaege2017_example_03_with_bands_found_anew = "matmul-original-bands",
    verdoolaege2017_example_08_figure_13 = "jacobi-2d-outer-coincidence",
    verdoolaege2017_example_08_equation_6 = "jacobi-2d-band",
    verdoolaege2017_example_08_equation_6_as_printed = "jacobi-2d-band-printed",
    verdoolaege2017_example_08_figure_12 = "jacobi-2d-wavefront-printed",
    verdoolaege2017_example_08_figure_12_of_what_is_found = "jacobi-2d-wavefront",
    verdoolaege2017_example_19_before_unscaling = "jacobi-2d-scaled",
    verdoolaege2017_example_09_equation_26 = "cholesky-2000-rational",
    verdoolaege2017_example_09_equation_27 = "cholesky-2000-integral",
    verdoolaege2017_example_09_and_16 = "cholesky-carry-all",
    verdoolaege2017_example_10 = "sum",
    verdoolaege2017_example_11 = "seidel-2d",
    verdoolaege2017_example_12 = "nontrivial",
    verdoolaege2017_example_13 = "sum-10000-coalesced",
    verdoolaege2017_example_14 = "proximity-clusters",
    verdoolaege2017_example_20 = "reg-detect",
    verdoolaege2017_example_21_listing_21 = "trmm-whole",
    verdoolaege2017_example_21_listing_22 = "trmm-incremental",
    verdoolaege2017_example_26 = "convolution",
    verdoolaege2017_example_26_with_bounded_coefficients = "convolution-coalesced",
    verdoolaege2017_example_28 = "context",
    verdoolaege2017_example_30 = "sum-10000",
    verdoolaege2017_example_33 = "constraint-removal",
    verdoolaege2017_example_34 = "cholesky-carry-self",
    verdoolaege2017_example_35_listing_35 = "durbin-carry-all",
    verdoolaege2017_example_35_listing_36 = "durbin-carry-self",
    zinenko2017_section_6_1_for_cpus = "2mm-unified-cpu",
    zinenko2017_section_6_1_for_gpus = "2mm-unified-gpu",
    zinenko2017_section_6_2_for_cpus = "lu-unified-cpu",
    zinenko2017_section_6_2_for_gpus = "lu-unified-gpu",
    bondhugula2008_figure_01 = "gemver-part",
    bondhugula2008_figure_02 = "lu-tiled",
    bondhugula2008_figure_03 = "jacobi-1d",
    bondhugula2008_figure_03_tiled = "jacobi-1d-tiled",
    bondhugula2008_figure_03_tiled_and_parallel = "jacobi-1d-wavefront",
    bondhugula2008_figure_04 = "wavefront",
    bondhugula2008_figure_04_tiled_and_parallel = "wavefront-tiled",
    bondhugula2008_figure_07 = "fdtd-2d",
    bondhugula2008_figure_07_tiled_and_parallel_in_two_degrees = "fdtd-2d-wavefront",
    bondhugula2008_figure_09 = "lu",
    bondhugula2008_figure_09_tiled_and_parallel = "lu-wavefront",
    bondhugula2008_figure_09_tiled_and_parallel_in_two_degrees = "lu-wavefront-twice",
    bondhugula2008_figure_11 = "mvt",
    bondhugula2008_figure_11_tiled_and_parallel = "mvt-wavefront",
    bondhugula2008_section_5_2_tiled_twice = "lu-tiled-twice",
    bondhugula2008_section_7_gauss_seidel = "gauss-seidel",
    bondhugula2008_section_7_gauss_seidel_in_two_degrees = "gauss-seidel-wavefront",
}

struct Example {
    name: String,
    constraints: ScheduleConstraints,
    /// Of a region.
    groups: Vec<ReferenceGroup>,
    expected: Schedule,
    closeness: Closeness,
    runs: Vec<(Scheduler, Vec<String>)>,
    from: Option<Origin>,
}

/// A tree that is made from another.
struct Origin {
    tree: Schedule,
    sizes: Option<TileSizes>,
    degrees: Option<usize>,
}

impl Origin {
    fn transformed(&self, constraints: &ScheduleConstraints) -> polyrs::isl::Result<Schedule> {
        match (&self.sizes, self.degrees) {
            (Some(sizes), None) => transform::tile(&self.tree, sizes),
            (Some(sizes), Some(degrees)) => {
                transform::wavefront(&transform::tile(&self.tree, sizes)?, constraints, sizes, degrees)
            }
            (None, Some(degrees)) => transform::wavefront_of_points(&self.tree, constraints, degrees),
            (None, None) => Ok(self.tree.clone()),
        }
    }
}

impl Example {
    fn read(name: &str) -> Example {
        Example::read_in(&Ctx::new(), name)
    }

    fn read_in(ctx: &Ctx, name: &str) -> Example {
        let text = read(&test_file(&format!("schedule/{name}.st")));
        let (mut program, mut making, mut closeness) =
            (None, Making { live_range_reordering: true, ..Making::default() }, Closeness::default());
        let (mut runs, mut from) = (Vec::new(), None);
        for line in text.lines().filter_map(|line| line.strip_prefix("# ")) {
            let Some((key, rest)) = line.split_once(':') else { continue };
            let words = || rest.split_whitespace();
            match key {
                "PROGRAM" => program = Some(test_file(rest.trim())),
                "WITH" => words().for_each(|word| match word {
                    "false-dependences" => making.live_range_reordering = false,
                    "dead-removed" => making.remove_dead = true,
                    "input-dependences" => making.input = true,
                    _ => panic!("{name}: WITH {word}"),
                }),
                "COMPARE" => words().for_each(|word| match word {
                    "outermost-only" => closeness.outermost_only = true,
                    "any-order" => closeness.any_order = true,
                    "any-member-order" => closeness.any_member_order = true,
                    "ignore-flags" => closeness.ignore_flags = true,
                    _ => panic!("{name}: COMPARE {word}"),
                }),
                "FROM" => {
                    let region = || program.as_deref().unwrap_or_else(|| panic!("{name}: FROM before PROGRAM"));
                    let tree = match rest.trim() {
                        "original-order" => original_order(ctx, region(), making),
                        "original-bands" => {
                            let constraints = constraints_of(ctx, region(), making);
                            original(&original_order(ctx, region(), making), &constraints).unwrap()
                        }
                        other => Example::read_in(ctx, other).expected,
                    };
                    from = Some(Origin { tree, sizes: None, degrees: None });
                }
                "TRANSFORM" => {
                    let origin = from.as_mut().unwrap_or_else(|| panic!("{name}: TRANSFORM before FROM"));
                    for word in words() {
                        match word.split_once('=') {
                            Some(("tile", sizes)) => origin.sizes = Some(sizes.parse().unwrap()),
                            Some(("wavefront", degrees)) => origin.degrees = Some(degrees.parse().unwrap()),
                            _ => panic!("{name}: TRANSFORM {word}"),
                        }
                    }
                }
                "RUN" => {
                    let (schedulers, options) = rest.split_once(':').unwrap_or_else(|| panic!("{name}: RUN {rest}"));
                    let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
                    for scheduler in schedulers.split_whitespace() {
                        let scheduler =
                            Scheduler::named(scheduler).unwrap_or_else(|| panic!("{name}: RUN {scheduler}"));
                        runs.push((scheduler, options.clone()));
                    }
                }
                _ => assert!(key.chars().any(|c| !c.is_ascii_uppercase()), "{name}: {key}"),
            }
        }
        let program = program.unwrap_or_else(|| panic!("{name}: there is no PROGRAM"));
        let constraints = constraints_of(ctx, &program, making);
        let groups = match is_region(&program) {
            true => groups_of_region(ctx, &program),
            false => Vec::new(),
        };
        // The trees leave out what is known of the parameters.
        let expected = Schedule::parse(ctx, &on_one_line(&text)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = expected.intersect_domain(constraints.domain().unwrap()).unwrap();
        Example { name: name.to_owned(), constraints, groups, expected, closeness, runs, from }
    }

    fn check(&self) {
        if !self.closeness.outermost_only {
            let illegal = complaint(&self.constraints, &self.expected);
            assert_eq!(illegal, None, "{}: what is expected\n{}", self.name, self.expected);
        }
        if let Some(origin) = &self.from {
            let made = origin.transformed(&self.constraints).unwrap();
            let other = difference(&made, &self.expected, self.closeness).unwrap();
            assert_eq!(other, None, "{}: made\n{made}", self.name);
        }
        for (scheduler, options) in &self.runs {
            let place = format!("{}: {scheduler:?} {}", self.name, options.join(" "));
            let tree = scheduler
                .schedule_groups(&self.constraints, &self.groups, options)
                .unwrap_or_else(|error| panic!("{place}: {error}"));
            let other = difference(&tree, &self.expected, self.closeness).unwrap();
            assert_eq!(other, None, "{place}: found\n{tree}");
            assert_eq!(complaint(&self.constraints, &tree), None, "{place}: found\n{tree}");
        }
    }
}

/// isl reads no line ends within quotes.
fn on_one_line(text: &str) -> String {
    let mut quoted = false;
    let lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        quoted ^= line.matches('"').count() % 2 == 1;
        format!("{line}{}", if quoted { ' ' } else { '\n' })
    });
    lines.collect()
}

fn constraints_of(ctx: &Ctx, program: &Path, making: Making) -> ScheduleConstraints {
    match is_region(program) {
        true => constraints_of_region(ctx, program, making),
        false => read_constraints(ctx, program).constraints,
    }
}

/// The order that a region has.
fn original_order(ctx: &Ctx, region: &Path, making: Making) -> Schedule {
    let scop = Scop::parse(ctx, &read(region)).unwrap_or_else(|error| panic!("{}:{error}", region.display()));
    scop.schedule.intersect_domain(constraints_of(ctx, region, making).domain().unwrap()).unwrap()
}

fn is_region(program: &Path) -> bool {
    program.extension().is_none_or(|extension| extension != "sc")
}

#[test]
fn every_file_is_tested() {
    let files = std::fs::read_dir(test_file("schedule")).unwrap().map(|entry| entry.unwrap().path());
    let trees = files.filter(|path| path.extension().is_some_and(|extension| extension == "st"));
    let names: BTreeSet<String> = trees.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names, FILES.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn verdoolaege2017_example_33_simplified_constraints_have_no_schedule() {
    let ctx = Ctx::new();
    let input = read_constraints(&ctx, &test_file("schedule/constraint-removal-simplified.sc"));
    for scheduler in Scheduler::ALIKE {
        let found = scheduler.schedule(&input.constraints, &input.options);
        assert!(found.is_err(), "{scheduler:?}: {}", found.unwrap());
    }
}

/// (94) within the context (95) is (96), simplified in that context (97): both have the bound of 1024 that schedulers could
/// coalesce loops by, and ours does not.
#[test]
fn verdoolaege2017_example_28_relations() {
    let example = Example::read("context");
    let context = Set::parse(example.constraints.ctx(), "[n] -> { : n = 1024 }").unwrap();
    let relation = example.constraints.validity().unwrap();
    let within = relation.clone().intersect_params(context.clone()).unwrap();
    let simplified = relation.gist_params(context).unwrap();
    for (found, expected) in [
        (within, "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i and 0 <= i + 1 < 1024 and 0 <= j < 1024 and n = 1024 }"),
        (simplified, "{ S[i, j] -> S[i + 1, j] : 0 <= i and 0 <= i + 1 < 1024 and 0 <= j < 1024 }"),
    ] {
        let expected = UnionMap::parse(found.ctx(), expected).unwrap();
        assert!(found.is_equal(&expected).unwrap(), "{found}");
        let constraints = example.constraints.clone();
        let constraints = constraints.set_validity(found.clone()).unwrap().set_coincidence(found.clone()).unwrap();
        let constraints = constraints.set_proximity(found).unwrap();
        for scheduler in Scheduler::ALIKE {
            let tree = scheduler.schedule(&constraints, &[]).unwrap();
            assert_eq!(difference(&tree, &example.expected, example.closeness).unwrap(), None, "{scheduler:?}\n{tree}");
        }
    }
}
