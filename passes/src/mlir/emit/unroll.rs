//! Blocks unrolled, with vectors for their innermost loops.
//!
//! What a loop holds in a buffer ends up in registers only if a compiler sees every subscript of the buffer as a
//! constant, and uses whole vectors. LLVM unrolls and vectorizes such nests as well, but along which loop, and whether
//! at all, hangs on how the other operands lie in memory. So it is done here, mechanically: loops from zero to a
//! constant are unrolled, and an innermost one that carries no dependence becomes operations on vectors as long as the
//! loop. Elements that are no neighbours are loaded one by one. Each lane computes what its iteration did. In kernels a
//! loop may ask at each of its points whether that exists.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, OperationRef, Type, Value, ValueLike};

use super::beyond::may_run_beyond;
use super::error::EmitError;
use super::nest::{Body, Loops, Nest, Step};
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::{erase, is, name, operands, operations, results};
use crate::mlir::ir::{Access, AffineFor, Builder, ValueMap};
/// The greatest number of operations that a nest becomes.
const MOST_OPERATIONS: i64 = 2048;

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

/// The loops in a loop that holds footprints.
pub struct Inside<'c, 'a> {
    /// Those that carry no dependence.
    pub vectors: Vec<OperationRef<'c, 'a>>,
    /// The outermost loops of the blocks.
    pub blocks: Vec<OperationRef<'c, 'a>>,
    /// Those over points that may end before.
    pub ends: Vec<OperationRef<'c, 'a>>,
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
                    let mut one = self.lanes(fixed, 1);
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
        let lanes = self.lanes(fixed, 1);
        let used: Vec<_> = exists.operands.iter().map(|value| lanes.once.get(*value)).collect();
        let at = self.at.with_location(exists.operation.location());
        let (_, then, _) = at.affine_if(exists.condition, &used, false)?;
        Ok(Some(then))
    }

    /// No iteration yet, for loops with these values.
    fn lanes(&self, fixed: &Fixed<'c, 'a>, extent: i64) -> Lanes<'c, 'a> {
        let mut once = ValueMap::new();
        for (variable, value) in fixed.values() {
            once.insert(*variable, *value);
        }
        Lanes { at: self.at, extent, once, wide: ValueMap::new() }
    }

    fn vector(&mut self, steps: &[Step<'c, 'a>], nest: &Nest<'c, 'a>, fixed: &Fixed<'c, 'a>) -> Result<(), EmitError> {
        let mut lanes = self.lanes(fixed, nest.extent);
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
        let mut attributes: Vec<(String, Attribute<'c>)> = Vec::new();
        for number in 0..operation.attribute_count() {
            let (name, attribute) = operation.attribute_at(number)?;
            attributes.push((name.as_string_ref().as_str().unwrap_or_default().to_owned(), attribute));
        }
        let attributes: Vec<(&str, Attribute<'c>)> = attributes.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let at = self.at.with_location(operation.location());
        Ok(at.build(&name(operation), used, types, &attributes)?)
    }
}
