//! Buffers for the footprints that loops promote ([`polyrs_core::codegen::Promoted`]).
//!
//! Code is emitted, and where asked for read back, as if nothing were promoted. What is promoted is applied to the
//! finished loops as a last step, which changes no order: a buffer on the stack, or such that each thread of a kernel
//! has its own (a private attribution of `gpu.launch`), gets the footprint in front of the loop, the accesses to the
//! footprint go to the buffer, the blocks are unrolled where that is possible (`unroll`), and behind the loop the
//! buffer goes back. The core has proved that every other access of the loop to the array is outside of the footprint.
//! Which accesses are inside is seen from their subscripts while they are emitted: less the
//! footprint's origin each is zero or an iterator of a loop from zero to the footprint's extent, times its stride.
//! Which are outside the core says. A footprint with an access of neither kind stays where it is: subscripts may be
//! written as `i mod 64` where that is `i`. Where a footprint may end before, each element is copied if it exists.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, BlockLike, BlockRef, OperationRef, ShapedTypeLike, Type, Value, ValueLike};
use polyrs_core::codegen::{Comparison, Cond, Expr, For, IteratorId, Overflow};
use polyrs_core::scop::StatementId;

use super::access::{load, store, zero};
use super::error::EmitError;
use super::lanes::resized;
use super::nest::{bits, is_vector_in_memory};
use super::operand::{Operands, are_of_instance};
use super::pieces::{padded, pieces};
use super::scope::Scope;
use super::unroll::{Inside, unroll, unroll_scalars};
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{ancestors, attribute, erase, is, nested, only_block, operands};
use crate::mlir::ir::value::{id, is_memref, replace_all_uses};
use crate::mlir::ir::{Access, AccessKind, Bound, Builder};
use crate::mlir::lift::is_same_buffer;
use crate::mlir::marker::{PADDED, PROMOTED};

/// A footprint of a loop that is being emitted, or was.
pub struct Footprint<'c, 'a> {
    memref: Value<'c, 'a>,
    origin: Vec<Expr>,
    extent: Vec<i64>,
    stride: Vec<i64>,
    limit: Vec<Option<Expr>>,
    numbers: Vec<IteratorId>,
    /// The subscripts of statements that the core has proved to be of other elements.
    others: Vec<(StatementId, Vec<Expr>)>,
    /// Outside of the loop.
    scope: Scope<'c, 'a>,
    /// The accesses to the footprint, with their subscripts in it.
    inside: Vec<(OperationRef<'c, 'a>, Bound<'c, 'a>)>,
    /// The accesses to the rest of the array.
    outside: Vec<OperationRef<'c, 'a>>,
}

/// Which element of a side it is that begins so far from the first one; `None` where that is no multiple of the stride.
fn element_number(distance: Expr, stride: i64) -> Option<Expr> {
    match distance {
        Expr::Mul(factor, number) => (factor == stride).then_some(*number),
        Expr::Iterator(_) => (stride == 1).then_some(distance),
        other => Some(other),
    }
}

/// Where a copy goes.
#[derive(Clone, Copy)]
enum Direction {
    /// From the array to the buffer.
    In,
    /// Back to the array.
    Back,
}

/// What a copy is made of.
#[derive(Clone, Copy)]
enum Pieces {
    /// Vectors of a row each.
    Rows,
    /// Elements, one after the other.
    Each,
    /// Elements, in loops that end where the footprint does.
    Elements,
}

/// A buffer, and the subscripts of an element.
type Place<'c, 'a> = (Value<'c, 'a>, Bound<'c, 'a>);

/// An emitted loop and the footprints that it holds.
pub struct PromotedLoop<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    footprints: Vec<Footprint<'c, 'a>>,
    inside: Inside<'c, 'a>,
}

