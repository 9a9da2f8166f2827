//! Rows of numbers that are added up, or compared, several rows at a time.
//!
//! Where the lanes of a block are rows of an array, and the loop around it walks along these, each of its iterations needs a
//! column: an element of each row, one by one. So that loop makes as many steps at a time as a line of memory has elements,
//! loads that much of each row as a vector, and transposes these squares in registers. What each lane computes, and in which
//! order, stays the same; and a line that is loaded is used at once, however many rows share its place in a cache.
//!
//! Where the array comes from memory, the line that is a few squares further on is fetched for each row: processors fetch ahead by
//! themselves for few rows at a time.
//!
//! What is left at the end of the rows goes column by column.

use std::collections::BTreeMap;

use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{AffineExpr, AffineMap, OperationRef, Value, ValueLike};

use super::error::EmitError;
use super::lanes::{Lanes, is_own};
use super::nest::{Body, Nest, Step, bits, is_vector_in_memory, strides};
use super::pieces::Piece;
use super::transpose::transpose;
use super::unroller::{Fixed, Given, Unroller};
use crate::mlir::ir::operation::{is, operations};
use crate::mlir::ir::{Access, AffineFor, Bound, Builder, IntegerSet};

/// The bits of a line of memory on most machines.
const LINE: u32 = 512;

/// Squares have at most so many rows.
const MOST_ROWS: u32 = 16;

/// So many lines further on is fetched. Measured: a matrix of 2,000 by 2,000 doubles times a vector, 16 rows at a time, takes 0.77 times
/// as long with 6 or 8 lines, 0.92 with 2 and 0.83 with 12, where reading the matrix takes 0.70 (a Zen 4); from caches 1.05.
const LINES_AHEAD: i64 = 6;

/// A loop around a block, and the sizes of squares.
pub(super) struct Columns<'c, 'a> {
    around: AffineFor<'c, 'a>,
    side: i64,
}

impl<'c, 'a> Columns<'c, 'a> {
    /// Of the loop around a block, if there is nothing else in it, and all columns that the block needs are of squares.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn of(block: OperationRef<'c, 'a>, nest: &Nest<'c, 'a>) -> Result<Option<Self>, EmitError> {
        let Body::Vector(steps) = &nest.body else { return Ok(None) };
        let Some(around) = block.parent_operation().and_then(AffineFor::new) else { return Ok(None) };
        let alone = operations(around.body).into_iter().all(|other| other == block || is(other, "affine.yield"));
        if !alone || around.step != 1 || !around.inits.is_empty() {
            return Ok(None);
        }
        let mut side = None;
        for step in steps {
            match step {
                Step::Gather(access) if is_column(access, around.variable)? => {
                    let most = LINE.checked_div(bits(access.value.r#type())).map_or(0, |most| most.min(MOST_ROWS));
                    side = side.or(Some(most)).filter(|side| *side == most);
                    if side.is_none() {
                        return Ok(None);
                    }
                }
                Step::Gather(_) => return Ok(None),
                Step::Store(access) if !is_own(access.memref) => return Ok(None),
                _ => {}
            }
        }
        let side = side.map(i64::from).filter(|side| *side > 1 && nest.extent % side == 0);
        let is_whole = nest.pieces().iter().all(|piece| piece.count == piece.lanes);
        Ok(side.filter(|_| is_whole).map(|side| Columns { around, side }))
    }

    /// The operations that the block becomes.
    pub fn size(&self, nest: &Nest<'c, 'a>) -> i64 {
        let Body::Vector(steps) = &nest.body else { return 0 };
        let gathers = i64::try_from(steps.iter().filter(|step| matches!(step, Step::Gather(_))).count()).unwrap_or(0);
        let groups = nest.extent / self.side;
        let transposed = self.side * (1 + i64::from(self.side.ilog2()));
        let each = i64::try_from(steps.len()).unwrap_or(i64::MAX);
        groups.saturating_mul((gathers * transposed).saturating_add(each.saturating_mul(self.side))) + nest.size()
    }

    /// Puts the squares in front of the block, and what is left beside them.
    ///
    /// # Errors
    /// MLIR refuses an operation.
    pub fn emit(
        &self,
        unroller: &mut Unroller<'_, 'c, 'a>,
        nest: &Nest<'c, 'a>,
        ahead: &[Value<'c, 'a>],
    ) -> Result<(), EmitError> {
        let Body::Vector(steps) = &nest.body else { return Ok(()) };
        let at = unroller.at;
        let (_, whole, rest) = at.affine_if(self.is_whole(at), &self.sides(), true)?;
        let rest = rest.ok_or(EmitError::Place("a branch without the other one"))?;
        for first in (0..nest.extent).step_by(usize::try_from(self.side).unwrap_or(1)) {
            let piece = Piece { first, count: self.side, lanes: self.side };
            self.square(unroller, (whole, piece), (steps, nest), ahead)?;
        }
        whole.affine_yield(&[])?;
        let here = Bound {
            map: AffineMap::new(at.context(), 1, 0, &[AffineExpr::dim(at.context(), 0)]),
            operands: vec![self.around.variable],
        };
        let column = rest.affine_for(&here, &self.around.upper, 1, &[])?;
        let number = *column.variables.first().ok_or(EmitError::Place("a loop without a variable"))?;
        unroller.at = column.body;
        unroller.nest(nest, &mut Fixed::from([(0, (self.around.variable, number))]))?;
        column.body.affine_yield(&[])?;
        rest.affine_yield(&[])?;
        unroller.at = at;
        let step = IntegerAttribute::new(at.index(), self.side).into();
        // SAFETY: nobody else holds the loop as one that may change.
        unsafe { OperationRefMut::from_raw(self.around.operation.to_raw()) }.set_attribute("step", step);
        Ok(())
    }

    /// As many steps as a square has columns are left; of [`Self::sides`].
    fn is_whole(&self, at: Builder<'c, 'a>) -> IntegerSet<'c> {
        let (context, map) = (at.context(), self.around.upper.map);
        let dims = map.dim_count();
        let next = AffineExpr::dim(context, dims) + AffineExpr::constant(context, self.side);
        let before = next * AffineExpr::constant(context, -1);
        let ends = (0..map.result_count()).filter_map(|number| map.result(number).ok());
        let constraints: Vec<_> = ends.map(|end| (end + before, false)).collect();
        IntegerSet::new(context, dims + 1, map.symbol_count(), &constraints)
    }

