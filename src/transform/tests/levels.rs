//! Tiles of tiles.

use super::*;

/// The marks above each band, outermost band first.
fn all_marks(tree: &Schedule) -> Vec<Vec<Mark>> {
    bands(tree).iter().map(|band| marks_above(band).unwrap()).collect()
}

/// The members of a band are the origins of tiles of the given sizes along the members of another.
fn is_over_tiles_of(tiles: &ScheduleNode, points: &ScheduleNode, sizes: &[i64]) -> bool {
    let (tiles, points) = (Band::read(tiles).unwrap(), Band::read(points).unwrap());
    tiles.members.iter().zip(&points.members).zip(sizes).all(|((tile, point), size)| {
        let size = crate::isl::Val::int(tile.ctx(), *size).unwrap();
        let origin = point.clone().scale_down(size.clone()).unwrap().floor().unwrap().scale(size).unwrap();
        let difference = origin.sub(tile.clone()).unwrap();
        difference.clone().min_val().unwrap().is_zero().unwrap() && difference.max_val().unwrap().is_zero().unwrap()
    })
}

#[test]
fn each_level_cuts_the_same_members() {
    let Scheduled { deps, tree, .. } = scheduled(&samples::matmul(), true);
    let flags = bands(&tree)[0].band_coincident().unwrap();
    // Sizes that divide each other, and sizes that do not.
    for sizes in [[[32, 64, 64], [8, 16, 16], [4, 4, 2]], [[30, 20, 20], [7, 9, 9], [2, 5, 4]]] {
        let levels = sizes.map(|level| level.map(|size| u32::try_from(size).unwrap()).to_vec());
        let tiled = tile(&tree, &TileSizes::nested(&levels)).unwrap();
        assert!(keeps(&tiled, &deps.flow) && keeps(&tiled, &deps.dep_false), "{tiled}");
        let level = |level| vec![Mark::Tile { level }];
        assert_eq!(all_marks(&tiled), [level(3), level(2), level(1), vec![Mark::Point]]);
        let all = bands(&tiled);
        for (tiles, sizes) in all.iter().zip(&sizes) {
            assert!(is_over_tiles_of(tiles, &all[3], sizes), "{tiled}");
            assert_eq!(tiles.band_coincident().unwrap(), flags);
        }
        let statistics = Statistics::new(&tree, &tiled).unwrap();
        assert_eq!((statistics.tiled, statistics.levels), (1, 3));
    }
}

#[test]
fn imperfect_nests_are_tiled_at_each_level() {
    let tiled = |deps: &Dependences, tree: &Schedule| {
        let tiled = tile(tree, &TileSizes::nested(&[vec![12, 8], vec![4, 3]])).unwrap();
        assert!(keeps(&tiled, &deps.flow) && keeps(&tiled, &deps.dep_false), "{tiled}");
        tiled
    };
    // Both statements of a time loop in one band.
    let Scheduled { deps, tree, .. } = scheduled(&samples::jacobi_1d(), false);
    let stencil = tiled(&deps, &tree);
    assert_eq!(all_marks(&stencil), [vec![Mark::Tile { level: 2 }], vec![Mark::TILE], vec![Mark::Point]]);
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2)])
        .statement(
            "[n] -> { S[t, i, j] : 0 <= t, i, j < n }",
            &[(R, "{ S[t, i, j] -> A[j, i] }"), (W, "{ S[t, i, j] -> B[i, j] }")],
        )
        .statement(
            "[n] -> { T[t, i, j] : 0 <= t, i, j < n }",
            &[(R, "{ T[t, i, j] -> B[i, j] }"), (W, "{ T[t, i, j] -> A[i, j] }")],
        )
        .order(
            &band(
                "S[t, i, j] -> [t]; T[t, i, j] -> [t]",
                &sequence(&[
                    ("S[t, i, j]", &band("S[t, i, j] -> [i]", &band("S[t, i, j] -> [j]", ""))),
                    ("T[t, i, j]", &band("T[t, i, j] -> [i]", &band("T[t, i, j] -> [j]", ""))),
                ]),
            ),
            "{ A[i, j] }",
        );
    // A band below each part of a sequence, which is below a band.
    let Scheduled { deps, constraints, .. } = scheduled(&scop, true);
    let parts = tiled(&deps, &crate::schedule::original(&scop.schedule, &constraints).unwrap());
    assert_eq!(count(&parts, &Mark::Tile { level: 2 }), 2, "{parts}");
    assert_eq!((count(&parts, &Mark::TILE), count(&parts, &Mark::Point)), (2, 2), "{parts}");
    assert!(all_marks(&parts)[0].is_empty(), "time stays as it is: {parts}");
}

#[test]
fn a_level_that_holds_the_whole_loop_is_left_out() {
    let copy = |extent: u32| {
        Sample::new("[n] -> { : }")
            .memory(&[("A", 2), ("B", 2)])
            .statement(
                &format!("[n] -> {{ S[i, j] : n <= i, j < n + {extent} }}"),
                &[(R, "{ S[i, j] -> A[i, j] }"), (W, "{ S[i, j] -> B[j, i] }")],
            )
            .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ B[i, j] }")
    };
    let sizes = TileSizes::nested(&[vec![64], vec![8]]);
    let levels = |extent: u32| {
        let Scheduled { tree, .. } = scheduled(&copy(extent), true);
        let tiled = tile(&tree, &sizes).unwrap();
        Statistics::new(&tree, &tiled).unwrap().levels
    };
    assert_eq!([8, 9, 64, 65].map(levels), [0, 1, 1, 2]);
}
