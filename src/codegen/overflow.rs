//! Proof that generated code does not overflow the machine's index type.
//!
//! The AST's numbers are exact; the machine's are not. [`prove`] bounds every number that the emitted code may compute
//! on the way, from the scop's context and the loops' bounds by interval arithmetic. A sum is bounded by the sum of its
//! terms' magnitudes, so that the proof holds in whatever order a later pass adds them up.

use super::{Ast, Call, Comparison, Cond, Error, Expr, For, IteratorId, Kernel, Node, Overflow, SharedTile, Span};
use crate::isl::{self, DimType};
use crate::scop::StatementId;
use polyrs_model::ast::Linear;
use std::collections::BTreeMap;

/// Bounds on parameters that make the proof succeed, to be tested before the code runs. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// At most one for each parameter, in the parameters' order.
    pub bounds: Vec<ParameterBound>,
}

/// A bound on one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterBound {
    /// The position in [`Ast::parameters`].
    pub parameter: usize,
    /// The parameter must be at least this; `None` where the context says as much.
    pub lower: Option<i64>,
    /// The parameter must be at most this; `None` where the context says as much.
    pub upper: Option<i64>,
}

/// The outcome of [`prove`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No number overflows wherever the context holds.
    Proved,
    /// No number overflows wherever the context and the guard hold.
    Guarded(Guard),
    /// No bound on the parameters was found that would do.
    Unprovable,
}

/// The subscripts and other expressions that each statement computes from its instance vector:
/// [`Expr::Iterator`] number `k` stands for the `k`-th element of the vector.
pub type Subscripts = BTreeMap<StatementId, Vec<Expr>>;

/// Proves that no bound, condition, argument or subscript computed by the AST, and no end of a span, overflows signed
/// numbers of `bits` bits.
///
/// `context` is `[p] -> { : ... }` with the AST's parameters.
///
/// # Errors
/// [`Error::Isl`] when isl fails.
pub fn prove(
    ast: &Ast,
    subscripts: &Subscripts,
    spans: &[Span],
    context: &isl::Set,
    bits: u32,
) -> Result<Verdict, Error> {
    let limit = (1_i128 << bits.clamp(2, 64).saturating_sub(1)) - 1;
    let known = parameter_intervals(ast, context)?;
    let fits = |parameters: &[Interval]| fits(ast, subscripts, spans, parameters, limit);
    if fits(&known) {
        return Ok(Verdict::Proved);
    }
    // The widest guard that does: halving from a quarter of the range leaves room for small multiples.
    for shift in (8..bits.clamp(2, 64).saturating_sub(2)).rev() {
        let bound = 1_i128 << shift;
        let mut guarded: Vec<Interval> =
            known.iter().map(|i| Interval { low: i.low.max(-bound), high: i.high.min(bound) }).collect();
        if fits(&guarded) {
            for p in 0..known.len() {
                let former = guarded[p];
                for wider in [Interval { low: known[p].low, ..former }, Interval { high: known[p].high, ..former }] {
                    let before = guarded[p];
                    guarded[p] = Interval { low: wider.low.min(before.low), high: wider.high.max(before.high) };
                    if !fits(&guarded) {
                        guarded[p] = before;
                    }
                }
            }
            return Ok(Verdict::Guarded(Guard { bounds: differences(&known, &guarded)? }));
        }
    }
    Ok(Verdict::Unprovable)
}

/// The bounds that make of what is known what is wanted.
fn differences(known: &[Interval], wanted: &[Interval]) -> Result<Vec<ParameterBound>, Error> {
    let differing = known.iter().zip(wanted).enumerate().filter(|(_, (known, wanted))| known != wanted);
    differing
        .map(|(parameter, (known, wanted))| {
            let side = |known: i128, wanted: i128| {
                (known != wanted).then(|| i64::try_from(wanted).map_err(|_| Overflow)).transpose()
            };
            Ok(ParameterBound { parameter, lower: side(known.low, wanted.low)?, upper: side(known.high, wanted.high)? })
        })
        .collect()
}

/// Far beyond every machine number, and small enough that sums and products with coefficients cannot overflow `i128`.
const INFINITY: i128 = 1 << 100;

/// All integers from `low` to `high`; empty when `low > high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interval {
    low: i128,
    high: i128,
}

impl Interval {
    fn clamped(low: i128, high: i128) -> Self {
        Interval { low: low.clamp(-INFINITY, INFINITY), high: high.clamp(-INFINITY, INFINITY) }
    }

