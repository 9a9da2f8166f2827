//! One instance of a statement: its operations cloned, with the instance's values for its iterators.

use std::collections::HashMap;

use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, Value};
use polyrs_core::codegen::{Call, Expr, IteratorId};

use super::access::{load, store};
use super::emitter::Emitter;
use super::error::EmitError;
use super::operand::{Operands, expressions_of};
use crate::mlir::ir::operation::{is, operands, regions, results};
use crate::mlir::ir::value::{ValueId, defining, id};
use crate::mlir::ir::{Access, AccessKind, Apply, ApplyKind, Bound, Builder, ValueMap, captures};
use crate::mlir::marker;
use crate::mlir::region::{LiftedRegion, StatementBody, ValueStorage};

/// The expression of a value that no statement computes: a parameter or a constant.
pub fn outer_expression(region: &LiftedRegion<'_, '_>, value: Value<'_, '_>) -> Option<Expr> {
    if let Some(position) = region.parameters.iter().position(|&parameter| id(parameter) == id(value)) {
        return Some(Expr::Parameter(position));
    }
    let (operation, _) = defining(value)?;
    if !is(operation, "arith.constant") {
        return None;
    }
    let attribute = operation.attribute("value").ok()?;
    let constant = melior::ir::attribute::IntegerAttribute::try_from(attribute).ok()?;
    Some(Expr::Const(constant.value()))
}

/// The expressions over its iterators that a statement computes for its accesses and applications:
/// [`Expr::Iterator`] number `k` stands for the `k`-th iterator. Only those that [`Instance`] composes.
pub fn subscripts(region: &LiftedRegion<'_, '_>, body: &StatementBody<'_, '_>) -> Result<Vec<Expr>, EmitError> {
    let (computed, known) = walked(region, body)?;
    let mut all: Vec<Expr> = computed.into_iter().flatten().flatten().collect();
    let places = body.inputs.iter().map(|(_, place)| place).chain(body.outputs.iter().map(|(place, _)| place));
    for place in places {
        if let ValueStorage::Element { subscripts, .. } = place {
            all.extend(expressions_of(subscripts, &|v| known_as(region, &known, v))?.into_iter().flatten());
        }
    }
    Ok(all)
}

/// For each operation of a statement the expressions that it has as an access, for its subscripts, or as an application; `None` for
/// others, and where they are not of this kind.
pub fn computed(region: &LiftedRegion<'_, '_>, body: &StatementBody<'_, '_>) -> Result<Computed, EmitError> {
    Ok(walked(region, body)?.0)
}

/// For each operation of a statement its expressions, where it has some.
pub type Computed = Vec<Option<Vec<Expr>>>;

type Known = HashMap<ValueId, Expr>;

fn known_as(region: &LiftedRegion<'_, '_>, known: &Known, value: Value<'_, '_>) -> Option<Expr> {
    known.get(&id(value)).cloned().or_else(|| outer_expression(region, value))
}

/// [`computed`], with the values that are known as expressions behind all operations.
fn walked(region: &LiftedRegion<'_, '_>, body: &StatementBody<'_, '_>) -> Result<(Computed, Known), EmitError> {
    let mut known: Known =
        body.iterators.iter().enumerate().map(|(k, &v)| (id(v), Expr::Iterator(IteratorId(k)))).collect();
    let mut all = Vec::new();
    for &operation in &body.operations {
        let of = |bound: &Bound<'_, '_>, known: &Known| expressions_of(bound, &|v| known_as(region, known, v));
        all.push(if let Some(access) = Access::new(operation) {
            of(&access.subscripts, &known)?
        } else if let Some(apply) = Apply::new(operation) {
            let found = of(&apply.argument, &known)?;
            if let (ApplyKind::Apply, Some([only])) = (apply.kind, found.as_deref()) {
                known.insert(id(operation.result(0)?.into()), only.clone());
            }
            found
        } else {
            None
        });
    }
    Ok((all, known))
}

