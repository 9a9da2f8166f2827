//! Points that do not wait for each other.

use super::*;
use crate::cost::{LEAST_WAIT, waits};
use crate::transform::CpuOptions;

/// The points of tiles in an order in which none waits for the one before, and mapped.
fn skewed(scop: &Scop, sizes: &TileSizes) -> Option<(Schedule, Schedule)> {
    let machine = Machine::generic();
    let Scheduled { constraints, deps, tree } = scheduled(scop, false);
    let tiled = interchange(scop, &tile(&tree, sizes).unwrap(), &machine).unwrap();
    let options = CpuOptions { parallel: false, ..CpuOptions::default() };
    let mapped = |tree: &Schedule| cpu(scop, &deps, tree, options, &machine).unwrap().tree;
    let before = mapped(&tiled);
    let tree = skew(scop, &tiled, &constraints, &machine).unwrap()?;
    assert!(keeps(&tree, &deps.flow) && keeps(&tree, &deps.dep_false), "{tree}");
    Some((before, mapped(&tree)))
}

/// The reads of the first statement have such a delay.
fn with_delay(mut scop: Scop, delay: u32) -> Scop {
    for access in scop.statements[0].accesses.iter_mut().filter(|access| !access.kind.is_write()) {
        access.delay = delay;
    }
    scop
}

#[test]
fn points_that_all_wait_get_a_wavefront() {
    let scop = with_delay(samples::seidel_2d(), 10);
    let (before, after) = skewed(&scop, &TileSizes::default()).unwrap();
    let machine = Machine::generic();
    assert!(
        waits(&scop, &before, &machine, LEAST_WAIT).unwrap() && !waits(&scop, &after, &machine, LEAST_WAIT).unwrap()
    );
    assert_eq!((count(&before, &Mark::Vector), count(&after, &Mark::Vector)), (0, 1));
    let last = bands(&after).pop().unwrap();
    assert_eq!(marks_above(&last).unwrap(), [Mark::Vector, Mark::Point]);
    assert_eq!(last.band_coincident().unwrap(), [false], "it is too short for threads");
    // The operations in between weigh more than elements of other rows; if there are few, they do not.
    assert!(cost(&scop, &after, &machine).unwrap() < cost(&scop, &before, &machine).unwrap());
    let scop = with_delay(scop, 1);
    assert!(cost(&scop, &after, &machine).unwrap() > cost(&scop, &before, &machine).unwrap());
}

#[test]
fn another_member_is_innermost_where_its_points_do_not_wait() {
    // for i, j: P[i][j] = Q[i][j] / (1 + P[i][j - 1])
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("P", 2), ("Q", 2)])
        .statement(
            "[n] -> { S[i, j] : 0 <= i < n and 0 < j < n }",
            &[(R, "{ S[i, j] -> Q[i, j] }"), (R, "{ S[i, j] -> P[i, j - 1] }"), (W, "{ S[i, j] -> P[i, j] }")],
        )
        .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ P[i, j] }");
    let scop = with_delay(scop, 6);
    let (before, after) = skewed(&scop, &TileSizes::default()).unwrap();
    let machine = Machine::generic();
    assert!(
        waits(&scop, &before, &machine, LEAST_WAIT).unwrap() && !waits(&scop, &after, &machine, LEAST_WAIT).unwrap()
    );
    assert_eq!(bands(&after).len(), bands(&before).len(), "no wavefront is needed");
    assert!(cost(&scop, &after, &machine).unwrap() < cost(&scop, &before, &machine).unwrap());
}

#[test]
fn what_does_not_wait_stays() {
    assert!(skewed(&samples::matmul(), &TileSizes::default()).is_none(), "updates are not neighbours");
    assert!(skewed(&samples::jacobi_1d(), &TileSizes::default()).is_none());
}
