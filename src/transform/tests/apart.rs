//! Tiles that one statement has alone.

use super::*;
use crate::check::legality::{Assumptions, check};
use crate::transform::CpuOptions;

/// `A[i][j] -= A[i][k] * A[j][k]` for `k < j`, then `A[i][j] /= A[j][j]`, in one band.
fn factorization() -> Scop {
    factorization_in("ijk")
}

/// The same with its loops in another order.
fn factorization_in(order: &str) -> Scop {
    let member = |name: char| {
        let of_t = if name == 'k' { 'j' } else { name };
        format!("{{ S[i, j, k] -> [{name}]; T[i, j] -> [{of_t}] }}")
    };
    let members: Vec<String> = order.chars().map(member).collect();
    let tree = &format!(
        r#"{{ schedule: "[n] -> [{}]", permutable: 1, coincident: [ 0, 0, 0 ],
        child: {{ sequence: [ {{ filter: "{{ S[i, j, k] }}" }}, {{ filter: "{{ T[i, j] }}" }} ] }} }}"#,
        members.join(", ")
    );
    Sample::new("[n] -> { : }")
        .memory(&[("A", 2)])
        .statement(
            "[n] -> { S[i, j, k] : 0 <= k < j < i < n }",
            &[
                (R, "{ S[i, j, k] -> A[i, j] }"),
                (R, "{ S[i, j, k] -> A[i, k] }"),
                (R, "{ S[i, j, k] -> A[j, k] }"),
                (W, "{ S[i, j, k] -> A[i, j] }"),
            ],
        )
        .statement(
            "[n] -> { T[i, j] : 0 <= j < i < n }",
            &[(R, "{ T[i, j] -> A[i, j] }"), (R, "{ T[i, j] -> A[j, j] }"), (W, "{ T[i, j] -> A[i, j] }")],
        )
        .order(tree, "{ A[i, j] }")
}

fn deps(scop: &Scop) -> Dependences {
    Dependences::compute(scop, Mode::default()).unwrap()
}

fn tiles_apart(scop: &Scop) -> Option<Schedule> {
    let deps = deps(scop);
    let constraints = constraints(scop, &deps, None).unwrap();
    let sizes = TileSizes::new(&[8, 4, 4]);
    let tiled = tile(&scop.schedule, &sizes).unwrap();
    let found = apart(&tiled, &constraints.coincidence().unwrap(), &sizes).unwrap()?;
    assert!(keeps(&found, &deps.flow) && keeps(&found, &deps.dep_false), "{found}");
    assert!(found.domain().unwrap().is_equal(&tiled.domain().unwrap()).unwrap());
    Some(found)
}

#[test]
fn tiles_that_only_updates_have_are_coincident() {
    let found = tiles_apart(&factorization()).unwrap();
    assert_eq!((count(&found, &Mark::Rest), count(&found, &Mark::Point)), (1, 2));
    let points: Vec<ScheduleNode> =
        bands(&found).into_iter().filter(|node| marks_above(node).unwrap().contains(&Mark::Point)).collect();
    let coincident = |node: &ScheduleNode| node.band_coincident().unwrap();
    assert!(points.iter().all(|points| coincident(points) == [false; 3]), "a tile is too little for threads");
    assert_eq!(marks_above(&points[1]).unwrap(), [Mark::Point, Mark::Rest]);
    // Of the tiles { S[8a.., 4b.., 4c..] } those are apart whose k are all before the j.
    let own = points[0].domain().unwrap();
    let options = CpuOptions { parallel: false, ..CpuOptions::default() };
    let mapped = cpu(&factorization(), &deps(&factorization()), &found, options, &Machine::generic()).unwrap().tree;
    let is_vector = |node: &ScheduleNode| marks_above(node).unwrap() == [Mark::Vector, Mark::Point];
    assert_eq!(bands(&mapped).iter().filter(|node| is_vector(node)).count(), 1, "{mapped}");
    let expected =
        crate::isl::UnionSet::parse(found.ctx(), "[n] -> { S[i, j, k] : 0 <= k and j < i < n and k < 4*floor(j/4) }");
    assert!(own.is_equal(&expected.unwrap()).unwrap(), "{own}");
}

