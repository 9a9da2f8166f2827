use super::*;
use crate::cost::cost;
use crate::dependence::samples::{self, R, Sample, W, band, sequence};
use crate::dependence::{Dependences, Mode};
use crate::isl::{NodeType, Schedule, ScheduleConstraints, ScheduleNode, UnionMap};
use crate::machine::Machine;
use crate::schedule::{IslOptions, WavefrontPartner, constraints, isl_schedule};
use crate::schedule_tree::band::{Band, mark, marks_above};
use crate::schedule_tree::{Mark, Statistics, TileSizes};
use crate::scop::Scop;

mod ahead;
mod apart;
mod columns;
mod diamonds;
mod levels;
mod machines;
mod parallelize;
mod registers;
mod skews;
mod wavefronts;
mod windows;

struct Scheduled {
    deps: Dependences,
    constraints: ScheduleConstraints,
    tree: Schedule,
}

fn scheduled(scop: &Scop, outer_coincidence: bool) -> Scheduled {
    let deps = Dependences::compute(scop, Mode::default()).unwrap();
    let constraints = constraints(scop, &deps, None).unwrap();
    let options = IslOptions { outer_coincidence, ..IslOptions::default() };
    Scheduled { deps, tree: isl_schedule(constraints.clone(), options).unwrap(), constraints }
}

fn bands(tree: &Schedule) -> Vec<ScheduleNode> {
    let mut found = Vec::new();
    let root = tree.root().unwrap();
    root.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == NodeType::Band {
            found.push(node.clone());
        }
        Ok(true)
    })
    .unwrap();
    found
}

fn keeps(tree: &Schedule, relation: &UnionMap) -> bool {
    let order = tree.map().unwrap();
    relation.is_subset(&order.clone().lex_lt_union_map(order).unwrap()).unwrap()
}

fn count(tree: &Schedule, wanted: &Mark) -> usize {
    let mut n = 0;
    let root = tree.root().unwrap();
    root.for_each_descendant_top_down(&mut |node| {
        n += usize::from(mark(node)?.as_ref() == Some(wanted));
        Ok(true)
    })
    .unwrap();
    n
}

#[test]
fn tiles_cover_blocks_of_the_given_sizes() {
    let Scheduled { deps, tree, .. } = scheduled(&samples::matmul(), true);
    let tiled = tile(&tree, &TileSizes::new(&[4, 8])).unwrap();
    assert_eq!((count(&tiled, &Mark::TILE), count(&tiled, &Mark::Point)), (1, 1));
    assert!(keeps(&tiled, &deps.flow));
    let all = bands(&tiled);
    let tiles = all.iter().find(|b| marks_above(b).unwrap() == [Mark::TILE]).unwrap();
    let points = all.iter().find(|b| marks_above(b).unwrap() == [Mark::Point]).unwrap();
    assert_eq!(tiles.band_coincident().unwrap(), points.band_coincident().unwrap());
    let (tiles, points) = (Band::read(tiles).unwrap(), Band::read(points).unwrap());
    for (member, size) in [4, 8, 8].into_iter().enumerate() {
        let step = crate::isl::Val::int(tiled.ctx(), size).unwrap();
        let origin = points.members[member].clone().scale_down(step.clone()).unwrap().floor().unwrap();
        let difference = origin.scale(step).unwrap().sub(tiles.members[member].clone()).unwrap();
        assert!(difference.clone().min_val().unwrap().is_zero().unwrap());
        assert!(difference.max_val().unwrap().is_zero().unwrap());
    }
}

#[test]
fn loops_known_to_be_short_are_not_tiled() {
    let copy = |bound: &str| {
        Sample::new("[n] -> { : }")
            .memory(&[("A", 2), ("B", 2)])
            .statement(
                &format!("[n] -> {{ S[i, j] : 0 <= i < n and n <= j < {bound} }}"),
                &[(R, "{ S[i, j] -> A[i, j] }"), (W, "{ S[i, j] -> B[j, i] }")],
            )
            .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ B[i, j] }")
    };
    let tiled = |bound: &str| {
        let Scheduled { tree, .. } = scheduled(&copy(bound), true);
        count(&tile(&tree, &TileSizes::default()).unwrap(), &Mark::TILE)
    };
    assert_eq!(tiled("n + 32"), 0);
    assert_eq!(tiled("n + 33"), 1);
}

