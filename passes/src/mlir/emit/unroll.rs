//! Blocks unrolled, with vectors for their innermost loops.
//!
//! What a loop holds in a buffer ends up in registers only if a compiler sees every subscript of the buffer as a
//! constant, and uses whole vectors. LLVM unrolls and vectorizes such nests as well, but along which loop, and whether
//! at all, hangs on how the other operands lie in memory. So it is done here, mechanically: loops from zero to a
//! constant are unrolled, and an innermost one that carries no dependence becomes operations on vectors (`pieces`, `lanes`). In kernels
//! a loop may ask at each of its points whether that exists.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Value};

use super::beyond::may_run_beyond;
use super::columns::Columns;
use super::error::EmitError;
use super::lanes::Lanes;
use super::nest::{Body, Loops, Nest, Step};
use super::pieces::{Piece, pieces};
use crate::mlir::ir::operation::erase;
use crate::mlir::ir::{Builder, ValueMap};

/// The greatest number of operations that a nest becomes.
const MOST_OPERATIONS: i64 = 2048;

/// The loops in a loop that holds footprints.
pub struct Inside<'c, 'a> {
    /// Those that carry no dependence.
    pub vectors: Vec<OperationRef<'c, 'a>>,
    /// The outermost loops of the blocks.
    pub blocks: Vec<OperationRef<'c, 'a>>,
    /// Those over points that may end before.
    pub ends: Vec<OperationRef<'c, 'a>>,
}

/// Unrolls the blocks in a loop, if all of them can be made vectors. Says whether it was done.
///
/// # Errors
/// MLIR refuses an operation.
pub fn unroll<'c, 'a>(
    context: &'c Context,
    around: OperationRef<'c, 'a>,
    inside: &Inside<'c, 'a>,
) -> Result<bool, EmitError> {
    let mut nests = Vec::new();
    for block in &inside.blocks {
        match Nest::of(*block, Loops::Vector { innermost: &inside.vectors })? {
            Some(nest) if nest.size() <= MOST_OPERATIONS => nests.push((*block, nest)),
            _ => return Ok(false),
        }
    }
    replace(context, around, nests)?;
    Ok(true)
}

/// Unrolls those of the blocks in a loop of a kernel that can be: each thread of a GPU has one element at a time. Points
/// beyond an end are executed like all others where nobody notices (`beyond`).
///
/// # Errors
/// MLIR refuses an operation.
pub fn unroll_scalars<'c, 'a>(
    context: &'c Context,
    around: OperationRef<'c, 'a>,
    inside: &Inside<'c, 'a>,
) -> Result<(), EmitError> {
    let mut nests = Vec::new();
    for block in &inside.blocks {
        let nest = Nest::of(*block, Loops::Scalar { ends: &inside.ends })?;
        let Some(mut nest) = nest.filter(|nest| nest.size() <= MOST_OPERATIONS) else { continue };
        if may_run_beyond(context, &nest)? {
            nest.run_beyond();
        }
        nests.push((*block, nest));
    }
    replace(context, around, nests)
}

/// Puts unrolled code in the place of nests in a loop.
fn replace<'c, 'a>(
    context: &'c Context,
    around: OperationRef<'c, 'a>,
    nests: Vec<(OperationRef<'c, 'a>, Nest<'c, 'a>)>,
) -> Result<(), EmitError> {
    let lost = || EmitError::Place("a loop to unroll is in no block");
    let mut constants =
        Constants { outside: Builder::before(context, around).ok_or_else(lost)?, known: BTreeMap::new() };
    for (operation, nest) in nests {
        let at = Builder::before(context, operation).ok_or_else(lost)?;
        let mut unroller = Unroller { at, constants: &mut constants };
        match Columns::of(operation, &nest)?.filter(|columns| columns.size(&nest) <= MOST_OPERATIONS) {
            Some(columns) => columns.emit(&mut unroller, &nest)?,
            None => unroller.nest(&nest, &mut BTreeMap::new())?,
        }
        // SAFETY: nobody uses what is in the loop, and it is not looked at again.
        unsafe { erase(operation) }
    }
    Ok(())
}

/// Constants in front of a loop.
struct Constants<'c, 'a> {
    outside: Builder<'c, 'a>,
    known: BTreeMap<i64, Value<'c, 'a>>,
}

impl<'c, 'a> Constants<'c, 'a> {
    fn get(&mut self, value: i64) -> Result<Value<'c, 'a>, EmitError> {
        if let Some(known) = self.known.get(&value) {
            return Ok(*known);
        }
        let made = self.outside.constant_index(value)?;
        self.known.insert(value, made);
        Ok(made)
    }
}

