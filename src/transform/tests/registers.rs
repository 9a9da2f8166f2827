//! Blocks for registers.

use super::*;

/// Vector registers of so many bits, and how many there are.
fn with(vector_bits: u32, vector_registers: u32) -> Machine {
    Machine { vector_bits, vector_registers, ..Machine::generic() }
}

fn avx512() -> Machine {
    with(512, 32)
}

fn blocked(scop: &Scop, sizes: &TileSizes, machine: &Machine) -> (Dependences, Schedule) {
    let Scheduled { deps, tree, .. } = scheduled(scop, true);
    let reordered = interchange(scop, &tile(&tree, sizes).unwrap(), machine).unwrap();
    let tree = register_tile(scop, &reordered, &Conflicts::new(scop, &deps).unwrap(), sizes, None, machine).unwrap();
    (deps, tree)
}

/// The number of bands over blocks.
fn blocks(scop: &Scop, sizes: &TileSizes, machine: &Machine) -> usize {
    let (deps, tree) = blocked(scop, sizes, machine);
    assert!(keeps(&tree, &deps.flow) && keeps(&tree, &deps.dep_false), "{tree}");
    assert_eq!(count(&tree, &Mark::Register), count(&tree, &Mark::Block));
    count(&tree, &Mark::Register)
}

/// `for i, j, k: C[i][j] = f(C[i][j], ...)`
fn update(reads: &[&str]) -> Scop {
    let mut accesses = vec![(W, "{ S[i, j, k] -> C[i, j] }"), (R, "{ S[i, j, k] -> C[i, j] }")];
    accesses.extend(reads.iter().map(|read| (R, *read)));
    let tree = band("S[i, j, k] -> [i]", &band("S[i, j, k] -> [j]", &band("S[i, j, k] -> [k]", "")));
    Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2), ("C", 2)])
        .statement("[n] -> { S[i, j, k] : 0 <= i, j, k < n }", &accesses)
        .order(&tree, "{ C[i, j] }")
}

#[test]
fn accumulators_of_a_product_fill_half_of_the_registers() {
    let scop = update(&["{ S[i, j, k] -> A[i, k] }", "{ S[i, j, k] -> B[k, j] }"]);
    let (deps, tree) = blocked(&scop, &TileSizes::default(), &avx512());
    assert!(keeps(&tree, &deps.flow) && keeps(&tree, &deps.dep_false));
    let all = bands(&tree);
    let under = |mark: Mark| all.iter().find(|band| marks_above(band).unwrap() == [mark.clone()]).unwrap();
    let (blocks, chain) = (Band::read(under(Mark::Register)).unwrap(), Band::read(under(Mark::Point)).unwrap());
    let points = Band::read(under(Mark::Block)).unwrap();
    assert_eq!((blocks.members.len(), chain.members.len(), points.members.len()), (2, 1, 2), "{tree}");
    assert_eq!((blocks.coincident, chain.coincident), (vec![true, true], vec![false]));
    for (number, size) in [8, 16].into_iter().enumerate() {
        let size = crate::isl::Val::int(tree.ctx(), size).unwrap();
        let origin = points.members[number].clone().scale_down(size.clone()).unwrap().floor().unwrap().scale(size);
        let difference = origin.unwrap().sub(blocks.members[number].clone()).unwrap();
        assert!(difference.clone().min_val().unwrap().is_zero().unwrap(), "{tree}");
        assert!(difference.max_val().unwrap().is_zero().unwrap(), "{tree}");
    }
}

#[test]
fn blocks_are_as_large_as_registers_allow() {
    let scop = update(&["{ S[i, j, k] -> A[i, k] }", "{ S[i, j, k] -> B[k, j] }"]);
    let sizes = TileSizes::new(&[8]);
    assert_eq!(blocks(&scop, &sizes, &avx512()), 0, "a tile holds no whole block");
    assert_eq!(blocks(&scop, &sizes, &with(256, 16)), 1);
    assert_eq!(blocks(&scop, &TileSizes::default(), &with(256, 4)), 0, "one row is no block");
    assert_eq!(blocks(&scop, &TileSizes::default(), &with(64, 32)), 0, "there are no vectors");
}

