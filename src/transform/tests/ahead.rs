//! Updates ahead of the rest of a tile.

use super::*;
use crate::check::legality::{Assumptions, check};
use crate::dependence::FreeUpdates;
use crate::isl::UnionSet;
use crate::scop::{ElementKind, ElementType, Operator, Reduction, Role};

/// `A[i][j]` gathers `A[i + 1][j]`, and then `A[i][k] + A[k + 1][j]` for `i < k < j`; rows from the last one up, `r = n - 1 - i`.
fn intervals(operators: [Option<Operator>; 2], bits: ElementKind) -> Scop {
    let tree = r#"{ schedule: "[n] -> [{ S[r, j] -> [r]; T[r, j, k] -> [r] }, { S[r, j] -> [j]; T[r, j, k] -> [j] }]",
        permutable: 1, coincident: [ 0, 0 ],
        child: { sequence: [ { filter: "{ S[r, j] }" },
            { filter: "{ T[r, j, k] }", child: { schedule: "[{ T[r, j, k] -> [k] }]" } } ] } }"#;
    let gathers = |operator: Option<Operator>| operator.map(|operator| Reduction { operator, role: Role::Update });
    let mut scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2)])
        .statement(
            "[n] -> { S[r, j] : 0 < r < n and n - r <= j < n }",
            &[
                (R, "[n] -> { S[r, j] -> A[n - 1 - r, j] }"),
                (R, "[n] -> { S[r, j] -> A[n - r, j] }"),
                (W, "[n] -> { S[r, j] -> A[n - 1 - r, j] }"),
            ],
        )
        .with(|statement| statement.reduction = gathers(operators[0]))
        .statement(
            "[n] -> { T[r, j, k] : 0 < r < n and n - r <= k < j < n }",
            &[
                (R, "[n] -> { T[r, j, k] -> A[n - 1 - r, j] }"),
                (R, "[n] -> { T[r, j, k] -> A[n - 1 - r, k] }"),
                (R, "[n] -> { T[r, j, k] -> A[k + 1, j] }"),
                (W, "[n] -> { T[r, j, k] -> A[n - 1 - r, j] }"),
            ],
        )
        .with(|statement| statement.reduction = gathers(operators[1]))
        .order(tree, "{ A[i, j] }");
    scop.arrays[0].element = ElementType { kind: bits, bits: 32 };
    scop
}

fn ahead_in_tiles(scop: &Scop) -> Option<Schedule> {
    let deps = Dependences::compute(scop, Mode::default()).unwrap();
    let coincidence = constraints(scop, &deps, None).unwrap().coincidence().unwrap();
    let tiled = tile(&scop.schedule, &TileSizes::new(&[8, 4])).unwrap();
    let found = ahead(&tiled, &FreeUpdates::of(scop).unwrap()?, &coincidence).unwrap()?;
    assert!(found.domain().unwrap().is_equal(&tiled.domain().unwrap()).unwrap());
    check(scop, &found, &Assumptions::default()).unwrap();
    Some(found)
}

#[test]
fn what_needs_finished_tiles_alone_goes_first() {
    let max = Some(Operator::Max);
    let scop = intervals([max, max], ElementKind::Int);
    let found = ahead_in_tiles(&scop).unwrap();
    assert_eq!((count(&found, &Mark::Rest), count(&found, &Mark::Point)), (1, 2), "{found}");
    let points = bands(&found).into_iter().find(|node| marks_above(node).unwrap() == [Mark::Point]).unwrap();
    assert_eq!(points.band_coincident().unwrap(), [true, true]);
    // In the tile { T[8a.., 4b.., k] } all k behind the last of its rows, and before the first of its columns.
    let inside =
        "[n] -> { T[r, j, k] : 0 < r < n and n - r <= k < j < n and k < 4*floor(j/4) and n - 2 - k < 8*floor(r/8) }";
    let (own, inside) = (points.domain().unwrap(), UnionSet::parse(found.ctx(), inside).unwrap());
    assert!(own.is_subset(&inside).unwrap(), "{own}");
    // But for some at the edges of the table.
    let deep =
        UnionSet::parse(found.ctx(), "[n] -> { T[r, j, k] : j < n - 4 and r > 8 and k < j - 4 and k > n - r + 8 }")
            .unwrap();
    assert!(inside.intersect(deep).unwrap().is_subset(&own).unwrap(), "{own}");
    // It is this that they may change places for: each pair in order is another thing.
    let mut strict = scop.clone();
    strict.statements.iter_mut().for_each(|statement| statement.reduction = None);
    assert!(check(&strict, &found, &Assumptions::default()).is_err());
}

#[test]
fn nothing_goes_ahead_of_what_it_must_not_change_places_with() {
    let (max, min, add) = (Some(Operator::Max), Some(Operator::Min), Some(Operator::Add));
    for operators in [[None, max], [min, max], [Some(Operator::UMax), max], [max, None], [add, add], [None, None]] {
        assert!(ahead_in_tiles(&intervals(operators, ElementKind::Int)).is_none(), "{operators:?}");
    }
    assert!(ahead_in_tiles(&intervals([max, max], ElementKind::Float)).is_none());
}
