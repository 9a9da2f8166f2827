//! How many operations a loop has.
//!
//! The count of a loop is its number of iterations times the count of its body, in which its induction variable stands
//! for the middle of its values: exact for the sum over a triangle, near enough elsewhere. Of two branches
//! the longer counts.

use std::collections::HashMap;

use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, BlockLike, BlockRef, OperationRef, Value};

use super::amount::{Amount, Operator};
use crate::mlir::ir::Builder;
use crate::mlir::ir::affine::{AffineFor, AffineIf, AffineParallel, Apply, ApplyKind, Bound};
use crate::mlir::ir::operation::{blocks, contains, is, number, operands, operations, regions};
use crate::mlir::ir::value::{ValueId, argument, defining, id};

/// The operations of one execution of a parallel loop, computed before it; `None` where they cannot be estimated.
///
/// # Errors
/// An operation could not be built.
pub fn of_parallel<'c, 'a>(
    parallel: &AffineParallel<'c, 'a>,
    builder: Builder<'c, 'a>,
) -> Result<Option<Amount<'c, 'a>>, melior::Error> {
    Counter::new(Counted::Operations, vec![parallel.operation], builder).parallel(parallel)
}

/// How much of a loop's range comes before the iterations that are compared.
const SAMPLES: [f64; 2] = [0.125, 0.875];

/// How often as much work as others some iterations have that are not even. To take parts of what is left costs a little, and
/// threads do not come back to the same data.
const UNEVEN: f64 = 1.5;

/// What a value from outside is taken to be, and the variable of a loop around: any size does where only shapes count.
const ASSUMED: [f64; 2] = [4800.0, 2400.0];

/// Whether some iterations of a parallel loop have more work than others. Values from outside that are no constants are taken to
/// be large and equal, and variables of loops around to be half of that. No operation is built.
///
/// # Errors
/// An operation could not be built.
pub fn is_uneven<'c, 'a>(parallel: &AffineParallel<'c, 'a>, builder: Builder<'c, 'a>) -> Result<bool, melior::Error> {
    let mut found = Vec::new();
    for share in SAMPLES {
        let mut counter = Counter::new(Counted::Operations, vec![parallel.operation], builder);
        counter.is_assuming = true;
        match counter.iteration(parallel, share)? {
            Some(Amount::Known(work)) => found.push(work),
            _ => return Ok(false),
        }
    }
    let (least, most) = (found.iter().copied().fold(f64::MAX, f64::min), found.iter().copied().fold(0.0, f64::max));
    Ok(most > least * UNEVEN)
}

/// The operations of some operations and of what is in them, computed before or behind them; `None` where they cannot
/// be estimated.
///
/// # Errors
/// An operation could not be built.
pub fn of_operations<'c, 'a>(
    all: &[OperationRef<'c, 'a>],
    builder: Builder<'c, 'a>,
) -> Result<Option<Amount<'c, 'a>>, melior::Error> {
    Counter::new(Counted::Operations, all.to_vec(), builder).sum(all)
}

/// The launches of kernels in some operations, likewise.
///
/// # Errors
/// An operation could not be built.
pub fn launches_in<'c, 'a>(
    all: &[OperationRef<'c, 'a>],
    builder: Builder<'c, 'a>,
) -> Result<Option<Amount<'c, 'a>>, melior::Error> {
    Counter::new(Counted::Launches, all.to_vec(), builder).sum(all)
}

/// The operations of kernels that run in one thread, all launches together, likewise. What cannot be estimated counts
/// as nothing.
///
/// # Errors
/// An operation could not be built.
pub fn of_lone_threads<'c, 'a>(
    all: &[OperationRef<'c, 'a>],
    builder: Builder<'c, 'a>,
) -> Result<Option<Amount<'c, 'a>>, melior::Error> {
    Counter::new(Counted::LoneThreads, all.to_vec(), builder).sum(all)
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Operations,
    Launches,
    LoneThreads,
}

struct Counter<'c, 'a> {
    outermost: Vec<OperationRef<'c, 'a>>,
    counted: Counted,
    builder: Builder<'c, 'a>,
    /// The values that induction variables of the loops around stand for.
    middles: HashMap<ValueId, Amount<'c, 'a>>,
    /// Values from outside have [assumed values](ASSUMED).
    is_assuming: bool,
}

type Estimate<'c, 'a> = Result<Option<Amount<'c, 'a>>, melior::Error>;

impl<'c, 'a> Counter<'c, 'a> {
    fn new(counted: Counted, outermost: Vec<OperationRef<'c, 'a>>, builder: Builder<'c, 'a>) -> Self {
        Counter { outermost, counted, builder, middles: HashMap::new(), is_assuming: false }
    }

