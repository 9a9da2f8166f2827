//! Nests of loops from zero to constants, as what they become when they are unrolled.

use std::collections::HashSet;

use melior::ir::{BlockRef, OperationRef, Type, TypeLike, Value, ValueLike};
use polyrs_core::codegen::{Expr, IteratorId};

use super::error::EmitError;
use super::operand::{expressions_of, stride};
use super::pieces::{Piece, pieces};
use crate::mlir::ir::operation::{FMULADD, is, name, operands, operations, regions, results};
use crate::mlir::ir::value::{ValueId, id};
use crate::mlir::ir::{Access, AccessKind, AffineFor, AffineIf, Bound};
use crate::mlir::lift::has_rows;

/// Operations that do the same to each element of a vector.
const ELEMENTWISE: &[&str] = &[
    "arith.addf",
    "arith.addi",
    "arith.andi",
    "arith.bitcast",
    "arith.cmpf",
    "arith.cmpi",
    "arith.divf",
    "arith.extf",
    "arith.extsi",
    "arith.extui",
    "arith.fptosi",
    "arith.fptoui",
    "arith.maximumf",
    "arith.maxnumf",
    "arith.maxsi",
    "arith.maxui",
    "arith.minimumf",
    "arith.minnumf",
    "arith.minsi",
    "arith.minui",
    "arith.mulf",
    "arith.muli",
    "arith.negf",
    "arith.ori",
    "arith.select",
    "arith.shli",
    "arith.shrsi",
    "arith.shrui",
    "arith.sitofp",
    "arith.subf",
    "arith.subi",
    "arith.truncf",
    "arith.trunci",
    "arith.uitofp",
    "arith.xori",
    "math.absf",
    "math.absi",
    "math.fma",
    "math.sqrt",
    FMULADD,
];

/// Elements that are further apart are not picked from vectors.
const FARTHEST_APART: i64 = 4;

/// An operation that has no effect, and may be on vectors as well.
pub fn is_elementwise(operation: OperationRef<'_, '_>) -> bool {
    ELEMENTWISE.contains(&name(operation).as_str()) && regions(operation).is_empty()
}

/// The vector form of an operation of a vector loop.
pub(super) enum Step<'c, 'a> {
    /// It is the same in all iterations, and stays as it is.
    Once(OperationRef<'c, 'a>),
    /// It loads elements of a row that are so many apart, few: neighbours if that is 1.
    Load(Access<'c, 'a>, i64),
    /// It loads others.
    Gather(Access<'c, 'a>),
    /// It stores neighbours.
    Store(Access<'c, 'a>),
    /// It stores others.
    Scatter(Access<'c, 'a>),
    /// It computes each element of a vector.
    Each(OperationRef<'c, 'a>),
}

/// A loop from zero to a constant.
pub(super) struct Nest<'c, 'a> {
    pub variable: Value<'c, 'a>,
    pub extent: i64,
    /// The condition for a point to exist, which all of the body is under, if not all do.
    pub exists: Option<AffineIf<'c, 'a>>,
    pub body: Body<'c, 'a>,
}

/// What loops become.
#[derive(Clone, Copy)]
pub(super) enum Loops<'l, 'c, 'a> {
    /// Operations on vectors, where they are these; points of some may end before, and some accesses come to elements anywhere,
    /// one by one.
    Vector {
        innermost: &'l [OperationRef<'c, 'a>],
        ends: &'l [OperationRef<'c, 'a>],
        elements: &'l [OperationRef<'c, 'a>],
    },
    /// Operations on single elements; points of some may end before.
    Scalar { ends: &'l [OperationRef<'c, 'a>] },
}

impl<'c, 'a> Loops<'_, 'c, 'a> {
    /// The condition for points of a loop to exist, if some may not.
    fn point(self, operation: OperationRef<'c, 'a>, body: BlockRef<'c, 'a>) -> Option<AffineIf<'c, 'a>> {
        let (Loops::Vector { ends, .. } | Loops::Scalar { ends }) = self;
        if ends.contains(&operation) { point(body) } else { None }
    }
}

/// What is in a loop.
pub(super) enum Body<'c, 'a> {
    /// Operations on vectors.
    Vector(Vec<Step<'c, 'a>>),
    /// Operations on single elements.
    Scalar(Vec<OperationRef<'c, 'a>>),
    /// Loops.
    Loops(Vec<Nest<'c, 'a>>),
}

