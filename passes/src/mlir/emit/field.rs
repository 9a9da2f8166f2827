//! The buffers that a layout asks for.

use std::collections::BTreeSet;

use melior::Context;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockRef, OperationRef, Type, Value};
use polyrs_core::codegen::{Ast, Cond, Expr, Span};
use polyrs_core::isl;
use polyrs_core::layout::{self, Side};

use super::code::{AT_LEAST, AT_MOST, DIFFERENT, compare};
use super::emitter::Emitter;
use super::error::EmitError;
use super::promote::is_field;
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{ancestors, attribute, blocks, is, name, nested, operations, regions};
use crate::mlir::ir::value::defining;
use crate::mlir::marker::PURE;
use crate::mlir::region::{ArrayBinding, LiftedRegion};

/// New buffers begin at a cache line.
const LINE: i64 = 64;

/// With so many buffers on the stack in a function, which keep their room until it returns, there are no more of them.
const MOST_FIELDS: usize = 8;

/// The sizes of a region's new buffers and what their conditions are about, to be proved to be numbers.
pub fn sizes(region: &LiftedRegion<'_, '_>) -> Option<Span> {
    let of = |binding: &ArrayBinding<'_, '_>| match binding {
        ArrayBinding::Field { sizes, .. } => sizes.clone(),
        _ => Vec::new(),
    };
    let sizes = region.arrays.iter().flat_map(of);
    let lengths = region.conditions.iter().flat_map(|condition| &condition.terms).flat_map(|term| &term.lengths);
    let all: Vec<Expr> = sizes.chain(lengths.cloned()).collect();
    (!all.is_empty()).then(|| Span { accessed: Cond::And(Vec::new()), least: all, greatest: Vec::new() })
}

/// The block at whose start new arrays are made on the stack, that of the function, and which ones: loops around the
/// region do not make them again, and nothing is left of them when the function returns. `None` where there are none, and
/// where the stack might grow: the region is in a loop whose iterations run at the same time, or in something that is not
/// known; or the function calls others, which may call it while it runs, unless they are known to be pure. Nor are there
/// any beside kernels.
///
/// # Errors
/// Those of isl.
pub fn on_stack<'c, 'a>(
    region: &LiftedRegion<'c, 'a>,
    ast: &Ast,
) -> isl::Result<Option<(BlockRef<'c, 'a>, BTreeSet<usize>)>> {
    let fields = region.arrays.iter().zip(&region.scop.arrays).enumerate();
    let fields = fields.filter(|(_, (binding, _))| matches!(binding, ArrayBinding::Field { .. }));
    let (numbers, arrays): (Vec<_>, Vec<_>) = fields.map(|(number, (_, array))| (number, array)).unzip();
    let is_small = layout::on_stack(arrays)?;
    let small: BTreeSet<_> = numbers.into_iter().zip(is_small).filter(|(_, small)| *small).map(|(n, _)| n).collect();
    if small.is_empty() || ast.root.has_kernel() {
        return Ok(None);
    }
    let Some(function) = ancestors(region.anchor).find(|outer| !runs_in_order(*outer)) else { return Ok(None) };
    let entry = regions(function).first().and_then(|body| blocks(*body).first().copied());
    let is_bounded = is(function, "func.func")
        && nested(function).into_iter().all(|inner| !may_call(inner))
        && entry.is_some_and(|entry| operations(entry).into_iter().filter(|one| is_field(*one)).count() < MOST_FIELDS);
    Ok(entry.filter(|_| is_bounded).map(|entry| (entry, small)))
}

/// Control flow that does one thing after the other.
fn runs_in_order(operation: OperationRef<'_, '_>) -> bool {
    matches!(
        name(operation).as_str(),
        "affine.for" | "affine.if" | "scf.for" | "scf.if" | "scf.while" | "scf.index_switch" | "scf.execute_region"
    )
}

/// An operation may call a function that is not known to be pure.
fn may_call(operation: OperationRef<'_, '_>) -> bool {
    let name = name(operation);
    let calls = ["call", "call_indirect", "invoke"].contains(&name.rsplit('.').next().unwrap_or_default());
    calls && attribute(operation, PURE).is_none()
}