    fn parallel(&mut self, view: &AffineParallel<'c, 'a>) -> Estimate<'c, 'a> {
        let mut iterations = Amount::Known(1.0);
        for (number, variable) in view.variables.iter().enumerate() {
            let (lower, upper) = (&view.lowers[number], &view.uppers[number]);
            let Some(own) = self.iterations(lower, upper, view.steps[number], *variable)? else { return Ok(None) };
            iterations = iterations.with(Operator::Multiply, own, self.builder)?;
        }
        self.times(iterations, view.body)
    }

    /// The work of one iteration, behind a share of them; of several loops, that is one of the first.
    fn iteration(&mut self, view: &AffineParallel<'c, 'a>, share: f64) -> Estimate<'c, 'a> {
        for (number, variable) in view.variables.iter().enumerate() {
            let (lower, upper) = (&view.lowers[number], &view.uppers[number]);
            if self.iterations(lower, upper, view.steps[number], *variable)?.is_none() {
                return Ok(None);
            }
        }
        let ([variable, ..], [lower, ..], [upper, ..]) = (&view.variables[..], &view.lowers[..], &view.uppers[..])
        else {
            return Ok(None);
        };
        let ends = (self.bound(lower, Operator::Greatest)?, self.bound(upper, Operator::Least)?);
        let (Some(Amount::Known(first)), Some(Amount::Known(end))) = ends else { return Ok(None) };
        self.middles.insert(id(*variable), Amount::Known(first + (end - first) * share));
        self.block(view.body)
    }

    fn times(&mut self, iterations: Amount<'c, 'a>, body: BlockRef<'c, 'a>) -> Estimate<'c, 'a> {
        let Some(once) = self.block(body)? else { return Ok(None) };
        iterations.with(Operator::Multiply, once, self.builder).map(Some)
    }

    /// The iterations of a loop. Its variable stands for the middle from now on.
    fn iterations(
        &mut self,
        lower: &Bound<'c, 'a>,
        upper: &Bound<'c, 'a>,
        step: i64,
        variable: Value<'c, 'a>,
    ) -> Estimate<'c, 'a> {
        let Some(first) = self.bound(lower, Operator::Greatest)? else { return Ok(None) };
        let Some(end) = self.bound(upper, Operator::Least)? else { return Ok(None) };
        let middle = first.with(Operator::Add, end, self.builder)?;
        self.middles.insert(id(variable), middle.with(Operator::Multiply, Amount::Known(0.5), self.builder)?);
        let span = end.with(Operator::Subtract, first, self.builder)?;
        let span = span.with(Operator::Greatest, Amount::Known(0.0), self.builder)?;
        span.with(Operator::Divide, Amount::Known(step as f64), self.builder).map(Some)
    }

    fn block(&mut self, block: BlockRef<'c, 'a>) -> Estimate<'c, 'a> {
        self.sum(&operations(block))
    }

    fn sum(&mut self, all: &[OperationRef<'c, 'a>]) -> Estimate<'c, 'a> {
        let mut sum = Amount::Known(0.0);
        for operation in all {
            let Some(own) = self.operation(*operation)? else { return Ok(None) };
            sum = sum.with(Operator::Add, own, self.builder)?;
        }
        Ok(Some(sum))
    }

    fn operation(&mut self, operation: OperationRef<'c, 'a>) -> Estimate<'c, 'a> {
        if let Some(view) = AffineFor::new(operation) {
            let iterations = self.iterations(&view.lower, &view.upper, view.step, view.variable)?;
            return iterations.map_or(Ok(None), |iterations| self.times(iterations, view.body));
        }
        if let Some(view) = AffineParallel::new(operation) {
            return self.parallel(&view);
        }
        if let Some(view) = AffineIf::new(operation) {
            let Some(then) = self.block(view.then)? else { return Ok(None) };
            let Some(otherwise) = view.otherwise.map_or(Ok(Some(Amount::Known(0.0))), |block| self.block(block))?
            else {
                return Ok(None);
            };
            return then.with(Operator::Greatest, otherwise, self.builder).map(Some);
        }
        if self.counted != Counted::Operations || is(operation, "scf.if") {
            return self.inside(operation);
        }
        let is_free = is(operation, "arith.constant") || is(operation, "affine.yield");
        Ok((operation.region_count() == 0).then_some(Amount::Known(if is_free { 0.0 } else { 1.0 })))
    }

    /// The sum of all that is in an operation that is no affine loop or condition. Launches in parts, of grids that are
    /// too large for one, are so rare that they count as one.
    fn inside(&mut self, operation: OperationRef<'c, 'a>) -> Estimate<'c, 'a> {
        if is(operation, "gpu.launch") && self.counted == Counted::LoneThreads {
            return self.lone_thread(operation);
        }
        if is(operation, "gpu.launch") {
            return Ok(Some(Amount::Known(1.0)));
        }
        self.blocks(operation)
    }

