//! Rows of a block that are an iteration apart, as vectors: a lane a row.
//!
//! What a row reads at so many rows above, as it was so many iterations ago, is a lane of the vector that was stored then, or of the
//! rows above the block, which are in the window one by one ([`super::carry`]). So each array has the last few vectors in a buffer, from
//! which a compiler makes registers, and each load is a shuffle of one of them with elements from above. A store takes the vector apart,
//! as rows are anywhere in memory. LLVM does that itself at times, and at times takes comparisons alone as vectors, which is slower than
//! no vectors at all.

use melior::ir::r#type::MemRefType;
use melior::ir::{BlockLike, BlockRef, OperationRef, Type, Value};
use polyrs_core::codegen::{Moving, Window};

use super::access::{load, store, zero};
use super::carry::Carrying;
use super::error::EmitError;
use super::lanes::shuffle;
use super::nest::{Body, Loops, Nest, Step};
use super::promote::{element, stack_buffer};
use super::unroller::{Constants, Fixed, Given, Unroller};
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::erase;

/// Where a row reads: so many rows above, what was stored so many iterations ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Source {
    above: i64,
    ago: i64,
}

/// The accesses of a block to an array, as of vectors.
struct Array<'w, 'c, 'a> {
    carrying: &'w Carrying<'c, 'a>,
    window: &'w Window,
    /// The first store at the first row: how far it is from where an iteration is, and how much further it is at each next row.
    first: Vec<i64>,
    along: Vec<i64>,
    /// The loads, with what they read.
    loads: Vec<(OperationRef<'c, 'a>, Source)>,
    /// The most iterations that something is read after.
    longest: i64,
}

/// A block whose rows are lanes.
pub(super) struct Rows<'w, 'c, 'a> {
    block: OperationRef<'c, 'a>,
    nest: Nest<'c, 'a>,
    arrays: Vec<Array<'w, 'c, 'a>>,
}

impl<'w, 'c, 'a> Array<'w, 'c, 'a> {
    /// `None` where some access is none of these: where rows read what is stored later, or store several elements each.
    fn of(carrying: &'w Carrying<'c, 'a>, window: &'w Window, rows: i64) -> Option<Self> {
        let accesses = || carrying.accesses().iter();
        let along = |moving: &Moving| -> Option<Vec<i64>> {
            let of = moving.offset.iter().map(|offset| match &offset.factors[..] {
                [factor] => Some(*factor),
                _ => None,
            });
            of.collect()
        };
        let constants = |moving: &Moving| -> Vec<i64> { moving.offset.iter().map(|offset| offset.constant).collect() };
        let (_, stored) = accesses().find(|(_, moving)| moving.writes)?;
        let mut array =
            Array { carrying, window, first: constants(stored), along: along(stored)?, loads: Vec::new(), longest: 0 };
        for (operation, moving) in accesses() {
            let source =
                array.source(&constants(moving), rows).filter(|_| along(moving).as_ref() == Some(&array.along));
            match (moving.writes, source?) {
                (true, Source { above: 0, ago: 0 }) => {}
                (false, source) if source.ago > 0 => {
                    array.longest = array.longest.max(source.ago);
                    array.loads.push((*operation, source));
                }
                _ => return None,
            }
        }
        if !are_independent(&array.along, carrying.step()) {
            return None;
        }
        let is_read = window.lines.iter().any(|line| line.is_written() && line.is_read());
        let is_in_window = array.loads.iter().all(|(_, source)| array.slots_above(*source).is_some());
        (!is_read && is_in_window && array.longest > 0).then_some(array)
    }

    /// What an access reads that is so far from where an iteration is at the first row.
    fn source(&self, constants: &[i64], rows: i64) -> Option<Source> {
        let ago = |above: i64| (0..=rows).map(move |ago| Source { above, ago });
        (0..=rows).flat_map(ago).find(|source| self.element(-source.above, source.ago) == constants)
    }

    /// What a row has stored so many iterations ago, as how far it is from where the iteration is; rows above the block have
    /// negative numbers.
    fn element(&self, row: i64, ago: i64) -> Vec<i64> {
        let parts = self.first.iter().zip(&self.along).zip(self.carrying.step());
        parts.map(|((first, along), step)| first + along * row - step * ago).collect()
    }

