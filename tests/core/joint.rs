//! The joint search of layouts and schedules: what it chooses, that its bounds are bounds, that what it says can be read.

use super::gpu::{polybench, region};
use polyrs::cost::{Freedom, LastDimensions, cost_lower_bound, directions};
use polyrs::driver::{Joint, LayoutSearch, Options, optimize, optimize_jointly};
use polyrs::isl::Ctx;
use polyrs::layout::{Layout, choices};
use polyrs::machine::Machine;
use polyrs::scop::Scop;
use std::collections::BTreeMap;

fn options() -> Options {
    Options { layout: LayoutSearch::Auto, check: false, pack_tiles: None, ..Options::new(Machine::generic()) }
}

fn chosen(scop: &Scop) -> Joint {
    chosen_on(scop, Machine::generic())
}

fn chosen_on(scop: &Scop, machine: Machine) -> Joint {
    optimize_jointly(scop, &Options { machine, ..options() }, &|_| true, &mut ()).unwrap()
}

/// A region with loops over `i`, `j` and `k` of which each instance of a statement reads and updates these.
fn product(updated: &str, read: &[&str]) -> Scop {
    let reads = read
        .iter()
        .enumerate()
        .map(|(number, element)| format!("      - read R{number}: \"{{ S[i, j, k] -> {element} }}\"\n"));
    let text = format!(
        "scop: product\nparameters: [n]\ncontext: \"{{ : n >= 1 }}\"\narrays:\n  A: {{ kind: memory, element: f64, \
         extent: [n, n] }}\n  B: {{ kind: memory, element: f64, extent: [n, n + 1] }}\n  C: {{ kind: memory, element: f64, \
         extent: [n, n] }}\nstatements:\n  S:\n    domain: \"{{ S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n \
         }}\"\n    accesses:\n      - read C_r: \"{{ S[i, j, k] -> {updated} }}\"\n{}      - must_write C_w: \"{{ S[i, \
         j, k] -> {updated} }}\"\nschedule:\n  domain: \"{{ S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }}\"\n  \
         child:\n    schedule: \"[{{ S[i, j, k] -> [(i)] }}, {{ S[i, j, k] -> [(j)] }}, {{ S[i, j, k] -> [(k)] \
         }}]\"\nlive_out: \"{{ C[i, j] }}\"\n",
        reads.collect::<String>()
    );
    Scop::parse(&Ctx::new(), &text).unwrap()
}

fn maps(joint: &Joint) -> &str {
    &joint.considered.iter().find(|one| one.is_chosen).unwrap().maps
}

/// The best layout but that of the region.
fn next(joint: &Joint) -> &str {
    joint.considered.iter().find(|one| !one.maps.is_empty()).map_or("", |one| &one.maps)
}

/// Shirako and Sarkar, section 5: of all transpositions of a product's arrays none is better where a loop walks along
/// all rows (their Figure 1 with B[k][j], as Figure 2 has it); with B[j][k] that of B is, and another layout pays
/// where that is read twice as often.
#[test]
fn a_product_takes_the_layout_along_which_a_loop_walks() {
    let by_rows = chosen(&product("C[i, j]", &["A[i, k]", "B[k, j]"]));
    assert_eq!((maps(&by_rows), next(&by_rows)), ("", ""));
    let across = "map(in: B(e0, e1) -> (1, e1, e0 align 8))";
    let columns = product("C[i, j]", &["A[i, k]", "B[j, k]"]);
    // The memory of a copy costs more than a third of the product: there is nothing to schedule.
    assert_eq!((maps(&chosen(&columns)), next(&chosen(&columns))), ("", ""));
    let memory_is_there = Machine { fresh_line: 0, ..Machine::generic() };
    assert_eq!(next(&chosen_on(&columns, memory_is_there)), across);
    let twice = chosen(&product("C[i, j]", &["A[i, k]", "B[j, k]", "B[j, k + 1]"]));
    assert!(!maps(&twice).is_empty());
}

/// What points of a wavefront walk along is no row of the array of a sweep; of the array skewed as they are, it is. The unified
/// report's objective (5), asked of the array's map.
#[test]
fn a_wavefront_walks_along_rows_of_a_skewed_array() {
    let scop = region(&polybench().join("seidel-2d.scop"));
    let joint = chosen(&scop);
    assert_eq!(maps(&joint), "map(inout: arg2(e0, e1) -> (0, (2*e0) + e1, e0 align 8))", "{:?}", joint.considered);
    assert!(joint.optimized.tree.to_string().contains("vector"), "{}", joint.optimized.tree);
    let relaid = joint.relaid.as_ref().unwrap();
    let directions = directions(&relaid.applied.scop, &joint.optimized.tree).unwrap();
    assert_eq!(directions.into_values().collect::<Vec<_>>(), [[0, 1]]);
}

