//! What another machine changes: tiles, strips, costs.

use super::*;
use crate::isl::PwAff;

fn machine(text: &str) -> Machine {
    Machine::parse(text).unwrap()
}

/// A product of matrices of this many rows and columns.
fn matmul_of(length: u32) -> Scop {
    let mut scop = samples::matmul();
    let extent = PwAff::parse(scop.ctx(), &format!("{{ [({length})] }}")).unwrap();
    for array in &mut scop.arrays {
        array.extent.fill(Some(extent.clone()));
    }
    scop
}

fn tiles(scop: &Scop, machine: &Machine) -> usize {
    let tree = scheduled(scop, true).tree;
    count(
        &tile_gaining(scop, &tree, &TileSizes::for_machine(machine), TileAims::default(), machine).unwrap(),
        &Mark::TILE,
    )
}

/// The cost of a product of matrices, without and with tiles.
fn costs(scop: &Scop, machine: &Machine) -> (u64, u64) {
    let Scheduled { deps, tree, .. } = scheduled(scop, true);
    let cost = |tree: &Schedule| {
        let options = crate::transform::CpuOptions { parallel: false, ..Default::default() };
        let tree = interchange(scop, tree, machine).unwrap();
        let mapped = crate::transform::cpu(scop, &deps, &tree, options, machine).unwrap();
        cost(scop, &mapped.tree, machine).unwrap()
    };
    (cost(&tree), cost(&tile(&tree, &TileSizes::for_machine(machine)).unwrap()))
}

#[test]
fn matrices_known_to_be_near_are_not_tiled() {
    // 8 * 36^2 bytes each, three of them
    assert_eq!((tiles(&matmul_of(36), &Machine::generic()), tiles(&matmul_of(37), &Machine::generic())), (0, 1));
    assert_eq!(tiles(&matmul_of(36), &machine("caches: 16K, 1M")), 1);
    assert_eq!(tiles(&matmul_of(200), &machine("caches: 1M")), 0);
}

#[test]
fn strips_are_as_long_as_the_cache_allows() {
    let scop = product_with_vector("i, j");
    let tree = scheduled(&scop, true).tree;
    for (caches, length) in [("32K", "512"), ("8K", "128")] {
        let cut = strip_mine(&scop, &tree, (&machine(&format!("caches: {caches}")), 1), StripPoints::Vectors).unwrap();
        assert!(cut.to_string().contains(&format!("mod {length})")), "{caches}: {cut}");
    }
}

#[test]
fn costs_follow_vectors_memory_and_cores() {
    let scop = samples::matmul();
    let (plain, tiled) = costs(&scop, &Machine::generic());
    let (wide, _) = costs(&scop, &machine("vector-bits: 512"));
    let (narrow, _) = costs(&scop, &machine("vector-bits: 128"));
    assert!(wide < plain && plain < narrow, "{wide} {plain} {narrow}");
    let (dear, dear_tiled) = costs(&scop, &machine("line-cost: 40"));
    assert!(dear > plain && dear_tiled == tiled, "tiles come back to what they use: {dear} {plain}");
    let near = costs(&matmul_of(36), &Machine::generic());
    // 16 operations of 64 units, in tiles of 32, on two cores.
    let start = 16 * 64 / 32 * 2;
    assert_eq!(near, (tiled - start, tiled), "what is near comes from no memory, but tiles have short loops");
    assert_eq!(costs(&scop, &machine("loop-start: 0")), (plain, tiled - start));
    assert_eq!(
        costs(&scop, &machine("cores: 6")),
        (3 * plain, 3 * tiled),
        "one core's work is dearer where there are more"
    );
}

#[test]
fn a_chain_is_worse_the_longer_its_links_wait() {
    // for i, j: s[i] += A[j][i]: along j a chain, along rows of A the other way.
    let scop = product_with_vector("j, i");
    let Scheduled { constraints, .. } = scheduled(&scop, true);
    let tree = crate::schedule::original(&scop.schedule, &constraints).unwrap();
    let innermost = |latency: u32| {
        let reordered = interchange(&scop, &tree, &machine(&format!("latency: {latency}"))).unwrap();
        bands(&reordered)[0].band_partial_schedule().unwrap().to_string()
    };
    assert_ne!(innermost(1), innermost(100), "{}", innermost(1));
}