impl<'c, 'a> Footprint<'c, 'a> {
    /// The footprints of a loop that is about to be emitted; `memory` is where an array is kept.
    pub fn of_loop(node: &For, scope: &Scope<'c, 'a>, memory: impl Fn(&str) -> Option<Value<'c, 'a>>) -> Vec<Self> {
        let mut footprints = Vec::new();
        for promoted in &node.promoted {
            let Some(memref) = memory(&promoted.array) else { continue };
            footprints.push(Footprint {
                memref,
                origin: promoted.origin.clone(),
                extent: promoted.extent.clone(),
                stride: promoted.stride.clone(),
                limit: promoted.limit.clone(),
                numbers: promoted.numbers.clone(),
                others: promoted.outside.clone(),
                scope: scope.clone(),
                inside: Vec::new(),
                outside: Vec::new(),
            });
        }
        footprints
    }

    /// It is a part of a buffer.
    pub fn is_of(&self, memref: Value<'c, 'a>) -> bool {
        id(memref) == id(self.memref)
    }

    /// Notes an access of a statement's instance to a buffer at subscripts; `extents` are those of open loops from
    /// zero. One that is neither seen to be inside nor known to be outside is not noted: the footprint stays where it is.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn note(
        &mut self,
        context: &'c Context,
        operation: OperationRef<'c, 'a>,
        (statement, arguments): (StatementId, &[Expr]),
        (memref, subscripts): (Value<'c, 'a>, &[Expr]),
        scope: &Scope<'c, 'a>,
        extents: &BTreeMap<IteratorId, i64>,
    ) -> Result<(), EmitError> {
        if id(memref) != id(self.memref) || subscripts.len() != self.origin.len() {
            return Ok(());
        }
        let mut local = Vec::new();
        let sides = self.origin.iter().zip(&self.extent).zip(&self.stride);
        for (subscript, ((origin, extent), stride)) in subscripts.iter().zip(sides) {
            let number = element_number(subscript.minus(origin)?, *stride);
            let is_inside = match &number {
                Some(Expr::Const(0)) => *extent == 1,
                Some(Expr::Iterator(iterator)) => extents.get(iterator) == Some(extent),
                _ => false,
            };
            let Some(number) = number.filter(|_| is_inside) else {
                if self.is_proved_outside(statement, arguments, subscripts)? {
                    self.outside.push(operation);
                }
                return Ok(());
            };
            local.push(number);
        }
        self.inside.push((operation, Operands::map(context, scope, &local)?));
        Ok(())
    }

    /// The core has proved that an instance does not access the footprint by these subscripts.
    fn is_proved_outside(
        &self,
        statement: StatementId,
        arguments: &[Expr],
        subscripts: &[Expr],
    ) -> Result<bool, Overflow> {
        for (_, proved) in self.others.iter().filter(|(other, _)| *other == statement) {
            if are_of_instance(proved, arguments, subscripts)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A buffer of which each thread of a kernel has its own.
    fn private_buffer(
        &self,
        context: &'c Context,
        kernel: BlockRef<'c, 'a>,
        operation: OperationRef<'c, 'a>,
    ) -> Result<Value<'c, 'a>, EmitError> {
        let space = Attribute::parse(context, "#gpu.address_space<private>");
        let space = space.ok_or(EmitError::Place("the gpu dialect has no private memory"))?;
        let r#type = MemRefType::new(element(self.memref)?, &self.extent, None, Some(space)).into();
        Ok(kernel.add_argument(r#type, operation.location()))
    }

    /// A buffer on the stack, whose rows have room for whole vectors.
    fn stack_buffer(&self, stack: Builder<'c, 'a>) -> Result<OperationRef<'c, 'a>, EmitError> {
        let mut extent = self.extent.clone();
        if self.has_rows()? {
            let bits = bits(element(self.memref)?);
            extent.last_mut().into_iter().for_each(|last| *last = padded(*last, bits));
        }
        let marks = [(PADDED, Attribute::unit(stack.context()))];
        let marks = if extent == self.extent { &[][..] } else { &marks[..] };
        stack_buffer(stack, MemRefType::new(element(self.memref)?, &extent, None, None), marks)
    }

    /// All accesses to the array in a loop were noted, and some are to the footprint.
    fn is_complete(&self, operation: OperationRef<'c, 'a>) -> bool {
        let known = |user: OperationRef<'c, 'a>| {
            self.outside.contains(&user) || self.inside.iter().any(|(access, _)| *access == user)
        };
        let touches = |user: OperationRef<'c, 'a>| {
            operands(user).into_iter().any(|operand| is_memref(operand) && is_same_buffer(operand, self.memref))
        };
        !self.inside.is_empty() && nested(operation).into_iter().all(|user| known(user) || !touches(user))
    }

    /// Copies between the footprint and a buffer, row by row with vectors or element by element.
    fn copy(
        &self,
        at: Builder<'c, 'a>,
        buffer: Value<'c, 'a>,
        direction: Direction,
        pieces: Pieces,
    ) -> Result<(), EmitError> {
        match pieces {
            Pieces::Rows if self.has_rows()? => self.copy_rows(at, buffer, direction),
            Pieces::Rows | Pieces::Each => self.copy_each(at, buffer, direction),
            Pieces::Elements => self.copy_elements(at, buffer, direction),
        }
    }

    /// Rows of the footprint are vectors.
    fn has_rows(&self) -> Result<bool, EmitError> {
        let are_neighbours = self.stride.last() == Some(&1);
        Ok(are_neighbours && is_vector_in_memory(self.memref.r#type(), element(self.memref)?))
    }

    fn copy_rows(&self, at: Builder<'c, 'a>, buffer: Value<'c, 'a>, direction: Direction) -> Result<(), EmitError> {
        let Some((&length, outer)) = self.extent.split_last() else { return Ok(()) };
        let pieces = pieces(length, bits(element(self.memref)?));
        let rows =
            points(outer).flat_map(|row| pieces.iter().map(move |piece| ([&row[..], &[piece.first]].concat(), piece)));
        for (numbers, piece) in rows {
            let (from, to) = self.places(at, buffer, direction, &numbers)?;
            // In the array a row ends where it does, in the buffer with a vector.
            let lengths = match direction {
                Direction::In => (piece.count, piece.lanes),
                Direction::Back => (piece.lanes, piece.count),
            };
            let row = Type::vector(&[u64::try_from(lengths.0).unwrap_or_default()], element(self.memref)?);
            let operands = [&[from.0], &from.1.operands[..]].concat();
            let value = at.value("affine.vector_load", &operands, row, &[("map", map_attribute(from.1.map))])?;
            let value = resized(value, lengths, at)?;
            let operands = [&[value, to.0], &to.1.operands[..]].concat();
            at.build("affine.vector_store", &operands, &[], &[("map", map_attribute(to.1.map))])?;
        }
        Ok(())
    }

    fn copy_each(&self, at: Builder<'c, 'a>, buffer: Value<'c, 'a>, direction: Direction) -> Result<(), EmitError> {
        self.copy_side(at, buffer, direction, &mut Vec::new())
    }

    /// Copies the elements whose first numbers are these; where a side may end before, it is asked for each number on it
    /// once.
    fn copy_side(
        &self,
        at: Builder<'c, 'a>,
        buffer: Value<'c, 'a>,
        direction: Direction,
        numbers: &mut Vec<i64>,
    ) -> Result<(), EmitError> {
        let side = numbers.len();
        let Some(&extent) = self.extent.get(side) else {
            let (from, to) = self.places(at, buffer, direction, numbers)?;
            let value = load(at, from.0, element(self.memref)?, &from.1)?;
            store(at, value, to.0, &to.1)?;
            return Ok(());
        };
        for number in 0..extent {
            numbers.push(number);
            match &self.limit[side] {
                Some(limit) => {
                    let subscript = self.origin[side].plus_constant(number * self.stride[side])?;
                    let exists = Cond::Compare(Comparison::Lt, subscript, limit.clone());
                    let (set, operands) = Operands::set(at.context(), &self.scope, &[exists])?;
                    let (_, then, _) = at.affine_if(set, &operands, false)?;
                    self.copy_side(then, buffer, direction, numbers)?;
                    then.affine_yield(&[])?;
                }
                None => self.copy_side(at, buffer, direction, numbers)?,
            }
            numbers.pop();
        }
        Ok(())
    }

    /// From where and to where the element with these numbers is copied.
    fn places(
        &self,
        at: Builder<'c, 'a>,
        buffer: Value<'c, 'a>,
        direction: Direction,
        numbers: &[i64],
    ) -> Result<(Place<'c, 'a>, Place<'c, 'a>), EmitError> {
        let local: Vec<Expr> = numbers.iter().map(|number| Expr::Const(*number)).collect();
        let place = (self.memref, Operands::map(at.context(), &self.scope, &self.subscripts(&local)?)?);
        let copy = (buffer, Operands::map(at.context(), &self.scope, &local)?);
        Ok(match direction {
            Direction::In => (place, copy),
            Direction::Back => (copy, place),
        })
    }

    /// The subscripts in the array of an element by its numbers.
    fn subscripts(&self, numbers: &[Expr]) -> Result<Vec<Expr>, Overflow> {
        let sides = self.origin.iter().zip(&self.stride).zip(numbers);
        sides.map(|((origin, stride), number)| origin.plus(&number.times(*stride)?)).collect()
    }

    /// How many elements exist along a side, if they may end before: none where this is below zero.
    fn length(&self, side: usize) -> Result<Option<Expr>, Overflow> {
        let Some(limit) = &self.limit[side] else { return Ok(None) };
        let (distance, stride) = (limit.minus(&self.origin[side])?, self.stride[side]);
        Ok(Some(if stride == 1 { distance } else { distance.plus_constant(stride - 1)?.floor_div(stride) }))
    }

    /// Zeros in all of a buffer, so that nobody computes with what is there: some numbers take many times as long.
    fn clear(&self, at: Builder<'c, 'a>, buffer: Value<'c, 'a>) -> Result<(), EmitError> {
        let Some((&length, outer)) = self.extent.split_last() else { return Ok(()) };
        for row in points(outer) {
            for piece in pieces(length, bits(element(self.memref)?)) {
                let numbers = row.iter().copied().chain([piece.first]).map(Expr::Const).collect::<Vec<_>>();
                let place = Operands::map(at.context(), &self.scope, &numbers)?;
                let zeros = Type::vector(&[u64::try_from(piece.lanes).unwrap_or_default()], element(self.memref)?);
                let operands = [&[zero(zeros, at)?, buffer], &place.operands[..]].concat();
                at.build("affine.vector_store", &operands, &[], &[("map", map_attribute(place.map))])?;
            }
        }
        Ok(())
    }

    fn copy_elements(&self, at: Builder<'c, 'a>, buffer: Value<'c, 'a>, direction: Direction) -> Result<(), EmitError> {
        let mut scope = self.scope.clone();
        let mut inner = at;
        let mut local = Vec::new();
        let mut loops = Vec::new();
        for (side, extent) in self.extent.iter().enumerate() {
            if *extent == 1 && self.limit[side].is_none() {
                local.push(Expr::Const(0));
                continue;
            }
            let upper = [Some(Expr::Const(*extent)), self.length(side)?].into_iter().flatten().collect::<Vec<_>>();
            let bound = |values: &[Expr]| Operands::map(at.context(), &scope, values);
            let built = inner.affine_for(&bound(&[Expr::Const(0)])?, &bound(&upper)?, 1, &[])?;
            let number = self.numbers[side];
            scope.iterators[number.0] = built.variables.first().copied();
            local.push(Expr::Iterator(number));
            inner = built.body;
            loops.push(built.body);
        }
        let element = element(self.memref)?;
        let place = (self.memref, Operands::map(at.context(), &scope, &self.subscripts(&local)?)?);
        let copy = (buffer, Operands::map(at.context(), &scope, &local)?);
        let (from, to) = match direction {
            Direction::In => (&place, &copy),
            Direction::Back => (&copy, &place),
        };
        let value = load(inner, from.0, element, &from.1)?;
        store(inner, value, to.0, &to.1)?;
        for body in loops {
            body.affine_yield(&[])?;
        }
        Ok(())
    }
}

impl<'c, 'a> PromotedLoop<'c, 'a> {
    /// A loop and the footprints that nothing speaks against holding; `None` where there is no such footprint.
    pub fn new(
        operation: OperationRef<'c, 'a>,
        footprints: Vec<Footprint<'c, 'a>>,
        inside: Inside<'c, 'a>,
    ) -> Option<Self> {
        let footprints: Vec<_> = footprints.into_iter().filter(|footprint| footprint.is_complete(operation)).collect();
        (!footprints.is_empty()).then_some(PromotedLoop { operation, footprints, inside })
    }

    /// Lets the accesses to the footprints go to buffers. `start` is the block for stack buffers of code that is in no
    /// parallel loop; `at_start` gets those that were made there.
    ///
    /// # Errors
    /// MLIR refuses an operation.
    pub fn redirect(
        self,
        context: &'c Context,
        start: BlockRef<'c, 'a>,
        at_start: &mut Vec<OperationRef<'c, 'a>>,
    ) -> Result<Redirected<'c, 'a>, EmitError> {
        let operation = self.operation;
        let (parallel, kernel) = (parallel_body(operation), kernel_around(operation));
        let stack = stack_around(context, operation, start)?;
        let mut buffers = Vec::new();
        for footprint in &self.footprints {
            let buffer = match kernel {
                Some(body) => footprint.private_buffer(context, body, operation)?,
                None => {
                    let made = footprint.stack_buffer(stack)?;
                    at_start.extend(parallel.is_none().then_some(made));
                    made.result(0)?.into()
                }
            };
            for (access, local) in &footprint.inside {
                redirect(context, *access, buffer, local)?;
            }
            buffers.push(buffer);
        }
        Ok(Redirected { promoted: self, buffers, in_kernel: kernel.is_some() })
    }
}

/// A loop whose accesses to footprints go to buffers.
pub struct Redirected<'c, 'a> {
    promoted: PromotedLoop<'c, 'a>,
    /// One for each footprint.
    buffers: Vec<Value<'c, 'a>>,
    in_kernel: bool,
}

impl<'c, 'a> Redirected<'c, 'a> {
    /// Unrolls the blocks, and copies the footprints to the buffers and back. Only once the accesses of all loops are
    /// redirected: what is unrolled is gone.
    ///
    /// # Errors
    /// MLIR refuses an operation.
    pub fn fill(self, context: &'c Context) -> Result<(), EmitError> {
        let PromotedLoop { operation, footprints, inside } = self.promoted;
        let lost = EmitError::Place("a loop that holds elements is in no block");
        let before = Builder::before(context, operation).ok_or(lost)?;
        let behind = operation.next_in_block().and_then(|next| Builder::before(context, next));
        let behind = behind.ok_or(EmitError::Place("a loop that holds elements ends its block"))?;
        let all = if self.in_kernel {
            unroll_scalars(context, operation, &inside)?;
            Pieces::Each
        } else if unroll(context, operation, &inside)? {
            Pieces::Rows
        } else {
            Pieces::Elements
        };
        for (footprint, buffer) in footprints.iter().zip(self.buffers) {
            let may_end = footprint.limit.iter().any(Option::is_some);
            let pieces = match all {
                Pieces::Rows if may_end => {
                    if footprint.has_rows()? {
                        footprint.clear(before.with_location(operation.location()), buffer)?;
                    }
                    Pieces::Elements
                }
                pieces => pieces,
            };
            footprint.copy(before.with_location(operation.location()), buffer, Direction::In, pieces)?;
            footprint.copy(behind.with_location(operation.location()), buffer, Direction::Back, pieces)?;
        }
        Ok(())
    }
}

/// Lets an access go to a buffer; the value, if it is loaded.
///
/// # Errors
/// MLIR refuses an operation.
pub fn redirect<'c, 'a>(
    context: &'c Context,
    operation: OperationRef<'c, 'a>,
    buffer: Value<'c, 'a>,
    subscripts: &Bound<'c, 'a>,
) -> Result<Option<Value<'c, 'a>>, EmitError> {
    let lost = || EmitError::Place("an access to a footprint is gone");
    let access = Access::new(operation).ok_or_else(lost)?;
    let at = Builder::before(context, operation).ok_or_else(lost)?;
    let loaded = if access.kind == AccessKind::Store {
        store(at, access.value, buffer, subscripts)?;
        None
    } else {
        let loaded = load(at, buffer, access.value.r#type(), subscripts)?;
        replace_all_uses(access.value, loaded);
        Some(loaded)
    };
    // SAFETY: nobody uses the access any more, and the list has each access once.
    unsafe { erase(operation) }
    Ok(loaded)
}

/// Where a buffer on the stack belongs that an operation uses: at the beginning of the parallel loop around, so that each
/// thread has its own, or else of the block `start`.
///
/// # Errors
/// The block has no operations.
pub fn stack_around<'c, 'a>(
    context: &'c Context,
    operation: OperationRef<'c, 'a>,
    start: BlockRef<'c, 'a>,
) -> Result<Builder<'c, 'a>, EmitError> {
    let block = parallel_body(operation).unwrap_or(start);
    let stack = block.first_operation().and_then(|first| Builder::before(context, first));
    Ok(stack.ok_or(EmitError::Place("a block without operations"))?.with_location(operation.location()))
}

/// A buffer on the stack that nothing else knows of.
///
/// # Errors
/// MLIR refuses it.
pub fn stack_buffer<'c, 'a>(
    stack: Builder<'c, 'a>,
    r#type: MemRefType<'c>,
    attributes: &[(&str, Attribute<'c>)],
) -> Result<OperationRef<'c, 'a>, EmitError> {
    let sizes = DenseI32ArrayAttribute::new(stack.context(), &[0, 0]).into();
    let own = [("operandSegmentSizes", sizes), (PROMOTED, Attribute::unit(stack.context()))];
    Ok(stack.build("memref.alloca", &[], &[r#type.into()], &[&own[..], attributes].concat())?)
}

/// A buffer on the stack that begins at a cache line, as those do that are more than a few registers.
pub fn is_field(operation: OperationRef<'_, '_>) -> bool {
    is(operation, "memref.alloca") && attribute(operation, "alignment").is_some()
}

/// The body of the nearest parallel loop around an operation.
pub fn parallel_body<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    ancestors(operation).find(|outer| is(*outer, "affine.parallel")).and_then(|outer| only_block(outer, 0))
}

/// The body of the kernel around an operation.
fn kernel_around<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    ancestors(operation).find(|outer| is(*outer, "gpu.launch")).and_then(|outer| only_block(outer, 0))
}

/// The points of a box, the last dimension fastest.
fn points(extent: &[i64]) -> impl Iterator<Item = Vec<i64>> + '_ {
    (0..extent.iter().product::<i64>()).map(move |mut rest| {
        let mut point = vec![0; extent.len()];
        for (number, extent) in point.iter_mut().zip(extent).rev() {
            (*number, rest) = (rest % extent, rest / extent);
        }
        point
    })
}

/// The type of a buffer's elements.
///
/// # Errors
/// It is no buffer.
pub fn element<'c>(memref: Value<'c, '_>) -> Result<Type<'c>, EmitError> {
    Ok(MemRefType::try_from(memref.r#type())?.element())
}