/// The state of one instance.
pub struct Instance<'e, 'r, 'c, 'a> {
    emitter: &'e mut Emitter<'r, 'c, 'a>,
    call: &'e Call,
    builder: Builder<'c, 'a>,
    /// The copies here of values of the original.
    values: ValueMap<'c, 'a>,
    /// Index values that are known as expressions and made only when something else than a map needs them.
    expressions: HashMap<ValueId, Expr>,
}

impl<'e, 'r, 'c, 'a> Instance<'e, 'r, 'c, 'a> {
    /// Appends the operations of a call.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub fn emit(
        emitter: &'e mut Emitter<'r, 'c, 'a>,
        call: &'e Call,
        builder: Builder<'c, 'a>,
    ) -> Result<(), EmitError> {
        let region = emitter.region;
        let body = region.statement(call.statement);
        if body.iterators.len() != call.args.len() {
            return Err(EmitError::Place("a statement's iterators do not match its domain"));
        }
        let values = emitter.outer_values();
        let builder = builder.with_location(body.location);
        if emitter.marks {
            mark(emitter, call, builder)?;
        }
        let expressions = body.iterators.iter().map(|&v| id(v)).zip(call.args.iter().cloned()).collect();
        let mut instance = Instance { emitter, call, builder, values, expressions };
        for (value, place) in &body.inputs {
            instance.input(*value, place)?;
        }
        for &operation in &body.operations {
            instance.operation(operation)?;
        }
        for (place, value) in &body.outputs {
            instance.output(place, *value)?;
        }
        Ok(())
    }

    fn expression(&self, value: Value<'_, '_>) -> Option<Expr> {
        let known = self.expressions.get(&id(value)).cloned();
        known.or_else(|| outer_expression(self.emitter.region, value))
    }

    /// A map of the original with its operands composed away, or with the operands made.
    fn composed(&mut self, bound: &Bound<'c, 'a>) -> Result<Bound<'c, 'a>, EmitError> {
        if let Some(expressions) = expressions_of(bound, &|v| self.expression(v))? {
            return Ok(Operands::map(self.builder.context(), self.emitter, &expressions)?);
        }
        let operands = bound.operands.iter().map(|&v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
        Ok(Bound { map: bound.map, operands })
    }

    /// A value of the original here, made if it was only known as an expression.
    fn value(&mut self, original: Value<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        if self.values.contains(original) {
            return Ok(self.values.get(original));
        }
        let Some(expr) = self.expressions.get(&id(original)) else { return Ok(original) };
        let value = self.emitter.materialize(expr, self.builder)?;
        self.values.insert(original, value);
        Ok(value)
    }

    fn operation(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), EmitError> {
        if let Some(access) = Access::new(operation) {
            return self.access(&access);
        }
        if let Some(apply) = Apply::new(operation) {
            return self.apply(&apply);
        }
        let mut used = operands(operation);
        if !regions(operation).is_empty() {
            used.extend(captures(operation));
        }
        for value in used {
            self.value(value)?;
        }
        self.values.clone_into(operation, self.builder.block());
        Ok(())
    }

    fn access(&mut self, access: &Access<'c, 'a>) -> Result<(), EmitError> {
        use melior::ir::ValueLike;
        let known = expressions_of(&access.subscripts, &|v| self.expression(v))?;
        let bound = self.composed(&access.subscripts)?;
        let memref = self.value(access.memref)?;
        if let (Some(known), AccessKind::Load, false) = (&known, access.kind, access.vector)
            && let Some(value) = self.shared(memref, known, access.value.r#type())?
        {
            self.values.insert(access.value, value);
            return Ok(());
        }
        let mut operands = Vec::new();
        if access.kind == AccessKind::Store {
            operands.push(self.value(access.value)?);
        }
        operands.push(memref);
        let copy = self.rebuild(access.operation, operands, &bound)?;
        let is_load = access.kind == AccessKind::Load;
        self.note(Some((copy, is_load)), memref, known.filter(|_| !access.vector))
    }

    /// An element that is in shared memory.
    fn shared(
        &self,
        memref: Value<'c, 'a>,
        subscripts: &[Expr],
        element: Type<'c>,
    ) -> Result<Option<Value<'c, 'a>>, EmitError> {
        let place = (self.call.statement, &self.call.args[..]);
        let found = self.emitter.in_shared_memory(place, memref, subscripts)?;
        found.map(|(buffer, local)| load(self.builder, buffer, element, &local)).transpose()
    }

    fn apply(&mut self, apply: &Apply<'c, 'a>) -> Result<(), EmitError> {
        if apply.kind == ApplyKind::Apply
            && let Some(expressions) = expressions_of(&apply.argument, &|v| self.expression(v))?
            && let [only] = &expressions[..]
        {
            let result: Value<'c, 'a> = apply.operation.result(0)?.into();
            self.expressions.insert(id(result), only.clone());
            return Ok(());
        }
        let bound = self.composed(&apply.argument)?;
        self.rebuild(apply.operation, Vec::new(), &bound).map(|_| ())
    }

    /// The operation with other operands and another map, all else the same.
    fn rebuild(
        &mut self,
        operation: OperationRef<'c, 'a>,
        mut operands: Vec<Value<'c, 'a>>,
        bound: &Bound<'c, 'a>,
    ) -> Result<OperationRef<'c, 'a>, EmitError> {
        operands.extend(&bound.operands);
        let copy = self.builder.with_location(operation.location()).with_map(operation, &operands, bound.map)?;
        for (before, after) in results(operation).into_iter().zip(results(copy)) {
            self.values.insert(before, after);
        }
        Ok(copy)
    }

    fn input(&mut self, original: Value<'c, 'a>, place: &ValueStorage<'c, 'a>) -> Result<(), EmitError> {
        use melior::ir::ValueLike;
        let value = match place {
            ValueStorage::Scalar(scalar) => self.emitter.read_scalar(*scalar, self.builder)?,
            ValueStorage::Element { memref, subscripts } => {
                let known = expressions_of(subscripts, &|v| self.expression(v))?;
                let bound = self.composed(subscripts)?;
                let memref = self.value(*memref)?;
                let shared = known.as_ref().map(|known| self.shared(memref, known, original.r#type())).transpose()?;
                match shared.flatten() {
                    Some(value) => value,
                    None => {
                        let value = load(self.builder, memref, original.r#type(), &bound)?;
                        let made = defining(value).map(|(operation, _)| (operation, true));
                        self.note(made, memref, known)?;
                        value
                    }
                }
            }
        };
        self.values.insert(original, value);
        Ok(())
    }

    fn output(&mut self, place: &ValueStorage<'c, 'a>, original: Value<'c, 'a>) -> Result<(), EmitError> {
        let value = self.value(original)?;
        match place {
            ValueStorage::Scalar(scalar) => self.emitter.write_scalar(*scalar, value, self.builder),
            ValueStorage::Element { memref, subscripts } => {
                let known = expressions_of(subscripts, &|v| self.expression(v))?;
                let bound = self.composed(subscripts)?;
                let memref = self.value(*memref)?;
                let made = store(self.builder, value, memref, &bound)?;
                self.note(Some((made, false)), memref, known)
            }
        }
    }

    /// Lets the emitter know of an access, a load or not, to an element whose subscripts may be known.
    fn note(
        &mut self,
        made: Option<(OperationRef<'c, 'a>, bool)>,
        memref: Value<'c, 'a>,
        subscripts: Option<Vec<Expr>>,
    ) -> Result<(), EmitError> {
        let Some((made, subscripts)) = made.zip(subscripts) else { return Ok(()) };
        self.emitter.note(made, (self.call.statement, &self.call.args), (memref, &subscripts))
    }
}

/// Marks what follows as an instance, or notes why it is not marked.
fn mark<'c, 'a>(emitter: &mut Emitter<'_, 'c, 'a>, call: &Call, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
    let results: Vec<Expr> = std::iter::once(Expr::Const(0)).chain(call.args.iter().cloned()).collect();
    match Operands::map(builder.context(), emitter, &results) {
        Ok(instance) => marker::build(builder, &emitter.region.scop.statement(call.statement).name, &instance)?,
        Err(error) => emitter.unmarked = Some(error.to_string()),
    }
    Ok(())
}