    /// The dimensions of the loop's end, its variable, and the symbols.
    fn sides(&self) -> Vec<Value<'c, 'a>> {
        let (dims, symbols) = self.around.upper.operands.split_at(self.around.upper.map.dim_count());
        [dims, &[self.around.variable], symbols].concat()
    }

    /// The steps of some rows.
    fn square(
        &self,
        unroller: &mut Unroller<'_, 'c, 'a>,
        (at, piece): (Builder<'c, 'a>, Piece),
        (steps, nest): (&[Step<'c, 'a>], &Nest<'c, 'a>),
        ahead: &[Value<'c, 'a>],
    ) -> Result<(), EmitError> {
        unroller.at = at;
        let mut columns = Vec::new();
        for step in steps {
            columns.push(match step {
                Step::Gather(access) => {
                    let is_line = self.side * i64::from(bits(access.value.r#type())) == i64::from(LINE);
                    let is_fetched = is_line && ahead.contains(&access.memref);
                    self.columns(unroller, piece, nest.variable, (access, is_fetched))?
                }
                _ => Vec::new(),
            });
        }
        for number in 0..self.side {
            let context = at.context();
            let next = AffineExpr::dim(context, 0) + AffineExpr::constant(context, number);
            let next = Bound { map: AffineMap::new(context, 1, 0, &[next]), operands: vec![self.around.variable] };
            let fixed = Fixed::from([(0, (self.around.variable, at.apply(&next)?))]);
            let place = usize::try_from(number).unwrap_or_default();
            let given: Given<'_, '_> = columns.iter().map(|of| of.get(place).copied()).collect();
            unroller.piece(piece, (steps, nest), &fixed, &given)?;
        }
        Ok(())
    }

    /// The columns of a square.
    fn columns(
        &self,
        unroller: &mut Unroller<'_, 'c, 'a>,
        piece: Piece,
        variable: Value<'c, 'a>,
        (access, is_fetched): (&Access<'c, 'a>, bool),
    ) -> Result<Vec<Value<'c, 'a>>, EmitError> {
        let mut rows = Vec::new();
        for row in piece.first..piece.first + piece.count {
            let mut lanes: Lanes<'c, 'a> = unroller.lanes(&BTreeMap::new(), piece);
            lanes.once.insert(variable, unroller.constant(row)?);
            rows.push(lanes.vector_at(access, 0, self.side)?);
            if is_fetched {
                lanes.fetch(access, LINES_AHEAD * self.side)?;
            }
        }
        transpose(rows, unroller.at)
    }
}

/// The loop's variable walks along a row, element by element.
fn is_column<'c, 'a>(access: &Access<'c, 'a>, variable: Value<'c, 'a>) -> Result<bool, EmitError> {
    let is_vector = is_vector_in_memory(access.memref.r#type(), access.value.r#type());
    let strides = strides(&access.subscripts, variable)?.filter(|_| is_vector);
    let strides = strides.as_ref().and_then(|strides| strides.split_last());
    Ok(strides.is_some_and(|(last, others)| *last == 1 && others.iter().all(|stride| *stride == 0)))
}
