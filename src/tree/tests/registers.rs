//! Blocks for registers.

use super::*;

/// Vector registers of so many bits, and how many there are.
fn with(vector_bits: u32, vector_registers: u32) -> Target {
    Target { vector_bits, vector_registers, ..Target::generic() }
}

fn avx512() -> Target {
    with(512, 32)
}

fn blocked(scop: &Scop, sizes: &TileSizes, target: &Target) -> (Dependences, Schedule) {
    let Scheduled { deps, tree, .. } = scheduled(scop, true);
    let reordered = reorder(scop, &tile(&tree, sizes).unwrap(), target).unwrap();
    (deps, register(scop, &reordered, sizes, target).unwrap())
}

/// The number of bands over blocks.
fn blocks(scop: &Scop, sizes: &TileSizes, target: &Target) -> usize {
    let (deps, tree) = blocked(scop, sizes, target);
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
fn rows_of_chains_are_blocks() {
    // for i, j: y[i] += A[i][j] * x[j], by strips of i
    let scop = product_with_vector("j, i");
    let Scheduled { deps, tree, .. } = scheduled(&scop, true);
    let strips = |target: &Target| strip(&scop, &tree, target, true).unwrap();
    let cut = register(&scop, &strips(&avx512()), &TileSizes::default(), &avx512()).unwrap();
    assert!(keeps(&cut, &deps.flow) && keeps(&cut, &deps.dep_false), "{cut}");
    assert_eq!((count(&cut, &Mark::Register), count(&cut, &Mark::Block)), (1, 1), "{cut}");
    let all = bands(&cut);
    let points = all.iter().find(|band| marks_above(band).unwrap() == [Mark::Block]).unwrap();
    assert_eq!(points.band_n_member().unwrap(), 1, "{cut}");
    assert!(strips(&with(64, 32)).plain_is_equal(&tree).unwrap(), "there are no vectors");
    // A chain along rows is a vector as it is.
    let scop = product_with_vector("i, j");
    let cut = strip(&scop, &scheduled(&scop, true).tree, &avx512(), true).unwrap();
    let short = TileSizes::new(&[8]);
    assert_eq!(count(&register(&scop, &cut, &short, &avx512()).unwrap(), &Mark::Register), 0, "a tile holds no block");
}

#[test]
fn tiles_of_a_wavefront_get_no_blocks() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("test/polybench/scop/lu.scop");
    let scop = Scop::parse(&crate::isl::Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap();
    let Scheduled { constraints, tree, .. } = scheduled(&scop, false);
    let (sizes, target) = (TileSizes::default(), avx512());
    let tiled = tile(&tree, &sizes).unwrap();
    let blocks = |degrees: usize| {
        let tree = wavefront(&tiled, &constraints, &sizes, degrees).unwrap();
        assert_eq!(count(&tree, &Mark::Wavefront), degrees, "{tree}");
        let tree = register(&scop, &reorder(&scop, &tree, &target).unwrap(), &sizes, &target).unwrap();
        count(&tree, &Mark::Register)
    };
    assert_eq!((blocks(0), blocks(1)), (1, 0));
}