    /// The operations of a kernel that is launched in one thread; nothing of others.
    fn lone_thread(&mut self, launch: OperationRef<'c, 'a>) -> Estimate<'c, 'a> {
        let is_one = |size: Value<'c, 'a>| defining(size).and_then(|(maker, _)| number(maker)) == Some(1);
        if !operands(launch).into_iter().all(is_one) {
            return Ok(Some(Amount::Known(0.0)));
        }
        self.counted = Counted::Operations;
        let inside = self.blocks(launch);
        self.counted = Counted::LoneThreads;
        Ok(Some(inside?.unwrap_or(Amount::Known(0.0))))
    }

    fn blocks(&mut self, operation: OperationRef<'c, 'a>) -> Estimate<'c, 'a> {
        let mut sum = Amount::Known(0.0);
        for region in regions(operation) {
            for block in blocks(region) {
                let Some(own) = self.block(block)? else { return Ok(None) };
                sum = sum.with(Operator::Add, own, self.builder)?;
            }
        }
        Ok(Some(sum))
    }

    /// The greatest or the least of a bound's results.
    fn bound(&self, bound: &Bound<'c, 'a>, of_results: Operator) -> Estimate<'c, 'a> {
        let mut found: Option<Amount<'c, 'a>> = None;
        for number in 0..bound.map.result_count() {
            let Ok(result) = bound.map.result(number) else { return Ok(None) };
            let Some(value) = self.expression(result, bound)? else { return Ok(None) };
            found = Some(match found {
                Some(before) => before.with(of_results, value, self.builder)?,
                None => value,
            });
        }
        Ok(found)
    }

    /// An expression of a map over the map's operands. Remainders count as half of the divisor, and quotients are not
    /// rounded.
    fn expression(&self, expression: AffineExpr<'c>, bound: &Bound<'c, 'a>) -> Estimate<'c, 'a> {
        let operand = |number: usize| bound.operands.get(number).map_or(Ok(None), |operand| self.index(*operand));
        if expression.is_constant() {
            return Ok(Some(Amount::Known(expression.constant_value() as f64)));
        }
        if expression.is_dim() {
            return operand(expression.dim_position());
        }
        if expression.is_symbol() {
            return operand(bound.map.dim_count() + expression.symbol_position());
        }
        let Some(right) = self.expression(expression.rhs(), bound)? else { return Ok(None) };
        if expression.is_mod() {
            return right.with(Operator::Multiply, Amount::Known(0.5), self.builder).map(Some);
        }
        let Some(left) = self.expression(expression.lhs(), bound)? else { return Ok(None) };
        let operator = match () {
            () if expression.is_add() => Operator::Add,
            () if expression.is_mul() => Operator::Multiply,
            () => Operator::Divide,
        };
        left.with(operator, right, self.builder).map(Some)
    }

    /// An index: the middle of a loop around, a value from outside, or a function of such values.
    fn index(&self, value: Value<'c, 'a>) -> Estimate<'c, 'a> {
        if let Some(middle) = self.middles.get(&id(value)) {
            return Ok(Some(*middle));
        }
        if let Some(constant) = defining(value).and_then(|(operation, _)| number(operation)) {
            return Ok(Some(Amount::Known(constant as f64)));
        }
        if !self.is_inside(value) {
            let [outside, around] = ASSUMED;
            return match self.is_assuming {
                true => Ok(Some(Amount::Known(if defining(value).is_none() && is_of_loop(value) {
                    around
                } else {
                    outside
                }))),
                false => Amount::of_index(value, self.builder).map(Some),
            };
        }
        let Some(apply) = defining(value).and_then(|(operation, _)| Apply::new(operation)) else { return Ok(None) };
        let of_results = if apply.kind == ApplyKind::Max { Operator::Greatest } else { Operator::Least };
        self.bound(&apply.argument, of_results)
    }

    fn is_inside(&self, value: Value<'c, 'a>) -> bool {
        let owner = match defining(value) {
            Some((operation, _)) => Some(operation),
            None => argument(value).and_then(|(block, _)| block.parent_operation()),
        };
        owner.is_none_or(|owner| self.outermost.iter().any(|outermost| contains(*outermost, owner)))
    }
}

/// A value is the variable of a loop.
fn is_of_loop(value: Value<'_, '_>) -> bool {
    let owner = argument(value).and_then(|(block, _)| block.parent_operation());
    owner.is_some_and(|owner| AffineFor::new(owner).is_some() || is(owner, "scf.for"))
}
