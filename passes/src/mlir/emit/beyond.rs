//! Points of a block beyond the end of an array, which threads of a kernel, or vectors, may execute like all others.
//!
//! At the end of an array a thread's block has points that do not exist, and code that asks at each of them is slower
//! than code that does not, and takes more registers. Where all that is computed for a point ends up in a buffer of the
//! thread's own, in an element of its own that is no element of the array, nobody notices that it was. What such a point
//! reads must be there: elements of such buffers, or of a tile in shared memory, whatever their value. Each subscript is
//! proved to be one of the buffer's, from the bounds of the loops around and the number of threads.
//!
//! On CPUs these are the buffers on the stack, of what loops hold and of packed tiles, and a point may also read what does not depend
//! on its number: the first point of each loop exists, by the core's word, and reads the same.
//!
//! That a point's elements are none of the array is the core's word: what a loop holds ends where the conditions of the
//! points do that write it (`Promoted::limit`), else they would be no footprint of it. Here it is made sure that the
//! condition is a bound on the point's number, and that each point writes elements of its own.

use std::collections::BTreeSet;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, MemRefType};
use melior::ir::{Attribute, BlockLike, OperationRef, ShapedTypeLike, Value, ValueLike};
use polyrs_core::codegen::{Expr, IteratorId, Linear, Overflow};

use super::error::EmitError;
use super::lanes::is_own;
use super::nest::{Body, Nest, is_elementwise};
use super::operand::{expression_of, expressions_of};
use crate::mlir::ir::operation::{is, number};
use crate::mlir::ir::value::{argument, defining, id};
use crate::mlir::ir::{Access, AccessKind, AffineFor, AffineIf, AffineParallel, Bound};

/// The first argument of a kernel that is a thread's number, and the first behind them. Of the launch these operands say
/// how many there are.
const THREADS: std::ops::Range<usize> = 3..6;

/// The loops of a nest around an operation.
type Around<'n, 'c, 'a> = Vec<&'n Nest<'c, 'a>>;

/// The points of a nest that do not exist may be executed all the same.
///
/// # Errors
/// A number does not fit.
pub(super) fn may_run_beyond<'c, 'a>(memory: &Memory<'c>, nest: &Nest<'c, 'a>) -> Result<bool, EmitError> {
    memory.allow(nest, &mut Vec::new())
}

/// The memory that there is besides that of arrays.
pub(super) enum Memory<'c> {
    /// Buffers on the stack.
    Stack,
    /// That of kernels.
    Kernel {
        /// A thread's own.
        own: Option<Attribute<'c>>,
        /// That of all threads of a block.
        shared: Option<Attribute<'c>>,
    },
}

impl<'c> Memory<'c> {
    /// That of kernels.
    pub fn of_kernels(context: &'c Context) -> Self {
        let [own, shared] =
            ["private", "workgroup"].map(|space| Attribute::parse(context, &format!("#gpu.address_space<{space}>")));
        Memory::Kernel { own, shared }
    }

