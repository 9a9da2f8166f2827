//! The buffers that a layout asks for.

use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value};
use polyrs_core::codegen::{Cond, Expr, Span};
use polyrs_core::layout::Side;

use super::code::{AT_LEAST, AT_MOST, DIFFERENT, EQUAL, compare};
use super::emitter::Emitter;
use super::error::EmitError;
use crate::mlir::ir::Builder;
use crate::mlir::region::{ArrayBinding, LiftedRegion};

/// New buffers begin at a cache line.
const LINE: i64 = 64;

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

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// A new buffer of a layout, which has to be freed; it begins at a cache line.
    pub fn field_buffer(
        &self,
        (r#type, sizes): (Type<'c>, &[Expr]),
        builder: Builder<'c, 'a>,
    ) -> Result<Value<'c, 'a>, EmitError> {
        let values = sizes.iter().map(|size| self.number(size, builder)).collect::<Result<Vec<_>, _>>()?;
        let count = i32::try_from(values.len()).map_err(|_| EmitError::Place("a buffer with too many sizes"))?;
        let segments = DenseI32ArrayAttribute::new(self.context, &[count, 0]).into();
        let line = IntegerAttribute::new(IntegerType::new(self.context, 64).into(), LINE).into();
        let attributes = [("operandSegmentSizes", segments), ("alignment", line)];
        Ok(builder.value("memref.alloc", &values, r#type, &attributes)?)
    }

    /// Whether there is memory for all of a layout's buffers that were made.
    pub fn fields_are_there(&self, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        let zero = builder.constant_index(0)?;
        let mut there = Vec::new();
        for (position, binding) in self.region.arrays.iter().enumerate() {
            if let (ArrayBinding::Field { .. }, Some(buffer)) = (binding, self.buffer(position)) {
                let address =
                    builder.value("memref.extract_aligned_pointer_as_index", &[buffer], builder.index(), &[])?;
                there.push(compare(builder, DIFFERENT, address, zero)?);
            }
        }
        self.all(there, builder)?.map_or_else(|| compare(builder, EQUAL, zero, zero), Ok)
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