#[test]
fn without_updates_there_is_nothing_to_keep() {
    let tree = band("S[i, j, k] -> [i]", &band("S[i, j, k] -> [j]", &band("S[i, j, k] -> [k]", "")));
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2), ("C", 3)])
        .statement(
            "[n] -> { S[i, j, k] : 0 <= i, j, k < n }",
            &[(R, "{ S[i, j, k] -> A[i, j] }"), (R, "{ S[i, j, k] -> B[j, k] }"), (W, "{ S[i, j, k] -> C[i, j, k] }")],
        )
        .order(&tree, "{ C[i, j, k] }");
    assert_eq!(blocks(&scop, &TileSizes::default(), &avx512()), 0);
}

#[test]
fn a_chain_of_all_members_leaves_one_row() {
    // for i, j, k: C[k] = f(C[k], A[i][j]): each element is updated along both other members, below which points go.
    let tree = band("S[i, j, k] -> [i]", &band("S[i, j, k] -> [j]", &band("S[i, j, k] -> [k]", "")));
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("C", 1)])
        .statement(
            "[n] -> { S[i, j, k] : 0 <= i, j, k < n }",
            &[(R, "{ S[i, j, k] -> A[i, j] }"), (R, "{ S[i, j, k] -> C[k] }"), (W, "{ S[i, j, k] -> C[k] }")],
        )
        .order(&tree, "{ C[k] }");
    assert_eq!(blocks(&scop, &TileSizes::default(), &avx512()), 1);
    let points = points_of_blocks(&blocked(&scop, &TileSizes::default(), &avx512()).1);
    assert_eq!(points.iter().map(|band| band.band_n_member().unwrap()).collect::<Vec<_>>(), [1]);
}

/// The bands over the points of blocks.
fn points_of_blocks(tree: &Schedule) -> Vec<ScheduleNode> {
    bands(tree).into_iter().filter(|band| marks_above(band).unwrap() == [Mark::Block]).collect()
}

/// A convolution, pixels by rows and columns, `filters` in the last dimension: for y, x, f: set O[y][x][f]; for dy, dx, c:
/// O[y][x][f] += I[y + dy][x + dx][c] * K[dy][dx][c][f].
fn convolution(filters: u32) -> Scop {
    let all = "Z[y, x, f] -> [(y)]; S[y, x, f, v, u, c] -> [(y)]".to_owned();
    let along = |name: &str| all.replace("(y)", &format!("({name})"));
    let update = ["v", "u", "c"]
        .into_iter()
        .rev()
        .fold(String::new(), |below, name| band(&format!("S[y, x, f, v, u, c] -> [({name})]"), &below));
    let inner = sequence(&[("Z[y, x, f]", ""), ("S[y, x, f, v, u, c]", &update)]);
    let tree = ["y", "x", "f"].into_iter().rev().fold(inner, |below, name| band(&along(name), &below));
    Sample::new("[n] -> { : n > 0 }")
        .memory(&[("I", 3), ("K", 4), ("O", 3)])
        .statement(
            &format!("[n] -> {{ Z[y, x, f] : 0 <= y, x < n and 0 <= f < {filters} }}"),
            &[(W, "{ Z[y, x, f] -> O[y, x, f] }")],
        )
        .statement(
            &format!(
                "[n] -> {{ S[y, x, f, v, u, c] : 0 <= y, x < n and 0 <= f < {filters} and 0 <= v, u < 3 and 0 <= c < n }}"
            ),
            &[
                (R, "{ S[y, x, f, v, u, c] -> I[y + v, x + u, c] }"),
                (R, "{ S[y, x, f, v, u, c] -> K[v, u, c, f] }"),
                (R, "{ S[y, x, f, v, u, c] -> O[y, x, f] }"),
                (W, "{ S[y, x, f, v, u, c] -> O[y, x, f] }"),
            ],
        )
        .order(&tree, "{ O[y, x, f] }")
}

