//! Numbers stay within the width for which the proof succeeds, and the proof is not vacuous.

use super::MATMUL_TILED;
use super::execute::{greatest_number, scop};
use crate::codegen::overflow::{Guard, ParameterBound, Subscripts, Verdict, prove};
use crate::codegen::{Comparison, Cond, Expr, IteratorId, Options, Span, generate};
use crate::isl;
use crate::scop::StatementId;

const DOMAIN: &str = "[n,m] -> { S[i,j] : 0 <= i < n and 0 <= j < m }";

fn verdict(context: &str, subscripts: &Subscripts, bits: u32) -> Verdict {
    let ctx = isl::Ctx::new();
    let scop = scop(&ctx, DOMAIN, context, MATMUL_TILED);
    let ast = generate(&scop, &scop.schedule, &Options::default()).unwrap();
    prove(&ast, subscripts, &[], &scop.context, bits).unwrap()
}

#[test]
fn a_context_with_bounds_proves() {
    let none = Subscripts::new();
    assert_eq!(verdict("[n,m] -> { : 0 <= n,m <= 1000 }", &none, 32), Verdict::Proved);
    assert_eq!(verdict("[n,m] -> { : 0 <= n,m <= 1000 }", &none, 16), Verdict::Proved);
    assert_ne!(verdict("[n,m] -> { : 0 <= n,m <= 1000 }", &none, 8), Verdict::Proved);
    // The step beyond the end counts: the last tile ends at 2^15 - 1, whose successor does not fit.
    assert_ne!(verdict("[n,m] -> { : 0 <= n,m <= 32767 }", &none, 16), Verdict::Proved);
}

#[test]
fn what_chooses_an_end_of_a_span_is_proved_as_well() {
    let ctx = isl::Ctx::new();
    let scop = scop(&ctx, DOMAIN, "[n,m] -> { : n <= 100 and m <= 100 }", MATMUL_TILED);
    let ast = generate(&scop, &scop.schedule, &Options::default()).unwrap();
    // Nothing but the condition has large numbers: `n - m` for any n and m.
    let less = Cond::Compare(Comparison::Le, Expr::Parameter(0), Expr::Parameter(1));
    let end = Expr::Select(Box::new(less), Box::new(Expr::Const(0)), Box::new(Expr::Const(1)));
    let span = Span { accessed: Cond::And(Vec::new()), least: vec![end.clone()], greatest: vec![end] };
    let verdict = |spans: &[Span]| prove(&ast, &Subscripts::new(), spans, &scop.context, 64).unwrap();
    assert_eq!(verdict(&[]), Verdict::Proved);
    assert!(matches!(verdict(&[span]), Verdict::Guarded(_)));
}

#[test]
fn the_guard_names_what_needs_a_bound() {
    let none = Subscripts::new();
    // A loop up to a negative number does not run, so only large ones matter.
    let above = |parameter| ParameterBound { parameter, lower: None, upper: Some(1 << 61) };
    let free = verdict("[n,m] -> { : }", &none, 64);
    assert_eq!(free, Verdict::Guarded(Guard { bounds: vec![above(0), above(1)] }));
    let half = verdict("[n,m] -> { : n <= 100 }", &none, 64);
    assert_eq!(half, Verdict::Guarded(Guard { bounds: vec![above(1)] }));
    assert_eq!(verdict("[n,m] -> { : n <= 100 and m <= 100 }", &none, 64), Verdict::Proved);
}

#[test]
fn a_negated_parameter_needs_a_lower_bound() {
    let ctx = isl::Ctx::new();
    let schedule = r#"
domain: "[n] -> { S[i] : -n <= i < 0 }"
child:
  schedule: "[n] -> [{ S[i] -> [i] }]"
"#;
    let verdict = |context: &str| {
        let scop = scop(&ctx, "[n] -> { S[i] : -n <= i < 0 }", context, schedule);
        let ast = generate(&scop, &scop.schedule, &Options::default()).unwrap();
        prove(&ast, &Subscripts::new(), &[], &scop.context, 64).unwrap()
    };
    let below = ParameterBound { parameter: 0, lower: Some(-(1 << 61)), upper: None };
    assert_eq!(verdict("[n] -> { : n <= 1000 }"), Verdict::Guarded(Guard { bounds: vec![below] }));
    assert_eq!(verdict("[n] -> { : -1000 <= n <= 1000 }"), Verdict::Proved);
}

#[test]
fn the_guard_holds_what_it_promises() {
    let ctx = isl::Ctx::new();
    let scop = scop(&ctx, DOMAIN, "[n,m] -> { : }", MATMUL_TILED);
    let ast = generate(&scop, &scop.schedule, &Options::default()).unwrap();
    let bits = 12;
    let Verdict::Guarded(guard) = prove(&ast, &Subscripts::new(), &[], &scop.context, bits).unwrap() else {
        panic!("a guard is needed and possible");
    };
    let bound = guard.bounds[0].upper.expect("nothing is known");
    assert!(bound >= 256, "far from vacuous: {guard:?}");
    for (n, m) in [(bound, 3), (3, bound), (bound - 1, 2), (-bound, bound)] {
        assert!(greatest_number(&ast, &[n, m]) < 1 << (bits - 1), "at {n}, {m}");
    }
}

#[test]
fn subscripts_count() {
    let subscript = |factor| {
        let index = Expr::Add(
            Box::new(Expr::Mul(factor, Box::new(Expr::Iterator(IteratorId(0))))),
            Box::new(Expr::Iterator(IteratorId(1))),
        );
        Subscripts::from([(StatementId(0), vec![index])])
    };
    let context = "[n,m] -> { : 0 <= n,m <= 1000 }";
    assert_eq!(verdict(context, &subscript(1000), 32), Verdict::Proved);
    // With a product of 2^32 even guarded parameters do not help once the loops' own numbers need most of the width.
    assert_eq!(verdict(context, &subscript(1 << 32), 32), Verdict::Unprovable);
    assert!(
        matches!(verdict("[n,m] -> { : }", &subscript(1 << 20), 64), Verdict::Guarded(g) if g.bounds[0].upper < Some(1 << 43))
    );
}
