//! A region whose arrays have another layout: its statements over new buffers, and the statements that copy.
//!
//! Emission clones the operations of statements. Those of the new region are made once, in a block that is no part of
//! the program: the original's with other subscripts, and a load and a store for each copy. What they use of the
//! operations that are to be replaced they have from the block's arguments, or from clones, so that the original can go.

mod reduction;

use std::collections::{HashMap, HashSet};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{AffineExpr, AffineMap, BlockLike, OperationRef, ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use polyrs_core::codegen::{self, Expr, expression};
use polyrs_core::isl::DimType;
use polyrs_core::layout::{Applied, Placed, Reduced};
use polyrs_core::scop::{AccessKind, ElementKind, Scop, Statement, StatementId};

use crate::mlir::emit::{EmitError, Stage};
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{nested, operands, results};
use crate::mlir::ir::value::{ValueId, id};
use crate::mlir::ir::{Access, AccessKind as Direction, Bound, Builder, ValueMap};
use crate::mlir::region::{ArrayBinding, LiftedRegion, StatementBody, ValueStorage};

use reduction::{Whole, wrap_around};

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
    let local = |binding: &ArrayBinding<'c, 'a>, values: &mut ValueMap<'c, 'a>| match binding {
        ArrayBinding::Local { allocation, nested: true } => {
            ArrayBinding::Local { allocation: values.clone_into(*allocation, at.block()), nested: true }
        }
        other => other.clone(),
    };
    let mut arrays: Vec<_> = region.arrays.iter().map(|binding| local(binding, &mut values)).collect();
    let most_bits = index_bits.saturating_sub(SPARE_BITS);
    for number in arrays.len()..applied.scop.arrays.len() {
        let member = applied.placed.iter().find(|place| place.field == number);
        let member = member.ok_or(EmitError::Place("a new array of a layout has no elements"))?;
        let element = element(&region.arrays[member.array])?;
        arrays.push(field(&applied.scop, number, (element, !member.loops.is_empty()), at, most_bits)?);
    }
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
    let buffers: HashSet<_> = region.arrays.iter().filter_map(|binding| buffer(binding).ok()).map(id).collect();
    let mut statements = Vec::new();
    for (number, (body, statement)) in region.statements.iter().zip(&applied.scop.statements).enumerate() {
        let (mut redirected, mut scalars) = (HashMap::new(), HashMap::new());
        let is_there = |place: &Placed| place.statements.as_ref().is_none_or(|all| all.contains(&StatementId(number)));
        for &(placeholder, place) in places.iter().filter(|(_, place)| is_there(place)) {
            match buffer(&region.arrays[place.array]) {
                Ok(buffer) => redirected.insert(id(buffer), (placeholder, place)),
                Err(_) => scalars.insert(place.array, (placeholder, place)),
            };
        }
        let others = buffers.iter().copied().filter(|buffer| !redirected.contains_key(buffer)).collect();
        let prototypes = Prototypes { context, at, parameters: &parameters, redirected, scalars, others };
        let reduced = applied.reduced.iter().find(|one| one.update == StatementId(number));
        statements.push(prototypes.original((body, reduced), statement, &region.scop, values.inner())?);
    }
    let (redirected, scalars, others) = Default::default();
    let prototypes = Prototypes { context, at, parameters: &parameters, redirected, scalars, others };
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
        sizes: applied.sizes.clone(),
    })
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

