//! Views of buffers: what an element of a view is in the buffer that it shows.

use melior::ir::attribute::{ArrayAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::{OperationRef, Value, ValueLike};
use polyrs_core::isl::{PwAff, Result, Space, Val};

use super::expression;
use super::types::{self, Extent};
use crate::mlir::ir::operation::{attribute, name, operands, results};

/// Where an access goes in a memref.
#[derive(Clone, Debug)]
pub(super) struct Subscripts {
    /// The subscripts of the first element; nothing if they are not known.
    pub known: Option<Vec<PwAff>>,
    /// How far the access reaches along the last dimensions; nothing for a single element.
    pub span: Vec<i64>,
}

impl Subscripts {
    /// Subscripts, known or not, of an access that reaches so far.
    pub fn new(known: Option<Vec<PwAff>>, span: Vec<i64>) -> Self {
        Self { known, span }
    }

    /// Anywhere.
    pub fn unknown() -> Self {
        Self { known: None, span: Vec::new() }
    }
}

/// A value that is written in an attribute, or given at run time.
#[derive(Clone, Copy)]
pub(super) enum Offset<'c, 'a> {
    /// Known.
    Static(i64),
    /// Given at run time.
    Dynamic(Value<'c, 'a>),
}

/// The memref that a result of an operation is a view of, if the operation is known to make views.
pub(super) fn base<'c, 'a>(operation: OperationRef<'c, 'a>, result: usize) -> Option<Value<'c, 'a>> {
    let arguments = operands(operation);
    match name(operation).as_str() {
        "memref.cast"
        | "memref.subview"
        | "memref.expand_shape"
        | "memref.collapse_shape"
        | "memref.reinterpret_cast"
        | "memref.view"
        | "memref.assume_alignment"
        | "memref.memory_space_cast"
        | "memref.transpose"
        | "memref.reshape" => arguments.first().copied(),
        "memref.distinct_objects" => arguments.get(result).copied(),
        "memref.extract_strided_metadata" if result == 0 => arguments.first().copied(),
        _ => None,
    }
}

/// The offsets and then the strides of a `memref.subview`; nothing for other operations.
pub(super) fn offsets<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Vec<Offset<'c, 'a>>> {
    if name(operation) != "memref.subview" {
        return None;
    }
    let segments = DenseI32ArrayAttribute::try_from(attribute(operation, "operandSegmentSizes")?).ok()?;
    let segment = |number: usize| segments.element(number).ok().and_then(|size| usize::try_from(size).ok());
    let (offsets, sizes) = (segment(1)?, segment(2)?);
    let mut dynamic = operands(operation).split_off(1);
    let strides = dynamic.split_off((offsets + sizes).min(dynamic.len()));
    dynamic.truncate(offsets);
    let mut all = mixed(operation, "static_offsets", dynamic)?;
    all.extend(mixed(operation, "static_strides", strides)?);
    Some(all)
}

/// The sizes and the strides of a `memref.reinterpret_cast`; nothing for other operations.
pub(super) fn sizes_and_strides<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<[Vec<Offset<'c, 'a>>; 2]> {
    if name(operation) != "memref.reinterpret_cast" {
        return None;
    }
    let segments = DenseI32ArrayAttribute::try_from(attribute(operation, "operandSegmentSizes")?).ok()?;
    let segment = |number: usize| segments.element(number).ok().and_then(|size| usize::try_from(size).ok());
    let (offsets, sizes) = (segment(1)?, segment(2)?);
    let mut dynamic = operands(operation).split_off(1 + offsets);
    let strides = dynamic.split_off(sizes.min(dynamic.len()));
    Some([mixed(operation, "static_sizes", dynamic)?, mixed(operation, "static_strides", strides)?])
}

/// The entries of an attribute, those that are marked as dynamic replaced by operands.
fn mixed<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    name: &str,
    dynamic: Vec<Value<'c, 'a>>,
) -> Option<Vec<Offset<'c, 'a>>> {
    let entries = DenseI64ArrayAttribute::try_from(attribute(operation, name)?).ok()?;
    let mut dynamic = dynamic.into_iter();
    (0..entries.len())
        .map(|number| match entries.element(number).ok()? {
            i64::MIN => dynamic.next().map(Offset::Dynamic),
            value => Some(Offset::Static(value)),
        })
        .collect()
}

/// Subscripts of a view as subscripts of the buffer that it shows. For `memref.subview`, `offsets` are the functions of
/// [`offsets`].
pub(super) fn through(
    operation: OperationRef<'_, '_>,
    subscripts: Subscripts,
    offsets: Option<Vec<PwAff>>,
    space: &Space,
) -> Result<Subscripts> {
    let Subscripts { known: Some(functions), span } = subscripts else { return Ok(Subscripts::unknown()) };
    let name = name(operation);
    if matches!(name.as_str(), "memref.assume_alignment" | "memref.memory_space_cast" | "memref.distinct_objects") {
        return Ok(Subscripts::new(Some(functions), span));
    }
    // What a vector covers is a box in the view, which need not be one in the buffer.
    let known = match name.as_str() {
        "memref.cast" => return Ok(Subscripts::new(same_rank(operation, functions), span)),
        _ if !span.is_empty() => None,
        "memref.subview" => match offsets {
            Some(offsets) => subview(operation, functions, offsets)?,
            None => None,
        },
        "memref.expand_shape" => expand(operation, functions, space)?,
        "memref.collapse_shape" => collapse(operation, functions, space)?,
        _ => None,
    };
    Ok(Subscripts::new(known, Vec::new()))
}

