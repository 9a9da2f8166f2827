//! Code of kernels, written shorter than in full.

use super::{BOUND, parameters};
use crate::ast::{Ast, Axis, Call, Comparison, Cond, Expr, For, If, IteratorId, Kernel, Node, Shared, SharedTile};
use crate::interpret::{Fault, Interpreter, Report};
use crate::scop::{Scop, StatementId};

/// An iterator.
pub fn it(number: usize) -> Expr {
    Expr::Iterator(IteratorId(number))
}

/// The parameter.
pub fn n() -> Expr {
    Expr::Parameter(0)
}

pub fn num(value: i64) -> Expr {
    Expr::Const(value)
}

pub fn add(a: Expr, b: Expr) -> Expr {
    Expr::Add(Box::new(a), Box::new(b))
}

pub fn times(factor: i64, a: Expr) -> Expr {
    Expr::Mul(factor, Box::new(a))
}

pub fn less(a: Expr, b: Expr) -> Cond {
    Cond::Compare(Comparison::Lt, a, b)
}

pub fn is(a: Expr, b: Expr) -> Cond {
    Cond::Compare(Comparison::Eq, a, b)
}

pub fn all(conditions: impl IntoIterator<Item = Cond>) -> Cond {
    Cond::And(conditions.into_iter().collect())
}

pub fn call(statement: usize, args: Vec<Expr>) -> Node {
    Node::Call(Call { statement: StatementId(statement), args })
}

pub fn when(cond: Cond, then: Node) -> Node {
    Node::If(Box::new(If { cond, then, otherwise: None }))
}

/// A loop from a value to another.
pub fn repeat(iterator: usize, lower: Expr, upper: Vec<Expr>, step: i64, body: Node) -> Node {
    Node::For(Box::new(For {
        iterator: IteratorId(iterator),
        lower: vec![lower],
        upper,
        step,
        parallel: None,
        vector: false,
        block: false,
        ends: false,
        promoted: Vec::new(),
        carried: Vec::new(),
        body,
    }))
}

/// A kernel of so many blocks and threads along each axis.
pub fn kernel(blocks: &[(usize, i64)], threads: &[(usize, i64)], body: Node) -> Node {
    let axis = |&(iterator, most)| Axis { iterator: IteratorId(iterator), most: Some(most), extent: Vec::new() };
    let (blocks, threads) = (blocks.iter().map(axis).collect(), threads.iter().map(axis).collect());
    Node::Kernel(Box::new(Kernel { blocks, threads, body }))
}

/// A tile of the array `A` along one dimension, all of whose elements exist, from which a statement reads.
pub fn tile(origin: Expr, extent: i64, element: usize, reads: (usize, Expr)) -> SharedTile {
    SharedTile {
        order: vec![0],
        buffer: 0,
        array: "A".to_owned(),
        origin: vec![origin],
        extent: vec![extent],
        element: vec![IteratorId(element)],
        exists: all([]),
        reads: vec![(StatementId(reads.0), vec![reads.1])],
    }
}

pub fn shared(tiles: Vec<SharedTile>, body: Node) -> Node {
    Node::Shared(Box::new(Shared { tiles, body }))
}

pub fn code(root: Node) -> Ast {
    Ast { parameters: vec!["n".to_owned()], n_iterators: 16, root }
}

/// What the interpreter finds.
pub fn report(scop: &Scop, value: i64, root: Node) -> Report {
    let interpreter = Interpreter::new(scop, &parameters(&[("n", value)]), BOUND).unwrap();
    interpreter.compare_ast(&code(root)).unwrap()
}

/// The faults in words, where each instance is run once.
pub fn faults(scop: &Scop, value: i64, root: Node) -> Vec<String> {
    let report = report(scop, value, root);
    assert!(report.instances.is_empty(), "{report:?}");
    report.faults.iter().map(Fault::to_string).collect()
}