#[test]
fn points_go_below_all_loops_that_follow() {
    // Statements in sequence each get points of their own; rows of pixels share the kernel, filters are vectors.
    let scop = convolution(64);
    let (deps, tree) = blocked(&scop, &TileSizes::default(), &avx512());
    assert!(keeps(&tree, &deps.flow) && keeps(&tree, &deps.dep_false), "{tree}");
    let points = points_of_blocks(&tree);
    assert_eq!((count(&tree, &Mark::Register), points.len()), (1, 2), "{tree}");
    for band in points {
        assert_eq!(band.band_n_member().unwrap(), 2, "{tree}");
        assert_eq!(band.first_child().unwrap().node_type().unwrap(), NodeType::Leaf, "{tree}");
    }
}

#[test]
fn points_that_share_memory_stay() {
    // for i, j: t = 0; for k: t += A[i][k] * B[k][j]; C[i][j] = t, with one t for all: nothing may go below k.
    let all = |name: &str| format!("Z[i, j] -> [({name})]; S[i, j, k] -> [({name})]; E[i, j] -> [({name})]");
    let inner = sequence(&[("Z[i, j]", ""), ("S[i, j, k]", &band("S[i, j, k] -> [(k)]", "")), ("E[i, j]", "")]);
    let tree = band(&all("i"), &band(&all("j"), &inner));
    let scop = |t: &str| {
        Sample::new("[n] -> { : n > 0 }")
            .memory(&[("A", 2), ("B", 2), ("C", 2), ("t", 1)])
            .statement("[n] -> { Z[i, j] : 0 <= i, j < n }", &[(W, &format!("{{ Z[i, j] -> t[{t}] }}"))])
            .statement(
                "[n] -> { S[i, j, k] : 0 <= i, j, k < n }",
                &[
                    (R, "{ S[i, j, k] -> A[i, k] }"),
                    (R, "{ S[i, j, k] -> B[k, j] }"),
                    (R, &format!("{{ S[i, j, k] -> t[{t}] }}")),
                    (W, &format!("{{ S[i, j, k] -> t[{t}] }}")),
                ],
            )
            .statement(
                "[n] -> { E[i, j] : 0 <= i, j < n }",
                &[(R, &format!("{{ E[i, j] -> t[{t}] }}")), (W, "{ E[i, j] -> C[i, j] }")],
            )
            .order(&tree, "{ C[i, j] }")
    };
    let count_of = |t: &str| {
        let scop = scop(t);
        let Scheduled { deps, constraints, .. } = scheduled(&scop, true);
        let original = crate::schedule::original(&scop.schedule, &constraints).unwrap();
        let tiled = tile(&original, &TileSizes::default()).unwrap();
        let conflicts = Conflicts::new(&scop, &deps).unwrap();
        let tree = register_tile(&scop, &tiled, &conflicts, &TileSizes::default(), None, &avx512()).unwrap();
        assert!(keeps(&tree, &deps.flow), "{tree}");
        count(&tree, &Mark::Register)
    };
    assert_eq!((count_of("0"), count_of("j")), (0, 1));
}

#[test]
fn short_loops_make_no_blocks() {
    let tree = band("S[i, j, k] -> [i]", &band("S[i, j, k] -> [j]", &band("S[i, j, k] -> [k]", "")));
    let product = |columns: u32| {
        Sample::new("[n] -> { : }")
            .memory(&[("A", 2), ("B", 2), ("C", 2)])
            .statement(
                &format!("[n] -> {{ S[i, j, k] : 0 <= i, k < n and 0 <= j < {columns} }}"),
                &[
                    (R, "{ S[i, j, k] -> A[i, k] }"),
                    (R, "{ S[i, j, k] -> B[k, j] }"),
                    (R, "{ S[i, j, k] -> C[i, j] }"),
                    (W, "{ S[i, j, k] -> C[i, j] }"),
                ],
            )
            .order(&tree, "{ C[i, j] }")
    };
    assert_eq!(blocks(&product(3), &TileSizes::default(), &avx512()), 0);
    assert_eq!(blocks(&product(16), &TileSizes::default(), &avx512()), 1, "one vector");
}

