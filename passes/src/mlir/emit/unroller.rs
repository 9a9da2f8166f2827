//! The code of unrolled nests.

use std::collections::BTreeMap;

use melior::ir::Value;
use melior::ir::operation::OperationLike;

use super::error::EmitError;
use super::lanes::Lanes;
use super::nest::{Body, Nest, Step};
use super::pieces::Piece;
use crate::mlir::ir::{Builder, ValueMap};

/// Constants in front of a loop.
pub(super) struct Constants<'c, 'a> {
    outside: Builder<'c, 'a>,
    known: BTreeMap<i64, Value<'c, 'a>>,
}

impl<'c, 'a> Constants<'c, 'a> {
    /// None yet; they are built there.
    pub fn new(outside: Builder<'c, 'a>) -> Self {
        Constants { outside, known: BTreeMap::new() }
    }

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

impl<'u, 'c, 'a> Unroller<'u, 'c, 'a> {
    /// Of code that goes there.
    pub fn new(at: Builder<'c, 'a>, constants: &'u mut Constants<'c, 'a>) -> Self {
        Unroller { at, constants }
    }

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
        nest.pieces().into_iter().try_for_each(|piece| self.piece(piece, (steps, nest), fixed, &[]).map(|_| ()))
    }

    /// The steps of a piece of a nest's iterations; the vectors of what is stored one by one, with the numbers of the steps.
    pub fn piece(
        &mut self,
        piece: Piece,
        (steps, nest): (&[Step<'c, 'a>], &Nest<'c, 'a>),
        fixed: &Fixed<'c, 'a>,
        given: &[Option<Value<'c, 'a>>],
    ) -> Result<Vec<(usize, Value<'c, 'a>)>, EmitError> {
        let mut lanes = self.lanes(fixed, piece);
        let first = self.constants.get(piece.first)?;
        lanes.once.insert(nest.variable, first);
        let mut scattered = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            match step {
                Step::Once(operation) => lanes.once(*operation)?,
                Step::Load(access, stride) => {
                    let lowest = if *stride < 0 { piece.first + piece.count - 1 } else { piece.first };
                    lanes.once.insert(nest.variable, self.constants.get(lowest)?);
                    lanes.load(access, *stride)?;
                    lanes.once.insert(nest.variable, first);
                }
                Step::Gather(access) => {
                    if let Some(vector) = given.get(number).copied().flatten() {
                        lanes.take(access, vector);
                        continue;
                    }
                    let mut elements = Vec::new();
                    for value in piece.first..piece.first + piece.count {
                        lanes.once.insert(nest.variable, self.constants.get(value)?);
                        elements.push(lanes.element(access)?);
                    }
                    lanes.once.insert(nest.variable, first);
                    lanes.gather(access, &elements)?;
                }
                Step::Store(access) => lanes.store(access)?,
                Step::Scatter(access) => {
                    let values = (piece.first..piece.first + piece.count).map(|value| self.constants.get(value));
                    let values = values.collect::<Result<Vec<_>, _>>()?;
                    scattered.push((number, lanes.scatter(access, (nest.variable, &values))?));
                }
                Step::Each(operation) => lanes.each(*operation)?,
            }
        }
        Ok(scattered)
    }
}
