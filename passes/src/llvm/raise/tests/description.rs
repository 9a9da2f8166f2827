//! Where loops go, what is accessed, and what is assumed for that.

use polyrs_core::isl::{Ctx, Set};

use super::fixture::{
    Builder, DOUBLE, LONG, bytes, constant, copy_nest, long, minus_one, recurrence, sum, symbol, times, value, variable,
};
use crate::llvm::raise::affine::describe::{Description, Effect, describe};
use crate::llvm::raise::affine::polynomial::Polynomial;
use crate::llvm::raise::code::function::Type;
use crate::llvm::raise::code::operation::Predicate;
use crate::llvm::raise::code::scev::{Form, MinMax, Wrap};
use crate::llvm::raise::refusal::{Obstacle, Reason};

fn described(builder: Builder) -> Result<Description, Obstacle> {
    let (code, chains) = builder.finish();
    describe(&code, &chains[0], Ctx::new())
}

fn assert_equal(set: &Set, text: &str) {
    assert!(set.is_equal(&Set::parse(set.ctx(), text).unwrap()).unwrap(), "{set}, expected {text}");
}

#[test]
fn a_nest_is_described_exactly() {
    let mut builder = Builder::new();
    let n = builder.given(LONG, Some((-5, 1000)));
    let [from, to] = [0, 1].map(|_| builder.given(Type::Pointer, None));
    let ([outer, inner], loaded) = copy_nest(&mut builder, n, from, to);
    let found = described(builder).unwrap();
    for number in [outer, inner] {
        assert_eq!(found.ranges[&number].lower, [Polynomial::default()]);
        assert_eq!(found.ranges[&number].upper, [symbol(n)]);
    }
    let [load, store] = &found.accesses[..] else { panic!("two accesses") };
    assert_eq!((load.value, load.effect, load.base), (loaded, Effect::Load, from));
    assert_eq!((store.effect, store.base), (Effect::Store, to));
    let offset = variable(outer).scale(8000).and_then(|row| row.add(&variable(inner).scale(8)?));
    assert_eq!(Some(&load.offset), offset.as_ref());
    let domain = format!("[v{0}] -> {{ [i, j] : 0 <= i < v{0} <= 1000 and 0 <= j < v{0} }}", n.0);
    assert_equal(&load.domain.set, &domain);
    // The loops are rotated: without a guard, they run once at least, or the original has to run.
    assert_equal(found.assumptions.invalid_context(), &format!("[v{0}] -> {{ : -5 <= v{0} <= 0 }}", n.0));
}

#[test]
fn a_guard_spares_the_assumption() {
    let mut builder = Builder::new();
    let n = builder.given(LONG, Some((-5, 1000)));
    let a = builder.given(Type::Pointer, None);
    let zero = builder.number(0);
    let runs = builder.compare(Predicate::Sgt, n, zero);
    builder.begin_if(runs);
    let (number, _) = builder.begin_loop(Some(minus_one(n)));
    builder.load(DOUBLE, a, times(8, recurrence(number)));
    builder.end_loop();
    builder.end_if();
    let found = described(builder).unwrap();
    assert!(found.assumptions.invalid_context().is_empty().unwrap());
    assert_eq!(found.conditions.len(), 1);
}

#[test]
fn a_condition_on_data_is_none() {
    let mut builder = Builder::new();
    let a = builder.given(Type::Pointer, None);
    let (number, variable) = builder.begin_loop(Some(constant(9)));
    let loaded = builder.load(LONG, a, times(8, recurrence(number)));
    let data = builder.compare(Predicate::Slt, loaded, variable);
    builder.begin_if(data);
    builder.store(loaded, a, times(8, recurrence(number)));
    builder.end_if();
    builder.end_loop();
    let found = described(builder).unwrap();
    assert!(found.conditions.is_empty());
    // The store may run in each iteration.
    assert_equal(&found.accesses[1].domain.set, "{ [i] : 0 <= i <= 9 }");
}

#[test]
fn the_end_may_be_the_least_of_several() {
    let mut builder = Builder::new();
    let [n, m] = [0, 1].map(|_| builder.given(LONG, Some((1, 1000))));
    let a = builder.given(Type::Pointer, None);
    let least = long(Form::MinMax(MinMax::SMin, vec![value(n), value(m)]));
    let (number, _) = builder.begin_loop(Some(sum(vec![least, constant(-1)])));
    builder.load(DOUBLE, a, times(8, recurrence(number)));
    builder.end_loop();
    let found = described(builder).unwrap();
    assert_eq!(found.ranges[&number].upper, [symbol(n), symbol(m)]);
}

#[test]
fn what_is_in_the_way_is_told() {
    // A subscript that is loaded.
    let mut builder = Builder::new();
    let a = builder.given(Type::Pointer, None);
    let (number, _) = builder.begin_loop(Some(constant(9)));
    let loaded = builder.load(LONG, a, times(8, recurrence(number)));
    builder.load(DOUBLE, a, times(8, value(loaded)));
    builder.end_loop();
    assert_eq!(described(builder).err().map(|obstacle| obstacle.reason), Some(Reason::Subscript));
    // A product of loop variables is a polynomial, and no bound.
    let mut builder = Builder::new();
    let (outer, _) = builder.begin_loop(Some(constant(9)));
    let (middle, _) = builder.begin_loop(Some(constant(9)));
    let square = long(Form::Mul(vec![recurrence(outer), recurrence(middle)], Wrap::Never));
    builder.begin_loop(Some(square));
    (0..3).for_each(|_| builder.end_loop());
    assert_eq!(described(builder).err().map(|obstacle| obstacle.reason), Some(Reason::Bound));
    // Nobody knows how often the loop goes on.
    let mut builder = Builder::new();
    builder.begin_loop(None);
    builder.end_loop();
    assert_eq!(described(builder).err().map(|obstacle| obstacle.reason), Some(Reason::Count));
}

#[test]
fn behind_a_loop_its_variable_is_known() {
    let mut builder = Builder::new();
    let a = builder.given(Type::Pointer, None);
    let (outer, _) = builder.begin_loop(Some(constant(4)));
    let (inner, _) = builder.begin_loop(Some(recurrence(outer)));
    builder.load(DOUBLE, a, bytes(10, outer, inner));
    builder.end_loop();
    builder.end_loop();
    let found = described(builder).unwrap();
    assert_eq!(found.ranges[&inner].last(), Some(variable(outer)));
    assert_equal(&found.accesses[0].domain.set, "{ [i, j] : 0 <= i <= 4 and 0 <= j <= i }");
}
