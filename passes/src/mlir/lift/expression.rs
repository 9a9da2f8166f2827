//! Affine expressions of MLIR as functions of isl.

use melior::ir::{AffineExpr, AffineMap};
use polyrs_core::isl::{Aff, DimType, LocalSpace, PwAff, Result, Set, Space, Val};

use crate::mlir::ir::IntegerSet;

/// The function of one constant value on a space.
pub(super) fn constant(space: &Space, value: i64) -> Result<PwAff> {
    let value = Val::int(space.ctx(), value)?;
    PwAff::from_aff(Aff::val_on_domain(LocalSpace::from_space(space.clone())?, value)?)
}

/// The function that is one dimension of a space.
pub(super) fn variable(space: &Space, position: usize) -> Result<PwAff> {
    PwAff::from_aff(Aff::var_on_domain(LocalSpace::from_space(space.clone())?, DimType::SET, position)?)
}

/// The value of a constant function.
pub(super) fn constant_value(function: &PwAff) -> Result<Option<Val>> {
    if !function.isa_aff()? {
        return Ok(None);
    }
    let function = function.clone().as_aff()?;
    if function.is_cst()? { function.constant().map(Some) } else { Ok(None) }
}

/// The product, if one side is constant.
pub(super) fn product(left: PwAff, right: PwAff) -> Result<Option<PwAff>> {
    if let Some(factor) = constant_value(&right)? {
        return left.scale(factor).map(Some);
    }
    match constant_value(&left)? {
        Some(factor) => right.scale(factor).map(Some),
        None => Ok(None),
    }
}

/// The results of a map applied to operands, dimensions before symbols; nothing if one is not affine.
pub(super) fn apply(map: AffineMap<'_>, operands: &[PwAff], space: &Space) -> Result<Option<Vec<PwAff>>> {
    let mut results = Vec::new();
    for number in 0..map.result_count() {
        let Ok(result) = map.result(number) else { return Ok(None) };
        match function(result, map.dim_count(), operands, space)? {
            Some(result) => results.push(result),
            None => return Ok(None),
        }
    }
    Ok(Some(results))
}

/// An expression over operands, of which the first `dims` are the dimensions; nothing if it is not affine.
fn function(expression: AffineExpr<'_>, dims: usize, operands: &[PwAff], space: &Space) -> Result<Option<PwAff>> {
    if expression.is_constant() {
        return constant(space, expression.constant_value()).map(Some);
    }
    if expression.is_dim() {
        return Ok(operands.get(expression.dim_position()).cloned());
    }
    if expression.is_symbol() {
        return Ok(operands.get(dims + expression.symbol_position()).cloned());
    }
    let Some(left) = function(expression.lhs(), dims, operands, space)? else { return Ok(None) };
    let Some(right) = function(expression.rhs(), dims, operands, space)? else { return Ok(None) };
    if expression.is_add() {
        return left.add(right).map(Some);
    }
    if expression.is_mul() {
        return product(left, right);
    }
    // Division and remainder are defined for positive divisors only.
    let divisor = match constant_value(&right)? {
        Some(divisor) if divisor.sgn()? > 0 => divisor,
        _ => return Ok(None),
    };
    if expression.is_mod() {
        left.modulo(divisor).map(Some)
    } else if expression.is_floor_div() {
        left.scale_down(divisor)?.floor().map(Some)
    } else if expression.is_ceil_div() {
        left.scale_down(divisor)?.ceil().map(Some)
    } else {
        Ok(None)
    }
}

/// The points of a space where a condition holds; nothing if it is not affine.
pub(super) fn condition(set: IntegerSet<'_>, operands: &[PwAff], space: &Space) -> Result<Option<Set>> {
    let mut points = Set::universe(space.clone())?;
    for (expression, equal) in set.constraints() {
        let Some(left) = function(expression, set.dim_count(), operands, space)? else { return Ok(None) };
        let zero = constant(space, 0)?;
        points = points.intersect(if equal { left.eq_set(zero)? } else { left.ge_set(zero)? })?;
    }
    Ok(Some(points))
}
