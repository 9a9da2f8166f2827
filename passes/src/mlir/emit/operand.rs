//! Which values affine operations can use, and the maps over them.

use std::collections::HashMap;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, AffineMap, BlockLike, OperationRef, Value, ValueLike};
use polyrs_core::codegen::{Comparison, Cond, Error, Expr, IteratorId, Overflow};

use crate::mlir::ir::operation::{name, operands};
use crate::mlir::ir::value::{ValueId, argument, defining, id};
use crate::mlir::ir::{Bound, IntegerSet};

/// How an affine operation may use a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// As a dimension only.
    Dimension,
    /// As a symbol, or as a dimension.
    Symbol,
}

/// Subscripts are those that the core speaks of, in terms of a statement's iterators, for an instance with these
/// arguments.
///
/// # Errors
/// A number does not fit.
pub fn are_of_instance(known: &[Expr], arguments: &[Expr], subscripts: &[Expr]) -> Result<bool, Overflow> {
    let argument = |IteratorId(position)| arguments.get(position).cloned();
    let mut are_same = known.len() == subscripts.len();
    for (known, subscript) in known.iter().zip(subscripts) {
        are_same &= known.substitute(&argument)?.minus(subscript)? == Expr::Const(0);
    }
    Ok(are_same)
}

/// Operations whose top level makes symbols.
pub fn is_affine_scope(operation: OperationRef<'_, '_>) -> bool {
    matches!(name(operation).as_str(), "func.func" | "builtin.module" | "gpu.launch")
}

/// How affine operations may use a value of type `index`; `None` if they may not.
pub fn role(value: Value<'_, '_>) -> Option<Role> {
    if !is_index(value) {
        return None;
    }
    if let Some((block, number)) = argument(value) {
        let owner = block.parent_operation()?;
        return match name(owner).as_str() {
            "affine.for" => (number == 0).then_some(Role::Dimension),
            "affine.parallel" => Some(Role::Dimension),
            _ => is_affine_scope(owner).then_some(Role::Symbol),
        };
    }
    let (operation, _) = defining(value)?;
    if operation.parent_operation().is_some_and(is_affine_scope) {
        return Some(Role::Symbol);
    }
    match name(operation).as_str() {
        "arith.constant" => Some(Role::Symbol),
        "memref.dim" => {
            // The size of a buffer that is itself defined at the top level.
            let memref = operation.operand(0).ok()?;
            let top = match (argument(memref), defining(memref)) {
                (Some((block, _)), _) => block.parent_operation(),
                (_, Some((operation, _))) => operation.parent_operation(),
                _ => None,
            };
            top.is_some_and(is_affine_scope).then_some(Role::Symbol)
        }
        "affine.apply" => {
            let roles: Option<Vec<Role>> = operands(operation).into_iter().map(role).collect();
            let all_symbols = roles?.iter().all(|&role| role == Role::Symbol);
            Some(if all_symbols { Role::Symbol } else { Role::Dimension })
        }
        _ => None,
    }
}

fn is_index(value: Value<'_, '_>) -> bool {
    use melior::ir::TypeLike;
    // SAFETY: a value's type is alive.
    unsafe { mlir_sys::mlirTypeIsAIndex(value.r#type().to_raw()) }
}

/// The values of parameters and iterators of expressions.
pub trait Names<'c, 'a> {
    /// The value and role of a parameter.
    fn parameter(&self, position: usize) -> Option<(Value<'c, 'a>, Role)>;
    /// The value of an iterator; its role is a dimension's.
    fn iterator(&self, iterator: IteratorId) -> Option<Value<'c, 'a>>;
}

/// Collects the operands of a map while its expressions are made.
pub struct Operands<'n, 'c, 'a> {
    context: &'c Context,
    names: &'n dyn Names<'c, 'a>,
    dims: Vec<Value<'c, 'a>>,
    symbols: Vec<Value<'c, 'a>>,
    positions: HashMap<ValueId, AffineExpr<'c>>,
}

impl<'n, 'c, 'a> Operands<'n, 'c, 'a> {
    /// Without operands yet.
    pub fn new(context: &'c Context, names: &'n dyn Names<'c, 'a>) -> Self {
        Self { context, names, dims: Vec::new(), symbols: Vec::new(), positions: HashMap::new() }
    }

    /// A map of expressions with its operands.
    ///
    /// # Errors
    /// An expression that no affine map can say.
    pub fn map(
        context: &'c Context,
        names: &'n dyn Names<'c, 'a>,
        expressions: &[Expr],
    ) -> Result<Bound<'c, 'a>, Error> {
        let mut collector = Self::new(context, names);
        let results = expressions.iter().map(|e| collector.expression(e)).collect::<Result<Vec<_>, _>>()?;
        let map = AffineMap::new(context, collector.dims.len(), collector.symbols.len(), &results);
        Ok(Bound { map, operands: collector.into_operands() })
    }

    /// The set of a conjunction of comparisons with its operands.
    ///
    /// # Errors
    /// A condition that is no conjunction of affine comparisons.
    pub fn set(
        context: &'c Context,
        names: &'n dyn Names<'c, 'a>,
        conjuncts: &[Cond],
    ) -> Result<(IntegerSet<'c>, Vec<Value<'c, 'a>>), Error> {
        let mut collector = Self::new(context, names);
        let mut constraints = Vec::new();
        for cond in conjuncts {
            let Cond::Compare(comparison, a, b) = cond else {
                return Err(unsupported("a nested condition"));
            };
            let (difference, equal) = difference(*comparison, a, b)?;
            constraints.push((collector.expression(&difference)?, equal));
        }
        let set = IntegerSet::new(context, collector.dims.len(), collector.symbols.len(), &constraints);
        Ok((set, collector.into_operands()))
    }

    fn into_operands(mut self) -> Vec<Value<'c, 'a>> {
        self.dims.append(&mut self.symbols);
        self.dims
    }

    fn expression(&mut self, expr: &Expr) -> Result<AffineExpr<'c>, Error> {
        let constant = |value| AffineExpr::constant(self.context, value);
        Ok(match expr {
            Expr::Const(value) => constant(*value),
            Expr::Parameter(position) => {
                let (value, role) =
                    self.names.parameter(*position).ok_or_else(|| unsupported("an unknown parameter"))?;
                self.operand(value, role)
            }
            Expr::Iterator(iterator) => {
                let value = self.names.iterator(*iterator).ok_or_else(|| unsupported("an unknown iterator"))?;
                self.operand(value, Role::Dimension)
            }
            Expr::Add(a, b) => self.expression(a)? + self.expression(b)?,
            Expr::Mul(factor, a) => self.expression(a)? * constant(*factor),
            Expr::FloorDiv(a, divisor) => AffineExpr::floor_div(self.expression(a)?, constant(*divisor)),
            Expr::Mod(a, divisor) => AffineExpr::modulo(self.expression(a)?, constant(*divisor)),
            Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => return Err(unsupported("a choice in an expression")),
        })
    }

    fn operand(&mut self, value: Value<'c, 'a>, role: Role) -> AffineExpr<'c> {
        let context = self.context;
        let (dims, symbols) = (&mut self.dims, &mut self.symbols);
        *self.positions.entry(id(value)).or_insert_with(|| {
            let list = if role == Role::Symbol { symbols } else { dims };
            list.push(value);
            match role {
                Role::Symbol => AffineExpr::symbol(context, list.len() - 1),
                Role::Dimension => AffineExpr::dim(context, list.len() - 1),
            }
        })
    }
}