    /// The slots of the elements from rows above the block, for each of the first rows.
    fn slots_above(&self, source: Source) -> Option<Vec<Vec<i64>>> {
        let slots = (0..source.above).map(|row| {
            let (line, place) = self.window.find(&self.element(row - source.above, source.ago))?;
            (!line.is_written() && (line.lowest()..=line.highest()).contains(&place))
                .then(|| self.window.slot(line, place))
        });
        slots.collect()
    }
}

/// None of two directions is a multiple of the other: an element has one row, which stores it in one iteration.
fn are_independent(one: &[i64], other: &[i64]) -> bool {
    let product = |i: usize, j: usize| one[i].checked_mul(other[j]);
    let differs = |i: usize, j: usize| matches!((product(i, j), product(j, i)), (Some(a), Some(b)) if a != b);
    (0..one.len()).any(|i| (0..i).any(|j| differs(i, j)))
}

/// An array with its buffers: the window, and the vectors that were stored, the last one first.
struct Buffers<'c, 'a> {
    window: Value<'c, 'a>,
    vectors: Value<'c, 'a>,
    vector: Type<'c>,
}

impl<'w, 'c, 'a> Rows<'w, 'c, 'a> {
    /// Of a block all of whose rows are one vector; `None` where they are none.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn of(
        block: OperationRef<'c, 'a>,
        windows: &'w [(&'w Carrying<'c, 'a>, Window)],
    ) -> Result<Option<Self>, EmitError> {
        let elements: Vec<_> =
            windows.iter().flat_map(|(carrying, _)| carrying.accesses().iter().map(|(access, _)| *access)).collect();
        let loops = Loops::Vector { innermost: &[block], ends: &[], elements: &elements };
        let Some(nest) = Nest::of(block, loops)? else { return Ok(None) };
        let is_one = matches!(&nest.pieces()[..], [piece] if piece.count == piece.lanes);
        let arrays: Option<Vec<_>> =
            windows.iter().map(|(carrying, window)| Array::of(carrying, window, nest.extent)).collect();
        Ok(arrays.filter(|_| is_one).map(|arrays| Rows { block, nest, arrays }))
    }

    /// Puts vectors in the place of the block. `buffers` are the windows, in which the elements are that the first iterations find;
    /// `stack` is where buffers are made, which are given, and `before` the place in front of the loop with this body.
    ///
    /// # Errors
    /// MLIR refuses an operation.
    pub fn emit(
        &self,
        windows: &[Value<'c, 'a>],
        (stack, before): (Builder<'c, 'a>, Builder<'c, 'a>),
        body: BlockRef<'c, 'a>,
    ) -> Result<Vec<OperationRef<'c, 'a>>, EmitError> {
        let context = before.context();
        let lost = || EmitError::Place("a block of rows is in no loop");
        let (mut made, mut buffers) = (Vec::new(), Vec::new());
        for (array, window) in self.arrays.iter().zip(windows) {
            let lanes = u64::try_from(self.nest.extent).unwrap_or_default();
            let vector = Type::vector(&[lanes], element(array.carrying.memref())?);
            let buffer = stack_buffer(stack, MemRefType::new(vector, &[array.longest], None, None), &[])?;
            made.push(buffer);
            buffers.push(Buffers { window: *window, vectors: buffer.result(0)?.into(), vector });
        }
        for (array, buffers) in self.arrays.iter().zip(&buffers) {
            self.begin(before, array, buffers)?;
        }
        let first = body.first_operation().and_then(|first| Builder::before(context, first)).ok_or_else(lost)?;
        for (array, buffers) in self.arrays.iter().zip(&buffers) {
            array.carrying.fetch_new(first, array.window, buffers.window)?;
        }
        let here = Builder::before(context, self.block).ok_or_else(lost)?;
        let last = body.terminator().and_then(|last| Builder::before(context, last)).ok_or_else(lost)?;
        let stored = self.once(before, here, &buffers)?;
        for ((array, buffers), stored) in self.arrays.iter().zip(&buffers).zip(stored) {
            let place = |number: i64| array.carrying.place(context, &[number]);
            for ago in (1..array.longest).rev() {
                let value = load(last, buffers.vectors, buffers.vector, &place(ago - 1)?)?;
                store(last, value, buffers.vectors, &place(ago)?)?;
            }
            store(last, stored, buffers.vectors, &place(0)?)?;
            let above = array.window.lines.iter().filter(|line| !line.is_written());
            array.carrying.move_on(last, array.window, buffers.window, above)?;
        }
        // SAFETY: nobody uses what is in the loop, and it is not looked at again.
        unsafe { erase(self.block) }
        Ok(made)
    }

    /// The vectors that iterations before the first one would have stored, from the window.
    fn begin(
        &self,
        before: Builder<'c, 'a>,
        array: &Array<'w, 'c, 'a>,
        buffers: &Buffers<'c, 'a>,
    ) -> Result<(), EmitError> {
        let of = element(array.carrying.memref())?;
        for ago in 1..=array.longest {
            let mut lanes = Vec::new();
            for row in 0..self.nest.extent {
                let found = array.window.find(&array.element(row, ago));
                let found = found.filter(|(line, place)| (line.lowest()..line.highest()).contains(place));
                lanes.push(match found {
                    Some((line, place)) => {
                        let slot = array.carrying.place(before.context(), &array.window.slot(line, place))?;
                        load(before, buffers.window, of, &slot)?
                    }
                    // Nobody reads it.
                    None => zero(of, before)?,
                });
            }
            let vector = before.value("vector.from_elements", &lanes, buffers.vector, &[])?;
            store(before, vector, buffers.vectors, &array.carrying.place(before.context(), &[ago - 1])?)?;
        }
        Ok(())
    }

    /// The operations of an iteration; what it stores last to each array.
    fn once(
        &self,
        before: Builder<'c, 'a>,
        here: Builder<'c, 'a>,
        buffers: &[Buffers<'c, 'a>],
    ) -> Result<Vec<Value<'c, 'a>>, EmitError> {
        let lost = || EmitError::Place("a row is stored by nobody");
        let Body::Vector(steps) = &self.nest.body else { return Err(lost()) };
        let mut given: Given<'c, 'a> = Vec::new();
        for step in steps {
            let mut arrays = self.arrays.iter().zip(buffers);
            let found = arrays.find_map(|(array, buffers)| {
                let (_, source) = array.loads.iter().find(|(load, _)| *load == step.operation())?;
                Some((array, buffers, *source))
            });
            given.push(found.map(|(array, buffers, source)| self.read(here, array, buffers, source)).transpose()?);
        }
        let mut constants = Constants::new(before);
        let mut unroller = Unroller::new(here, &mut constants);
        let piece = self.nest.pieces().first().copied().ok_or_else(lost)?;
        let stored = unroller.piece(piece, (steps, &self.nest), &Fixed::new(), &given)?;
        let last = |array: &Array<'w, 'c, 'a>| {
            let is_of = |number: usize| match &steps[number] {
                Step::Scatter(access) => array.carrying.has(access.operation),
                _ => false,
            };
            stored.iter().rev().find(|(number, _)| is_of(*number)).map(|(_, vector)| *vector).ok_or_else(lost)
        };
        self.arrays.iter().map(last).collect()
    }

    /// What all rows read.
    fn read(
        &self,
        here: Builder<'c, 'a>,
        array: &Array<'w, 'c, 'a>,
        buffers: &Buffers<'c, 'a>,
        source: Source,
    ) -> Result<Value<'c, 'a>, EmitError> {
        let context = here.context();
        let vector = load(here, buffers.vectors, buffers.vector, &array.carrying.place(context, &[source.ago - 1])?)?;
        let slots = array.slots_above(source).ok_or(EmitError::Place("a row above is in no window"))?;
        let Some(first) = slots.first() else { return Ok(vector) };
        let of = element(array.carrying.memref())?;
        let mut lanes = Vec::new();
        for row in 0..self.nest.extent {
            let slot = usize::try_from(row).ok().and_then(|row| slots.get(row)).unwrap_or(first);
            lanes.push(load(here, buffers.window, of, &array.carrying.place(context, slot)?)?);
        }
        let above = here.value("vector.from_elements", &lanes, buffers.vector, &[])?;
        let lane = |row: i64| if row < source.above { row } else { self.nest.extent + row - source.above };
        shuffle((above, vector), (0..self.nest.extent).map(lane), here)
    }
}