#[test]
fn a_wavefront_goes_along_what_does_not_wait_in_tiles_of_their_own() {
    for order in ["ijk", "ikj"] {
        let scop = factorization_in(order);
        let deps = deps(&scop);
        let constraints = constraints(&scop, &deps, None).unwrap();
        let sizes = TileSizes::new(&[8]);
        let tiled = tile(&scop.schedule, &sizes).unwrap();
        let apart = apart(&tiled, &constraints.coincidence().unwrap(), &sizes).unwrap().unwrap();
        let skewed = wavefront(&apart, &constraints, &sizes, 1).unwrap();
        assert_eq!((count(&skewed, &Mark::Wavefront), count(&skewed, &Mark::Rest)), (1, 1), "{order}: {skewed}");
        assert!(keeps(&skewed, &deps.flow) && keeps(&skewed, &deps.dep_false), "{skewed}");
        let inner = bands(&skewed).swap_remove(1);
        assert_eq!(inner.band_coincident().unwrap(), [true, false]);
        let j = "[n] -> { S[i, j, k] -> [8*floor(j/8)]; T[i, j] -> [8*floor(j/8)] }";
        let j = crate::isl::UnionPwAff::parse(skewed.ctx(), j).unwrap();
        let partner = Band::read(&inner).unwrap().members.swap_remove(0);
        let others = partner.sub(j).unwrap();
        let zero = others.clone().zero_union_set().unwrap();
        assert!(zero.is_equal(&others.domain().unwrap()).unwrap(), "{order}: {skewed}");
        // Blocks for registers are cut in these tiles, and in what is left where that makes no vectors; threads share the tiles of a
        // front.
        let machine = Machine::generic();
        let conflicts = Conflicts::new(&scop, &deps).unwrap();
        let of = |tree: &Schedule| register_tile(&scop, tree, &conflicts, &sizes, None, &machine).unwrap();
        let plain = wavefront(&tiled, &constraints, &sizes, 1).unwrap();
        assert_eq!(count(&of(&plain), &Mark::Register), 0);
        let blocks = of(&interchange(&scop, &skewed, &machine).unwrap());
        assert_eq!(count(&blocks, &Mark::Register), 2, "{blocks}");
        let mapped = cpu(&scop, &deps, &blocks, CpuOptions { profitability: false, ..CpuOptions::default() }, &machine);
        let mapped = mapped.unwrap().tree;
        assert_eq!(count(&mapped, &Mark::Parallel { private: Vec::new() }), 1, "{mapped}");
        check(&scop, &mapped, &Assumptions::default()).unwrap();
    }
}

#[test]
fn where_much_is_left_nothing_is_apart() {
    let tree = r#"{ schedule: "[n] -> [{ S[i, j] -> [i]; T[i, j] -> [i] }, { S[i, j] -> [j]; T[i, j] -> [j] }]",
        permutable: 1, coincident: [ 0, 0 ],
        child: { sequence: [ { filter: "{ S[i, j] }" }, { filter: "{ T[i, j] }" } ] } }"#;
    let scop = |where_both: &str| {
        Sample::new("[n] -> { : }")
            .memory(&[("A", 2), ("B", 2)])
            .statement("[n] -> { S[i, j] : 0 <= i, j < n }", &[(W, "{ S[i, j] -> A[i, j] }")])
            .statement(
                &format!("[n] -> {{ T[i, j] : 0 <= i, j < n and {where_both} }}"),
                &[(R, "{ T[i, j] -> A[i, j] }"), (R, "{ T[i, j] -> B[i, j - 1] }"), (W, "{ T[i, j] -> B[i, j] }")],
            )
            .order(tree, "{ A[i, j]; B[i, j] }")
    };
    // S has the tiles beside the diagonal alone, and its iterations are independent of each other.
    assert!(tiles_apart(&scop("i <= j <= i + 2")).is_some());
    assert!(tiles_apart(&scop("2i <= j")).is_none());
    assert!(tiles_apart(&samples::matmul()).is_none(), "there is one statement");
}