impl<'c, 'a> Nest<'c, 'a> {
    /// `None` where the operation is no nest of this kind.
    pub fn of(operation: OperationRef<'c, 'a>, loops: Loops<'_, 'c, 'a>) -> Result<Option<Self>, EmitError> {
        let Some(view) = AffineFor::new(operation) else { return Ok(None) };
        let (Some(0), Some(extent), 1) = (constant(&view.lower), constant(&view.upper), view.step) else {
            return Ok(None);
        };
        let variable = view.variable;
        let exists = loops.point(operation, view.body);
        let body = exists.as_ref().map_or(view.body, |exists| exists.then);
        if let Loops::Vector { innermost, elements, .. } = loops
            && innermost.contains(&operation)
        {
            let steps = steps(body, variable, elements)?;
            return Ok(steps.map(|steps| Nest { variable, extent, exists, body: Body::Vector(steps) }));
        }
        let inside = || without_end(body);
        if matches!(loops, Loops::Scalar { .. }) && inside().all(|operation| regions(operation).is_empty()) {
            return Ok(Some(Nest { variable, extent, exists, body: Body::Scalar(inside().collect()) }));
        }
        let mut inner = Vec::new();
        for operation in inside() {
            match Nest::of(operation, loops)? {
                Some(nest) => inner.push(nest),
                None => return Ok(None),
            }
        }
        Ok(Some(Nest { variable, extent, exists, body: Body::Loops(inner) }))
    }

    /// Some of its points may not exist.
    pub fn may_end(&self) -> bool {
        let inside = match &self.body {
            Body::Loops(inner) => inner.iter().any(Nest::may_end),
            Body::Vector(_) | Body::Scalar(_) => false,
        };
        self.exists.is_some() || inside
    }

    /// Points are executed whether they exist or not.
    pub fn run_beyond(&mut self) {
        self.exists = None;
        if let Body::Loops(inner) = &mut self.body {
            inner.iter_mut().for_each(Nest::run_beyond);
        }
    }

