//! The operations of statements over new buffers.

use std::collections::{HashMap, HashSet};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{AffineExpr, AffineMap, BlockLike, OperationRef, ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use polyrs_core::codegen::{self, Expr};
use polyrs_core::isl::DimType;
use polyrs_core::layout::{Placed, Reduced};
use polyrs_core::scop::{AccessKind, Scop, Statement};

use crate::mlir::emit::{Computed, EmitError};
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{nested, operands, results};
use crate::mlir::ir::value::{ValueId, id};
use crate::mlir::ir::{Access, AccessKind as Direction, Bound, Builder, ValueMap};
use crate::mlir::region::{StatementBody, ValueStorage};

/// The type of a buffer's elements.
pub(super) fn element_of<'c>(buffer: Value<'c, '_>) -> Result<Type<'c>, EmitError> {
    Ok(MemRefType::try_from(buffer.r#type())?.element())
}

/// Subscripts are the same expressions.
fn are_equal(one: &[Expr], other: &[Expr]) -> Result<bool, EmitError> {
    if one.len() != other.len() {
        return Ok(false);
    }
    for (one, other) in one.iter().zip(other) {
        if one.minus(other).map_err(codegen::Error::from)?.as_constant() != Some(0) {
            return Ok(false);
        }
    }
    Ok(true)
}

const ELSEWHERE: EmitError =
    EmitError::Place("an array with a layout may be accessed through a view, or in another way");

/// The iterators of an instance.
#[derive(Clone, Copy)]
struct Iterators<'i, 'c, 'a> {
    /// Those that it has.
    now: &'i [Value<'c, 'a>],
    /// Those that it has in the old region.
    former: &'i [Value<'c, 'a>],
}

/// What makes the operations of statements.
pub(super) struct Prototypes<'p, 'c, 'a> {
    pub context: &'c Context,
    pub at: Builder<'c, 'a>,
    pub parameters: &'p [Value<'c, 'a>],
    /// By the buffers of arrays: what stands for the new ones, and where elements are there.
    pub redirected: HashMap<ValueId, (Value<'c, 'a>, &'p Placed)>,
    /// The same by the positions of values that have a place in memory now.
    pub scalars: HashMap<usize, (Value<'c, 'a>, &'p Placed)>,
    /// Reads that go elsewhere alone: of the buffers, with subscripts, what stands for the new arrays, and where elements are there.
    pub kept: Vec<(ValueId, Value<'c, 'a>, &'p Placed)>,
    /// The buffers of all other arrays.
    pub others: HashSet<ValueId>,
}

impl<'c, 'a> Prototypes<'_, 'c, 'a> {
    /// A statement of the old region; `values` has the copies of what is hoisted.
    pub fn original(
        &self,
        (body, reduced, accessed): (&StatementBody<'c, 'a>, Option<&Reduced>, &Computed),
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
        let former;
        let read: Vec<_> = body.inputs.iter().map(|(value, _)| argument(*value)).collect();
        let is_moved = self.accesses_moved(statement, scop)?;
        let mut operations = Vec::new();
        if let Some(reduced) = reduced {
            iterators = self.renumbered(body, reduced, statement, (&mut values, &mut operations))?;
            former = body.iterators.iter().map(|&iterator| values.get(iterator)).collect();
        } else {
            former = iterators.clone();
        }
        let own = Iterators { now: &iterators, former: &former };
        let mut inputs = Vec::new();
        for (value, (_, place)) in read.into_iter().zip(&body.inputs) {
            inputs.push((value, self.storage(place, &values, own, is_moved)?));
        }
        let mut found = vec![false; self.kept.len()];
        for (&operation, subscripts) in body.operations.iter().zip(accessed) {
            let access = Access::new(operation);
            let kept = access.as_ref().map(|access| self.kept_as(access, subscripts.as_deref())).transpose()?.flatten();
            match (kept, &access) {
                (Some(number), _) => found[number] = true,
                (None, Some(access)) if !self.stays(access, subscripts.as_deref(), (body, accessed))? => {
                    return Err(ELSEWHERE);
                }
                _ => {}
            }
            operations.push(match access {
                Some(access) if kept.is_some() || self.redirected.contains_key(&id(access.memref)) => {
                    self.access(&access, (own, kept), &mut values)?
                }
                None if self.reads_kept(operation) => return Err(ELSEWHERE),
                _ if is_moved && !self.leaves_alone(operation) => {
                    return Err(ELSEWHERE);
                }
                _ => values.clone_into(operation, self.at.block()),
            });
        }
        if found.contains(&false) {
            return Err(ELSEWHERE);
        }
        if reduced.is_some() {
            self.wrap_around(body, &values);
        }
        let mut outputs = Vec::new();
        for (place, value) in &body.outputs {
            outputs.push((self.storage(place, &values, own, is_moved)?, values.get(*value)));
        }
        Ok(StatementBody { location: body.location, iterators, inputs, operations, outputs })
    }

    /// Which of the reads that go elsewhere an access is.
    fn kept_as(&self, access: &Access<'c, 'a>, subscripts: Option<&[Expr]>) -> Result<Option<usize>, EmitError> {
        for (number, (buffer, _, place)) in self.kept.iter().enumerate() {
            let (Some(own), Some(wanted)) = (subscripts, &place.subscripts) else { continue };
            let is_load = id(access.memref) == *buffer && access.kind == Direction::Load;
            if is_load && are_equal(own, wanted)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// An access to a buffer of which some reads go elsewhere is none of these for certain: it stores, or has the subscripts of what is
    /// stored. Others may be to the same elements as those that go, said in other words.
    fn stays(
        &self,
        access: &Access<'c, 'a>,
        subscripts: Option<&[Expr]>,
        (body, accessed): (&StatementBody<'c, 'a>, &Computed),
    ) -> Result<bool, EmitError> {
        let is_kept = self.kept.iter().any(|(buffer, _, _)| *buffer == id(access.memref));
        if !is_kept || access.kind == Direction::Store {
            return Ok(true);
        }
        for (&operation, stored) in body.operations.iter().zip(accessed) {
            let Some(other) = Access::new(operation) else { continue };
            let (Some(own), Some(stored)) = (subscripts, stored) else { continue };
            if other.kind == Direction::Store && id(other.memref) == id(access.memref) && are_equal(own, stored)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// An operation, or one in it, uses a buffer of which some reads go elsewhere: nobody knows which.
    fn reads_kept(&self, operation: OperationRef<'c, 'a>) -> bool {
        let used: Vec<_> = nested(operation).into_iter().flat_map(operands).map(id).collect();
        self.kept.iter().any(|(buffer, _, _)| used.contains(buffer))
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
        iterators: Iterators<'_, 'c, 'a>,
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
            let is_kept = self.kept.iter().any(|(buffer, _, _)| *buffer == id(*memref));
            if is_kept || is_moved && !self.others.contains(&id(*memref)) {
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
        (iterators, kept): (Iterators<'_, 'c, 'a>, Option<usize>),
        values: &mut ValueMap<'c, 'a>,
    ) -> Result<OperationRef<'c, 'a>, EmitError> {
        let kept = kept.and_then(|number| self.kept.get(number)).map(|(_, placeholder, place)| (placeholder, *place));
        let moved = || self.redirected.get(&id(access.memref)).map(|(placeholder, place)| (placeholder, *place));
        let Some((placeholder, place)) = kept.or_else(moved) else {
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
        iterators: Option<Iterators<'_, 'c, 'a>>,
    ) -> Result<Bound<'c, 'a>, EmitError> {
        let (rank, dims, symbols) = (old.map.result_count(), old.map.dim_count(), old.map.symbol_count());
        let mut inner = Vec::new();
        for number in 0..rank {
            inner.push(old.map.result(number)?);
        }
        inner.extend((0..self.parameters.len()).map(|number| AffineExpr::dim(self.context, dims + number)));
        let before = dims + self.parameters.len();
        let iteration = match iterators {
            Some(own) => {
                let part = place.part.map(|position| own.now.get(position));
                let found = part.into_iter().chain(place.loops.iter().map(|&position| own.former.get(position)));
                let found: Option<Vec<_>> = found.map(|one| one.copied()).collect();
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
    pub fn expression(&self, expr: &Expr, rank: usize) -> Result<AffineExpr<'c>, EmitError> {
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
    pub fn copy(
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
