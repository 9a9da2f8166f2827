//! Index values as functions of iterators and parameters.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::{OperationRef, Value, ValueLike};
use polyrs_core::isl::{self, DimType, PwAff, Set, Space, Val};

use super::expression;
use super::kind::{Kind, is_allocation, needs};
use super::reader::Reader;
use super::refusal::Step;
use super::tree::{BodyId, Definition};
use super::types;
use crate::mlir::ir::operation::{attribute, name, operands, results};
use crate::mlir::ir::value::{defining, id};
use crate::mlir::ir::{Apply, ApplyKind};

/// How far a value is traced through operations; beyond, it is not affine.
const DEPTH: usize = 200;

impl<'c, 'a> Reader<'_, 'c, 'a> {
    /// An index value used in a block, as a function on a space whose dimensions start with the block's iterators;
    /// nothing if it is not affine.
    pub fn index(&mut self, block: BodyId, value: Value<'c, 'a>, space: &Space) -> Step<'c, 'a, Option<PwAff>> {
        self.trace(block, value, space, 0)
    }

    fn trace(
        &mut self,
        block: BodyId,
        value: Value<'c, 'a>,
        space: &Space,
        depth: usize,
    ) -> Step<'c, 'a, Option<PwAff>> {
        if depth > DEPTH {
            return Ok(None);
        }
        let key = (id(value), space.dim(DimType::SET)?);
        if let Some(known) = self.traced.get(&key) {
            return Ok(self.expressions[*known].clone());
        }
        let result = self.trace_new(block, value, space, depth + 1)?;
        self.traced.insert(key, self.expressions.len());
        self.expressions.push(result.clone());
        Ok(result)
    }

    fn trace_new(
        &mut self,
        block: BodyId,
        value: Value<'c, 'a>,
        space: &Space,
        depth: usize,
    ) -> Step<'c, 'a, Option<PwAff>> {
        if let Some(Definition::Iterator(dimension)) = self.tree.definition(value) {
            return Ok(Some(expression::variable(space, dimension)?));
        }
        if let Some(position) = self.parameters.known(value) {
            return Ok(Some(self.parameters.function(position, space)?));
        }
        if let Some((operation, number)) = defining(value) {
            if let Some(found) = self.trace_operation(block, operation, space, depth)? {
                return Ok(Some(found));
            }
            if number == 0 && name(operation) == "memref.dim" {
                return self.trace_extent(block, operation, value, space, depth);
            }
        }
        self.leaf(value, space)
    }

    /// A value that is nothing but itself: a parameter, if it can be known before the region.
    fn leaf(&mut self, value: Value<'c, 'a>, space: &Space) -> Step<'c, 'a, Option<PwAff>> {
        if !types::is_index(value.r#type())
            || !self.frame.is_affine_operand(value)
            || !self.frame.can_hoist(value, &mut self.parameters.hoisted)
        {
            return Ok(None);
        }
        let position = self.parameters.position(value);
        Ok(Some(self.parameters.function(position, space)?))
    }

    fn trace_operation(
        &mut self,
        block: BodyId,
        operation: OperationRef<'c, 'a>,
        space: &Space,
        depth: usize,
    ) -> Step<'c, 'a, Option<PwAff>> {
        if let Some(view) = Apply::new(operation) {
            return self.trace_apply(block, &view, space, depth);
        }
        match name(operation).as_str() {
            "arith.constant" | "index.constant" => {
                let number = attribute(operation, "value").and_then(|value| IntegerAttribute::try_from(value).ok());
                Ok(number.map(|number| expression::constant(space, number.value())).transpose()?)
            }
            "arith.index_cast" => {
                let operand = operands(operation)[0];
                let wide = |value: Value<'c, 'a>| {
                    let kind = value.r#type();
                    types::is_index(kind) || types::integer_width(kind).is_some_and(|width| width >= 64)
                };
                if wide(operand) { self.trace(block, operand, space, depth) } else { Ok(None) }
            }
            "arith.addi" | "arith.subi" | "arith.muli" | "arith.minsi" | "arith.maxsi" => {
                self.trace_arithmetic(block, operation, space, depth)
            }
            _ => Ok(None),
        }
    }

    fn trace_apply(
        &mut self,
        block: BodyId,
        view: &Apply<'c, 'a>,
        space: &Space,
        depth: usize,
    ) -> Step<'c, 'a, Option<PwAff>> {
        let mut functions = Vec::new();
        for operand in &view.argument.operands {
            match self.trace(block, *operand, space, depth)? {
                Some(function) => functions.push(function),
                None => return Ok(None),
            }
        }
        let Some(results) = expression::apply(view.argument.map, &functions, space)? else { return Ok(None) };
        let mut results = results.into_iter();
        let Some(mut result) = results.next() else { return Ok(None) };
        for other in results {
            result = match view.kind {
                ApplyKind::Apply => return Ok(None),
                ApplyKind::Min => result.min(other)?,
                ApplyKind::Max => result.max(other)?,
            };
        }
        Ok(Some(result))
    }

    /// Sums, differences and products, if they provably do not wrap around.
    fn trace_arithmetic(
        &mut self,
        block: BodyId,
        operation: OperationRef<'c, 'a>,
        space: &Space,
        depth: usize,
    ) -> Step<'c, 'a, Option<PwAff>> {
        let values = operands(operation);
        let Some(left) = self.trace(block, values[0], space, depth)? else { return Ok(None) };
        let Some(right) = self.trace(block, values[1], space, depth)? else { return Ok(None) };
        let result = match name(operation).as_str() {
            "arith.addi" => left.add(right)?,
            "arith.subi" => left.sub(right)?,
            "arith.minsi" => return Ok(Some(left.min(right)?)),
            "arith.maxsi" => return Ok(Some(left.max(right)?)),
            _ => match expression::product(left, right)? {
                Some(result) => result,
                None => return Ok(None),
            },
        };
        let promised = attribute(operation, "overflowFlags").is_some_and(|flags| flags.to_string().contains("nsw"));
        let exact = promised || self.fits(block, operation, result.clone(), space)?;
        Ok(exact.then_some(result))
    }

    /// Whether a function has 64-bit values only, wherever an operation runs. One that has no place of its own is in
    /// other control flow, which is being read, or outside of the region.
    fn fits(
        &self,
        block: BodyId,
        operation: OperationRef<'c, 'a>,
        function: PwAff,
        space: &Space,
    ) -> isl::Result<bool> {
        let Some(result) = results(operation).first().copied() else { return Ok(false) };
        let block = match self.tree.definition(result) {
            Some(Definition::Leaf(point)) => Some(point.block),
            _ if self.frame.is_outside(result) => None,
            _ => Some(block),
        };
        let mut reached = match block {
            Some(block) => {
                let domain = self.tree.block(block).domain.clone();
                let missing = space.dim(DimType::SET)?.saturating_sub(domain.dim(DimType::SET)?);
                domain.add_dims(DimType::SET, missing)?
            }
            None => Set::universe(space.clone())?,
        };
        reached = reached.intersect_params(self.parameters.range(&self.isl)?)?;
        let below = function.clone().lt_set(expression::constant(space, i64::MIN)?)?;
        let above = function.gt_set(expression::constant(space, i64::MAX)?)?;
        reached.is_disjoint(&below.union(above)?)
    }

    /// `memref.dim`: a constant, the operand of the allocation, or a parameter.
    fn trace_extent(
        &mut self,
        block: BodyId,
        operation: OperationRef<'c, 'a>,
        value: Value<'c, 'a>,
        space: &Space,
        depth: usize,
    ) -> Step<'c, 'a, Option<PwAff>> {
        let arguments = operands(operation);
        let (buffer, number) = (arguments[0], arguments[1]);
        let dimension = match self.trace(block, number, space, depth)? {
            Some(function) => expression::constant_value(&function)?.map(|value: Val| value.to_i64()).transpose()?,
            None => None,
        };
        let Some(dimension) = dimension else { return self.leaf(value, space) };
        match types::extent(buffer.r#type(), dimension) {
            Some(types::Extent::Static(extent)) => return Ok(Some(expression::constant(space, extent)?)),
            Some(types::Extent::Dynamic(position)) => {
                if let Some((allocation, _)) = defining(buffer).filter(|(operation, _)| is_allocation(*operation))
                    && let Some(size) = operands(allocation).get(position)
                {
                    return self.trace(block, *size, space, depth);
                }
            }
            None => return Ok(None),
        }
        if !self.frame.can_hoist(value, &mut self.parameters.hoisted) {
            return Ok(None);
        }
        let position = self.parameters.extent(buffer, dimension, value);
        Ok(Some(self.parameters.function(position, space)?))
    }

    /// The values that an index value is computed from by pure operations, iterators left out.
    pub(super) fn sources(&self, value: Value<'c, 'a>, found: &mut Vec<Value<'c, 'a>>) {
        if found.len() > DEPTH || matches!(self.tree.definition(value), Some(Definition::Iterator(_))) {
            return;
        }
        match defining(value) {
            Some((operation, _)) if matches!(Kind::of(operation), Kind::Pure) && !self.frame.is_outside(value) => {
                for operand in needs(operation) {
                    self.sources(operand, found);
                }
            }
            _ => found.push(value),
        }
    }
}