/// Writes unrolled code.
pub(super) struct Unroller<'u, 'c, 'a> {
    /// Where to.
    pub at: Builder<'c, 'a>,
    constants: &'u mut Constants<'c, 'a>,
}

/// The variables of loops that are unrolled, with their values.
pub(super) type Fixed<'c, 'a> = BTreeMap<usize, (Value<'c, 'a>, Value<'c, 'a>)>;

/// The vectors of those of the steps that gather elements, where they are there already.
pub(super) type Given<'c, 'a> = Vec<Option<Value<'c, 'a>>>;

impl<'c, 'a> Unroller<'_, 'c, 'a> {
    /// All of a nest.
    pub fn nest(&mut self, nest: &Nest<'c, 'a>, fixed: &mut Fixed<'c, 'a>) -> Result<(), EmitError> {
        if let Body::Vector(steps) = &nest.body {
            return self.vector(steps, nest, fixed);
        }
        let (level, around) = (fixed.len(), self.at);
        for value in 0..nest.extent {
            fixed.insert(level, (nest.variable, self.constants.get(value)?));
            let exists = self.where_it_exists(nest, fixed)?;
            self.at = exists.unwrap_or(around);
            match &nest.body {
                Body::Vector(_) => {}
                Body::Scalar(all) => {
                    let mut one = self.lanes(fixed, Piece::one());
                    all.iter().try_for_each(|operation| one.once(*operation))?;
                }
                Body::Loops(inner) => inner.iter().try_for_each(|nest| self.nest(nest, fixed))?,
            }
            if let Some(exists) = exists {
                exists.affine_yield(&[])?;
            }
            self.at = around;
        }
        fixed.remove(&level);
        Ok(())
    }

    /// A branch, without its end, for where a point of a nest exists; `None` if it always does.
    fn where_it_exists(
        &self,
        nest: &Nest<'c, 'a>,
        fixed: &Fixed<'c, 'a>,
    ) -> Result<Option<Builder<'c, 'a>>, EmitError> {
        let Some(exists) = &nest.exists else { return Ok(None) };
        let lanes = self.lanes(fixed, Piece::one());
        let used: Vec<_> = exists.operands.iter().map(|value| lanes.once.get(*value)).collect();
        let at = self.at.with_location(exists.operation.location());
        let (_, then, _) = at.affine_if(exists.condition, &used, false)?;
        Ok(Some(then))
    }

    /// A constant in front of the loops.
    pub fn constant(&mut self, value: i64) -> Result<Value<'c, 'a>, EmitError> {
        self.constants.get(value)
    }

    /// No iteration yet, for loops with these values.
    pub fn lanes(&self, fixed: &Fixed<'c, 'a>, piece: Piece) -> Lanes<'c, 'a> {
        let mut once = ValueMap::new();
        for (variable, value) in fixed.values() {
            once.insert(*variable, *value);
        }
        Lanes::new(self.at, piece, once)
    }

    fn vector(&mut self, steps: &[Step<'c, 'a>], nest: &Nest<'c, 'a>, fixed: &Fixed<'c, 'a>) -> Result<(), EmitError> {
        pieces(nest.extent).into_iter().try_for_each(|piece| self.piece(piece, (steps, nest), fixed, &[]))
    }

    /// The steps of a piece of a nest's iterations.
    pub fn piece(
        &mut self,
        piece: Piece,
        (steps, nest): (&[Step<'c, 'a>], &Nest<'c, 'a>),
        fixed: &Fixed<'c, 'a>,
        given: &[Option<Value<'c, 'a>>],
    ) -> Result<(), EmitError> {
        let mut lanes = self.lanes(fixed, piece);
        let first = self.constants.get(piece.first)?;
        lanes.once.insert(nest.variable, first);
        for (number, step) in steps.iter().enumerate() {
            match step {
                Step::Once(operation) => lanes.once(*operation)?,
                Step::Load(access, stride) => {
                    let lowest = if *stride < 0 { piece.first + piece.count - 1 } else { piece.first };
                    lanes.once.insert(nest.variable, self.constants.get(lowest)?);
                    lanes.load(access, *stride)?;
                    lanes.once.insert(nest.variable, first);
                }
                Step::Gather(access) if given.get(number).copied().flatten().is_some() => {
                    lanes.take(access, given[number]);
                }
                Step::Gather(access) => {
                    let mut elements = Vec::new();
                    for value in piece.first..piece.first + piece.count {
                        lanes.once.insert(nest.variable, self.constants.get(value)?);
                        elements.push(lanes.element(access)?);
                    }
                    lanes.once.insert(nest.variable, first);
                    lanes.gather(access, &elements)?;
                }
                Step::Store(access) => lanes.store(access)?,
                Step::Each(operation) => lanes.each(*operation)?,
            }
        }
        Ok(())
    }
}
