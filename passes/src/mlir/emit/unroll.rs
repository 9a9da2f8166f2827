//! Blocks unrolled, with vectors for their innermost loops.
//!
//! What a loop holds in a buffer ends up in registers only if a compiler sees every subscript of the buffer as a
//! constant, and uses whole vectors. LLVM unrolls and vectorizes such nests as well, but along which loop, and whether
//! at all, hangs on how the other operands lie in memory. So it is done here, mechanically: loops from zero to a
//! constant are unrolled, and an innermost one that carries no dependence becomes operations on vectors as long as the
//! loop. Elements that are no neighbours are loaded one by one. Each lane computes what its iteration did. In kernels a
//! loop may ask at each of its points whether that exists.

use std::collections::{BTreeMap, HashSet};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockRef, OperationRef, Region, Type, TypeLike, Value, ValueLike};
use polyrs_core::codegen::{Expr, IteratorId};

use super::beyond::may_run_beyond;
use super::error::EmitError;
use super::operand::{expressions_of, stride};
use super::promote::Inside;
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{FMULADD, erase, is, name, only_block, operands, operations, regions, results};
use crate::mlir::ir::value::{ValueId, id};
use crate::mlir::ir::{Access, AccessKind, AffineFor, Bound, Builder, ValueMap};
use crate::mlir::lift::has_rows;

/// The greatest number of operations that a nest becomes.
const MOST_OPERATIONS: i64 = 2048;

/// Operations that do the same to each element of a vector.
const ELEMENTWISE: &[&str] = &[
    "arith.addf",
    "arith.addi",
    "arith.andi",
    "arith.cmpf",
    "arith.cmpi",
    "arith.divf",
    "arith.extf",
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
    "arith.subf",
    "arith.subi",
    "arith.truncf",
    "arith.xori",
    FMULADD,
];

/// An operation that has no effect, and may be on vectors as well.
pub fn is_elementwise(operation: OperationRef<'_, '_>) -> bool {
    ELEMENTWISE.contains(&name(operation).as_str()) && regions(operation).is_empty()
}

/// An elementwise operation on vectors of so many elements, one of which stands for an operand; all others are the same
/// for each element.
///
/// # Errors
/// MLIR refuses an operation.
pub fn on_vectors<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    (operand, vector): (Value<'c, 'a>, Value<'c, 'a>),
    extent: i64,
    at: Builder<'c, 'a>,
) -> Result<Value<'c, 'a>, EmitError> {
    let mut lanes = Lanes { at, extent, once: ValueMap::new(), wide: ValueMap::new() };
    lanes.wide.insert(operand, vector);
    lanes.each(operation)?;
    Ok(lanes.wide.get(operation.result(0)?.into()))
}

/// The vector form of an operation of a vector loop.
pub(super) enum Step<'c, 'a> {
    /// It is the same in all iterations, and stays as it is.
    Once(OperationRef<'c, 'a>),
    /// It loads neighbours.
    Load(Access<'c, 'a>),
    /// It loads elements that are no neighbours.
    Gather(Access<'c, 'a>),
    /// It stores neighbours.
    Store(Access<'c, 'a>),
    /// It computes each element of a vector.
    Each(OperationRef<'c, 'a>),
}

/// A loop from zero to a constant.
pub(super) struct Nest<'c, 'a> {
    pub variable: Value<'c, 'a>,
    pub extent: i64,
    /// The condition for a point to exist, which all of the body is under, if not all do.
    pub exists: Option<OperationRef<'c, 'a>>,
    pub body: Body<'c, 'a>,
}