#[test]
fn a_single_loop_is_not_tiled() {
    let scop = samples::copy_through_scalar(crate::scop::ArrayKind::Scalar, true);
    let Scheduled { tree, .. } = scheduled(&scop, true);
    assert_eq!(count(&tile(&tree, &TileSizes::default()).unwrap(), &Mark::TILE), 0);
}

#[test]
fn the_row_index_of_a_product_becomes_innermost() {
    for tiled in [true, false] {
        let scop = samples::matmul();
        let Scheduled { deps, tree, .. } = scheduled(&scop, true);
        let tree = if tiled { tile(&tree, &TileSizes::default()).unwrap() } else { tree };
        let reordered = interchange(&scop, &tree, &Machine::generic()).unwrap();
        assert!(keeps(&reordered, &deps.flow) && keeps(&reordered, &deps.dep_false));
        let points = bands(&reordered).pop().unwrap();
        let band = Band::read(&points).unwrap();
        // One step of j, with i and k fixed, is one step of the innermost member and of no other.
        let step = UnionMap::parse(tree.ctx(), "{ T[i, j, k] -> T[i, j + 1, k] }").unwrap();
        for (at, member) in band.members.iter().enumerate() {
            let member = crate::isl::MultiUnionPwAff::from_union_pw_aff(member.clone()).unwrap();
            let domain = member.clone().domain().unwrap();
            let step = step.clone().intersect_domain(domain.clone()).unwrap().intersect_range(domain).unwrap();
            let fixed = step.clone().eq_at(member).unwrap();
            assert!(if at == 2 { fixed.is_empty() } else { step.is_subset(&fixed) }.unwrap(), "{reordered}");
        }
        assert!(band.coincident.last().unwrap(), "flags move with their members");
    }
}

#[test]
fn of_equals_a_parallel_loop_becomes_innermost_within_a_tile() {
    // for j, i: P[i][j] = P[i - 1][j] + T[j][i] + T[j][i + 1]: each loop walks along two rows and across two.
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("P", 2), ("T", 2)])
        .statement(
            "[n] -> { S[j, i] : 0 <= i, j < n }",
            &[
                (R, "{ S[j, i] -> P[i - 1, j] }"),
                (R, "{ S[j, i] -> T[j, i] }"),
                (R, "{ S[j, i] -> T[j, i + 1] }"),
                (W, "{ S[j, i] -> P[i, j] }"),
            ],
        )
        .order(&band("S[j, i] -> [j]", &band("S[j, i] -> [i]", "")), "{ P[i, j] }");
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    assert_eq!(bands(&tree)[0].band_coincident().unwrap(), [true, false]);
    let tiled = interchange(&scop, &tile(&tree, &TileSizes::default()).unwrap(), &Machine::generic()).unwrap();
    assert!(keeps(&tiled, &deps.flow));
    let flags: Vec<_> = bands(&tiled).iter().map(|band| band.band_coincident().unwrap()).collect();
    assert_eq!(flags, [[true, false], [false, true]], "tiles keep their order: {tiled}");
}

#[test]
fn reordering_keeps_a_parallel_loop_outermost() {
    // B[j] += A[j][i]: i would be better inside for A and is not; with the sum over i, j must stay outside.
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 1)])
        .statement(
            "[n] -> { S[j, i] : 0 <= i, j < n }",
            &[(R, "{ S[j, i] -> B[j] }"), (R, "{ S[j, i] -> A[i, j] }"), (W, "{ S[j, i] -> B[j] }")],
        )
        .order(&band("S[j, i] -> [j]", &band("S[j, i] -> [i]", "")), "{ B[j] }");
    let Scheduled { tree, .. } = scheduled(&scop, true);
    let first = |tree: &Schedule| bands(tree)[0].band_coincident().unwrap();
    assert_eq!(first(&tree), [true, false]);
    assert_eq!(first(&interchange(&scop, &tree, &Machine::generic()).unwrap()), [true, false]);
    let tiled = interchange(&scop, &tile(&tree, &TileSizes::default()).unwrap(), &Machine::generic()).unwrap();
    assert_eq!(first(&tiled), [true, false], "tiles keep their order");
    assert_eq!(bands(&tiled)[1].band_coincident().unwrap(), [false, true], "points put the row innermost");
}

