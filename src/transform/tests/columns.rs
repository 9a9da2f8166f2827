//! Left-looking order.

use super::*;
use crate::isl::UnionPwAff;
use crate::transform::post_tile::left_looking;

/// `x[i] = A[i][k]`, then `A[i][j] -= x[n - 1 - i] * A[i][j + shift]` for `j > k`; `x` has a dimension for `k` or not.
fn columns(x: (&str, usize), shift: i64) -> Scop {
    let (x, rank) = x;
    let tree = r#"{ schedule: "[n] -> [{ S[k, i] -> [k]; T[k, i, j] -> [k] }]",
        child: { sequence: [
            { filter: "[n] -> { S[k, i] }", child: { schedule: "[n] -> [{ S[k, i] -> [i] }]", permutable: 1, coincident: [ 1 ] } },
            { filter: "[n] -> { T[k, i, j] }", child: { schedule: "[n] -> [{ T[k, i, j] -> [i] }, { T[k, i, j] -> [j] }]",
                permutable: 1, coincident: [ 1, 1 ] } } ] } }"#;
    Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("x", rank)])
        .statement(
            "[n] -> { S[k, i] : 0 <= k, i < n }",
            &[(R, "{ S[k, i] -> A[i, k] }"), (W, &format!("{{ S[k, i] -> {x} }}"))],
        )
        .statement(
            "[n] -> { T[k, i, j] : 0 <= k, i, j < n and j > k }",
            &[
                (R, &format!("[n] -> {{ T[k, i, j] -> {} }}", x.replace("i", "n - 1 - i"))),
                (R, &format!("{{ T[k, i, j] -> A[i, j + {shift}] }}")),
                (R, "{ T[k, i, j] -> A[i, j] }"),
                (W, "{ T[k, i, j] -> A[i, j] }"),
            ],
        )
        .order(tree, "{ A[i, j] }")
}

fn in_columns(scop: &Scop) -> Option<Schedule> {
    in_columns_as(scop, Mode::default())
}

fn in_columns_as(scop: &Scop, mode: Mode) -> Option<Schedule> {
    let deps = Dependences::compute(scop, mode).unwrap();
    let constraints = constraints(scop, &deps, None).unwrap();
    let found = left_looking(&scop.schedule, &constraints, &TileSizes::new(&[4])).unwrap()?;
    assert!(keeps(&found, &deps.flow) && keeps(&found, &deps.dep_false), "{found}");
    Some(found)
}

#[test]
fn tiles_are_of_the_inner_loop_and_of_the_outer_one_where_there_is_no_inner() {
    let scop = columns(("x[k, i]", 2), 0);
    let found = in_columns(&scop).unwrap();
    let all = bands(&found);
    assert_eq!(marks_above(&all[0]).unwrap(), [Mark::TILE]);
    let band = Band::read(&all[0]).unwrap();
    let expected =
        UnionPwAff::parse(found.ctx(), "[n] -> { S[k, i] -> [(8*floor(k/8))]; T[k, i, j] -> [(8*floor(j/8))] }");
    let difference = expected.unwrap().sub(band.members[0].clone()).unwrap();
    assert!(
        difference.clone().min_val().unwrap().is_zero().unwrap() && difference.max_val().unwrap().is_zero().unwrap()
    );
    assert_eq!((band.members.len(), band.coincident), (1, vec![false]));
    // What is below is as it was.
    let below = all[1..].iter().map(|node| Band::read(node).unwrap().members.len());
    assert_eq!(below.collect::<Vec<_>>(), [1, 1, 2]);
}

#[test]
fn a_column_that_takes_in_later_ones_has_none() {
    let in_order = Mode { live_range_reordering: false, ..Mode::default() };
    assert!(in_columns_as(&columns(("x[k, i]", 2), 1), in_order).is_none(), "not even tiles of the outer loop alone");
    assert!(in_columns(&columns(("x[k, i]", 2), 1)).is_none());
    // The columns that it takes in are before it, and are changed again before the next iteration.
    assert!(in_columns(&columns(("x[k, i]", 2), -1)).is_none());
}

#[test]
fn memory_that_each_iteration_uses_again_stays_in_one_tile() {
    // `x` is needed by all columns after it, and the next iteration overwrites it.
    assert!(in_columns(&columns(("x[i]", 1), 0)).is_none());
}
