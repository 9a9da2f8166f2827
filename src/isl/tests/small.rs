//! Numbers around those that isl keeps in a word are computed and compared as any others (`cmake/isl-small.h`).

use polyrs_isl::{Ctx, Set};

/// Around 0, the root of the greatest number in a word, that number, and its double, of both signs.
fn numbers() -> Vec<i128> {
    let around = [0, 46_341, 1 << 31, 1 << 32, 1 << 40];
    let numbers = around.iter().flat_map(|&middle: &i128| (-1..=1).map(move |more| middle + more));
    numbers.flat_map(|number| [number, -number]).collect()
}

#[test]
fn products_and_sums_are_exact() {
    let ctx = Ctx::new();
    for a in numbers() {
        for b in numbers() {
            for c in [0, 1, -2, a, -b] {
                let eliminated = format!("{{ [x] : exists (y : y = {a} and x = {b}y + ({c})) }}");
                let eliminated = Set::parse(&ctx, &eliminated).unwrap();
                let expected = Set::parse(&ctx, &format!("{{ [x] : x = {} }}", a * b + c)).unwrap();
                assert_eq!(eliminated.to_string(), expected.to_string(), "{a} {b} {c}");
            }
        }
    }
}

#[test]
fn order_and_quotients_are_exact() {
    let ctx = Ctx::new();
    for a in numbers() {
        for b in numbers() {
            let between = Set::parse(&ctx, &format!("{{ [x] : {a} <= x <= {b} }}")).unwrap();
            assert_eq!(between.is_empty().unwrap(), a > b, "{a} {b}");
            let multiple = Set::parse(&ctx, &format!("{{ [x] : {a}x = {b} }}")).unwrap();
            let is_multiple = if a == 0 { b == 0 } else { b % a == 0 };
            assert_eq!(multiple.is_empty().unwrap(), !is_multiple, "{a} {b}");
        }
    }
}
