//! Diamonds: where there are some, what they make coincident, and where points are.

use super::wavefronts::{is_coincident, under};
use super::*;

/// `t, i` around `A` to `B`, and `t, i` around `B` to `A`, with neighbours at a distance.
fn in_turns(distance: i32) -> Scop {
    let read = |from: &str, by: i32| format!("{{ {from}[t, i] -> {}[i + {by}] }}", if from == "S" { "A" } else { "B" });
    let reads: Vec<_> = ["S", "T"].map(|from| [-distance, 0, distance].map(|by| read(from, by))).into();
    let of = |at: usize, write| [(R, &*reads[at][0]), (R, &*reads[at][1]), (R, &*reads[at][2]), (W, write)];
    Sample::new("[n, m] -> { : }")
        .memory(&[("A", 1), ("B", 1)])
        .statement("[n, m] -> { S[t, i] : 0 <= t < m and 9 <= i < n }", &of(0, "{ S[t, i] -> B[i] }"))
        .statement("[n, m] -> { T[t, i] : 0 <= t < m and 9 <= i < n }", &of(1, "{ T[t, i] -> A[i] }"))
        .order(
            &band(
                "S[t, i] -> [t]; T[t, i] -> [t]",
                &sequence(&[("S[t, i]", &*band("S[t, i] -> [i]", "")), ("T[t, i]", &*band("T[t, i] -> [i]", ""))]),
            ),
            "{ A[x]; B[x] }",
        )
}

#[test]
fn diamonds_start_at_the_same_time() {
    for distance in [1, 2, 4] {
        let Scheduled { deps, constraints, tree } = scheduled(&in_turns(distance), false);
        for sizes in [TileSizes::default(), TileSizes::new(&[20, 27])] {
            let found = diamonds(&tree, &constraints, &sizes).unwrap().expect("diamonds");
            assert_eq!((count(&found, &Mark::Wavefront), count(&found, &Mark::TILE)), (1, 2), "{found}");
            assert!(keeps(&found, &deps.flow) && keeps(&found, &deps.forced), "{found}");
            let all = bands(&found);
            let tiles = under(&all, &[Mark::TILE]);
            assert_eq!(tiles.band_coincident().unwrap(), [true]);
            assert!(is_coincident(&constraints, tiles, 0), "{found}");
            // Within them points are as they were.
            let (points, before) = (under(&all, &[Mark::Point]), &bands(&tree)[0]);
            let members = |band: &ScheduleNode| band.band_partial_schedule().unwrap().to_string();
            assert_eq!(members(points), members(before));
        }
    }
}

/// A front is as wide as the grid, however few steps there are: 41 elements have four tiles of 10 in one step.
#[test]
fn fronts_are_as_wide_as_the_grid() {
    let scop = in_turns(1);
    let Scheduled { constraints, tree, .. } = scheduled(&scop, false);
    let found = diamonds(&tree, &constraints, &TileSizes::new(&[10])).unwrap().expect("diamonds");
    let small = crate::isl::Set::parse(tree.ctx(), "[n, m] -> { : n = 50 and m = 1 }").unwrap();
    let all = bands(&found);
    let [fronts, tiles] = [0, 1].map(|at| all[at].band_partial_schedule().unwrap());
    let place = UnionMap::from_multi_union_pw_aff(fronts.flat_range_product(tiles).unwrap()).unwrap();
    let places = scop.domain().unwrap().intersect_params(small).unwrap().apply(place).unwrap();
    let widest = (-9..9).map(|front| {
        let all = crate::isl::Set::parse(tree.ctx(), &format!("{{ [{front}, x] }}")).unwrap();
        let of = places.clone().as_set().unwrap().intersect(all).unwrap();
        (-20..20)
            .filter(|tile| {
                let at = crate::isl::Set::parse(tree.ctx(), &format!("{{ [{front}, {}] }}", tile * 10)).unwrap();
                !of.clone().intersect(at).unwrap().is_empty().unwrap()
            })
            .count()
    });
    assert!(widest.max().unwrap() >= 4);
}

#[test]
fn sweeps_in_place_have_none() {
    let Scheduled { constraints, tree, .. } = scheduled(&samples::seidel_2d(), false);
    assert!(diamonds(&tree, &constraints, &TileSizes::default()).unwrap().is_none());
}

#[test]
fn coincident_members_need_none() {
    let Scheduled { constraints, tree, .. } = scheduled(&samples::matmul(), true);
    assert!(diamonds(&tree, &constraints, &TileSizes::default()).unwrap().is_none());
}

/// What another instance at the same time brings by any distance allows no factor.
#[test]
fn far_dependences_have_none() {
    let scop = in_turns(1);
    let Scheduled { constraints, tree, .. } = scheduled(&scop, false);
    let far = UnionMap::parse(tree.ctx(), "[n, m] -> { S[t, i] -> T[t, j] : j > i }").unwrap();
    let more = constraints.coincidence().unwrap().union(far).unwrap();
    let constraints = constraints.set_coincidence(more).unwrap();
    assert!(diamonds(&tree, &constraints, &TileSizes::default()).unwrap().is_none());
}

/// Tiles of a front would not be independent.
#[test]
fn what_goes_backwards_along_the_grid_has_none() {
    let scop = in_turns(1);
    let Scheduled { constraints, tree, .. } = scheduled(&scop, false);
    let backwards = UnionMap::parse(tree.ctx(), "[n, m] -> { S[t, i] -> S[t + 1, i - 9] }").unwrap();
    let more = constraints.coincidence().unwrap().union(backwards).unwrap();
    let constraints = constraints.set_coincidence(more).unwrap();
    assert!(diamonds(&tree, &constraints, &TileSizes::default()).unwrap().is_none());
}
