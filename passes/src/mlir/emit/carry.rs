//! What iterations of a loop hand on to the next ones ([`polyrs_core::codegen::Carried`]), in buffers that become registers.
//!
//! As with what loops hold (`promote`), code is emitted, and where asked for read back, as if nothing were handed on, and this is a last
//! step on the finished loops, which changes no order. A buffer on the stack has the window of an array
//! ([`polyrs_core::codegen::Window`]). In front of the loop it gets what the first iterations find there; at the beginning of each
//! iteration what comes new; the accesses of the loop go to it, but that each store goes to memory as well; at the end of each
//! iteration all is moved on by a place. The loops of the block are unrolled, so that each subscript of the buffer is a constant.
//!
//! The window is made of the subscripts as they were emitted. Where the loop accesses the array in any other way, all stays as it was.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, BlockRef, OperationRef, Value};
use polyrs_core::codegen::{
    Carried, Comparison, Cond, Expr, For, IteratorId, Line, Moving, Node, Offset, Overflow, Window, offset,
};
use std::collections::BTreeMap;

use super::access::{load, store};
use super::error::EmitError;
use super::operand::Operands;
use super::promote::{element, redirect};
use super::scope::Scope;
use crate::mlir::ir::operation::{nested, operands};
use crate::mlir::ir::value::{id, is_memref};
use crate::mlir::ir::{Access, AccessKind, Bound, Builder};
use crate::mlir::lift::is_same_buffer;

/// What an open loop may hand on of an array.
pub struct Carrying<'c, 'a> {
    memref: Value<'c, 'a>,
    carried: Carried,
    iterator: IteratorId,
    /// The bounds of the loop: the greatest of these,
    lower: Vec<Expr>,
    /// and the least of these, exclusive.
    upper: Vec<Expr>,
    /// The loops of the block in it, outermost first, with their extents.
    block: Vec<(IteratorId, i64)>,
    /// Outside of the loop.
    scope: Scope<'c, 'a>,
    /// Inside of the block.
    points: Option<Scope<'c, 'a>>,
    /// Its accesses, in order, with how far they are from where an iteration is.
    accesses: Vec<(OperationRef<'c, 'a>, Moving)>,
}

/// The loops of blocks in a node, outermost first, if there is one block, of loops from zero.
fn one_block(node: &Node) -> Option<Vec<(IteratorId, i64)>> {
    let Node::For(inner) = alone(node)? else { return Some(Vec::new()) };
    let ([Expr::Const(0)], [Expr::Const(extent)], 1, true) =
        (&inner.lower[..], &inner.upper[..], inner.step, inner.block)
    else {
        return None;
    };
    let mut all = vec![(inner.iterator, *extent)];
    all.extend(one_block(&inner.body)?);
    Some(all)
}

/// What a node is: the only child of a block, or the block if calls alone are in it.
fn alone(node: &Node) -> Option<&Node> {
    match node {
        Node::Block(children) => match &children[..] {
            [only] => alone(only),
            children => children.iter().all(|child| matches!(child, Node::Call(_))).then_some(node),
        },
        Node::For(_) | Node::Call(_) => Some(node),
        Node::If(_) | Node::Kernel(_) | Node::Shared(_) => None,
    }
}

impl<'c, 'a> Carrying<'c, 'a> {
    /// What a loop that is about to be emitted may hand on; `memory` is where an array is kept.
    pub fn of_loop(node: &For, scope: &Scope<'c, 'a>, memory: impl Fn(&str) -> Option<Value<'c, 'a>>) -> Vec<Self> {
        let Some(block) = one_block(&node.body).filter(|block| !block.is_empty()) else { return Vec::new() };
        let arrays = node.carried.iter().filter_map(|carried| Some((carried, memory(&carried.array)?)));
        arrays
            .map(|(carried, memref)| Carrying {
                memref,
                carried: carried.clone(),
                iterator: node.iterator,
                lower: node.lower.clone(),
                upper: node.upper.clone(),
                block: block.clone(),
                scope: scope.clone(),
                points: None,
                accesses: Vec::new(),
            })
            .collect()
    }