    fn intersection(self, other: Self) -> Self {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    fn magnitude(self) -> i128 {
        self.low.abs().max(self.high.abs())
    }
}

/// What is known of each parameter alone.
fn parameter_intervals(ast: &Ast, context: &isl::Set) -> Result<Vec<Interval>, Error> {
    let names = context.space()?.dim_names(DimType::Param)?;
    ast.parameters
        .iter()
        .map(|name| {
            let everything = Interval { low: -INFINITY, high: INFINITY };
            let Some(position) = names.iter().position(|n| n == name) else { return Ok(everything) };
            // { [p] : ... }
            let line = context.clone().from_params()?.move_dims(DimType::SET, 0, DimType::Param, position, 1)?;
            let line = line.project_out_all_params()?;
            if line.is_empty()? {
                return Ok(Interval { low: 0, high: 0 });
            }
            let value = |val: isl::Val, infinite: i128| -> Result<i128, Error> {
                Ok(if val.is_int()? { val.to_i128()? } else { infinite })
            };
            let low = value(line.clone().dim_min_val(0)?, -INFINITY)?;
            let high = value(line.dim_max_val(0)?, INFINITY)?;
            Ok(Interval::clamped(low, high))
        })
        .collect()
}

fn fits(ast: &Ast, subscripts: &Subscripts, spans: &[Span], parameters: &[Interval], limit: i128) -> bool {
    // A parameter is a number of the index type.
    let parameters = parameters.iter().map(|p| p.intersection(Interval { low: -limit - 1, high: limit })).collect();
    let mut prover = Prover {
        parameters,
        subscripts,
        limit,
        iterators: vec![Interval { low: -INFINITY, high: INFINITY }; ast.n_iterators],
    };
    spans.iter().try_for_each(|span| prover.span(span)).and_then(|()| prover.node(&ast.root)).is_some()
}

struct Prover<'a> {
    /// What is known of each parameter at the place that is looked at.
    parameters: Vec<Interval>,
    subscripts: &'a Subscripts,
    limit: i128,
    iterators: Vec<Interval>,
}

/// What an expression evaluates to, and a bound on the magnitude of every partial sum of it.
#[derive(Debug, Clone, Copy)]
struct Value {
    range: Interval,
    magnitude: i128,
}