/// A comparison as an expression that is zero (`true`) or at least zero (`false`).
///
/// # Errors
/// A constant that does not fit.
pub fn difference(comparison: Comparison, a: &Expr, b: &Expr) -> Result<(Expr, bool), Overflow> {
    Ok(match comparison {
        Comparison::Eq => (a.minus(b)?, true),
        Comparison::Ge => (a.minus(b)?, false),
        Comparison::Gt => (a.minus(b)?.plus_constant(-1)?, false),
        Comparison::Le => (b.minus(a)?, false),
        Comparison::Lt => (b.minus(a)?.plus_constant(-1)?, false),
    })
}

/// An affine expression of MLIR over operands, as an expression of the core; `None` if it is not affine or an operand
/// has no expression.
pub fn expression_of(
    expression: AffineExpr<'_>,
    dims: usize,
    operand: &dyn Fn(usize) -> Option<Expr>,
) -> Result<Option<Expr>, Overflow> {
    if expression.is_constant() {
        return Ok(Some(Expr::Const(expression.constant_value())));
    }
    if expression.is_dim() {
        return Ok(operand(expression.dim_position()));
    }
    if expression.is_symbol() {
        return Ok(operand(dims + expression.symbol_position()));
    }
    let Some(left) = expression_of(expression.lhs(), dims, operand)? else { return Ok(None) };
    let Some(right) = expression_of(expression.rhs(), dims, operand)? else { return Ok(None) };
    if expression.is_add() {
        return left.plus(&right).map(Some);
    }
    if expression.is_mul() {
        return match (left.as_constant(), right.as_constant()) {
            (_, Some(factor)) => left.times(factor).map(Some),
            (Some(factor), _) => right.times(factor).map(Some),
            _ => Ok(None),
        };
    }
    let Some(divisor) = right.as_constant().filter(|&d| d > 0) else { return Ok(None) };
    Ok(if expression.is_mod() {
        Some(left.modulo(divisor))
    } else if expression.is_floor_div() {
        Some(left.floor_div(divisor))
    } else if expression.is_ceil_div() {
        Some(left.plus_constant(divisor - 1)?.floor_div(divisor))
    } else {
        None
    })
}

/// The results of a map as expressions of the core; `None` as for [`expression_of`].
pub fn expressions_of(
    bound: &Bound<'_, '_>,
    operand: &dyn Fn(Value<'_, '_>) -> Option<Expr>,
) -> Result<Option<Vec<Expr>>, Overflow> {
    let dims = bound.map.dim_count();
    let by_position = |position: usize| bound.operands.get(position).copied().and_then(operand);
    let mut results = Vec::new();
    for number in 0..bound.map.result_count() {
        let Ok(result) = bound.map.result(number) else { return Ok(None) };
        match expression_of(result, dims, &by_position)? {
            Some(result) => results.push(result),
            None => return Ok(None),
        }
    }
    Ok(Some(results))
}

/// How much one step of an iterator changes an expression; `None` where that is no constant.
///
/// # Errors
/// A number does not fit.
pub fn stride(expression: &Expr, iterator: IteratorId) -> Result<Option<i64>, Overflow> {
    let step = || Expr::Add(Box::new(Expr::Iterator(iterator)), Box::new(Expr::Const(1)));
    let next = expression.substitute(&|other| (other == iterator).then(step))?;
    Ok(next.minus(expression)?.as_constant())
}

fn unsupported(what: &str) -> Error {
    Error::Unsupported { what: what.to_owned() }
}