#[test]
fn rows_of_recurrences_are_blocks() {
    // for i, j: y[i] += A[i][j] * x[j], by strips of i
    let scop = product_with_vector("j, i");
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    let strips = |machine: &Machine| strip_mine(&scop, &tree, (machine, 1), StripPoints::VectorsAndBlocks).unwrap();
    let conflicts = Conflicts::new(&scop, &deps).unwrap();
    let cut = register_tile(&scop, &strips(&avx512()), &conflicts, &TileSizes::default(), None, &avx512()).unwrap();
    assert!(keeps(&cut, &deps.flow) && keeps(&cut, &deps.dep_false), "{cut}");
    assert_eq!((count(&cut, &Mark::Register), count(&cut, &Mark::Block)), (1, 1), "{cut}");
    let all = bands(&cut);
    let points = all.iter().find(|band| marks_above(band).unwrap() == [Mark::Block]).unwrap();
    assert_eq!(points.band_n_member().unwrap(), 1, "{cut}");
    assert!(strips(&with(64, 32)).plain_is_equal(&tree).unwrap(), "there are no vectors");
    // A chain along rows is a vector as it is.
    let scop = product_with_vector("i, j");
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    let cut = strip_mine(&scop, &tree, (&avx512(), 1), StripPoints::VectorsAndBlocks).unwrap();
    let (conflicts, short) = (Conflicts::new(&scop, &deps).unwrap(), TileSizes::new(&[8]));
    let cut = register_tile(&scop, &cut, &conflicts, &short, None, &avx512()).unwrap();
    assert_eq!(count(&cut, &Mark::Register), 0, "a tile holds no block");
}

/// The distance to the end of a tile from where it begins, for each member of a band over tiles of a product of a matrix and a
/// vector that is cut into blocks.
fn reach_of_tiles(subscripts: &str, rows: Option<LongTiles>) -> Vec<i64> {
    let scop = product_with_vector(subscripts);
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    let tiled = interchange(&scop, &tile(&tree, &TileSizes::default()).unwrap(), &avx512()).unwrap();
    let conflicts = Conflicts::new(&scop, &deps).unwrap();
    let cut = register_tile(&scop, &tiled, &conflicts, &TileSizes::default(), rows, &avx512()).unwrap();
    assert!(keeps(&cut, &deps.flow) && keeps(&cut, &deps.dep_false), "{cut}");
    assert_eq!((count(&cut, &Mark::TILE), count(&cut, &Mark::Block)), (1, 1), "{cut}");
    let of_mark = |mark: Mark| {
        let all = bands(&cut);
        let members = all.iter().filter(|band| marks_above(band).unwrap() == [mark.clone()]);
        members.flat_map(|band| Band::read(band).unwrap().members).collect::<Vec<_>>()
    };
    let points = [of_mark(Mark::Block), of_mark(Mark::Point)].concat();
    let reach = |tile: crate::isl::UnionPwAff| {
        let of_point = |point: &crate::isl::UnionPwAff| {
            point.clone().sub(tile.clone()).unwrap().max_val().unwrap().as_i64().unwrap_or(None)
        };
        points.iter().find_map(of_point).unwrap()
    };
    of_mark(Mark::TILE).into_iter().map(reach).collect()
}

#[test]
fn tiles_have_some_lines_of_each_row_that_updates_lead_across() {
    // for i, j: y[j] += A[i][j] * x[i]
    let long = Some(LongTiles { rows: 256, threads: 1, packed: false });
    let mut found = reach_of_tiles("i, j", long);
    found.sort_unstable();
    assert_eq!(found, [31, 63]);
    assert_eq!(reach_of_tiles("i, j", None), [31, 31], "somebody asked for a size");
    // y[j] += A[j][i] * x[i]
    assert_eq!(reach_of_tiles("j, i", long), [31, 31]);
}

/// Strips, and blocks in them, their legality tested.
fn strips(scop: &Scop, deps: &Dependences, tree: &Schedule) -> Schedule {
    let cut = strip_mine(scop, tree, (&avx512(), 1), StripPoints::VectorsAndBlocks).unwrap();
    let conflicts = Conflicts::new(scop, deps).unwrap();
    let cut = register_tile(scop, &cut, &conflicts, &TileSizes::default(), None, &avx512()).unwrap();
    assert!(keeps(&cut, &deps.flow) && keeps(&cut, &deps.dep_false), "{cut}");
    cut
}

/// What a tree costs when one thread runs it.
fn sequential_cost(scop: &Scop, deps: &Dependences, tree: &Schedule) -> u64 {
    let options = crate::transform::CpuOptions { parallel: false, ..Default::default() };
    let mapped = crate::transform::cpu(scop, deps, tree, options, &avx512()).unwrap();
    cost(scop, &mapped.tree, &avx512()).unwrap()
}

