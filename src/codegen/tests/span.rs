//! Spans are those of the elements that are accessed, one by one, and what is all written is.

use super::execute::{points, scop};
use crate::codegen::{Accessed, Comparison, Cond, Expr, Part, Span};
use crate::isl::{self, DimType};
use crate::scop::{Access, AccessKind, Array, ArrayKind, ElementKind, ElementType, Scop, StatementId};
use fastrand::Rng;
use std::collections::BTreeSet;

/// The extent of the second dimension.
const WIDTH: i64 = 8;

/// A region with an array `A` of two dimensions and these accesses, each with its statement, kind and relation.
fn region(ctx: &isl::Ctx, domains: &str, accesses: &[(usize, AccessKind, String)]) -> Scop {
    let tree = format!("domain: \"{domains}\"");
    let mut scop = scop(ctx, domains, "[n, m] -> { : -3 <= n <= 9 and -3 <= m <= 9 }", &tree);
    let width = isl::PwAff::parse(ctx, &format!("[n, m] -> {{ [{WIDTH}] }}")).unwrap();
    scop.arrays.push(Array::new(
        "A",
        vec![None, Some(width)],
        ElementType { kind: ElementKind::Float, bits: 64 },
        ArrayKind::Memory,
    ));
    for (number, (statement, kind, relation)) in accesses.iter().enumerate() {
        let relation = isl::Map::parse(ctx, relation).unwrap();
        let access = Access::new(format!("R{number}"), *kind, relation);
        scop.statements[*statement].accesses.push(access);
    }
    scop
}

/// The elements that accesses of some kinds touch at these parameters.
fn touched(scop: &Scop, kinds: &[AccessKind], parameters: [i64; 2]) -> BTreeSet<Vec<i64>> {
    let mut all = BTreeSet::new();
    for statement in &scop.statements {
        for access in statement.accesses.iter().filter(|access| kinds.contains(&access.kind)) {
            let elements = access.relation.clone().intersect_domain(statement.domain.clone()).unwrap().range().unwrap();
            let mut elements = elements.align_params(scop.context.space().unwrap()).unwrap();
            for (position, value) in parameters.iter().enumerate() {
                elements = elements.fix_si(DimType::Param, position, i32::try_from(*value).unwrap()).unwrap();
            }
            all.extend(points(elements));
        }
    }
    all
}

fn number(expr: &Expr, parameters: [i64; 2]) -> i64 {
    let of = |expr: &Expr| number(expr, parameters);
    match expr {
        Expr::Const(value) => *value,
        Expr::Parameter(position) => parameters[*position],
        Expr::Iterator(_) => panic!("a span has no iterators"),
        Expr::Add(a, b) => of(a) + of(b),
        Expr::Mul(factor, a) => factor * of(a),
        Expr::FloorDiv(a, divisor) => of(a).div_euclid(*divisor),
        Expr::Mod(a, divisor) => of(a).rem_euclid(*divisor),
        Expr::Min(list) => list.iter().map(of).min().unwrap(),
        Expr::Max(list) => list.iter().map(of).max().unwrap(),
        Expr::Select(cond, a, b) => of(if holds(cond, parameters) { a } else { b }),
    }
}

fn holds(cond: &Cond, parameters: [i64; 2]) -> bool {
    match cond {
        Cond::Compare(comparison, a, b) => {
            let comparison: &Comparison = comparison;
            comparison.holds(number(a, parameters) - number(b, parameters))
        }
        Cond::And(list) => list.iter().all(|cond| holds(cond, parameters)),
        Cond::Or(list) => list.iter().any(|cond| holds(cond, parameters)),
    }
}

const ALL: [AccessKind; 3] = [AccessKind::Read, AccessKind::MayWrite, AccessKind::MustWrite];

fn all_parameters() -> impl Iterator<Item = [i64; 2]> {
    (-3..=9).flat_map(|n| (-3..=9).map(move |m| [n, m]))
}

