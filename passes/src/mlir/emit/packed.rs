//! Packed tiles: what some code reads of arrays, in a buffer of its own, in the layout that it is read in.
//!
//! Code is emitted, and where asked for read back, as if nothing were packed; tiles are packed in the finished code, as
//! what loops hold is put into buffers (`promote`). The core has proved that the buffer holds what the array does
//! (`polyrs_core::check::coverage`). Where all that is read of a tile is used in the same operation with the same value
//! from outside, as `alpha * A[i][k]` for each `j`, the buffer holds the results: they are computed once for each
//! element.
//!
//! A tile is left where it is if what exists of it is no box, or if its statements depend on data: then nobody knows
//! what is memory.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::{DimSize, IntegerType, MemRefType};
use melior::ir::{BlockLike, BlockRef, OperationRef, ShapedTypeLike, Type, Value, ValueLike};
use polyrs_core::codegen::{Comparison, Cond, Expr, IteratorId, Overflow, SharedTile};
use polyrs_core::scop::StatementId;

use super::access::{load, store, zero};
use super::error::EmitError;
use super::lanes::on_vectors;
use super::nest::{bits, is_elementwise, is_vector_in_memory};
use super::operand::{Operands, are_of_instance, difference, stride};
use super::promote::{element, is_field, parallel_body, redirect, stack_around, stack_buffer};
use super::scope::Scope;
use super::transpose::transpose;
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{contains, erase, name, operands, operations, results};
use crate::mlir::ir::value::{argument, defining, id, replace_all_uses, uses};
use crate::mlir::ir::{Bound, Builder, ValueMap};

/// Where rows of a buffer may begin, so that vectors do not cross lines.
const LINE_BYTES: i64 = 64;

/// A tile of code that is being emitted, or was.
pub struct PackedTile<'c, 'a> {
    tile: SharedTile,
    shape: Shape,
    memref: Value<'c, 'a>,
    /// Outside of the code.
    scope: Scope<'c, 'a>,
    /// Stands in front of the code; nobody uses what it gives.
    anchor: OperationRef<'c, 'a>,
    /// The loads of the tile, with their subscripts in the buffer.
    loads: Vec<(OperationRef<'c, 'a>, Bound<'c, 'a>)>,
    /// The dimensions along which points beyond the end may read (`beyond`), less than so many.
    beyond: BTreeMap<usize, i64>,
}

/// What exists of a tile: a box, under conditions on what is outside.
struct Shape {
    conditions: Vec<Cond>,
    sides: Vec<Side>,
}

/// What exists of a tile along a dimension: from the greatest lower to the least upper bound, which is behind it.
struct Side {
    lower: Vec<Expr>,
    upper: Vec<Expr>,
}