/// What loops become.
#[derive(Clone, Copy)]
enum Loops<'l, 'c, 'a> {
    /// Operations on vectors, where they are these.
    Vector { innermost: &'l [OperationRef<'c, 'a>] },
    /// Operations on single elements; points of these may end before.
    Scalar { ends: &'l [OperationRef<'c, 'a>] },
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

/// Unrolls the blocks in a loop, if all of them can be made vectors; `vectors` are the loops that carry no dependence.
/// Says whether it was done.
///
/// # Errors
/// MLIR refuses an operation.
pub fn unroll<'c, 'a>(
    context: &'c Context,
    around: &AffineFor<'c, 'a>,
    vectors: &[OperationRef<'c, 'a>],
) -> Result<bool, EmitError> {
    let mut nests = Vec::new();
    for operation in operations(around.body) {
        if is(operation, "affine.yield") {
            continue;
        }
        match Nest::of(operation, Loops::Vector { innermost: vectors })? {
            Some(nest) if nest.size() <= MOST_OPERATIONS => nests.push((operation, nest)),
            _ => return Ok(false),
        }
    }
    replace(context, around.operation, nests)?;
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
        unroller.nest(&nest, &mut BTreeMap::new())?;
        // SAFETY: nobody uses what is in the loop, and it is not looked at again.
        unsafe { erase(operation) }
    }
    Ok(())
}

impl<'c, 'a> Nest<'c, 'a> {
    /// `None` where the operation is no nest of this kind.
    fn of(operation: OperationRef<'c, 'a>, loops: Loops<'_, 'c, 'a>) -> Result<Option<Self>, EmitError> {
        let Some(view) = AffineFor::new(operation) else { return Ok(None) };
        let (Some(0), Some(extent), 1) = (constant(&view.lower), constant(&view.upper), view.step) else {
            return Ok(None);
        };
        let variable = view.variable;
        if let Loops::Vector { innermost } = loops
            && innermost.contains(&operation)
        {
            let steps = steps(view.body, variable)?;
            return Ok(steps.map(|steps| Nest { variable, extent, exists: None, body: Body::Vector(steps) }));
        }
        let point = match loops {
            Loops::Scalar { ends } if ends.contains(&operation) => point(view.body),
            _ => None,
        };
        let (exists, body) = point.map_or((None, view.body), |(exists, body)| (Some(exists), body));
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

    /// Points are executed whether they exist or not.
    fn run_beyond(&mut self) {
        self.exists = None;
        if let Body::Loops(inner) = &mut self.body {
            inner.iter_mut().for_each(Nest::run_beyond);
        }
    }

    /// The number of operations that it becomes.
    fn size(&self) -> i64 {
        let step = |step: &Step<'_, '_>| if matches!(step, Step::Gather(_)) { self.extent } else { 1 };
        match &self.body {
            Body::Vector(steps) => steps.iter().map(step).sum(),
            Body::Scalar(all) => i64::try_from(all.len()).unwrap_or(i64::MAX).saturating_mul(self.extent),
            Body::Loops(inner) => inner.iter().map(Nest::size).sum::<i64>().saturating_mul(self.extent),
        }
    }
}

/// The operations of a block but for the last one.
fn without_end<'c, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    operations(block).into_iter().filter(|operation| !is(*operation, "affine.yield"))
}

/// The condition that is all of a loop's body, and what is done where it holds.
fn point<'c, 'a>(body: BlockRef<'c, 'a>) -> Option<(OperationRef<'c, 'a>, BlockRef<'c, 'a>)> {
    let mut inside = without_end(body);
    let branch = inside.next().filter(|first| is(*first, "affine.if") && inside.next().is_none())?;
    let is_alone = results(branch).is_empty() && only_block(branch, 1).is_none();
    only_block(branch, 0).filter(|_| is_alone).map(|then| (branch, then))
}

/// The constant that a bound is.
fn constant(bound: &Bound<'_, '_>) -> Option<i64> {
    match (bound.map.result_count(), bound.map.result(0)) {
        (1, Ok(result)) if result.is_constant() => Some(result.constant_value()),
        _ => None,
    }
}

/// The vector forms of the operations of a vector loop; `None` where one of them cannot be on vectors.
fn steps<'c, 'a>(body: BlockRef<'c, 'a>, variable: Value<'c, 'a>) -> Result<Option<Vec<Step<'c, 'a>>>, EmitError> {
    // The values that differ between iterations.
    let mut wide: HashSet<ValueId> = HashSet::from([id(variable)]);
    let mut steps = Vec::new();
    for operation in operations(body) {
        if is(operation, "affine.yield") {
            continue;
        }
        let step = match Access::new(operation) {
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
    let along_row = matches!(strides.split_last(), Some((1, before)) if before.iter().all(|stride| *stride == 0));
    let neighbours = along_row && is_vector_in_memory(access.memref.r#type(), access.value.r#type());
    Ok(match access.kind {
        AccessKind::Load if strides.iter().all(|stride| *stride == 0) => Some(Step::Once(access.operation)),
        AccessKind::Load if neighbours => Some(Step::Load(access)),
        AccessKind::Load => Some(Step::Gather(access)),
        AccessKind::Store if neighbours => Some(Step::Store(access)),
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
fn strides(subscripts: &Bound<'_, '_>, variable: Value<'_, '_>) -> Result<Option<Vec<i64>>, EmitError> {
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

struct Unroller<'u, 'c, 'a> {
    at: Builder<'c, 'a>,
    constants: &'u mut Constants<'c, 'a>,
}

/// The variables of loops that are unrolled, with their values.
type Fixed<'c, 'a> = BTreeMap<usize, (Value<'c, 'a>, Value<'c, 'a>)>;

impl<'c, 'a> Unroller<'_, 'c, 'a> {
    fn nest(&mut self, nest: &Nest<'c, 'a>, fixed: &mut Fixed<'c, 'a>) -> Result<(), EmitError> {
        match &nest.body {
            Body::Vector(steps) => self.vector(steps, nest, fixed),
            Body::Scalar(all) => self.scalar(all, nest, fixed),
            Body::Loops(inner) => {
                let level = fixed.len();
                for value in 0..nest.extent {
                    fixed.insert(level, (nest.variable, self.constants.get(value)?));
                    let around = self.at;
                    let exists = self.where_it_exists(nest, fixed)?;
                    self.at = exists.unwrap_or(around);
                    for nest in inner {
                        self.nest(nest, fixed)?;
                    }
                    if let Some(exists) = exists {
                        exists.affine_yield(&[])?;
                    }
                    self.at = around;
                }
                fixed.remove(&level);
                Ok(())
            }
        }
    }

    fn scalar(
        &mut self,
        all: &[OperationRef<'c, 'a>],
        nest: &Nest<'c, 'a>,
        fixed: &mut Fixed<'c, 'a>,
    ) -> Result<(), EmitError> {
        let level = fixed.len();
        for value in 0..nest.extent {
            fixed.insert(level, (nest.variable, self.constants.get(value)?));
            let exists = self.where_it_exists(nest, fixed)?;
            let mut one = self.lanes(exists.unwrap_or(self.at), fixed, 1);
            for operation in all {
                one.once(*operation)?;
            }
            if let Some(exists) = exists {
                exists.affine_yield(&[])?;
            }
        }
        fixed.remove(&level);
        Ok(())
    }

    /// A branch, without its end, for where a point of a nest exists; `None` if it always does.
    fn where_it_exists(
        &mut self,
        nest: &Nest<'c, 'a>,
        fixed: &Fixed<'c, 'a>,
    ) -> Result<Option<Builder<'c, 'a>>, EmitError> {
        let Some(branch) = nest.exists else { return Ok(None) };
        let lanes = self.lanes(self.at, fixed, 1);
        let used: Vec<_> = operands(branch).into_iter().map(|value| lanes.once.get(value)).collect();
        let (region, then) = self.at.region(&[]);
        let attributes = attributes(branch)?;
        let attributes: Vec<(&str, Attribute<'c>)> = attributes.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let at = self.at.with_location(branch.location());
        at.build_with("affine.if", &used, &[], &attributes, vec![region, Region::new()])?;
        Ok(Some(then))
    }

    /// No iteration yet, for loops with these values.
    fn lanes(&self, at: Builder<'c, 'a>, fixed: &Fixed<'c, 'a>, extent: i64) -> Lanes<'c, 'a> {
        let mut once = ValueMap::new();
        for (variable, value) in fixed.values() {
            once.insert(*variable, *value);
        }
        Lanes { at, extent, once, wide: ValueMap::new() }
    }

    fn vector(&mut self, steps: &[Step<'c, 'a>], nest: &Nest<'c, 'a>, fixed: &Fixed<'c, 'a>) -> Result<(), EmitError> {
        let mut lanes = self.lanes(self.at, fixed, nest.extent);
        lanes.once.insert(nest.variable, self.constants.get(0)?);
        for step in steps {
            match step {
                Step::Once(operation) => lanes.once(*operation)?,
                Step::Load(access) => lanes.load(access)?,
                Step::Gather(access) => {
                    let mut elements = Vec::new();
                    for value in 0..nest.extent {
                        lanes.once.insert(nest.variable, self.constants.get(value)?);
                        elements.push(lanes.element(access)?);
                    }
                    lanes.once.insert(nest.variable, self.constants.get(0)?);
                    lanes.gather(access, &elements)?;
                }
                Step::Store(access) => lanes.store(access)?,
                Step::Each(operation) => lanes.each(*operation)?,
            }
        }
        Ok(())
    }
}

/// The attributes of an operation, by name.
fn attributes<'c>(operation: OperationRef<'c, '_>) -> Result<Vec<(String, Attribute<'c>)>, EmitError> {
    let mut attributes = Vec::new();
    for number in 0..operation.attribute_count() {
        let (name, attribute) = operation.attribute_at(number)?;
        attributes.push((name.as_string_ref().as_str().unwrap_or_default().to_owned(), attribute));
    }
    Ok(attributes)
}

/// The operations of all iterations of a vector loop at once.
struct Lanes<'c, 'a> {
    at: Builder<'c, 'a>,
    extent: i64,
    /// Values that are the same in all iterations; the loop's variable is that of the first one.
    once: ValueMap<'c, 'a>,
    /// The vectors of values that differ, and of others that were needed as vectors.
    wide: ValueMap<'c, 'a>,
}

impl<'c, 'a> Lanes<'c, 'a> {
    fn of(&self, element: Type<'c>) -> Type<'c> {
        Type::vector(&[u64::try_from(self.extent).unwrap_or_default()], element)
    }

    /// A value as a vector.
    fn get(&mut self, value: Value<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        if !self.wide.contains(value) {
            let scalar = self.once.get(value);
            let vector = self.at.value("vector.broadcast", &[scalar], self.of(value.r#type()), &[])?;
            self.wide.insert(value, vector);
        }
        Ok(self.wide.get(value))
    }

    fn once(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), EmitError> {
        let used: Vec<_> = operands(operation).into_iter().map(|value| self.once.get(value)).collect();
        let types: Vec<_> = results(operation).iter().map(|result| result.r#type()).collect();
        let copy = self.rebuild(operation, &used, &types)?;
        for (before, after) in results(operation).into_iter().zip(results(copy)) {
            self.once.insert(before, after);
        }
        Ok(())
    }

    fn each(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), EmitError> {
        let used = operands(operation).into_iter().map(|value| self.get(value)).collect::<Result<Vec<_>, _>>()?;
        let types: Vec<_> = results(operation).iter().map(|result| self.of(result.r#type())).collect();
        let copy = self.rebuild(operation, &used, &types)?;
        for (before, after) in results(operation).into_iter().zip(results(copy)) {
            self.wide.insert(before, after);
        }
        Ok(())
    }

    /// The memref and the subscripts' operands, here.
    fn place(&self, access: &Access<'c, 'a>) -> Vec<Value<'c, 'a>> {
        let all = std::iter::once(access.memref).chain(access.subscripts.operands.iter().copied());
        all.map(|value| self.once.get(value)).collect()
    }

    fn load(&mut self, access: &Access<'c, 'a>) -> Result<(), EmitError> {
        let map = ("map", map_attribute(access.subscripts.map));
        let r#type = self.of(access.value.r#type());
        let vector = self.at.value("affine.vector_load", &self.place(access), r#type, &[map])?;
        self.wide.insert(access.value, vector);
        Ok(())
    }

    fn element(&self, access: &Access<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        let map = ("map", map_attribute(access.subscripts.map));
        Ok(self.at.value("affine.load", &self.place(access), access.value.r#type(), &[map])?)
    }

    fn gather(&mut self, access: &Access<'c, 'a>, elements: &[Value<'c, 'a>]) -> Result<(), EmitError> {
        let vector = self.at.value("vector.from_elements", elements, self.of(access.value.r#type()), &[])?;
        self.wide.insert(access.value, vector);
        Ok(())
    }

    fn store(&mut self, access: &Access<'c, 'a>) -> Result<(), EmitError> {
        let map = ("map", map_attribute(access.subscripts.map));
        let mut used = vec![self.get(access.value)?];
        used.extend(self.place(access));
        self.at.build("affine.vector_store", &used, &[], &[map])?;
        Ok(())
    }

    /// The operation with other operands and results, all else the same.
    fn rebuild(
        &self,
        operation: OperationRef<'c, 'a>,
        used: &[Value<'c, 'a>],
        types: &[Type<'c>],
    ) -> Result<OperationRef<'c, 'a>, EmitError> {
        let attributes = attributes(operation)?;
        let attributes: Vec<(&str, Attribute<'c>)> = attributes.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let at = self.at.with_location(operation.location());
        Ok(at.build(&name(operation), used, types, &attributes)?)
    }
}