/// Compares what is said with the elements one by one; the span, and whether all of it is written.
fn examine(scop: &Scop) -> (Option<Span>, bool) {
    let statements = (0..scop.statements.len()).map(StatementId).collect();
    let accessed = Accessed::by(scop, &scop.arrays[0], &statements, &|_| true).unwrap().expect("the array is accessed");
    let (span, is_written) = (accessed.span(1_000).unwrap(), accessed.is_all_written(Part::Span).unwrap());
    for parameters in all_parameters() {
        let elements = touched(scop, &ALL, parameters);
        let (least, greatest) = (elements.first(), elements.last());
        if let Some(span) = &span {
            assert_eq!(holds(&span.accessed, parameters), !elements.is_empty(), "at {parameters:?}");
            let end = |list: &[Expr]| list.iter().map(|expr| number(expr, parameters)).collect::<Vec<_>>();
            if let (Some(least), Some(greatest)) = (least, greatest) {
                assert_eq!((&end(&span.least), &end(&span.greatest)), (least, greatest), "at {parameters:?}");
            }
        }
        if let (true, Some(least), Some(greatest)) = (is_written, least, greatest) {
            let written = touched(scop, &[AccessKind::MustWrite], parameters);
            let place = |element: &Vec<i64>| element[0] * WIDTH + element[1];
            for between in place(least)..=place(greatest) {
                let element = vec![between.div_euclid(WIDTH), between.rem_euclid(WIDTH)];
                assert!(written.contains(&element), "{element:?} is not written at {parameters:?}");
            }
        }
    }
    (span, is_written)
}

#[test]
fn rows_that_are_written_to_their_ends_are_all_written() {
    let ctx = isl::Ctx::new();
    let written = |domain: &str, subscripts: &str| {
        let relation = format!("[n, m] -> {{ S[i, j] -> A[{subscripts}] }}");
        let region = region(&ctx, domain, &[(0, AccessKind::MustWrite, relation)]);
        let (span, is_written) = examine(&region);
        assert!(span.is_some());
        is_written
    };
    assert!(written("[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < 8 }", "i, j"));
    assert!(written("[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < 8 }", "n - 1 - i, 7 - j"));
    assert!(!written("[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < 7 }", "i, j"));
    // A part of one row.
    assert!(written("[n, m] -> { S[i, j] : i = n and n >= 0 and 2 <= j < 7 }", "i, j"));
    assert!(!written("[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < 8 }", "2i, j"));
}

#[test]
fn what_may_lie_outside_of_what_is_certain_has_no_span() {
    let ctx = isl::Ctx::new();
    let domain = "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < 8 }";
    let with = |kind, subscripts: &str| {
        let access = |kind, subscripts: &str| (0, kind, format!("[n, m] -> {{ S[i, j] -> A[{subscripts}] }}"));
        let accesses = [access(AccessKind::Read, "i, j"), access(kind, subscripts)];
        examine(&region(&ctx, domain, &accesses)).0.is_some()
    };
    assert!(with(AccessKind::MayWrite, "i, 0"));
    assert!(!with(AccessKind::MayWrite, "i + 1, 0"));
    assert!(with(AccessKind::Read, "i + 1, 0"));
}

#[test]
fn random_spans_are_those_of_the_elements() {
    let mut random = Rng::with_seed(20);
    let (mut known, mut written) = (0, 0);
    for _ in 0..60 {
        let ctx = isl::Ctx::new();
        let bound = |random: &mut Rng| ["n", "m", "n - 2", "5", "i + 2", "m + 1"][random.usize(..6)].to_owned();
        let domain = |random: &mut Rng, name: &str| {
            let (least, step) = (random.i64(0..=2), random.i64(1..=3));
            let inner = ["8", "n", "i + 1", "4"][random.usize(..4)];
            let outer = bound(random).replace('i', "3");
            format!(
                "{name}[i, j] : {least} <= i < {outer} and i <= 9 and 0 <= j < {inner} and j < 8 and i mod {step} = 0"
            )
        };
        let domains = format!("[n, m] -> {{ {}; {} }}", domain(&mut random, "S"), domain(&mut random, "T"));
        let accesses: Vec<_> = (0..random.usize(1..=3))
            .map(|_| {
                let statement = random.usize(..2);
                let kind = ALL[random.usize(..3)];
                let row = ["i", "2i + 1", "9 - i", "i + n + 3", "floor(i / 2)"][random.usize(..5)];
                let column = ["j", "7 - j", "0", "floor(j / 2)"][random.usize(..4)];
                (statement, kind, format!("[n, m] -> {{ {}[i, j] -> A[{row}, {column}] }}", ["S", "T"][statement]))
            })
            .collect();
        let (span, is_written) = examine(&region(&ctx, &domains, &accesses));
        known += usize::from(span.is_some());
        written += usize::from(is_written);
    }
    assert!(known >= 20 && written >= 1, "{known} spans are known, {written} are written");
}