    /// The vectors that its iterations become.
    pub fn pieces(&self) -> Vec<Piece> {
        let widest = |step: &Step<'c, 'a>| match step {
            Step::Load(access, _) | Step::Gather(access) | Step::Store(access) | Step::Scatter(access) => {
                bits(access.value.r#type())
            }
            Step::Each(operation) => results(*operation).iter().map(|result| bits(result.r#type())).max().unwrap_or(0),
            Step::Once(_) => 0,
        };
        let Body::Vector(steps) = &self.body else { return Vec::new() };
        pieces(self.extent, steps.iter().map(widest).max().unwrap_or(0))
    }

    /// The number of operations that it becomes.
    pub fn size(&self) -> i64 {
        let all = i64::try_from(self.pieces().len()).unwrap_or(i64::MAX);
        let step = |step: &Step<'_, '_>| match step {
            Step::Gather(_) | Step::Scatter(_) => self.extent,
            Step::Load(_, stride) => (2 * stride.abs() - 1).saturating_mul(all),
            _ => all,
        };
        match &self.body {
            Body::Vector(steps) => steps.iter().map(step).fold(0, i64::saturating_add),
            Body::Scalar(all) => i64::try_from(all.len()).unwrap_or(i64::MAX).saturating_mul(self.extent),
            Body::Loops(inner) => inner.iter().map(Nest::size).sum::<i64>().saturating_mul(self.extent),
        }
    }
}

/// The operations of a block but for the last one.
fn without_end<'c, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    operations(block).into_iter().filter(|operation| !is(*operation, "affine.yield"))
}

/// The condition that is all of a loop's body, and has no other branch.
fn point<'c, 'a>(body: BlockRef<'c, 'a>) -> Option<AffineIf<'c, 'a>> {
    let mut inside = without_end(body);
    let exists = AffineIf::new(inside.next()?).filter(|_| inside.next().is_none())?;
    (results(exists.operation).is_empty() && exists.otherwise.is_none()).then_some(exists)
}

/// The constant that a bound is.
fn constant(bound: &Bound<'_, '_>) -> Option<i64> {
    match (bound.map.result_count(), bound.map.result(0)) {
        (1, Ok(result)) if result.is_constant() => Some(result.constant_value()),
        _ => None,
    }
}

impl<'c, 'a> Step<'c, 'a> {
    /// The operation of an element.
    pub fn operation(&self) -> OperationRef<'c, 'a> {
        match self {
            Step::Once(operation) | Step::Each(operation) => *operation,
            Step::Load(access, _) | Step::Gather(access) | Step::Store(access) | Step::Scatter(access) => {
                access.operation
            }
        }
    }
}

/// The vector forms of the operations of a vector loop, of which some accesses come to `elements` anywhere; `None` where one of them
/// cannot be on vectors.
fn steps<'c, 'a>(
    body: BlockRef<'c, 'a>,
    variable: Value<'c, 'a>,
    elements: &[OperationRef<'c, 'a>],
) -> Result<Option<Vec<Step<'c, 'a>>>, EmitError> {
    // The values that differ between iterations.
    let mut wide: HashSet<ValueId> = HashSet::from([id(variable)]);
    let mut steps = Vec::new();
    for operation in operations(body) {
        if is(operation, "affine.yield") {
            continue;
        }
        let step = match Access::new(operation) {
            Some(access) if elements.contains(&operation) => {
                is_number(access.value.r#type()).then_some(match access.kind {
                    AccessKind::Load => Step::Gather(access),
                    AccessKind::Store => Step::Scatter(access),
                })
            }
            Some(access) => memory_step(access, variable, &wide)?,
            None => other_step(operation, variable, &wide),
        };
        let Some(step) = step else { return Ok(None) };
        if !matches!(step, Step::Once(_)) {
            wide.extend(results(operation).into_iter().map(id));
        }
        steps.push(step);
    }
    Ok(Some(steps))
}

fn memory_step<'c, 'a>(
    access: Access<'c, 'a>,
    variable: Value<'c, 'a>,
    wide: &HashSet<ValueId>,
) -> Result<Option<Step<'c, 'a>>, EmitError> {
    let varies = |value: &Value<'c, 'a>| id(*value) != id(variable) && wide.contains(&id(*value));
    if access.vector || access.subscripts.operands.iter().any(varies) || !is_number(access.value.r#type()) {
        return Ok(None);
    }
    let Some(strides) = strides(&access.subscripts, variable)? else { return Ok(None) };
    let along_row = strides.split_last().filter(|(_, before)| before.iter().all(|stride| *stride == 0));
    let is_vector = is_vector_in_memory(access.memref.r#type(), access.value.r#type());
    let apart = along_row.map(|(last, _)| *last).filter(|last| is_vector && last.abs() <= FARTHEST_APART);
    Ok(match access.kind {
        AccessKind::Load if strides.iter().all(|stride| *stride == 0) => Some(Step::Once(access.operation)),
        AccessKind::Load => Some(match apart {
            Some(apart) => Step::Load(access, apart),
            None => Step::Gather(access),
        }),
        AccessKind::Store if apart == Some(1) => Some(Step::Store(access)),
        AccessKind::Store => None,
    })
}

fn other_step<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    variable: Value<'c, 'a>,
    wide: &HashSet<ValueId>,
) -> Option<Step<'c, 'a>> {
    let used = operands(operation);
    let elementwise = is_elementwise(operation);
    if !used.iter().any(|value| wide.contains(&id(*value))) {
        let pure = elementwise || is(operation, "arith.constant") || is(operation, "affine.apply");
        return (pure && regions(operation).is_empty()).then_some(Step::Once(operation));
    }
    let numbers = results(operation).iter().chain(&used).all(|value| is_number(value.r#type()));
    let counts = used.iter().any(|value| id(*value) == id(variable));
    (elementwise && numbers && !counts).then_some(Step::Each(operation))
}

/// Neighbours in a memref are a vector as they lie in memory: not where they are further apart, nor where a vector has
/// its elements closer together, as bits.
pub fn is_vector_in_memory(memref: Type<'_>, element: Type<'_>) -> bool {
    let bits = bits(element);
    (8..=64).contains(&bits) && bits.is_power_of_two() && has_rows(memref)
}

/// The bits of a number.
pub fn bits(number: Type<'_>) -> u32 {
    // SAFETY: the type is alive, and its kind is asked for first.
    unsafe {
        let raw = number.to_raw();
        if mlir_sys::mlirTypeIsAInteger(raw) {
            mlir_sys::mlirIntegerTypeGetWidth(raw)
        } else if mlir_sys::mlirTypeIsAFloat(raw) {
            mlir_sys::mlirFloatTypeGetWidth(raw)
        } else {
            0
        }
    }
}

/// Vectors can hold values of a type.
fn is_number(r#type: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    r#type.is_integer() || unsafe { mlir_sys::mlirTypeIsAFloat(r#type.to_raw()) }
}

/// How much one step of a variable changes each subscript; `None` where that is no constant.
pub(super) fn strides(subscripts: &Bound<'_, '_>, variable: Value<'_, '_>) -> Result<Option<Vec<i64>>, EmitError> {
    let position = |value: Value<'_, '_>| subscripts.operands.iter().position(|operand| id(*operand) == id(value));
    let number = position(variable).map(IteratorId);
    let expressions = expressions_of(subscripts, &|value| position(value).map(|at| Expr::Iterator(IteratorId(at))))?;
    let Some(expressions) = expressions else { return Ok(None) };
    let mut strides = Vec::new();
    for expression in expressions {
        match number.map_or(Ok(Some(0)), |number| stride(&expression, number))? {
            Some(stride) => strides.push(stride),
            None => return Ok(None),
        }
    }
    Ok(Some(strides))
}