    /// Notes an access to a buffer at subscripts, in the order of operations. One that is not as far from where the iteration is as
    /// the block's loops say is not noted: all stays as it is.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn note(
        &mut self,
        (operation, is_load): (OperationRef<'c, 'a>, bool),
        (memref, subscripts): (Value<'c, 'a>, &[Expr]),
        scope: &Scope<'c, 'a>,
    ) -> Result<(), Overflow> {
        if id(memref) != id(self.memref) {
            return Ok(());
        }
        if let Some(offset) = offset(&self.carried, subscripts, &Expr::Iterator(self.iterator), &self.block)? {
            self.points.get_or_insert_with(|| scope.clone());
            self.accesses.push((operation, Moving { writes: !is_load, offset }));
        }
        Ok(())
    }

    /// Its accesses, in order.
    pub fn accesses(&self) -> &[(OperationRef<'c, 'a>, Moving)] {
        &self.accesses
    }

    /// An operation is one of them.
    pub fn has(&self, operation: OperationRef<'c, 'a>) -> bool {
        self.accesses.iter().any(|(access, _)| *access == operation)
    }

    /// By how much all of it moves from one iteration to the next.
    pub fn step(&self) -> &[i64] {
        &self.carried.step
    }

    /// Where the array is kept.
    pub fn memref(&self) -> Value<'c, 'a> {
        self.memref
    }

    /// The window, if all accesses to the array in a loop were noted, all in one block of operations.
    pub fn window(&self, operation: OperationRef<'c, 'a>) -> Option<Window> {
        let touches = |user: OperationRef<'c, 'a>| {
            operands(user).into_iter().any(|operand| is_memref(operand) && is_same_buffer(operand, self.memref))
        };
        let first = self.accesses.first()?.0.block()?;
        let is_complete = nested(operation).into_iter().all(|user| self.has(user) || !touches(user));
        let is_together = self.accesses.iter().all(|(access, _)| access.block() == Some(first));
        let plain = |access: &Access<'_, '_>| !access.vector;
        let is_plain = self.accesses.iter().all(|(access, _)| Access::new(*access).as_ref().is_some_and(plain));
        if !is_complete || !is_together || !is_plain {
            return None;
        }
        let extents: Vec<i64> = self.block.iter().map(|(_, extent)| *extent).collect();
        let accesses: Vec<Moving> = self.accesses.iter().map(|(_, moving)| moving.clone()).collect();
        Window::of(&self.carried.step, &extents, &accesses)
    }

    /// Copies the element of a place of a line from memory to the buffer, with the iterator at a value.
    fn fetch(
        &self,
        at: Builder<'c, 'a>,
        scope: &Scope<'c, 'a>,
        iteration: &Expr,
        (window, buffer): (&Window, Value<'c, 'a>),
        (line, place): (&Line, i64),
    ) -> Result<(), EmitError> {
        let offsets = window.element(line, place);
        let parts = self.carried.origin.iter().zip(&self.carried.step).zip(offsets);
        let subscripts =
            parts.map(|((origin, step), offset)| origin.plus(&iteration.times(*step)?)?.plus_constant(offset));
        let subscripts = subscripts.collect::<Result<Vec<_>, Overflow>>()?;
        let from = Operands::map(at.context(), scope, &subscripts)?;
        let value = load(at, self.memref, element(self.memref)?, &from)?;
        store(at, value, buffer, &self.place(at.context(), &window.slot(line, place))?)?;
        Ok(())
    }

    /// Numbers as subscripts of a buffer.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn place(&self, context: &'c Context, numbers: &[i64]) -> Result<Bound<'c, 'a>, EmitError> {
        let numbers: Vec<Expr> = numbers.iter().copied().map(Expr::Const).collect();
        Ok(Operands::map(context, &self.scope, &numbers)?)
    }

    /// In front of the loop: what is at the places below the highest ones in the first iteration, as far as some iteration comes
    /// to it.
    pub fn begin(&self, at: Builder<'c, 'a>, window: &Window, buffer: Value<'c, 'a>) -> Result<(), EmitError> {
        let mut wanted: BTreeMap<i64, Vec<(&Line, i64)>> = BTreeMap::new();
        for line in &window.lines {
            for place in line.lowest()..line.highest() {
                let after =
                    line.iterations_to(place).ok_or(EmitError::Place("a window has a place that nobody uses"))?;
                wanted.entry(after).or_default().push((line, place));
            }
        }
        for (number, first) in self.lower.iter().enumerate() {
            // The greatest of the bounds, of equals the first one.
            let is_first = self.lower.iter().enumerate().filter(|(other, _)| *other != number).map(|(other, bound)| {
                let comparison = if other < number { Comparison::Gt } else { Comparison::Ge };
                Cond::Compare(comparison, first.clone(), bound.clone())
            });
            let is_first: Vec<Cond> = is_first.collect();
            for (after, places) in &wanted {
                let mut runs = is_first.clone();
                for end in &self.upper {
                    runs.push(Cond::Compare(Comparison::Lt, first.plus_constant(*after)?, end.clone()));
                }
                let (set, operands) = Operands::set(at.context(), &self.scope, &runs)?;
                let (_, then, _) = at.affine_if(set, &operands, false)?;
                for place in places {
                    self.fetch(then, &self.scope, first, (window, buffer), *place)?;
                }
                then.affine_yield(&[])?;
            }
        }
        Ok(())
    }

    /// The loop itself, whose accesses go to the buffer.
    pub fn inside(
        &self,
        context: &'c Context,
        body: BlockRef<'c, 'a>,
        (window, buffer): (&Window, Value<'c, 'a>),
    ) -> Result<(), EmitError> {
        let lost = || EmitError::Place("a loop that hands elements on has no body");
        let points = self.points.as_ref().ok_or_else(lost)?;
        for (access, moving) in &self.accesses {
            let slots = window.slots(&moving.offset).ok_or(Overflow)?;
            let slots = slots.iter().map(|slot| self.expression(slot)).collect::<Result<Vec<_>, _>>()?;
            let local = Operands::map(context, points, &slots)?;
            if moving.writes {
                let at = Builder::before(context, *access).ok_or_else(lost)?;
                let stored = Access::new(*access).filter(|access| access.kind == AccessKind::Store).ok_or_else(lost)?;
                store(at, stored.value, buffer, &local)?;
            } else {
                redirect(context, *access, buffer, &local)?;
            }
        }
        let first = body.first_operation().and_then(|first| Builder::before(context, first)).ok_or_else(lost)?;
        self.fetch_new(first, window, buffer)?;
        let last = body.terminator().and_then(|last| Builder::before(context, last)).ok_or_else(lost)?;
        self.move_on(last, window, buffer, window.lines.iter())
    }

    /// At the beginning of an iteration: what is new in the window.
    pub fn fetch_new(&self, at: Builder<'c, 'a>, window: &Window, buffer: Value<'c, 'a>) -> Result<(), EmitError> {
        let lost = || EmitError::Place("a loop that hands elements on has no accesses");
        let inside = self.points.as_ref().ok_or_else(lost)?;
        for line in window.lines.iter().filter(|line| line.is_read()) {
            let place = (line, line.highest());
            self.fetch(at, inside, &Expr::Iterator(self.iterator), (window, buffer), place)?;
        }
        Ok(())
    }

    /// At the end of an iteration: all elements of some lines go on by a place.
    pub fn move_on<'l>(
        &self,
        at: Builder<'c, 'a>,
        window: &Window,
        buffer: Value<'c, 'a>,
        lines: impl Iterator<Item = &'l Line>,
    ) -> Result<(), EmitError> {
        for line in lines {
            for place in line.lowest() + 1..=line.highest() {
                let value =
                    load(at, buffer, element(self.memref)?, &self.place(at.context(), &window.slot(line, place))?)?;
                store(at, value, buffer, &self.place(at.context(), &window.slot(line, place - 1))?)?;
            }
        }
        Ok(())
    }

    fn expression(&self, slot: &Offset) -> Result<Expr, Overflow> {
        let mut sum = Expr::Const(slot.constant);
        for ((iterator, _), factor) in self.block.iter().zip(&slot.factors) {
            sum = sum.plus(&Expr::Iterator(*iterator).times(*factor)?)?;
        }
        Ok(sum)
    }
}
