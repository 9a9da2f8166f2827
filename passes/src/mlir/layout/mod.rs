//! A region whose arrays have another layout: its statements over new buffers, and the statements that copy.
//!
//! Emission clones the operations of statements. Those of the new region are made once, in a block that is no part of
//! the program: the original's with other subscripts, and a load and a store for each copy. What they use of the
//! operations that are to be replaced they have from the block's arguments, or from clones, so that the original can go.

mod prototypes;
mod reduction;

use std::collections::{HashMap, HashSet};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{BlockLike, Type, Value};
use polyrs_core::codegen::{Expr, expression};
use polyrs_core::layout::{Applied, Placed};
use polyrs_core::scop::{ElementKind, Scop, StatementId};

use crate::mlir::emit::{EmitError, Stage, computed};
use crate::mlir::ir::value::id;
use crate::mlir::ir::{Builder, ValueMap};
use crate::mlir::region::{ArrayBinding, LiftedRegion};

use prototypes::{Prototypes, element_of};
use reduction::Whole;

/// Sizes of buffers in bytes have as many bits less than the index type, so that aligning them overflows nothing.
const SPARE_BITS: u32 = 4;

/// The region as `applied` has it. Its operations are in `stage`, which has to live until they are emitted; `index_bits`
/// is the width of the index type.
///
/// # Errors
/// [`EmitError::Place`] where an array is accessed in a way that cannot be redirected; those of the core.
pub fn with_layout<'c, 'a>(
    context: &'c Context,
    region: &LiftedRegion<'c, 'a>,
    applied: &Applied,
    stage: &Stage<'c, 'a>,
    index_bits: u32,
) -> Result<LiftedRegion<'c, 'a>, EmitError> {
    let at = stage.builder(region.location);
    let mut values = ValueMap::new();
    let hoisted = region.hoisted.iter().map(|&operation| values.clone_into(operation, at.block())).collect();
    let parameters: Vec<_> = region.parameters.iter().map(|&parameter| values.get(parameter)).collect();
    let arrays = arrays(region, applied, (&mut values, at), index_bits.saturating_sub(SPARE_BITS))?;
    let places = places(region, applied, &arrays)?;
    let buffers: HashSet<_> = region.arrays.iter().filter_map(|binding| buffer(binding).ok()).map(id).collect();
    let mut statements = Vec::new();
    let whole = (0..region.statements.len()).map(|number| (StatementId(number), StatementId(number)));
    for (own, of) in whole.chain(applied.parts.iter().map(|part| (part.statement, part.of))) {
        let (body, statement) = (region.statement(of), applied.scop.statement(own));
        let (mut redirected, mut scalars, mut kept) = (HashMap::new(), HashMap::new(), Vec::new());
        let is_there = |place: &Placed| place.statements.as_ref().is_none_or(|all| all.contains(&own));
        for &(placeholder, place) in places.iter().filter(|(_, place)| is_there(place)) {
            match buffer(&region.arrays[place.array]) {
                Ok(buffer) if place.subscripts.is_some() => {
                    kept.push((id(buffer), placeholder, place));
                    None
                }
                Ok(buffer) => redirected.insert(id(buffer), (placeholder, place)),
                Err(_) => scalars.insert(place.array, (placeholder, place)),
            };
        }
        let others = buffers.iter().copied().filter(|buffer| !redirected.contains_key(buffer)).collect();
        let prototypes = Prototypes { context, at, parameters: &parameters, redirected, scalars, kept, others };
        let reduced = applied.reduced.iter().find(|one| one.update == own);
        let accessed = computed(region, body)?;
        statements.push(prototypes.original((body, reduced, &accessed), statement, &region.scop, values.inner())?);
    }
    let (redirected, scalars, kept, others) = Default::default();
    let prototypes = Prototypes { context, at, parameters: &parameters, redirected, scalars, kept, others };
    for copied in &applied.copies {
        let place = |number: Option<usize>| match number {
            None => Ok(None),
            Some(number) => places.get(number).copied().map(Some).ok_or(EmitError::Place("a copy from or to nowhere")),
        };
        let ends = [place(copied.from)?, place(copied.to)?];
        // What was hoisted, or is made in the region, has a copy of its own.
        let buffer = values.get(buffer(&region.arrays[copied.array])?);
        statements.push(prototypes.copy(buffer, ends, applied.scop.statement(copied.statement))?);
    }
    for reduced in &applied.reduced {
        let place = places.get(reduced.placed).copied().ok_or(EmitError::Place("partial results that are nowhere"))?;
        let body = region.statement(reduced.update);
        let array = place.1.array;
        let whole = match buffer(&region.arrays[array]) {
            Ok(buffer) => Whole::Memory(values.get(buffer)),
            Err(_) => Whole::Scalar(array),
        };
        let [neutral, combine] = prototypes.partial_results(body, reduced, place, &whole, &applied.scop)?;
        statements.push(neutral);
        statements.push(combine);
    }
    Ok(LiftedRegion {
        scop: applied.scop.clone(),
        // The sizes that the layout is for are known as well.
        limits: region.limits.clone().intersect(applied.scop.context.clone())?,
        location: region.location,
        anchor: region.anchor,
        replaced: region.replaced.clone(),
        hoisted,
        deferred: region.deferred.clone(),
        parameters: parameters.clone(),
        arrays,
        statements,
        live_out: region.live_out.clone(),
        conditions: Vec::new(),
        settled: false,
        sizes: applied.sizes.clone(),
    })
}