    /// A buffer is of it, and may be written by a point that does not exist, or read.
    fn has<'a>(&self, access: &Access<'c, 'a>, buffer: &MemRefType<'c>) -> bool {
        match self {
            Memory::Stack => is_own(access.memref),
            Memory::Kernel { own, shared } => {
                let space = buffer.memory_space();
                space.is_some() && (space == *own || space == *shared && access.kind == AccessKind::Load)
            }
        }
    }

    fn allow<'n, 'a>(&self, nest: &'n Nest<'c, 'a>, around: &mut Around<'n, 'c, 'a>) -> Result<bool, EmitError> {
        if let Some(exists) = &nest.exists
            && !is_end(exists, nest.variable)?
        {
            return Ok(false);
        }
        around.push(nest);
        let mut all = true;
        match &nest.body {
            Body::Vector(steps) => {
                for step in steps {
                    all = all && self.allow_operation(step.operation(), around)?;
                }
            }
            Body::Scalar(operations) => {
                for operation in operations {
                    all = all && self.allow_operation(*operation, around)?;
                }
            }
            Body::Loops(inner) => {
                for nest in inner {
                    all = all && self.allow(nest, around)?;
                }
            }
        }
        around.pop();
        Ok(all)
    }

    fn allow_operation<'a>(
        &self,
        operation: OperationRef<'c, 'a>,
        around: &Around<'_, 'c, 'a>,
    ) -> Result<bool, EmitError> {
        let Some(access) = Access::new(operation) else {
            // On a CPU somebody may ask afterwards, or be told by a signal, whether anything was divided by zero.
            if matches!(self, Memory::Stack) && is(operation, "arith.divf") {
                return Ok(false);
            }
            return Ok(is_elementwise(operation) || is(operation, "arith.constant") || is(operation, "affine.apply"));
        };
        let memref = MemRefType::try_from(access.memref.r#type())?;
        let mut values = Values { known: Vec::new(), around };
        let Some(subscripts) = values.expressions(&access.subscripts)? else { return Ok(false) };
        if access.vector || !self.has(&access, &memref) {
            let is_load = matches!(self, Memory::Stack) && access.kind == AccessKind::Load && !access.vector;
            let mut ending =
                around.iter().filter(|nest| nest.exists.is_some()).map(|nest| values.number(nest.variable));
            return Ok(is_load && !ending.any(|number| subscripts.iter().any(|subscript| subscript.mentions(number))));
        }
        // Each point has elements of its own to write.
        let writes = access.kind == AccessKind::Store;
        for nest in around.iter().filter(|nest| writes && nest.exists.is_some()) {
            let number = values.number(nest.variable);
            if !subscripts.iter().any(|subscript| subscript.mentions(number)) {
                return Ok(false);
            }
        }
        for (dimension, subscript) in subscripts.iter().enumerate() {
            let DimSize::Static(size) = memref.dim_size(dimension)? else { return Ok(false) };
            let size = i64::try_from(size).map_err(|_| Overflow)?;
            let last = subscript.plus_constant(1 - size)?;
            if !values.is_negative_or_zero(&last)? || !values.is_negative_or_zero(&subscript.times(-1)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A condition is a single bound from above on a variable.
fn is_end<'c, 'a>(exists: &AffineIf<'c, 'a>, variable: Value<'c, 'a>) -> Result<bool, EmitError> {
    let constraints = exists.condition.constraints();
    let [(bound, false)] = &constraints[..] else { return Ok(false) };
    let position = |value: &Value<'c, 'a>| exists.operands.iter().position(|other| id(*other) == id(*value));
    let Some(number) = position(&variable).map(IteratorId) else { return Ok(false) };
    // One value may be several operands.
    let operand = |at: usize| exists.operands.get(at).and_then(position).map(|first| Expr::Iterator(IteratorId(first)));
    let Some(bound) = expression_of(*bound, exists.condition.dim_count(), &operand)? else { return Ok(false) };
    let mut sum = Linear::of(&bound)?;
    let factor = sum.terms.remove(&Expr::Iterator(number)).unwrap_or_default();
    Ok(factor < 0 && !sum.into_expr().mentions(number))
}

/// The values of a loop's variable: from the greatest of some bounds to the least of others, exclusive, by steps.
struct Range<'c, 'a> {
    lower: Bound<'c, 'a>,
    upper: Bound<'c, 'a>,
    step: i64,
}

/// The values that expressions speak of, as iterators by their position here.
struct Values<'n, 'c, 'a> {
    known: Vec<Value<'c, 'a>>,
    around: &'n Around<'n, 'c, 'a>,
}

impl<'c, 'a> Values<'_, 'c, 'a> {
    fn number(&mut self, value: Value<'c, 'a>) -> IteratorId {
        let known = self.known.iter().position(|other| id(*other) == id(value));
        IteratorId(known.unwrap_or_else(|| {
            self.known.push(value);
            self.known.len() - 1
        }))
    }

    fn expressions(&mut self, bound: &Bound<'c, 'a>) -> Result<Option<Vec<Expr>>, Overflow> {
        let numbers: Vec<_> = bound.operands.iter().map(|value| (id(*value), self.number(*value))).collect();
        expressions_of(bound, &|value: Value<'_, '_>| {
            let number = numbers.iter().find(|(other, _)| *other == id(value));
            number.map(|(_, number)| Expr::Iterator(*number))
        })
    }

    /// An expression is never positive, as the bounds of loops and the numbers of threads have it: variables of loops
    /// are replaced by their bounds, in any order that does.
    fn is_negative_or_zero(&mut self, expression: &Expr) -> Result<bool, EmitError> {
        let mut sum = Linear::of(expression)?;
        let (_, greatest) = sum.take_range(|term| self.most(term))?;
        sum.constant = sum.constant.checked_add(greatest).ok_or(Overflow)?;
        if let Some(greatest) = sum.as_constant() {
            return Ok(greatest <= 0);
        }
        for (term, factor) in &sum.terms {
            let Expr::Iterator(variable) = term else { continue };
            // A bound stands for the variable where its sum grows with it, which is not known of other terms.
            if sum.terms.keys().any(|other| other != term && other.mentions(*variable)) {
                continue;
            }
            for bound in self.bounds(*variable, *factor > 0)? {
                let replaced = sum.clone().into_expr();
                let replaced = replaced.substitute(&|other| (other == *variable).then(|| bound.clone()))?;
                if self.is_negative_or_zero(&replaced)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What a loop's variable is at most, or at least; nothing where it is no loop's.
    fn bounds(&mut self, IteratorId(number): IteratorId, above: bool) -> Result<Vec<Expr>, EmitError> {
        let Some(range) = self.range_of(number) else { return Ok(Vec::new()) };
        let lower = self.expressions(&range.lower)?.unwrap_or_default();
        if !above {
            return Ok(lower);
        }
        let upper = self.expressions(&range.upper)?.unwrap_or_default();
        let mut last = Vec::new();
        for bound in upper {
            // The last value is whole steps behind the first one.
            let lengths = lower.iter().map(|first| self.residue(&bound.minus(first)?, range.step));
            let lengths = lengths.collect::<Result<BTreeSet<_>, _>>()?;
            let beyond = match lengths.first() {
                Some(Some(length)) if lengths.len() == 1 => (length - 1).rem_euclid(range.step),
                _ => 0,
            };
            last.push(bound.plus_constant(-1 - beyond)?);
        }
        Ok(last)
    }

    /// What is left of an expression when it is divided by a number, if that is always the same.
    fn residue(&mut self, expression: &Expr, divisor: i64) -> Result<Option<i64>, EmitError> {
        let within = |value: i64| value.rem_euclid(divisor);
        Ok(match expression {
            Expr::Const(value) => Some(within(*value)),
            Expr::Add(one, other) => match (self.residue(one, divisor)?, self.residue(other, divisor)?) {
                (Some(one), Some(other)) => Some(within(one + other)),
                _ => None,
            },
            Expr::Mul(factor, _) if within(*factor) == 0 => Some(0),
            Expr::Mul(factor, one) => self.residue(one, divisor)?.and_then(|one| one.checked_mul(*factor)).map(within),
            Expr::Mod(one, other) if other % divisor == 0 => self.residue(one, divisor)?,
            Expr::Iterator(IteratorId(number)) => {
                let range = self.range_of(*number).filter(|range| range.step % divisor == 0);
                let Some(range) = range else { return Ok(None) };
                let mut found = BTreeSet::new();
                for first in self.expressions(&range.lower)?.unwrap_or_default() {
                    found.insert(self.residue(&first, divisor)?);
                }
                if found.len() == 1 { found.pop_first().flatten() } else { None }
            }
            _ => None,
        })
    }

    /// The range of the loop, sequential or parallel, that a value is the variable of.
    fn range_of(&self, number: usize) -> Option<Range<'c, 'a>> {
        let (block, position) = argument(*self.known.get(number)?)?;
        let owner = block.parent_operation()?;
        if let Some(AffineFor { lower, upper, step, .. }) = AffineFor::new(owner) {
            // What iterations hand on are arguments as well.
            return (position == 0).then_some(Range { lower, upper, step });
        }
        let AffineParallel { lowers, uppers, steps, .. } = AffineParallel::new(owner)?;
        let (lower, upper) = (lowers.get(position)?.clone(), uppers.get(position)?.clone());
        Some(Range { lower, upper, step: *steps.get(position)? })
    }

    /// The greatest value of an unrolled loop's variable or of a thread's number, of which the least is zero.
    fn most(&self, term: &Expr) -> Option<i64> {
        let Expr::Iterator(IteratorId(position)) = term else { return None };
        let value = *self.known.get(*position)?;
        if let Some(nest) = self.around.iter().find(|nest| id(nest.variable) == id(value)) {
            return Some(nest.extent - 1);
        }
        let (block, axis) = argument(value)?;
        let launch = block.parent_operation().filter(|owner| is(*owner, "gpu.launch") && THREADS.contains(&axis))?;
        let count = launch.operand(axis).ok()?;
        let (mut most, _) = defining(count)?;
        if is(most, "arith.minsi") {
            // As many as are needed, but no more than so many.
            most = defining(most.operand(1).ok()?)?.0;
        }
        Some(number(most)? - 1)
    }
}