/// In an address skewed along a direction, that leads to the next element, or the one before.
#[test]
fn addresses_are_skewed_along_directions() {
    let scop = region(&polybench().join("seidel-2d.scop"));
    let skewed = |direction: [i64; 2]| {
        let directions = BTreeMap::from([("arg2".to_owned(), direction.to_vec())]);
        let found = choices(&scop, 64, &directions).unwrap();
        let choice = found.iter().find(|choice| choice.skewed.is_some())?;
        Some(choice.layouts[choice.skewed?].to_text(&scop).unwrap())
    };
    let map = |address: &str| Some(format!("map(inout: arg2(e0, e1) -> (0, {address} align 8))"));
    assert_eq!(skewed([1, -2]), map("(2*e0) + e1, e0"));
    assert_eq!(skewed([-1, 2]), map("(2*e0) + e1, e0"));
    assert_eq!(skewed([-1, 1]), map("e0 + e1, e1"));
    assert_eq!(skewed([3, -2]), map("(2*e0) + (3*e1), e0 + e1"));
    for other in [[1, 1], [0, 1], [1, 0], [2, -2], [4, -2], [1, -5], [0, 0]] {
        assert_eq!(skewed(other), None, "{other:?}");
    }
}

/// What was chosen is proved, read back from its text, costs what it is said to, and a third less than without.
#[test]
fn what_is_chosen_holds() {
    let seidel = region(&polybench().join("seidel-2d.scop"));
    for scop in [seidel, product("C[i, j]", &["A[i, k]", "B[j, k]", "B[j, k + 1]"])] {
        let name = &scop.name;
        let joint = chosen(&scop);
        let relaid = joint.relaid.as_ref().unwrap_or_else(|| panic!("{name}: no layout"));
        relaid.applied.check(&scop).unwrap();
        let read = Layout::parse(&scop, maps(&joint)).unwrap();
        assert_eq!(read.to_text(&scop).unwrap(), relaid.layout.to_text(&scop).unwrap());
        let own = joint.considered.iter().find(|one| one.maps.is_empty()).unwrap();
        assert!(joint.optimized.cost * 3 <= own.cost * 2, "{name}");
        assert_eq!(own.cost, optimize(&scop, &options(), &mut ()).unwrap().cost, "{name}");
        let [worth, _bytes] = &relaid.conditions[..] else { panic!("{name}: {:?}", relaid.conditions) };
        let signs = |is: fn(i64) -> bool| worth.terms.iter().any(|term| is(term.each));
        assert!(signs(|each| each > 0) && signs(|each| each < 0), "{name}");
    }
}

/// No layout of an array alone costs less than the bound for all that it may have.
#[test]
fn bounds_are_bounds() {
    let packed = Options { pack_tiles: Options::default().pack_tiles, ..options() };
    let all = ["syrk", "trmm", "mvt", "gesummv", "trisolv", "gemm", "symm"].map(|name| (name, options()));
    let mut tried = 0;
    for (name, options) in all.into_iter().chain([("syrk", packed)]) {
        let Options { parallel, register_tiles, pack_tiles, .. } = options;
        let freedom = Freedom { parallel, register_tiles, pack: pack_tiles.is_some() };
        let scop = region(&polybench().join(format!("{name}.scop")));
        let found = choices(&scop, options.machine.line_bytes, &BTreeMap::new()).unwrap();
        let last: LastDimensions =
            found.iter().map(|choice| (scop.arrays[choice.array].name.clone(), choice.last.clone())).collect();
        let bound = cost_lower_bound(&scop, &options.machine, freedom, &last).unwrap();
        assert!(bound <= optimize(&scop, &options, &mut ()).unwrap().cost, "{name}");
        for layout in found.iter().flat_map(|choice| &choice.layouts) {
            let applied = layout.apply(&scop).unwrap();
            let cost = optimize(&applied.scop, &options, &mut ()).unwrap().cost;
            let own = cost_lower_bound(&applied.scop, &options.machine, freedom, &LastDimensions::new()).unwrap();
            assert!(bound <= cost && own <= cost, "{name}: {bound} {own} {cost} {}", layout.to_text(&scop).unwrap());
            tried += 1;
        }
    }
    assert!(tried >= 10, "{tried}");
}

/// Without arrays that may have another layout, and where the user says the candidate, nothing is searched.
#[test]
fn what_a_user_says_is_not_searched_for() {
    let scop = product("C[i, j]", &["A[i, k]", "B[j, k]"]);
    let candidate = Some("order=original+tiles=8".parse().unwrap());
    let said = Options { candidate, ..options() };
    let joint = optimize_jointly(&scop, &said, &|_| true, &mut ()).unwrap();
    assert!(joint.relaid.is_none() && joint.considered.is_empty());
    let none = optimize_jointly(&scop, &options(), &|_| false, &mut ()).unwrap();
    assert!(none.relaid.is_none() && maps(&none).is_empty());
}