/// The arrays of the new region: those of the old one, of which those that are made in it are made anew, and the new ones.
fn arrays<'c, 'a>(
    region: &LiftedRegion<'c, 'a>,
    applied: &Applied,
    (values, at): (&mut ValueMap<'c, 'a>, Builder<'c, 'a>),
    most_bits: u32,
) -> Result<Vec<ArrayBinding<'c, 'a>>, EmitError> {
    let local = |binding: &ArrayBinding<'c, 'a>, values: &mut ValueMap<'c, 'a>| match binding {
        ArrayBinding::Local { allocation, nested: true } => {
            ArrayBinding::Local { allocation: values.clone_into(*allocation, at.block()), nested: true }
        }
        other => other.clone(),
    };
    let mut arrays: Vec<_> = region.arrays.iter().map(|binding| local(binding, values)).collect();
    for number in arrays.len()..applied.scop.arrays.len() {
        let member = applied.placed.iter().find(|place| place.field == number);
        let member = member.ok_or(EmitError::Place("a new array of a layout has no elements"))?;
        let element = element(&region.arrays[member.array])?;
        arrays.push(field(&applied.scop, number, (element, !member.loops.is_empty()), at, most_bits)?);
    }
    Ok(arrays)
}

/// What stands for the new array of each place.
fn places<'c, 'a, 'p>(
    region: &LiftedRegion<'c, 'a>,
    applied: &'p Applied,
    arrays: &[ArrayBinding<'c, 'a>],
) -> Result<Vec<(Value<'c, 'a>, &'p Placed)>, EmitError> {
    let mut places = Vec::new();
    for place in &applied.placed {
        let ArrayBinding::Field { placeholder, .. } = &arrays[place.field] else {
            return Err(EmitError::Place("a new array of a layout that is none"));
        };
        let old = &region.arrays[place.array];
        // The core takes f16 and bf16 for the same.
        if element_of(*placeholder)? != element(old)? {
            return Err(EmitError::Place("only arrays of one type can be interleaved"));
        }
        places.push((*placeholder, place));
    }
    Ok(places)
}

/// What an array's elements are in at first.
fn buffer<'c, 'a>(binding: &ArrayBinding<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
    match binding {
        ArrayBinding::Memory { buffer } => Ok(*buffer),
        ArrayBinding::Local { allocation, .. } => Ok(allocation.result(0)?.into()),
        ArrayBinding::Field { .. } | ArrayBinding::Scalar { .. } => Err(EmitError::Place("a value has no layout")),
    }
}

/// The type of an array's elements.
fn element<'c>(binding: &ArrayBinding<'c, '_>) -> Result<Type<'c>, EmitError> {
    match binding {
        ArrayBinding::Scalar { element } => Ok(*element),
        other => element_of(buffer(other)?),
    }
}

/// A new array: its type, whether there is no other, and what stands for it.
fn field<'c, 'a>(
    scop: &Scop,
    array: usize,
    (element, alone): (Type<'c>, bool),
    at: Builder<'c, 'a>,
    most_bits: u32,
) -> Result<ArrayBinding<'c, 'a>, EmitError> {
    let array = &scop.arrays[array];
    if array.element.kind == ElementKind::Other {
        return Err(EmitError::Place("only arrays of numbers have other layouts: of others the size is not known"));
    }
    let (mut shape, mut sizes) = (Vec::new(), Vec::new());
    let mut known = i64::from(array.element.bytes());
    for extent in &array.extent {
        let extent = extent.as_ref().ok_or(EmitError::Place("nobody knows how large a new array is"))?;
        match expression(scop, extent)? {
            Expr::Const(extent) => {
                known = known.saturating_mul(extent.max(1));
                shape.push(extent);
            }
            extent => {
                // SAFETY: a number without arguments.
                shape.push(unsafe { mlir_sys::mlirShapedTypeGetDynamicSize() });
                sizes.push(extent);
            }
        }
    }
    let bits = most_bits.checked_sub(i64::BITS - known.leading_zeros());
    let bits = bits.ok_or(EmitError::Place("a new array is too large"))?;
    let limit = 1 << (bits / u32::try_from(sizes.len().max(1)).unwrap_or(1));
    let r#type: Type<'c> = MemRefType::new(element, &shape, None, None).into();
    let placeholder = at.block().add_argument(r#type, at.location());
    Ok(ArrayBinding::Field { placeholder, r#type, sizes, limit, alone })
}