#[test]
fn statistics_count_bands_of_the_scheduler_and_decisions_of_the_tree() {
    let Scheduled { constraints, tree, .. } = scheduled(&samples::seidel_2d(), false);
    let sizes = TileSizes::default();
    let mapped = wavefront(&tile(&tree, &sizes).unwrap(), &constraints, &sizes, 1).unwrap();
    let statistics = Statistics::new(&tree, &mapped).unwrap();
    let expected = Statistics { bands: 1, members: 3, tiled: 1, levels: 1, wavefronts: 1, ..Statistics::default() };
    assert_eq!(statistics, expected);
    assert!(statistics.to_string().starts_with("bands=1 members=3 coincident=0 tiled=1 wavefronts=1"));
}

#[test]
fn a_nest_without_locality_along_the_last_loop_is_interchanged() {
    // for i, j: B[j][i] = A[j][i]
    assert!(rows_are_neighbours("A[j, i]", "B[j, i]", "[i + 1, j]"));
}

#[test]
fn what_is_transposed_is_walked_through_in_the_order_in_which_it_is_written() {
    assert!(rows_are_neighbours("A[i, j]", "B[j, i]", "[i + 1, j]"));
    assert!(rows_are_neighbours("A[j, i]", "B[i, j]", "[i, j + 1]"));
}

/// `for i, j: written = read` is interchanged so that nothing is executed between `[i, j]` and the next instance.
fn rows_are_neighbours(read: &str, written: &str, next: &str) -> bool {
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2)])
        .statement(
            "[n] -> { S[i, j] : 0 <= i, j < n }",
            &[(R, &format!("{{ S[i, j] -> {read} }}")), (W, &format!("{{ S[i, j] -> {written} }}"))],
        )
        .order(&sequence(&[("S[i, j]", &band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")))]), "{ B[i, j] }");
    let Scheduled { tree, .. } = scheduled(&scop, true);
    let order = interchange(&scop, &tree, &Machine::generic()).unwrap().map().unwrap();
    let row = format!("[n] -> {{ S[i, j] -> S{next} : 0 <= i, j < n - 1 }}");
    let row = UnionMap::parse(tree.ctx(), &row).unwrap();
    let before = order.clone().lex_lt_union_map(order).unwrap();
    let between = before.clone().apply_range(before.clone()).unwrap().intersect(row.clone()).unwrap();
    row.is_subset(&before).unwrap() && between.is_empty().unwrap()
}

/// `for i, j: y[j] += A[i][j] x[i]`, or with `A[j][i]`.
fn product_with_vector(element: &str) -> Scop {
    Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("x", 1), ("y", 1)])
        .statement(
            "[n] -> { S[i, j] : 0 <= i, j < n }",
            &[
                (R, "{ S[i, j] -> y[j] }"),
                (R, &format!("{{ S[i, j] -> A[{element}] }}")),
                (R, "{ S[i, j] -> x[i] }"),
                (W, "{ S[i, j] -> y[j] }"),
            ],
        )
        .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ y[j] }")
}

#[test]
fn what_is_only_streamed_through_is_not_tiled() {
    let tiles = |scop: &Scop, outer_coincidence: bool| {
        let tree = scheduled(scop, outer_coincidence).tree;
        count(
            &tile_gaining(scop, &tree, &TileSizes::default(), TileAims::default(), &Machine::generic()).unwrap(),
            &Mark::TILE,
        )
    };
    assert_eq!(tiles(&product_with_vector("i, j"), true), 0);
    assert_eq!(tiles(&samples::jacobi_1d(), false), 1, "time comes back to the rows, which are all the data");
    assert_eq!(tiles(&samples::matmul(), true), 1);
    assert_eq!(tiles(&samples::seidel_2d(), false), 1, "time comes back to the plane");
}

