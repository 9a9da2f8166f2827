//! From a schedule tree to a neutral AST: loops, conditions, and calls of statements.
//!
//! The AST is what a front end emits: it never sees the schedule. All numbers are exact; expressions are affine in the
//! iterators and parameters, with floor division and remainder by positive constants.

mod ast;

pub use ast::{Ast, Call, Comparison, Cond, Expr, For, If, IteratorId, Node, Parallel};
