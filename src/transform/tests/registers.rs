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
    (deps, register_tile(scop, &reordered, sizes, machine).unwrap())
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
fn a_chain_of_all_members_leaves_no_rows() {
    // for i, j, k: C[k] = f(C[k], A[i][j]): each element is updated along both other members.
    let tree = band("S[i, j, k] -> [i]", &band("S[i, j, k] -> [j]", &band("S[i, j, k] -> [k]", "")));
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("C", 1)])
        .statement(
            "[n] -> { S[i, j, k] : 0 <= i, j, k < n }",
            &[(R, "{ S[i, j, k] -> A[i, j] }"), (R, "{ S[i, j, k] -> C[k] }"), (W, "{ S[i, j, k] -> C[k] }")],
        )
        .order(&tree, "{ C[k] }");
    assert_eq!(blocks(&scop, &TileSizes::default(), &avx512()), 0);
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
    assert_eq!(blocks(&product(16), &TileSizes::default(), &avx512()), 0);
    assert_eq!(blocks(&product(17), &TileSizes::default(), &avx512()), 1);
}

#[test]
fn rows_of_recurrences_are_blocks() {
    // for i, j: y[i] += A[i][j] * x[j], by strips of i
    let scop = product_with_vector("j, i");
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    let strips = |machine: &Machine| strip_mine(&scop, &tree, machine, StripPoints::VectorsAndBlocks).unwrap();
    let cut = register_tile(&scop, &strips(&avx512()), &TileSizes::default(), &avx512()).unwrap();
    assert!(keeps(&cut, &deps.flow) && keeps(&cut, &deps.dep_false), "{cut}");
    assert_eq!((count(&cut, &Mark::Register), count(&cut, &Mark::Block)), (1, 1), "{cut}");
    let all = bands(&cut);
    let points = all.iter().find(|band| marks_above(band).unwrap() == [Mark::Block]).unwrap();
    assert_eq!(points.band_n_member().unwrap(), 1, "{cut}");
    assert!(strips(&with(64, 32)).plain_is_equal(&tree).unwrap(), "there are no vectors");
    // A chain along rows is a vector as it is.
    let scop = product_with_vector("i, j");
    let cut = strip_mine(&scop, &scheduled(&scop, true).tree, &avx512(), StripPoints::VectorsAndBlocks).unwrap();
    let short = TileSizes::new(&[8]);
    assert_eq!(
        count(&register_tile(&scop, &cut, &short, &avx512()).unwrap(), &Mark::Register),
        0,
        "a tile holds no block"
    );
}

/// Strips, and blocks in them, their legality tested.
fn strips(scop: &Scop, deps: &Dependences, tree: &Schedule) -> Schedule {
    let cut = strip_mine(scop, tree, &avx512(), StripPoints::VectorsAndBlocks).unwrap();
    let cut = register_tile(scop, &cut, &TileSizes::default(), &avx512()).unwrap();
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
    assert_eq!(count(&in_blocks(&solve("8")).0, &Mark::Register), 0, "too short for blocks");
}

#[test]
fn tiles_of_a_wavefront_get_no_blocks() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("test/polybench/scop/lu.scop");
    let scop = Scop::parse(&crate::isl::Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap();
    let Scheduled { constraints, tree, .. } = scheduled(&scop, false);
    let (sizes, machine) = (TileSizes::default(), avx512());
    let tiled = tile(&tree, &sizes).unwrap();
    let blocks = |degrees: usize| {
        let tree = wavefront(&tiled, &constraints, &sizes, degrees).unwrap();
        assert_eq!(count(&tree, &Mark::Wavefront), degrees, "{tree}");
        let tree = register_tile(&scop, &interchange(&scop, &tree, &machine).unwrap(), &sizes, &machine).unwrap();
        count(&tree, &Mark::Register)
    };
    assert_eq!((blocks(0), blocks(1)), (1, 0));
}