#[test]
fn few_rows_are_passed_at_a_time_where_updates_lead_across_them() {
    // for i, j: y[j] += A[i][j] * x[i]
    let scop = product_with_vector("i, j");
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    let cut = strips(&scop, &deps, &tree);
    let all = bands(&cut);
    let marks: Vec<_> = all.iter().map(|band| marks_above(band).unwrap()).collect();
    assert_eq!(marks, [[Mark::TILE], [Mark::TILE], [Mark::Register], [Mark::Point], [Mark::Block]], "{cut}");
    let (few, chain) = (Band::read(&all[1]).unwrap(), Band::read(&all[3]).unwrap());
    let rows = chain.members[0].clone().sub(few.members[0].clone()).unwrap();
    assert_eq!(rows.max_val().unwrap().as_i64().unwrap(), Some(15), "as many rows as a block has columns: {cut}");
    // All rows at once would go down columns of lines.
    let all_rows = bands(&cut)[1].clone().delete().unwrap().schedule().unwrap();
    assert!(keeps(&all_rows, &deps.flow), "{all_rows}");
    let price = |tree: &Schedule| sequential_cost(&scop, &deps, tree);
    assert!(price(&cut) < price(&all_rows));
    // Along rows there is nothing to cut.
    let scop = product_with_vector("j, i");
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    assert_eq!(count(&strips(&scop, &deps, &tree), &Mark::TILE), 1);
}

#[test]
fn rows_that_wait_for_each_other_at_their_ends_are_chains_side_by_side() {
    // for i, j < i: x[i] -= L[i][j] * x[j]
    let solve = |length: &str| {
        Sample::new("[n] -> { : }")
            .memory(&[("L", 2), ("x", 1)])
            .statement(
                &format!("[n] -> {{ S[i, j] : 0 <= j < i < {length} }}"),
                &[
                    (R, "{ S[i, j] -> x[j] }"),
                    (R, "{ S[i, j] -> L[i, j] }"),
                    (R, "{ S[i, j] -> x[i] }"),
                    (W, "{ S[i, j] -> x[i] }"),
                ],
            )
            .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ x[i] }")
    };
    let in_blocks = |scop: &Scop| {
        let Scheduled { deps, constraints, .. } = scheduled(scop, true);
        let original = crate::schedule::original(&scop.schedule, &constraints).unwrap();
        (strips(scop, &deps, &original), original, deps)
    };
    let scop = solve("n");
    let (cut, original, deps) = in_blocks(&scop);
    assert_eq!((count(&cut, &Mark::Register), count(&cut, &Mark::Block)), (1, 1), "{cut}");
    assert!(bands(&cut).iter().all(|band| !band.band_coincident().unwrap().contains(&true)), "{cut}");
    let (blocks, chain) = (sequential_cost(&scop, &deps, &cut), sequential_cost(&scop, &deps, &original));
    assert!(2 * blocks < chain, "{blocks} {chain}");
    assert_eq!(count(&in_blocks(&solve("3")).0, &Mark::Register), 0, "too short for blocks");
}

#[test]
fn tiles_of_a_wavefront_get_no_blocks() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("test/polybench/scop/lu.scop");
    let scop = Scop::parse(&crate::isl::Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap();
    let Scheduled { constraints, tree, deps } = scheduled(&scop, false);
    let conflicts = Conflicts::new(&scop, &deps).unwrap();
    let (sizes, machine) = (TileSizes::default(), avx512());
    let tiled = tile(&tree, &sizes).unwrap();
    let blocks = |degrees: usize| {
        let tree = wavefront(&tiled, &constraints, &sizes, degrees).unwrap();
        assert_eq!(count(&tree, &Mark::Wavefront), degrees, "{tree}");
        let tree = interchange(&scop, &tree, &machine).unwrap();
        let tree = register_tile(&scop, &tree, &conflicts, &sizes, None, &machine).unwrap();
        count(&tree, &Mark::Register)
    };
    assert_eq!((blocks(0), blocks(1)), (1, 0));
}