impl Prover<'_> {
    fn node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Block(children) => children.iter().try_for_each(|child| self.node(child)),
            Node::For(node) => self.for_node(node),
            Node::If(branch) => {
                self.cond(&branch.cond)?;
                let outside = self.parameters.clone();
                self.assume(&branch.cond);
                self.node(&branch.then)?;
                self.parameters = outside;
                branch.otherwise.as_ref().map_or(Some(()), |node| self.node(node))
            }
            Node::Kernel(kernel) => self.kernel(kernel),
            Node::Shared(shared) => {
                shared.tiles.iter().try_for_each(|tile| self.tile(tile))?;
                self.node(&shared.body)
            }
            Node::Call(call) => self.call(call),
        }
    }

    /// Ends of a span are computed even where nothing is accessed, and are not looked at then.
    fn span(&mut self, span: &Span) -> Option<()> {
        self.cond(&span.accessed)?;
        let outside = self.parameters.clone();
        self.assume(&span.accessed);
        let mut ends = span.least.iter().chain(&span.greatest);
        let fits = ends.try_for_each(|end| {
            self.choices(end)?;
            self.check(self.value(end)?.magnitude + 1)
        });
        self.parameters = outside;
        fits
    }

    /// The conditions that an expression chooses by; those of code are conditions of its own.
    fn choices(&self, expr: &Expr) -> Option<()> {
        match expr {
            Expr::Const(_) | Expr::Parameter(_) | Expr::Iterator(_) => Some(()),
            Expr::Add(a, b) => self.choices(a).and_then(|()| self.choices(b)),
            Expr::Mul(_, a) | Expr::FloorDiv(a, _) | Expr::Mod(a, _) => self.choices(a),
            Expr::Min(list) | Expr::Max(list) => list.iter().try_for_each(|e| self.choices(e)),
            Expr::Select(cond, a, b) => {
                self.cond(cond)?;
                self.choices(a).and_then(|()| self.choices(b))
            }
        }
    }

    fn kernel(&mut self, kernel: &Kernel) -> Option<()> {
        for axis in kernel.axes() {
            let mut known: Option<i128> = None;
            for bound in &axis.extent {
                let bound = self.value(bound)?;
                self.check(bound.magnitude)?;
                known = Some(known.map_or(bound.range.high, |known| known.max(bound.range.high)));
            }
            let most = axis.most.map(i128::from);
            let high = known.into_iter().chain(most).min()?;
            self.iterators[axis.iterator.0] = Interval { low: 0, high: (high - 1).max(0) };
        }
        self.node(&kernel.body)
    }

    /// Elements of a tile are counted from its first one.
    fn tile(&mut self, tile: &SharedTile) -> Option<()> {
        for ((origin, extent), element) in tile.origin.iter().zip(&tile.extent).zip(&tile.element) {
            let origin = self.value(origin)?;
            let magnitude = origin.magnitude + i128::from(*extent);
            self.check(magnitude)?;
            // What stands for it in conditions is that sum, so its partial sums are in theirs.
            self.iterators[element.0] = Interval { low: -magnitude, high: magnitude };
        }
        self.cond(&tile.exists)
    }

    fn for_node(&mut self, node: &For) -> Option<()> {
        let ranges = |bounds: &[Expr]| bounds.iter().map(|b| Some(self.value(b)?.range)).collect::<Option<Vec<_>>>();
        let (lower, upper) = (ranges(&node.lower)?, ranges(&node.upper)?);
        for promoted in &node.promoted {
            let sides = promoted.extent.iter().zip(&promoted.stride).zip(&promoted.limit);
            for (number, extent) in promoted.numbers.iter().zip(&promoted.extent) {
                self.iterators[number.0] = Interval { low: 0, high: i128::from(extent - 1) };
            }
            for (origin, ((extent, stride), limit)) in promoted.origin.iter().zip(sides) {
                let last = self.value(origin)?.magnitude + i128::from(*extent) * i128::from(*stride).abs();
                // Elements are compared with the limit by their difference.
                let limit = limit.as_ref().map_or(Some(0), |limit| Some(self.value(limit)?.magnitude + 1))?;
                self.check(last + limit)?;
            }
        }
        // The greatest of the lower bounds, the least of the upper ones.
        let first = lower.into_iter().reduce(|a, b| Interval { low: a.low.max(b.low), high: a.high.max(b.high) })?;
        let end = upper.into_iter().reduce(|a, b| Interval { low: a.low.min(b.low), high: a.high.min(b.high) })?;
        // A lowering may compute the trip count, from ends that are the wrong way round too.
        let step = i128::from(node.step);
        self.check(end.high - first.low + step)?;
        if end.low - first.high < -self.limit - 1 {
            return None;
        }
        let range = Interval { low: first.low, high: end.high - 1 };
        if range.low > range.high {
            return Some(()); // No iteration.
        }
        // The iterator is stepped once beyond the last iteration.
        self.check(range.high + step)?;
        self.iterators[node.iterator.0] = range;
        let outside = self.parameters.clone();
        // Where the body runs, each lower bound is at most, and each upper bound above, some value of the iterator.
        node.lower.iter().for_each(|bound| self.narrow(bound, -1, -range.high));
        node.upper.iter().for_each(|bound| self.narrow(bound, 1, range.low + 1));
        self.node(&node.body)?;
        self.parameters = outside;
        Some(())
    }

    /// Takes into account that a condition holds.
    fn assume(&mut self, cond: &Cond) {
        match cond {
            Cond::Compare(comparison, a, b) => {
                let Ok(difference) = a.minus(b) else { return };
                if matches!(comparison, Comparison::Ge | Comparison::Gt | Comparison::Eq) {
                    self.narrow(&difference, 1, i128::from(*comparison == Comparison::Gt));
                }
                if matches!(comparison, Comparison::Le | Comparison::Lt | Comparison::Eq) {
                    self.narrow(&difference, -1, i128::from(*comparison == Comparison::Lt));
                }
            }
            Cond::And(list) => list.iter().for_each(|cond| self.assume(cond)),
            Cond::Or(_) => {}
        }
    }

    /// Narrows parameters by the fact that `sign * expr` is at least a value; `sign` is 1 or -1.
    fn narrow(&mut self, expr: &Expr, sign: i64, at_least: i128) {
        let Ok(sum) = expr.times(sign).and_then(|expr| Linear::of(&expr)) else { return };
        for (atom, &factor) in &sum.terms {
            let Expr::Parameter(position) = *atom else { continue };
            let mut rest = sum.clone();
            rest.terms.remove(atom);
            let Some(rest) = self.range(&rest.into_expr()) else { continue };
            // factor * p >= least
            let least = at_least - rest.high;
            let Some(known) = self.parameters.get_mut(position) else { continue };
            let factor = i128::from(factor);
            if factor > 0 {
                known.low = known.low.max(-(-least).div_euclid(factor));
            } else {
                known.high = known.high.min((-least).div_euclid(-factor));
            }
        }
    }

    fn call(&mut self, call: &Call) -> Option<()> {
        let args = call.args.iter().map(|arg| self.value(arg)).collect::<Option<Vec<_>>>()?;
        let Some(subscripts) = self.subscripts.get(&call.statement) else { return Some(()) };
        // Subscripts are composed with the arguments, whose partial sums then mix.
        let inner = |id: IteratorId| args.get(id.0).copied();
        subscripts.iter().try_for_each(|subscript| {
            evaluate(subscript, &self.parameters, &inner).and_then(|value| self.check(value.magnitude))
        })
    }

    fn cond(&self, cond: &Cond) -> Option<()> {
        match cond {
            // Emitted as one difference compared with zero, the other way round for some comparisons.
            Cond::Compare(_, a, b) => {
                let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
                self.check(a.magnitude + b.magnitude + 1)
            }
            Cond::And(list) | Cond::Or(list) => list.iter().try_for_each(|c| self.cond(c)),
        }
    }

    fn value(&self, expr: &Expr) -> Option<Value> {
        let value = self.evaluate(expr)?;
        // A variable as it is needs no computation.
        if !matches!(expr, Expr::Parameter(_) | Expr::Iterator(_)) {
            self.check(value.magnitude)?;
        }
        Some(value)
    }

    fn range(&self, expr: &Expr) -> Option<Interval> {
        Some(self.evaluate(expr)?.range)
    }

    fn evaluate(&self, expr: &Expr) -> Option<Value> {
        let iterator = |id: IteratorId| {
            let range = *self.iterators.get(id.0)?;
            Some(Value { range, magnitude: range.magnitude() })
        };
        evaluate(expr, &self.parameters, &iterator)
    }

    fn check(&self, magnitude: i128) -> Option<()> {
        (magnitude.abs() <= self.limit).then_some(())
    }
}