/// What exists of a tile; `None` where that is no box.
fn shape(tile: &SharedTile) -> Result<Option<Shape>, Overflow> {
    let (mut sides, mut outside) = (Vec::new(), Vec::new());
    for (origin, extent) in tile.origin.iter().zip(&tile.extent) {
        sides.push(Side { lower: vec![origin.clone()], upper: vec![origin.plus_constant(*extent)?] });
    }
    let conditions = match &tile.exists {
        Cond::And(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    for condition in conditions {
        let Cond::Compare(comparison, one, other) = condition else { return Ok(None) };
        let (rest, is_equal) = difference(*comparison, one, other)?;
        let about: Vec<usize> = (0..tile.element.len()).filter(|at| rest.mentions(tile.element[*at])).collect();
        let dimension = match about[..] {
            // What no affine condition can say is left to the code as it is.
            [] if rest.is_quasi_affine() => {
                outside.push(condition.clone());
                continue;
            }
            [dimension] if !is_equal => dimension,
            _ => return Ok(None),
        };
        let element = tile.element[dimension];
        match stride(&rest, element)? {
            // rest = element - bound >= 0
            Some(1) => sides[dimension].lower.push(Expr::Iterator(element).minus(&rest)?),
            // rest = bound - element >= 0
            Some(-1) => sides[dimension].upper.push(rest.plus(&Expr::Iterator(element))?.plus_constant(1)?),
            _ => return Ok(None),
        }
    }
    let plain = |side: &Side| {
        let mut all = side.lower.iter().chain(&side.upper);
        all.all(|bound| bound.is_quasi_affine() && !tile.element.iter().any(|element| bound.mentions(*element)))
    };
    Ok(sides.iter().all(plain).then_some(Shape { conditions: outside, sides }))
}

impl<'c, 'a> PackedTile<'c, 'a> {
    /// A tile of an array, in front of code that is appended next; `None` where it is no box.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn new(
        tile: &SharedTile,
        memref: Value<'c, 'a>,
        scope: &Scope<'c, 'a>,
        builder: Builder<'c, 'a>,
    ) -> Result<Option<Self>, EmitError> {
        let Some(shape) = shape(tile)? else { return Ok(None) };
        let lost = EmitError::Place("a constant is no operation");
        let (anchor, _) = defining(builder.constant_index(0)?).ok_or(lost)?;
        let (tile, scope) = (tile.clone(), scope.clone());
        Ok(Some(PackedTile { tile, shape, memref, scope, anchor, loads: Vec::new(), beyond: BTreeMap::new() }))
    }

    /// Notes a load of a statement's instance from a buffer at subscripts; whether it is of the tile.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn note(
        &mut self,
        context: &'c Context,
        operation: OperationRef<'c, 'a>,
        (statement, arguments): (StatementId, &[Expr]),
        (memref, subscripts): (Value<'c, 'a>, &[Expr]),
        (scope, ending): (&Scope<'c, 'a>, &BTreeMap<IteratorId, i64>),
    ) -> Result<bool, EmitError> {
        if id(memref) != id(self.memref) {
            return Ok(false);
        }
        for (_, proved) in self.tile.reads.iter().filter(|(reader, _)| *reader == statement) {
            if are_of_instance(proved, arguments, subscripts)? {
                let local = self.local(subscripts)?;
                for (dimension, subscript) in subscripts.iter().enumerate() {
                    let points = ending.iter().filter(|(iterator, _)| subscript.mentions(**iterator));
                    if let Some(most) = points.map(|(_, points)| *points).max() {
                        let known = self.beyond.entry(dimension).or_default();
                        *known = most.max(*known);
                    }
                }
                self.loads.push((operation, Operands::map(context, scope, &local)?));
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The subscripts in the buffer of an element of the array.
    fn local(&self, subscripts: &[Expr]) -> Result<Vec<Expr>, Overflow> {
        self.tile.order.iter().map(|&dimension| subscripts[dimension].minus(&self.tile.origin[dimension])).collect()
    }

    /// Lets the loads go to a buffer that is filled in front of the code; `code` are all new operations.
    ///
    /// # Errors
    /// MLIR refuses an operation.
    pub fn fill(
        self,
        context: &'c Context,
        buffers: &mut TileBuffers<'c, 'a>,
        code: &[OperationRef<'c, 'a>],
    ) -> Result<(), EmitError> {
        let anchor = self.anchor;
        // What is in no loop is read once, and its operations are in others' lists.
        if code.contains(&anchor) {
            return Ok(());
        }
        if !self.loads.is_empty() {
            self.pack(context, buffers, code)?;
        }
        // SAFETY: nobody uses the constant, and it is not looked at again.
        unsafe { erase(anchor) }
        Ok(())
    }

    fn pack(
        &self,
        context: &'c Context,
        buffers: &mut TileBuffers<'c, 'a>,
        code: &[OperationRef<'c, 'a>],
    ) -> Result<(), EmitError> {
        let at = Builder::before(context, self.anchor).ok_or(EmitError::Place("a packed tile is in no block"))?;
        let Some(buffer) = buffers.of_tile(context, self)? else { return Ok(()) };
        let mut loads = Vec::new();
        for (operation, subscripts) in &self.loads {
            loads.extend(redirect(context, *operation, buffer, subscripts)?);
        }
        let folded = Folded::of(&loads, self.memref, code);
        self.copy(at, buffer, folded.as_ref())?;
        if let Some(folded) = folded {
            folded.replace();
        }
        Ok(())
    }

    /// Copies what exists of the tile: where dimensions change places by squares of vectors, as far as these are whole.
    fn copy(
        &self,
        at: Builder<'c, 'a>,
        buffer: Value<'c, 'a>,
        folded: Option<&Folded<'c, 'a>>,
    ) -> Result<(), EmitError> {
        let mut inside = at;
        if !self.shape.conditions.is_empty() {
            let (set, operands) = Operands::set(at.context(), &self.scope, &self.shape.conditions)?;
            inside = at.affine_if(set, &operands, false)?.1;
        }
        for (dimension, points) in &self.beyond {
            self.clear_beyond((*dimension, *points), inside, buffer)?;
        }
        match self.square()? {
            None => self.copy_elements(inside, buffer, folded)?,
            Some(square) => self.copy_squares(square, inside, buffer, folded)?,
        }
        if !self.shape.conditions.is_empty() {
            inside.affine_yield(&[])?;
        }
        Ok(())
    }

    /// Zeros behind what exists of the tile along a dimension, as far as blocks with so many points reach: nobody looks at what is
    /// computed with it, but some numbers take many times as long as others.
    fn clear_beyond(
        &self,
        (dimension, points): (usize, i64),
        at: Builder<'c, 'a>,
        buffer: Value<'c, 'a>,
    ) -> Result<(), EmitError> {
        let Side { lower, upper } = &self.shape.sides[dimension];
        // The first bound is that of the tile.
        for end in upper.iter().skip(1) {
            let mut nest = Loops { scope: self.scope.clone(), inside: at, bodies: Vec::new() };
            for &number in &self.tile.order {
                let side = &self.shape.sides[number];
                let (lower, upper) = if number == dimension {
                    let first = lower.iter().chain([end]).cloned().collect();
                    (first, vec![upper[0].clone(), end.plus_constant(points.min(self.tile.extent[number]))?])
                } else {
                    (side.lower.clone(), side.upper.clone())
                };
                nest.open(self.tile.element[number], (&lower, &upper), 1)?;
            }
            let subscripts: Vec<Expr> = self.tile.element.iter().copied().map(Expr::Iterator).collect();
            let nothing = zero(element(self.memref)?, nest.inside)?;
            store(nest.inside, nothing, buffer, &nest.map(&self.local(&subscripts)?)?)?;
            nest.close()?;
        }
        Ok(())
    }

    /// Element by element, row by row of the array.
    fn copy_elements(
        &self,
        at: Builder<'c, 'a>,
        buffer: Value<'c, 'a>,
        folded: Option<&Folded<'c, 'a>>,
    ) -> Result<(), EmitError> {
        let nest = self.loops(at, &vec![1; self.tile.extent.len()])?;
        self.copy_element(&nest, buffer, folded)?;
        nest.close()
    }

    /// The element that loops are at.
    fn copy_element(
        &self,
        nest: &Loops<'c, 'a>,
        buffer: Value<'c, 'a>,
        folded: Option<&Folded<'c, 'a>>,
    ) -> Result<(), EmitError> {
        let subscripts: Vec<Expr> = self.tile.element.iter().copied().map(Expr::Iterator).collect();
        let value = load(nest.inside, self.memref, element(self.memref)?, &nest.map(&subscripts)?)?;
        let value = folded.map_or(Ok(value), |folded| folded.compute(value, nest.inside))?;
        store(nest.inside, value, buffer, &nest.map(&self.local(&subscripts)?)?)?;
        Ok(())
    }

    /// By squares along the last dimensions of the array and of the buffer; of those that are cut each element.
    fn copy_squares(
        &self,
        square: Square,
        at: Builder<'c, 'a>,
        buffer: Value<'c, 'a>,
        folded: Option<&Folded<'c, 'a>>,
    ) -> Result<(), EmitError> {
        let Square { rows, columns, lanes } = square;
        let steps: Vec<i64> =
            (0..self.tile.extent.len()).map(|at| if at == rows || at == columns { lanes } else { 1 }).collect();
        let mut nest = self.loops(at, &steps)?;
        let whole = self.is_whole(square)?;
        if whole.is_empty() {
            self.copy_square(square, &nest, buffer, folded)?;
        } else {
            let (around, outside) = (nest.inside, nest.scope.clone());
            let (set, operands) = Operands::set(at.context(), &outside, &whole)?;
            let (_, all, some) = around.affine_if(set, &operands, true)?;
            let some = some.ok_or(EmitError::Place("a condition without its other branch"))?;
            nest.inside = all;
            self.copy_square(square, &nest, buffer, folded)?;
            all.affine_yield(&[])?;
            let mut rest = Loops { scope: outside, inside: some, bodies: Vec::new() };
            for dimension in [rows, columns] {
                let first = Expr::Iterator(self.tile.element[dimension]);
                let end = [&self.shape.sides[dimension].upper[..], &[first.plus_constant(lanes)?]].concat();
                rest.open(self.tile.element[dimension], (&[first], &end), 1)?;
            }
            self.copy_element(&rest, buffer, folded)?;
            rest.close()?;
            some.affine_yield(&[])?;
        }
        nest.close()
    }

    /// The square that loops are at.
    fn copy_square(
        &self,
        Square { rows, columns, lanes }: Square,
        nest: &Loops<'c, 'a>,
        buffer: Value<'c, 'a>,
        folded: Option<&Folded<'c, 'a>>,
    ) -> Result<(), EmitError> {
        let at = nest.inside;
        let r#type = Type::vector(&[u64::try_from(lanes).unwrap_or_default()], element(self.memref)?);
        let subscripts: Vec<Expr> = self.tile.element.iter().copied().map(Expr::Iterator).collect();
        let moved = |dimension: usize, number: i64| -> Result<Vec<Expr>, Overflow> {
            let mut moved = subscripts.clone();
            moved[dimension] = moved[dimension].plus_constant(number)?;
            Ok(moved)
        };
        let mut vectors = Vec::new();
        for number in 0..lanes {
            let place = nest.map(&moved(rows, number)?)?;
            let operands = [&[self.memref], &place.operands[..]].concat();
            let row = at.value("affine.vector_load", &operands, r#type, &[("map", map_attribute(place.map))])?;
            vectors.push(folded.map_or(Ok(row), |folded| folded.compute_all(row, lanes, at))?);
        }
        for (number, column) in (0..).zip(transpose(vectors, at)?) {
            let place = nest.map(&self.local(&moved(columns, number)?)?)?;
            let operands = [&[column, buffer], &place.operands[..]].concat();
            at.build("affine.vector_store", &operands, &[], &[("map", map_attribute(place.map))])?;
        }
        Ok(())
    }

    /// The squares that a tile consists of; `None` where rows of the array are rows of the buffer, or are shorter than vectors.
    fn square(&self) -> Result<Option<Square>, EmitError> {
        let (Some(columns), Some(&rows)) = (self.tile.extent.len().checked_sub(1), self.tile.order.last()) else {
            return Ok(None);
        };
        let element = element(self.memref)?;
        if !is_vector_in_memory(self.memref.r#type(), element) {
            return Ok(None);
        }
        let lanes = (8 * LINE_BYTES / i64::from(bits(element))).min(MOST_LANES);
        let is_long = |dimension: usize| self.tile.extent[dimension] >= lanes;
        let fits = rows != columns && is_long(rows) && is_long(columns);
        Ok(fits.then_some(Square { rows, columns, lanes }))
    }

    /// What has to hold so that all of a square exists which loops are at; nothing where that is so of all squares.
    fn is_whole(&self, Square { rows, columns, lanes }: Square) -> Result<Vec<Cond>, Overflow> {
        let mut whole = Vec::new();
        for dimension in [rows, columns] {
            let Side { lower, upper } = &self.shape.sides[dimension];
            // The first bound on each side is that of the tile.
            let is_filled = lower.len() == 1 && self.tile.extent[dimension] % lanes == 0;
            let end = Expr::Iterator(self.tile.element[dimension]).plus_constant(lanes)?;
            let cut = upper.iter().skip(usize::from(is_filled));
            whole.extend(cut.map(|bound| Cond::Compare(Comparison::Ge, bound.clone(), end.clone())));
        }
        Ok(whole)
    }

    /// Loops over what exists of the tile, with a step for each dimension.
    fn loops(&self, at: Builder<'c, 'a>, steps: &[i64]) -> Result<Loops<'c, 'a>, EmitError> {
        let mut nest = Loops { scope: self.scope.clone(), inside: at, bodies: Vec::new() };
        for ((side, element), step) in self.shape.sides.iter().zip(&self.tile.element).zip(steps) {
            nest.open(*element, (&side.lower, &side.upper), *step)?;
        }
        Ok(nest)
    }
}

/// The buffers of tiles: code of which there are several copies, for whole tiles and for cut ones, has one.
pub struct TileBuffers<'c, 'a> {
    /// The block for those of code that is in no parallel loop.
    start: BlockRef<'c, 'a>,
    /// Each with the number of its tile, and the parallel loop that it is in.
    made: Vec<(usize, Option<BlockRef<'c, 'a>>, OperationRef<'c, 'a>)>,
}

impl<'c, 'a> TileBuffers<'c, 'a> {
    /// None yet.
    pub fn new(start: BlockRef<'c, 'a>) -> Self {
        Self { start, made: Vec::new() }
    }

    /// Those that are in no parallel loop.
    pub fn at_start(self) -> impl Iterator<Item = OperationRef<'c, 'a>> {
        self.made.into_iter().filter(|(_, parallel, _)| parallel.is_none()).map(|(.., buffer)| buffer)
    }

    /// The buffer of a tile; `None` where those of all regions in the same stack frame would be too large together.
    fn of_tile(&mut self, context: &'c Context, tile: &PackedTile<'c, 'a>) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let (number, parallel) = (tile.tile.buffer, parallel_body(tile.anchor));
        let known = self.made.iter().find(|(known, block, _)| *known == number && *block == parallel);
        if let Some((.., buffer)) = known {
            return Ok(Some(buffer.result(0)?.into()));
        }
        let extent: Vec<i64> = tile.tile.order.iter().map(|&dimension| tile.tile.extent[dimension]).collect();
        let element = element(tile.memref)?;
        let bytes = extent.iter().fold(i64::from(bits(element).div_ceil(8)), |all, each| all.saturating_mul(*each));
        let frame = parallel.unwrap_or(self.start);
        let taken = operations(frame).into_iter().filter(|one| is_field(*one)).filter_map(static_bytes);
        if taken.fold(bytes, i64::saturating_add) > MOST_BYTES {
            return Ok(None);
        }
        let r#type = MemRefType::new(element, &extent, None, None);
        let stack = stack_around(context, tile.anchor, self.start)?;
        let line = IntegerAttribute::new(IntegerType::new(context, 64).into(), LINE_BYTES).into();
        let buffer = stack_buffer(stack, r#type, &[("alignment", line)])?;
        self.made.push((number, parallel, buffer));
        Ok(Some(buffer.result(0)?.into()))
    }
}

/// The bytes that buffers take at most in a stack frame, those of all regions in a function: what a thread has is a few
/// times as much.
const MOST_BYTES: i64 = 1 << 20;

/// The bytes of a buffer whose extents are known.
fn static_bytes(buffer: OperationRef<'_, '_>) -> Option<i64> {
    let r#type = MemRefType::try_from(results(buffer).first()?.r#type()).ok()?;
    let mut bytes = i64::from(bits(r#type.element()).div_ceil(8));
    for dimension in 0..r#type.rank() {
        let DimSize::Static(size) = r#type.dim_size(dimension).ok()? else { return None };
        bytes = bytes.saturating_mul(i64::try_from(size).ok()?);
    }
    Some(bytes)
}

/// Squares of vectors of the array.
#[derive(Clone, Copy)]
struct Square {
    /// The dimension of the array along which there are several vectors: the last one of the buffer.
    rows: usize,
    /// The one along which vectors lie in the array: its last one.
    columns: usize,
    /// How many elements a vector has.
    lanes: i64,
}

/// More elements than this have no vector of their own in shuffles that processors are fast at.
const MOST_LANES: i64 = 16;

/// Open loops over elements.
struct Loops<'c, 'a> {
    scope: Scope<'c, 'a>,
    inside: Builder<'c, 'a>,
    bodies: Vec<Builder<'c, 'a>>,
}

impl<'c, 'a> Loops<'c, 'a> {
    fn map(&self, subscripts: &[Expr]) -> Result<Bound<'c, 'a>, EmitError> {
        Ok(Operands::map(self.inside.context(), &self.scope, subscripts)?)
    }

    /// A loop from the greatest lower bound to the least upper one, which its iterator may have been part of before.
    fn open(&mut self, element: IteratorId, (lower, upper): (&[Expr], &[Expr]), step: i64) -> Result<(), EmitError> {
        let built = self.inside.affine_for(&self.map(lower)?, &self.map(upper)?, step, &[])?;
        self.scope.iterators[element.0] = built.variables.first().copied();
        self.inside = built.body;
        self.bodies.push(built.body);
        Ok(())
    }

    fn close(self) -> Result<(), EmitError> {
        self.bodies.into_iter().try_for_each(|body| Ok(body.affine_yield(&[]).map(|_| ())?))
    }
}

/// An operation that all loads of a tile are used in alone, with the same other operands from outside.
struct Folded<'c, 'a> {
    /// The operation of the first load.
    model: OperationRef<'c, 'a>,
    /// The number of the operand that is loaded.
    operand: usize,
    /// Each load with its operation.
    all: Vec<(Value<'c, 'a>, OperationRef<'c, 'a>)>,
}

impl<'c, 'a> Folded<'c, 'a> {
    /// `None` where there is no such operation.
    fn of(loads: &[Value<'c, 'a>], memref: Value<'c, 'a>, code: &[OperationRef<'c, 'a>]) -> Option<Self> {
        let element = element(memref).ok()?;
        let mut all = Vec::new();
        for load in loads {
            let [(user, operand)] = uses(*load)[..] else { return None };
            all.push((*load, user, operand));
        }
        let &(_, model, operand) = all.first()?;
        let others = |operation| {
            let all = operands(operation).into_iter().enumerate();
            all.filter(|(number, _)| *number != operand).map(|(_, value)| value).collect::<Vec<_>>()
        };
        let known = others(model);
        let is_outside = |value: &Value<'c, 'a>| {
            let inside = |operation| code.iter().any(|new| contains(*new, operation));
            match (defining(*value), argument(*value)) {
                (Some((operation, _)), _) => !inside(operation),
                (_, Some((block, _))) => block.parent_operation().is_some_and(|operation| !inside(operation)),
                _ => false,
            }
        };
        let is_same = |&(_, user, number): &(Value<'c, 'a>, OperationRef<'c, 'a>, usize)| {
            number == operand
                && name(user) == name(model)
                && are_attributes_equal(user, model)
                && others(user).iter().map(|value| id(*value)).eq(known.iter().map(|value| id(*value)))
        };
        let result = results(model);
        let fits = matches!(&result[..], [one] if one.r#type() == element);
        let is_folded = is_elementwise(model) && fits && known.iter().all(is_outside) && all.iter().all(is_same);
        let all = all.into_iter().map(|(load, user, _)| (load, user)).collect();
        is_folded.then_some(Folded { model, operand, all })
    }

    /// The operation on a value.
    fn compute(&self, value: Value<'c, 'a>, at: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        let mut values = ValueMap::new();
        let lost = EmitError::Place("an operation has lost its operand");
        values.insert(*operands(self.model).get(self.operand).ok_or(lost)?, value);
        Ok(values.clone_into(self.model, at.block()).result(0)?.into())
    }

    /// The operation on each element of a vector.
    fn compute_all(&self, vector: Value<'c, 'a>, lanes: i64, at: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        let lost = EmitError::Place("an operation has lost its operand");
        let operand = *operands(self.model).get(self.operand).ok_or(lost)?;
        on_vectors(self.model, (operand, vector), lanes, at)
    }

    /// Lets the loads, which give results now, stand for the operations.
    fn replace(self) {
        for (load, user) in self.all {
            for result in results(user) {
                replace_all_uses(result, load);
            }
            // SAFETY: nobody uses its results any more, and each operation uses one load alone.
            unsafe { erase(user) }
        }
    }
}

/// Two operations have the same attributes, such as flags of floating-point arithmetic.
fn are_attributes_equal(one: OperationRef<'_, '_>, other: OperationRef<'_, '_>) -> bool {
    use melior::ir::operation::OperationLike;
    let texts = |operation: OperationRef<'_, '_>| -> Vec<(String, String)> {
        let pairs = operation.attributes();
        pairs.map(|(name, value)| (name.as_string_ref().as_str().unwrap_or("").to_owned(), value.to_string())).collect()
    };
    one.attribute_count() == other.attribute_count() && texts(one) == texts(other)
}