#[test]
fn rows_in_different_directions_are_tiled() {
    let copy = |element: &str| {
        Sample::new("[n] -> { : }")
            .memory(&[("A", 2), ("B", 2)])
            .statement(
                "[n] -> { S[i, j] : 0 <= i, j < n }",
                &[(R, &format!("{{ S[i, j] -> A[{element}] }}")), (W, "{ S[i, j] -> B[i, j] }")],
            )
            .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ B[i, j] }")
    };
    let tiles = |scop: &Scop| {
        let tree = scheduled(scop, true).tree;
        count(
            &tile_gaining(scop, &tree, &TileSizes::default(), TileAims::default(), &Machine::generic()).unwrap(),
            &Mark::TILE,
        )
    };
    assert_eq!(tiles(&copy("j, i")), 1);
    assert_eq!(tiles(&copy("i, j")), 0);
}

#[test]
fn a_member_along_rows_is_cut_into_strips() {
    let scop = product_with_vector("i, j");
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    let cut = strip_mine(&scop, &tree, (&Machine::generic(), 1), StripPoints::Vectors).unwrap();
    assert!(keeps(&cut, &deps.flow) && keeps(&cut, &deps.dep_false), "{cut}");
    let all = bands(&cut);
    assert_eq!(all.iter().map(|b| b.band_coincident().unwrap()).collect::<Vec<_>>(), [vec![true], vec![false, true]]);
    assert_eq!(marks_above(&all[0]).unwrap(), [Mark::TILE]);
    assert_eq!(marks_above(&all[1]).unwrap(), [Mark::Point]);
    // Across rows there is nothing to be had, unless there will be blocks for registers.
    let scop = product_with_vector("j, i");
    let tree = scheduled(&scop, true).tree;
    assert!(
        strip_mine(&scop, &tree, (&Machine::generic(), 1), StripPoints::Vectors)
            .unwrap()
            .plain_is_equal(&tree)
            .unwrap()
    );
    assert!(
        !strip_mine(&scop, &tree, (&Machine::generic(), 1), StripPoints::VectorsAndBlocks)
            .unwrap()
            .plain_is_equal(&tree)
            .unwrap()
    );
}

#[test]
fn the_loop_around_the_innermost_one_updates_what_that_leaves_in_registers() {
    // for k, i, j: C[i][j] += A[i][k] * B[k][j]
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2), ("C", 2)])
        .statement(
            "[n] -> { S[k, i, j] : 0 <= i, j, k < n }",
            &[
                (R, "{ S[k, i, j] -> C[i, j] }"),
                (R, "{ S[k, i, j] -> A[i, k] }"),
                (R, "{ S[k, i, j] -> B[k, j] }"),
                (W, "{ S[k, i, j] -> C[i, j] }"),
            ],
        )
        .order(&band("S[k, i, j] -> [k]", &band("S[k, i, j] -> [i]", &band("S[k, i, j] -> [j]", ""))), "{ C[i, j] }");
    let Scheduled { constraints, .. } = scheduled(&scop, true);
    let tree = crate::schedule::original(&scop.schedule, &constraints).unwrap();
    let tiled = interchange(&scop, &tile(&tree, &TileSizes::default()).unwrap(), &Machine::generic()).unwrap();
    assert_eq!(bands(&tiled)[0].band_coincident().unwrap(), [false, true, true], "tiles keep their order");
    assert_eq!(bands(&tiled)[1].band_coincident().unwrap(), [true, false, true]);
}

#[test]
fn chains_tiles_and_vectors_make_the_cost() {
    let scop = samples::matmul();
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    let mapped = |tree: &Schedule| {
        let options = crate::transform::CpuOptions { parallel: false, ..Default::default() };
        crate::transform::cpu(&scop, &deps, tree, options, &Machine::generic()).unwrap().tree
    };
    let chain = cost(&scop, &mapped(&tree), &Machine::generic()).unwrap();
    let vector =
        cost(&scop, &mapped(&interchange(&scop, &tree, &Machine::generic()).unwrap()), &Machine::generic()).unwrap();
    let tiles = interchange(&scop, &tile(&tree, &TileSizes::default()).unwrap(), &Machine::generic()).unwrap();
    let tiles = cost(&scop, &mapped(&tiles), &Machine::generic()).unwrap();
    // What tiles bring back, they take to begin loops.
    assert!(chain > vector && vector >= tiles, "{chain} {vector} {tiles}");
}