fn element_of<'c>(buffer: Value<'c, '_>) -> Result<Type<'c>, EmitError> {
    Ok(MemRefType::try_from(buffer.r#type())?.element())
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

const ELSEWHERE: EmitError =
    EmitError::Place("an array with a layout may be accessed through a view, or in another way");

struct Prototypes<'p, 'c, 'a> {
    context: &'c Context,
    at: Builder<'c, 'a>,
    parameters: &'p [Value<'c, 'a>],
    /// By the buffers of arrays: what stands for the new ones, and where elements are there.
    redirected: HashMap<ValueId, (Value<'c, 'a>, &'p Placed)>,
    /// The same by the positions of values that have a place in memory now.
    scalars: HashMap<usize, (Value<'c, 'a>, &'p Placed)>,
    /// The buffers of all other arrays.
    others: HashSet<ValueId>,
}

impl<'c, 'a> Prototypes<'_, 'c, 'a> {
    /// A statement of the old region; `values` has the copies of what is hoisted.
    fn original(
        &self,
        (body, reduced): (&StatementBody<'c, 'a>, Option<&Reduced>),
        statement: &Statement,
        scop: &Scop,
        mut values: ValueMap<'c, 'a>,
    ) -> Result<StatementBody<'c, 'a>, EmitError> {
        let mut argument = |original: Value<'c, 'a>| {
            let argument = self.at.block().add_argument(original.r#type(), body.location);
            values.insert(original, argument);
            argument
        };
        let mut iterators: Vec<_> = body.iterators.iter().map(|&iterator| argument(iterator)).collect();
        let read: Vec<_> = body.inputs.iter().map(|(value, _)| argument(*value)).collect();
        let is_moved = self.accesses_moved(statement, scop)?;
        let mut operations = Vec::new();
        if let Some(reduced) = reduced {
            iterators = self.renumbered(body, reduced, statement, (&mut values, &mut operations))?;
        }
        let mut inputs = Vec::new();
        for (value, (_, place)) in read.into_iter().zip(&body.inputs) {
            inputs.push((value, self.storage(place, &values, &iterators, is_moved)?));
        }
        for &operation in &body.operations {
            operations.push(match Access::new(operation) {
                Some(access) if self.redirected.contains_key(&id(access.memref)) => {
                    self.access(&access, &iterators, &mut values)?
                }
                _ if is_moved && !self.leaves_alone(operation) => {
                    return Err(ELSEWHERE);
                }
                _ => values.clone_into(operation, self.at.block()),
            });
        }
        if reduced.is_some() {
            wrap_around(self.context, body, &values);
        }
        let mut outputs = Vec::new();
        for (place, value) in &body.outputs {
            outputs.push((self.storage(place, &values, &iterators, is_moved)?, values.get(*value)));
        }
        Ok(StatementBody { location: body.location, iterators, inputs, operations, outputs })
    }

    /// Some access of a statement goes to a new array.
    fn accesses_moved(&self, statement: &Statement, before: &Scop) -> Result<bool, EmitError> {
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            let name = access.array().map_err(codegen::Error::from)?;
            if before.array_by_name(&name).is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What an operation and those in it access is known, and keeps its layout.
    fn leaves_alone(&self, operation: OperationRef<'c, 'a>) -> bool {
        let is_buffer =
            |operand: &Value<'c, 'a>| operand.r#type().is_mem_ref() || operand.r#type().is_unranked_mem_ref();
        let used = nested(operation).into_iter().flat_map(operands);
        used.filter(is_buffer).all(|buffer| self.others.contains(&id(buffer)))
    }

    fn storage(
        &self,
        place: &ValueStorage<'c, 'a>,
        values: &ValueMap<'c, 'a>,
        iterators: &[Value<'c, 'a>],
        is_moved: bool,
    ) -> Result<ValueStorage<'c, 'a>, EmitError> {
        let (memref, subscripts) = match place {
            ValueStorage::Element { memref, subscripts } => (memref, subscripts),
            ValueStorage::Scalar(scalar) => {
                let Some((memref, place)) = self.scalars.get(scalar) else { return Ok(place.clone()) };
                let none = Bound { map: AffineMap::new(self.context, 0, 0, &[]), operands: Vec::new() };
                let subscripts = self.address(place, &none, Some(iterators))?;
                return Ok(ValueStorage::Element { memref: *memref, subscripts });
            }
        };
        let mapped = Bound {
            map: subscripts.map,
            operands: subscripts.operands.iter().map(|&operand| values.get(operand)).collect(),
        };
        let Some((placeholder, place)) = self.redirected.get(&id(*memref)) else {
            if is_moved && !self.others.contains(&id(*memref)) {
                return Err(ELSEWHERE);
            }
            return Ok(ValueStorage::Element { memref: values.get(*memref), subscripts: mapped });
        };
        Ok(ValueStorage::Element { memref: *placeholder, subscripts: self.address(place, &mapped, Some(iterators))? })
    }

    /// A load or store of the new element.
    fn access(
        &self,
        access: &Access<'c, 'a>,
        iterators: &[Value<'c, 'a>],
        values: &mut ValueMap<'c, 'a>,
    ) -> Result<OperationRef<'c, 'a>, EmitError> {
        let Some((placeholder, place)) = self.redirected.get(&id(access.memref)) else {
            return Err(EmitError::Place("an access to no array of a layout"));
        };
        if access.vector {
            return Err(EmitError::Place("an array with a layout is accessed by vectors"));
        }
        let operands = access.subscripts.operands.iter().map(|&operand| values.get(operand)).collect();
        let subscripts = self.address(place, &Bound { map: access.subscripts.map, operands }, Some(iterators))?;
        let stored = (access.kind == Direction::Store).then(|| values.get(access.value));
        let operands: Vec<_> = stored.into_iter().chain([*placeholder]).chain(subscripts.operands).collect();
        let at = self.at.with_location(access.operation.location());
        let copy = at.with_map(access.operation, &operands, subscripts.map)?;
        for (before, after) in results(access.operation).into_iter().zip(results(copy)) {
            values.insert(before, after);
        }
        Ok(copy)
    }

    /// The new subscripts for old ones, in an instance with these iterators; a copy's have no say.
    fn address(
        &self,
        place: &Placed,
        old: &Bound<'c, 'a>,
        iterators: Option<&[Value<'c, 'a>]>,
    ) -> Result<Bound<'c, 'a>, EmitError> {
        let (rank, dims, symbols) = (old.map.result_count(), old.map.dim_count(), old.map.symbol_count());
        let mut inner = Vec::new();
        for number in 0..rank {
            inner.push(old.map.result(number)?);
        }
        inner.extend((0..self.parameters.len()).map(|number| AffineExpr::dim(self.context, dims + number)));
        let before = dims + self.parameters.len();
        let iteration = match iterators {
            Some(all) => {
                let of = |position: &usize| all.get(*position).copied();
                let found: Option<Vec<_>> = place.loops.iter().map(of).collect();
                found.ok_or(EmitError::Place("an array expanded along loops there are not"))?
            }
            None => Vec::new(),
        };
        let all = before + iteration.len();
        let inner = AffineMap::new(self.context, all, symbols, &inner);
        let outer = |expr: &Expr| Ok::<_, EmitError>(self.expression(expr, rank)?.compose(inner));
        let mut address: Vec<_> = (before..all).map(|number| AffineExpr::dim(self.context, number)).collect();
        let last_iteration = if iterators.is_some() { &[][..] } else { &place.last_iteration };
        for expr in last_iteration.iter().chain(&place.address) {
            address.push(outer(expr)?);
        }
        let (first, last) = old.operands.split_at(dims.min(old.operands.len()));
        let operands = first.iter().chain(self.parameters).chain(&iteration).chain(last).copied().collect();
        Ok(Bound { map: AffineMap::new(self.context, all, symbols, &address), operands })
    }

    /// An expression over old subscripts, which are the first dimensions, and parameters, which are the others.
    fn expression(&self, expr: &Expr, rank: usize) -> Result<AffineExpr<'c>, EmitError> {
        let of = |expr: &Expr| self.expression(expr, rank);
        let number = |value: i64| AffineExpr::constant(self.context, value);
        Ok(match expr {
            Expr::Const(value) => number(*value),
            Expr::Iterator(subscript) => AffineExpr::dim(self.context, subscript.0),
            Expr::Parameter(position) => AffineExpr::dim(self.context, rank + position),
            Expr::Add(a, b) => of(a)? + of(b)?,
            Expr::Mul(factor, a) => of(a)? * number(*factor),
            Expr::FloorDiv(a, divisor) => AffineExpr::floor_div(of(a)?, number(*divisor)),
            Expr::Mod(a, divisor) => AffineExpr::modulo(of(a)?, number(*divisor)),
            Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => {
                return Err(EmitError::Place("an address with a minimum, a maximum or a choice"));
            }
        })
    }

    /// A copy from one place of a buffer's elements to another; `None`: the buffer itself.
    fn copy(
        &self,
        buffer: Value<'c, 'a>,
        [from, to]: [Option<(Value<'c, 'a>, &Placed)>; 2],
        statement: &Statement,
    ) -> Result<StatementBody<'c, 'a>, EmitError> {
        let rank = statement.domain.dim(DimType::SET).map_err(codegen::Error::from)?;
        let location = self.at.location();
        let iterators: Vec<_> = (0..rank).map(|_| self.at.block().add_argument(self.at.index(), location)).collect();
        let identity: Vec<_> = (0..rank).map(|position| AffineExpr::dim(self.context, position)).collect();
        let map = AffineMap::new(self.context, rank, 0, &identity);
        let end = |place: Option<(Value<'c, 'a>, &Placed)>| {
            let own = Bound { map, operands: iterators.clone() };
            match place {
                None => Ok::<_, EmitError>((buffer, own)),
                Some((placeholder, place)) => Ok((placeholder, self.address(place, &own, None)?)),
            }
        };
        let ((from, read), (to, written)) = (end(from)?, end(to)?);
        let loaded = [&[from][..], &read.operands].concat();
        let load =
            self.at.build("affine.load", &loaded, &[element_of(buffer)?], &[("map", map_attribute(read.map))])?;
        let stored = [&[load.result(0)?.into(), to][..], &written.operands].concat();
        let store = self.at.build("affine.store", &stored, &[], &[("map", map_attribute(written.map))])?;
        Ok(StatementBody {
            location,
            iterators,
            inputs: Vec::new(),
            operations: vec![load, store],
            outputs: Vec::new(),
        })
    }
}