/// `None` when a number is beyond all bounds or an iterator is unknown.
fn evaluate(expr: &Expr, parameters: &[Interval], iterator: &dyn Fn(IteratorId) -> Option<Value>) -> Option<Value> {
    let all = |list: &[Expr]| list.iter().map(|e| evaluate(e, parameters, iterator)).collect::<Option<Vec<_>>>();
    let value = match expr {
        Expr::Const(value) => {
            let value = i128::from(*value);
            Value { range: Interval { low: value, high: value }, magnitude: value.abs() }
        }
        Expr::Parameter(position) => {
            let range = *parameters.get(*position)?;
            Value { range, magnitude: range.magnitude() }
        }
        Expr::Iterator(id) => iterator(*id)?,
        Expr::Add(a, b) => {
            let (a, b) = (evaluate(a, parameters, iterator)?, evaluate(b, parameters, iterator)?);
            let range = Interval { low: a.range.low + b.range.low, high: a.range.high + b.range.high };
            Value { range, magnitude: a.magnitude + b.magnitude }
        }
        Expr::Mul(factor, a) => {
            let a = evaluate(a, parameters, iterator)?;
            let factor = i128::from(*factor);
            let ends = [a.range.low.checked_mul(factor)?, a.range.high.checked_mul(factor)?];
            let magnitude = a.magnitude.checked_mul(factor.abs())?.max(factor.abs());
            Value { range: Interval { low: ends[0].min(ends[1]), high: ends[0].max(ends[1]) }, magnitude }
        }
        Expr::FloorDiv(a, divisor) => {
            let a = evaluate(a, parameters, iterator)?;
            let divisor = i128::from(*divisor);
            let range = Interval { low: a.range.low.div_euclid(divisor), high: a.range.high.div_euclid(divisor) };
            // Lowered through one's complement of the dividend; the divisor is materialised too.
            Value { range, magnitude: (a.magnitude + 1).max(divisor) }
        }
        Expr::Mod(a, divisor) => {
            let a = evaluate(a, parameters, iterator)?;
            let divisor = i128::from(*divisor);
            Value { range: Interval { low: 0, high: divisor - 1 }, magnitude: a.magnitude + divisor }
        }
        Expr::Min(list) => {
            let list = all(list)?;
            let low = list.iter().map(|v| v.range.low).min()?;
            let high = list.iter().map(|v| v.range.high).min()?;
            Value { range: Interval { low, high }, magnitude: list.iter().map(|v| v.magnitude).max()? }
        }
        Expr::Max(list) => {
            let list = all(list)?;
            let low = list.iter().map(|v| v.range.low).max()?;
            let high = list.iter().map(|v| v.range.high).max()?;
            Value { range: Interval { low, high }, magnitude: list.iter().map(|v| v.magnitude).max()? }
        }
        Expr::Select(_, a, b) => {
            let (a, b) = (evaluate(a, parameters, iterator)?, evaluate(b, parameters, iterator)?);
            let range = Interval { low: a.range.low.min(b.range.low), high: a.range.high.max(b.range.high) };
            Value { range, magnitude: a.magnitude.max(b.magnitude) }
        }
    };
    (value.magnitude <= INFINITY).then_some(value)
}
