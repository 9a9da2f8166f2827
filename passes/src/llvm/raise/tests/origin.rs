//! By how much variables of loops are moved to be subscripts.

use super::fixture::{Builder, DOUBLE, LONG, constant, long, minus_one, recurrence, sum, times, value};
use crate::llvm::raise::affine::origin::excess;
use crate::llvm::raise::code::function::Type;
use crate::llvm::raise::code::scev::{Form, Wrap};

/// By how much the variables of two loops that start with `first` are moved, where elements of a matrix of `n` columns are
/// loaded: in a row and a column so far from the variables.
fn excesses(first: i64, elements: &[(i64, i64)]) -> [i128; 2] {
    let mut builder = Builder::new();
    let n = builder.given(LONG, None);
    let a = builder.given(Type::Pointer, None);
    let [outer, inner] = [0, 1].map(|_| builder.begin_loop(Some(minus_one(n))).0);
    for (row, column) in elements {
        let row = sum(vec![recurrence(outer), constant(first + row)]);
        let row = long(Form::Mul(vec![row, value(n)], Wrap::Never));
        let column = sum(vec![recurrence(inner), constant(first + column)]);
        builder.load(DOUBLE, a, times(8, sum(vec![row, column])));
    }
    builder.end_loop();
    builder.end_loop();
    let (code, _) = builder.finish();
    [outer, inner].map(|number| excess(&code, number, &constant(first)))
}

#[test]
fn variables_are_subscripts() {
    assert_eq!(excesses(0, &[(0, 0)]), [0, 0]);
    assert_eq!(excesses(1, &[(-1, -1)]), [1, 1]);
    assert_eq!(excesses(1, &[(-1, 0), (-1, 0)]), [1, 0]);
    assert_eq!(excesses(1, &[]), [0, 0]);
    assert_eq!(excesses(1 << 20, &[(-(1 << 20), 0)]), [0, 0]);
}

#[test]
fn stencils_are_where_their_middle_is() {
    let five = |by: i64| [(by, by), (by - 1, by), (by + 1, by), (by, by - 1), (by, by + 1)];
    // In C and in Fortran.
    assert_eq!(excesses(1, &five(0)), [0, 0]);
    assert_eq!(excesses(2, &five(-1)), [1, 1]);
    // Of two that are in the middle, one is the variable.
    assert_eq!(excesses(1, &[(0, 0), (0, -1)]), [0, 0]);
}

#[test]
fn rows_of_a_known_length_are_told_from_columns() {
    let moved = |column: i64| {
        let mut builder = Builder::new();
        let n = builder.given(LONG, None);
        let a = builder.given(Type::Pointer, None);
        let [outer, inner] = [0, 1].map(|_| builder.begin_loop(Some(minus_one(n))).0);
        let row = times(8 * 600, sum(vec![recurrence(outer), constant(1)]));
        let column = times(8, sum(vec![recurrence(inner), constant(column)]));
        builder.load(DOUBLE, a, sum(vec![row, column]));
        builder.end_loop();
        builder.end_loop();
        let (code, _) = builder.finish();
        [outer, inner].map(|number| excess(&code, number, &constant(1)))
    };
    assert_eq!([0, 1, 2, -1].map(moved), [[0, 1], [0, 0], [0, -1], [0, 2]]);
}

#[test]
fn what_goes_down_says_nothing() {
    let mut builder = Builder::new();
    let n = builder.given(LONG, None);
    let a = builder.given(Type::Pointer, None);
    let (number, _) = builder.begin_loop(Some(minus_one(n)));
    builder.load(DOUBLE, a, sum(vec![times(8, value(n)), times(-8, recurrence(number)), constant(-8)]));
    builder.end_loop();
    assert_eq!(excess(&builder.finish().0, number, &constant(0)), 0);
}