fn view_extents(operation: OperationRef<'_, '_>) -> Option<Vec<Extent>> {
    types::extents(results(operation).first()?.r#type())
}

fn base_extents(operation: OperationRef<'_, '_>) -> Option<Vec<Extent>> {
    types::extents(operands(operation).first()?.r#type())
}

fn same_rank(operation: OperationRef<'_, '_>, functions: Vec<PwAff>) -> Option<Vec<PwAff>> {
    (base_extents(operation)?.len() == functions.len()).then_some(functions)
}

fn subview(
    operation: OperationRef<'_, '_>,
    functions: Vec<PwAff>,
    mut offsets: Vec<PwAff>,
) -> Result<Option<Vec<PwAff>>> {
    let Some(kept) = kept_dimensions(operation, functions.len()) else { return Ok(None) };
    let strides = offsets.split_off(offsets.len() / 2);
    let mut functions = functions.into_iter();
    let mut result = Vec::new();
    for ((offset, stride), kept) in offsets.into_iter().zip(strides).zip(kept) {
        if !kept {
            result.push(offset);
            continue;
        }
        let Some(function) = functions.next() else { return Ok(None) };
        match expression::product(function, stride)? {
            Some(scaled) => result.push(offset.add(scaled)?),
            None => return Ok(None),
        }
    }
    Ok(Some(result))
}

/// Which dimensions of the buffer a `memref.subview` of this rank still has; nothing if that is ambiguous.
fn kept_dimensions(operation: OperationRef<'_, '_>, rank: usize) -> Option<Vec<bool>> {
    let sizes = DenseI64ArrayAttribute::try_from(attribute(operation, "static_sizes")?).ok()?;
    let sizes: Option<Vec<i64>> = (0..sizes.len()).map(|number| sizes.element(number).ok()).collect();
    let sizes = sizes?;
    if sizes.len() == rank {
        return Some(vec![true; rank]);
    }
    let kept: Vec<bool> = sizes.iter().map(|size| *size != 1).collect();
    (kept.iter().filter(|kept| **kept).count() == rank).then_some(kept)
}

/// The dimensions of the longer shape that make up each dimension of the shorter.
fn groups(operation: OperationRef<'_, '_>) -> Option<Vec<Vec<usize>>> {
    let groups = ArrayAttribute::try_from(attribute(operation, "reassociation")?).ok()?;
    (0..groups.len())
        .map(|number| {
            let group = ArrayAttribute::try_from(groups.element(number).ok()?).ok()?;
            (0..group.len())
                .map(|member| {
                    let member = IntegerAttribute::try_from(group.element(member).ok()?).ok()?;
                    usize::try_from(member.value()).ok()
                })
                .collect()
        })
        .collect()
}

/// The static extents of a group's dimensions but the first one.
fn inner_extents(extents: &[Extent], group: &[usize]) -> Option<Vec<i64>> {
    group
        .iter()
        .skip(1)
        .map(|dimension| match extents.get(*dimension)? {
            Extent::Static(size) if *size > 0 => Some(*size),
            _ => None,
        })
        .collect()
}

/// `memref.expand_shape`: the buffer's subscript is the number of the element within the group.
fn expand(operation: OperationRef<'_, '_>, functions: Vec<PwAff>, space: &Space) -> Result<Option<Vec<PwAff>>> {
    let (Some(groups), Some(extents)) = (groups(operation), view_extents(operation)) else { return Ok(None) };
    let mut result = Vec::new();
    for group in groups {
        let Some(inner) = inner_extents(&extents, &group) else { return Ok(None) };
        let mut number = expression::constant(space, 0)?;
        for (position, dimension) in group.iter().enumerate() {
            if position > 0 {
                number = number.scale(Val::int(space.ctx(), inner[position - 1])?)?;
            }
            let Some(function) = functions.get(*dimension) else { return Ok(None) };
            number = number.add(function.clone())?;
        }
        result.push(number);
    }
    Ok(Some(result))
}

/// `memref.collapse_shape`: the buffer's subscripts are the digits of the view's.
fn collapse(operation: OperationRef<'_, '_>, functions: Vec<PwAff>, space: &Space) -> Result<Option<Vec<PwAff>>> {
    let (Some(groups), Some(extents)) = (groups(operation), base_extents(operation)) else { return Ok(None) };
    if groups.is_empty() {
        // All dimensions have extent 1.
        return (0..extents.len()).map(|_| expression::constant(space, 0)).collect::<Result<Vec<_>>>().map(Some);
    }
    let mut result = vec![None; extents.len()];
    for (group, function) in groups.iter().zip(functions) {
        let Some(inner) = inner_extents(&extents, group) else { return Ok(None) };
        let mut rest = function;
        for (dimension, extent) in group.iter().skip(1).zip(inner).rev() {
            let extent = Val::int(space.ctx(), extent)?;
            result[*dimension] = Some(rest.clone().modulo(extent.clone())?);
            rest = rest.scale_down(extent)?.floor()?;
        }
        if let Some(first) = group.first() {
            result[*first] = Some(rest);
        }
    }
    Ok(result.into_iter().collect())
}
