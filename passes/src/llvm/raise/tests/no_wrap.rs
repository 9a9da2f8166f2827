//! Exact integers for those of LLVM, and the values from outside for which they are not the same.

use std::collections::BTreeMap;

use polyrs_core::isl::{Ctx, Set};

use super::fixture::{Builder, LONG, constant, long, symbol, value};
use crate::llvm::raise::affine::assumptions::Assumptions;
use crate::llvm::raise::affine::no_wrap::{Computed, NoWrap};
use crate::llvm::raise::affine::polynomial::Polynomial;
use crate::llvm::raise::code::function::{Code, Type};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::code::scev::{Bound, Form, MinMax, Scev, Wrap};
use crate::llvm::raise::refusal::{Reason, Step};

/// Asks about integers over two values from outside; the answer, and the values for which the original has to run.
fn ask<T>(ask: impl FnOnce(&mut NoWrap<'_>, [ValueId; 2]) -> Step<T>) -> (Step<T>, Set) {
    let mut builder = Builder::new();
    let n = builder.given(Type::Int(32), Some((i64::from(i32::MIN), i64::from(i32::MAX))));
    let m = builder.given(LONG, Some((0, 100)));
    let code: Code = builder.finish().0;
    let ranges = [n, m].into_iter().filter_map(|value| Some((value, code.values[value.0].range?))).collect();
    let mut assumptions = Assumptions::new(Ctx::new(), ranges).unwrap();
    let (ranges, affine) = (BTreeMap::new(), BTreeMap::new());
    let mut no_wrap = NoWrap {
        code: &code,
        assumptions: &mut assumptions,
        ranges: &ranges,
        inside: &|_| false,
        affine: &affine,
        starts: Vec::new(),
        computed: Computed::NoNumber,
        congruent: None,
    };
    let answer = ask(&mut no_wrap, [n, m]);
    (answer, assumptions.invalid_context().clone())
}

fn top(no_wrap: &NoWrap<'_>) -> crate::llvm::raise::affine::assumptions::Domain {
    no_wrap.assumptions.outside_of_loops().unwrap()
}

fn int(form: Form) -> Scev {
    Scev { bits: 32, form, computed: None }
}

fn assert_equal(set: &Set, text: &str) {
    assert!(set.is_equal(&Set::parse(set.ctx(), text).unwrap()).unwrap(), "{set}, expected {text}");
}

#[test]
fn a_sum_that_may_wrap_around_is_assumed_not_to() {
    let narrow = |n| vec![int(Form::Value(n)), int(Form::Constant(10))];
    let (found, invalid) = ask(|it, [n, _]| it.signed(&int(Form::Add(narrow(n), Wrap::May)), &top(it)));
    assert_eq!(found, Ok(symbol(ValueId(0)).add(&Polynomial::constant(10)).unwrap()));
    assert_equal(&invalid, "[v0] -> { : 2^31 - 10 <= v0 < 2^31 }");
    // It is promised.
    let (found, invalid) = ask(|it, [n, _]| it.signed(&int(Form::Add(narrow(n), Wrap::Never)), &top(it)));
    assert!(found.is_ok() && invalid.is_empty().unwrap());
}

#[test]
fn a_number_without_sign_is_assumed_not_to_be_negative() {
    let (found, invalid) = ask(|it, [n, _]| {
        let extended = long(Form::ZeroExtend(Box::new(int(Form::Value(n)))));
        it.signed(&extended, &top(it))
    });
    assert_eq!(found, Ok(symbol(ValueId(0))));
    assert_equal(&invalid, "[v0] -> { : -2^31 <= v0 < 0 }");
}

#[test]
fn modulo_all_bits_nothing_is_assumed() {
    let product = |n: ValueId, m: ValueId| {
        let wide = long(Form::SignExtend(Box::new(int(Form::Value(n)))));
        long(Form::Mul(vec![constant(1 << 40), long(Form::Add(vec![wide, value(m)], Wrap::May))], Wrap::May))
    };
    let (found, invalid) = ask(|it, [n, m]| it.modular(&product(n, m), &top(it)));
    assert!(found.is_ok() && invalid.is_empty().unwrap());
    let (found, invalid) = ask(|it, [n, m]| it.signed(&product(n, m), &top(it)));
    assert!(found.is_ok() && !invalid.is_empty().unwrap());
}

#[test]
fn the_greatest_of_several_is_one_if_that_is_known() {
    let greatest = |m| long(Form::MinMax(MinMax::SMax, vec![value(m), constant(-1)]));
    let (found, _) = ask(|it, [_, m]| it.signed(&greatest(m), &top(it)));
    assert_eq!(found, Ok(symbol(ValueId(1))));
    let greatest = |m| long(Form::MinMax(MinMax::SMax, vec![value(m), constant(50)]));
    let (found, _) = ask(|it, [_, m]| it.signed(&greatest(m), &top(it)));
    assert_eq!(found, Err(Reason::NotAffine));
    // As a lower bound it is both.
    let (found, _) = ask(|it, [_, m]| it.bounds(&greatest(m), Bound::Lower, &top(it)));
    assert_eq!(found, Ok(vec![symbol(ValueId(1)), Polynomial::constant(50)]));
    let (found, _) = ask(|it, [_, m]| it.bounds(&greatest(m), Bound::Upper, &top(it)));
    assert_eq!(found, Err(Reason::NotAffine));
}

#[test]
fn a_quotient_is_nothing() {
    let (found, _) =
        ask(|it, [_, m]| it.signed(&long(Form::Divide(Box::new(value(m)), Box::new(constant(2)))), &top(it)));
    assert_eq!(found, Err(Reason::NotAffine));
}

/// `zext(n * n + 10)`
fn square(extend: fn(Box<Scev>) -> Form) -> impl Fn(ValueId) -> Scev {
    move |n| {
        let product = int(Form::Mul(vec![int(Form::Value(n)), int(Form::Value(n))], Wrap::May));
        long(extend(Box::new(int(Form::Add(vec![product, int(Form::Constant(10))], Wrap::May)))))
    }
}

#[test]
fn a_product_of_fewer_bits_is_noted_where_it_may_be() {
    let unsigned = square(Form::ZeroExtend);
    let (found, _) = ask(|it, [n, _]| it.modular(&unsigned(n), &top(it)));
    assert_eq!(found, Err(Reason::NotAffine));
    for (scev, most) in [(unsigned(ValueId(0)), (1 << 32) - 1), (square(Form::SignExtend)(ValueId(0)), (1 << 31) - 1)] {
        let (found, invalid) = ask(|it, _| {
            it.congruent = Some(Vec::new());
            let number = it.modular(&scev, &top(it))?;
            Ok((number, it.congruent.take().unwrap()))
        });
        let (number, noted) = found.unwrap();
        let [one] = &noted[..] else { panic!("one number") };
        assert_eq!((one.number == number, one.most), (true, most));
        assert!(invalid.is_empty().unwrap());
    }
}

#[test]
fn what_failed_leaves_nothing_noted() {
    let unsigned = square(Form::ZeroExtend);
    let (found, _) = ask(|it, [n, m]| {
        it.congruent = Some(Vec::new());
        // A quotient is no number, but the whole is one that is computed before.
        let quotient = long(Form::Divide(Box::new(value(m)), Box::new(constant(2))));
        let sum = Scev { computed: Some(m), ..long(Form::Add(vec![unsigned(n), quotient], Wrap::Never)) };
        let found = it.modular(&sum, &top(it));
        Ok((found?, it.congruent.take().unwrap().len()))
    });
    assert_eq!(found, Ok((symbol(ValueId(1)), 0)));
}