/// The number of operands of an allocation that are sizes.
fn segments(context: &Context, sizes: i32) -> Attribute<'_> {
    DenseI32ArrayAttribute::new(context, &[sizes, 0]).into()
}

/// The alignment of new buffers.
fn line(context: &Context) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), LINE).into()
}

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// A new buffer of a layout, which has to be freed; it begins at a cache line.
    pub fn field_buffer(
        &self,
        (r#type, sizes): (Type<'c>, &[Expr]),
        builder: Builder<'c, 'a>,
    ) -> Result<Value<'c, 'a>, EmitError> {
        let values = sizes.iter().map(|size| self.number(size, builder)).collect::<Result<Vec<_>, _>>()?;
        let count = i32::try_from(values.len()).map_err(|_| EmitError::Place("a buffer with too many sizes"))?;
        let attributes = [("operandSegmentSizes", segments(self.context, count)), ("alignment", line(self.context))];
        Ok(builder.value("memref.alloc", &values, r#type, &attributes)?)
    }

    /// The new buffer of an array that is small enough for the stack, where there is one that does not grow.
    pub fn small_field(&self, array: usize) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let ArrayBinding::Field { r#type, sizes, .. } = &self.region.arrays[array] else { return Ok(None) };
        let Some((stack, _)) = self.stack.as_ref().filter(|(_, small)| sizes.is_empty() && small.contains(&array))
        else {
            return Ok(None);
        };
        let attributes = [("operandSegmentSizes", segments(self.context, 0)), ("alignment", line(self.context))];
        Ok(Some(stack.value("memref.alloca", &[], *r#type, &attributes)?))
    }

    /// Whether there is memory for all of a layout's buffers that were allocated; `None` where that are none.
    pub fn fields_are_there(&self, builder: Builder<'c, 'a>) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let zero = builder.constant_index(0)?;
        let mut there = Vec::new();
        for (position, binding) in self.region.arrays.iter().enumerate() {
            if let (ArrayBinding::Field { .. }, Some(buffer)) = (binding, self.buffer(position))
                && defining(buffer).is_some_and(|(operation, _)| is(operation, "memref.alloc"))
            {
                let address =
                    builder.value("memref.extract_aligned_pointer_as_index", &[buffer], builder.index(), &[])?;
                there.push(compare(builder, DIFFERENT, address, zero)?);
            }
        }
        self.all(there, builder)
    }

    /// Whether all of some conditions hold; `None` if there are none.
    pub(super) fn all(
        &self,
        conditions: Vec<Value<'c, 'a>>,
        builder: Builder<'c, 'a>,
    ) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let bit: Type<'c> = IntegerType::new(self.context, 1).into();
        let mut all = conditions.into_iter();
        let Some(first) = all.next() else { return Ok(None) };
        all.try_fold(first, |all, one| Ok(builder.value("arith.andi", &[all, one], bit, &[])?)).map(Some)
    }

    /// Whether the sizes are those that a layout is for, those of its buffers none below zero, and fit; `None` where all
    /// are known.
    pub fn sizes_fit(&self, builder: Builder<'c, 'a>) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let mut conditions = Vec::new();
        for size in &self.region.sizes {
            let value = self.number(&Expr::Parameter(size.parameter), builder)?;
            let side = match size.side {
                Side::Least => AT_LEAST,
                Side::Most => AT_MOST,
            };
            conditions.push(compare(builder, side, value, builder.constant_index(size.value)?)?);
        }
        for binding in &self.region.arrays {
            let ArrayBinding::Field { sizes, limit, .. } = binding else { continue };
            for size in sizes {
                let size = self.number(size, builder)?;
                conditions.push(compare(builder, AT_LEAST, size, builder.constant_index(0)?)?);
                conditions.push(compare(builder, AT_MOST, size, builder.constant_index(*limit)?)?);
            }
        }
        self.all(conditions, builder)
    }
}
