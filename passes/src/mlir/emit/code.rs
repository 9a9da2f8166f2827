//! The AST as operations.

use std::collections::{BTreeMap, BTreeSet};

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{OperationRef, Type, Value};
use polyrs_core::codegen::{Ast, Comparison, Cond, Expr, For, If, IteratorId, Node};
use polyrs_core::scop::StatementId;

use super::error::EmitError;
use super::instance::{Instance, load, no_subscripts, store};
use super::operand::{Names, Operands, Role, difference};
use super::promote::{Footprint, PromotedLoop, Scope};
use super::scalars::{self, Effects};
use crate::mlir::ir::operation::{is, results};
use crate::mlir::ir::value::uses;
use crate::mlir::ir::{Builder, ValueMap};
use crate::mlir::lift::NewCode;
use crate::mlir::region::{ArrayBinding, LiftedRegion, ValueStorage};

/// `arith.cmpi`'s numbers.
const EQUAL: i64 = 0;
const AT_MOST: i64 = 3;
const AT_LEAST: i64 = 5;

/// What the code is made from, and where values are at the place that is being built.
pub struct Emitter<'r, 'c, 'a> {
    /// The region.
    pub region: &'r LiftedRegion<'c, 'a>,
    context: &'c Context,
    /// The parameters and the iterators of open loops.
    scope: Scope<'c, 'a>,
    /// The extents of open loops that run from zero to a constant in steps of one.
    extents: BTreeMap<IteratorId, i64>,
    /// The footprints that open loops promote, innermost last.
    footprints: Vec<Footprint<'c, 'a>>,
    /// The loops in them that carry no dependence.
    vectors: Vec<OperationRef<'c, 'a>>,
    /// The loops that promote footprints.
    promoted: Vec<PromotedLoop<'c, 'a>>,
    /// Results of hoisted operations, here.
    hoisted: Vec<(Value<'c, 'a>, Value<'c, 'a>)>,
    /// The last write of each scalar, where it dominates this place.
    known: Vec<Option<Value<'c, 'a>>>,
    /// The memory of each array that has its own here: a scalar's buffer, the copy of a local buffer.
    buffers: Vec<Option<Value<'c, 'a>>>,
    /// The scalars that need memory.
    memory: BTreeSet<usize>,
    /// Every buffer made so far for an array, by the array's position.
    made: Vec<(usize, Value<'c, 'a>)>,
    /// Whether instances are marked, to be read back.
    pub marks: bool,
    /// Why an instance could not be marked.
    pub unmarked: Option<String>,
}

impl<'c, 'a> Names<'c, 'a> for Emitter<'_, 'c, 'a> {
    fn parameter(&self, position: usize) -> Option<(Value<'c, 'a>, Role)> {
        self.scope.parameter(position)
    }

    fn iterator(&self, iterator: IteratorId) -> Option<Value<'c, 'a>> {
        self.scope.iterator(iterator)
    }
}

/// What a statement does to the scalars of a region.
pub fn effects(region: &LiftedRegion<'_, '_>, statement: StatementId) -> Effects {
    let body = region.statement(statement);
    let scalar = |place: &ValueStorage<'_, '_>| match place {
        ValueStorage::Scalar(scalar) => Some(*scalar),
        ValueStorage::Element { .. } => None,
    };
    Effects {
        reads: body.inputs.iter().filter_map(|(_, place)| scalar(place)).collect(),
        writes: body.outputs.iter().filter_map(|(place, _)| scalar(place)).collect(),
    }
}

impl<'r, 'c, 'a> Emitter<'r, 'c, 'a> {
    /// Before anything is built; `hoisted` gives the clones of hoisted values, `parameters` what parameters are.
    pub fn new(
        context: &'c Context,
        region: &'r LiftedRegion<'c, 'a>,
        ast: &Ast,
        hoisted: Vec<(Value<'c, 'a>, Value<'c, 'a>)>,
        parameters: Vec<(Value<'c, 'a>, Option<Role>)>,
    ) -> Self {
        let private = |name: &str| region.scop.arrays.iter().position(|array| array.name == name);
        let mut memory = scalars::in_memory(ast, &|statement| effects(region, statement), &private);
        memory.extend(region.live_out.iter().map(|value| value.scalar));
        Self {
            region,
            context,
            scope: Scope { parameters, iterators: vec![None; ast.n_iterators] },
            extents: BTreeMap::new(),
            footprints: Vec::new(),
            vectors: Vec::new(),
            promoted: Vec::new(),
            hoisted,
            known: vec![None; region.arrays.len()],
            buffers: vec![None; region.arrays.len()],
            memory,
            made: Vec::new(),
            marks: false,
            unmarked: None,
        }
    }

    /// The scalars that need memory.
    pub fn memory(&self) -> &BTreeSet<usize> {
        &self.memory
    }

    /// The buffer of a scalar or the copy of a local buffer.
    pub fn buffer(&self, array: usize) -> Option<Value<'c, 'a>> {
        self.buffers.get(array).copied().flatten()
    }

    /// Says where an array is kept from here on.
    pub fn set_buffer(&mut self, array: usize, buffer: Value<'c, 'a>) {
        self.buffers[array] = Some(buffer);
        self.made.push((array, buffer));
    }

    /// Every buffer that was made, with the position of its array.
    pub fn own_buffers(&self) -> Vec<(usize, Value<'c, 'a>)> {
        self.made.clone()
    }

    /// The value of each parameter.
    pub fn parameter_values(&self) -> Vec<Value<'c, 'a>> {
        self.scope.parameters.iter().map(|(value, _)| *value).collect()
    }

    /// The parameters and the iterators of open loops.
    pub fn scope(&self) -> &Scope<'c, 'a> {
        &self.scope
    }

    /// The loops that promote footprints, in the order of their ends.
    pub fn take_promoted(&mut self) -> Vec<PromotedLoop<'c, 'a>> {
        std::mem::take(&mut self.promoted)
    }

    /// Notes an access for the footprints that are promoted here.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn note(
        &mut self,
        operation: OperationRef<'c, 'a>,
        memref: Value<'c, 'a>,
        subscripts: &[Expr],
    ) -> Result<(), EmitError> {
        for footprint in &mut self.footprints {
            footprint.note(self.context, operation, memref, subscripts, &self.scope, &self.extents)?;
        }
        Ok(())
    }

    /// What has to be known of the new code, but for its operations, to read it back; or why an instance could not be marked.
    ///
    /// # Errors
    /// The latter.
    pub fn new_code(&mut self) -> Result<NewCode<'c, 'a>, String> {
        let outer = self.outer_values();
        let mut buffers = Vec::new();
        for (number, binding) in self.region.arrays.iter().enumerate() {
            match binding {
                ArrayBinding::Memory { buffer } => buffers.push((number, outer.get(*buffer))),
                ArrayBinding::Local { allocation, nested: false } => {
                    buffers.extend(results(*allocation).first().map(|buffer| (number, *buffer)));
                }
                ArrayBinding::Local { .. } | ArrayBinding::Scalar { .. } => {}
            }
        }
        buffers.extend(self.own_buffers());
        match self.unmarked.take() {
            Some(reason) => Err(reason),
            None => Ok(NewCode { operations: Vec::new(), parameters: self.parameter_values(), buffers }),
        }
    }

    /// What values from outside of statements are here.
    pub fn outer_values(&self) -> ValueMap<'c, 'a> {
        let mut values = ValueMap::new();
        for &(original, copy) in &self.hoisted {
            values.insert(original, copy);
        }
        for (binding, buffer) in self.region.arrays.iter().zip(&self.buffers) {
            if let (ArrayBinding::Local { allocation, .. }, Some(buffer)) = (binding, buffer)
                && let Ok(original) = allocation.result(0)
            {
                values.insert(original.into(), *buffer);
            }
        }
        values
    }

    /// An expression as a value.
    pub fn materialize(&self, expr: &Expr, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        Ok(match expr {
            Expr::Const(value) => builder.constant_index(*value)?,
            Expr::Iterator(iterator) => {
                self.iterator(*iterator).ok_or(EmitError::Place("an iterator is used outside of its loop"))?
            }
            Expr::Parameter(position) if *position < self.scope.parameters.len() => self.scope.parameters[*position].0,
            _ => builder.apply(&Operands::map(self.context, self, std::slice::from_ref(expr))?)?,
        })
    }

    /// The value of a scalar.
    pub fn read_scalar(&self, scalar: usize, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        if let Some(value) = self.known[scalar] {
            return Ok(value);
        }
        let buffer = self.buffer(scalar).ok_or(EmitError::Place("a scalar is read before it is written"))?;
        load(builder, buffer, self.element(scalar)?, &no_subscripts(builder))
    }

    /// Gives a scalar a value.
    pub fn write_scalar(
        &mut self,
        scalar: usize,
        value: Value<'c, 'a>,
        builder: Builder<'c, 'a>,
    ) -> Result<(), EmitError> {
        self.known[scalar] = Some(value);
        match self.buffer(scalar) {
            Some(buffer) => store(builder, value, buffer, &no_subscripts(builder)).map(|_| ()),
            None => Ok(()),
        }
    }

    fn element(&self, scalar: usize) -> Result<Type<'c>, EmitError> {
        match self.region.arrays.get(scalar) {
            Some(ArrayBinding::Scalar { element }) => Ok(*element),
            _ => Err(EmitError::Place("a scalar of the model is no value of the IR")),
        }
    }

    /// A buffer on the stack for a scalar.
    pub fn scalar_buffer(&self, scalar: usize, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        use melior::ir::TypeLike;
        let element = self.element(scalar)?;
        if !(element.is_integer() || element.is_index() || element.is_vector() || is_float(element)) {
            return Err(EmitError::Place("a value that needs memory has a type that buffers cannot hold"));
        }
        let r#type = MemRefType::new(element, &[], None, None).into();
        let sizes = melior::ir::attribute::DenseI32ArrayAttribute::new(self.context, &[0, 0]).into();
        Ok(builder.value("memref.alloca", &[], r#type, &[("operandSegmentSizes", sizes)])?)
    }

    /// A copy of a local buffer, and whether it has to be freed.
    pub fn local_buffer(
        &self,
        allocation: OperationRef<'c, 'a>,
        builder: Builder<'c, 'a>,
    ) -> Result<(Value<'c, 'a>, bool), EmitError> {
        let copy = self.outer_values().clone_into(allocation, builder.block());
        Ok((copy.result(0)?.into(), is(allocation, "memref.alloc")))
    }

    /// Appends a node's operations.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub fn node(&mut self, node: &Node, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        match node {
            Node::Block(children) => children.iter().try_for_each(|child| self.node(child, builder)),
            Node::For(node) => self.for_node(node, builder),
            Node::If(branch) => self.if_node(branch, builder),
            Node::Call(call) => Instance::emit(self, call, builder),
        }
    }

    fn for_node(&mut self, node: &For, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let lower = Operands::map(self.context, self, &node.lower)?;
        let upper = Operands::map(self.context, self, &node.upper)?;
        let built = match &node.parallel {
            Some(_) => builder.affine_parallel(&[lower], &[upper], &[node.step])?,
            None => builder.affine_for(&lower, &upper, node.step, &[])?,
        };
        let first = self.footprints.len();
        if node.parallel.is_none() && self.scope.iterators.iter().any(Option::is_some) {
            let footprints = Footprint::of_loop(self, node);
            self.footprints.extend(footprints);
        }
        self.scope.iterators[node.iterator.0] = built.variables.first().copied();
        if let ([Expr::Const(0)], [Expr::Const(extent)], 1) = (&node.lower[..], &node.upper[..], node.step) {
            self.extents.insert(node.iterator, *extent);
        }
        for scalar in self.written(&node.body) {
            self.known[scalar] = None;
        }
        let outside = (self.known.clone(), self.buffers.clone());
        let frees = match &node.parallel {
            Some(parallel) => self.privatize(&parallel.private, built.body)?,
            None => Vec::new(),
        };
        self.node(&node.body, built.body)?;
        for buffer in frees {
            built.body.build("memref.dealloc", &[buffer], &[], &[])?;
        }
        built.body.affine_yield(&[])?;
        (self.known, self.buffers) = outside;
        self.scope.iterators[node.iterator.0] = None;
        self.extents.remove(&node.iterator);
        if node.vector && !self.footprints.is_empty() {
            self.vectors.push(built.operation);
        }
        let closed = self.footprints.split_off(first);
        if !closed.is_empty() {
            self.promoted.extend(PromotedLoop::new(built.operation, closed, std::mem::take(&mut self.vectors)));
        }
        Ok(())
    }

    /// Gives arrays their own copy in the body of a parallel loop; the buffers to free at its end.
    fn privatize(&mut self, names: &[String], body: Builder<'c, 'a>) -> Result<Vec<Value<'c, 'a>>, EmitError> {
        let mut frees = Vec::new();
        for name in names {
            let refuse = |why| EmitError::Private { name: name.clone(), why };
            let array = self.region.scop.arrays.iter().position(|array| array.name == *name);
            let array = array.ok_or_else(|| refuse("there is no such array"))?;
            match &self.region.arrays[array] {
                ArrayBinding::Memory { .. } => return Err(refuse("it exists outside of the region")),
                ArrayBinding::Scalar { .. } => {
                    if self.region.live_out.iter().any(|value| value.scalar == array) {
                        return Err(refuse("it is used after the region"));
                    }
                    self.known[array] = None;
                    if self.memory.contains(&array) {
                        let buffer = self.scalar_buffer(array, body)?;
                        self.set_buffer(array, buffer);
                    }
                }
                ArrayBinding::Local { allocation, .. } => {
                    let original: Value<'c, 'a> = allocation.result(0)?.into();
                    if !uses(original).iter().all(|(user, _)| is_plain_use(*user)) {
                        return Err(refuse("it is accessed through views"));
                    }
                    let (buffer, free) = self.local_buffer(*allocation, body)?;
                    self.set_buffer(array, buffer);
                    frees.extend(free.then_some(buffer));
                }
            }
        }
        Ok(frees)
    }

    fn written(&self, node: &Node) -> BTreeSet<usize> {
        scalars::written(node, &|statement| effects(self.region, statement))
    }

    fn if_node(&mut self, branch: &If, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let before = self.known.clone();
        if let Some(conjuncts) = conjuncts(&branch.cond) {
            let (set, operands) = Operands::set(self.context, self, &conjuncts)?;
            let (_, then, otherwise) = builder.affine_if(set, &operands, branch.otherwise.is_some())?;
            self.node(&branch.then, then)?;
            then.affine_yield(&[])?;
            if let (Some(node), Some(otherwise)) = (&branch.otherwise, otherwise) {
                self.known.clone_from(&before);
                self.node(node, otherwise)?;
                otherwise.affine_yield(&[])?;
            }
        } else if let Some(conjuncts) = conjuncts(&branch.cond.negated()) {
            let (set, operands) = Operands::set(self.context, self, &conjuncts)?;
            let (_, fails, holds) = builder.affine_if(set, &operands, true)?;
            let holds = holds.ok_or(EmitError::Place("a condition without its other branch"))?;
            self.node(&branch.then, holds)?;
            holds.affine_yield(&[])?;
            if let Some(node) = &branch.otherwise {
                self.known.clone_from(&before);
                self.node(node, fails)?;
            }
            fails.affine_yield(&[])?;
        } else {
            let cond = self.truth(&branch.cond, builder)?;
            let (then, otherwise) = scf_if(builder, cond, branch.otherwise.is_some())?;
            self.node(&branch.then, then)?;
            then.build("scf.yield", &[], &[], &[])?;
            if let (Some(node), Some(otherwise)) = (&branch.otherwise, otherwise) {
                self.known.clone_from(&before);
                self.node(node, otherwise)?;
                otherwise.build("scf.yield", &[], &[], &[])?;
            }
        }
        self.known = before;
        let mut written = self.written(&branch.then);
        written.extend(branch.otherwise.iter().flat_map(|node| self.written(node)));
        for scalar in written {
            self.known[scalar] = None;
        }
        Ok(())
    }

    /// A condition as a value of type `i1`.
    fn truth(&self, cond: &Cond, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        let (list, operation, empty) = match cond {
            Cond::Compare(comparison, a, b) => {
                let (difference, equal) = difference(*comparison, a, b)?;
                let difference = self.materialize(&difference, builder)?;
                let zero = builder.constant_index(0)?;
                return compare(builder, if equal { EQUAL } else { AT_LEAST }, difference, zero);
            }
            Cond::And(list) => (list, "arith.andi", 1),
            Cond::Or(list) => (list, "arith.ori", 0),
        };
        let bit: Type<'c> = IntegerType::new(self.context, 1).into();
        let mut values = list.iter().map(|cond| self.truth(cond, builder));
        let Some(first) = values.next() else {
            let value = IntegerAttribute::new(bit, empty).into();
            return Ok(builder.value("arith.constant", &[], bit, &[("value", value)])?);
        };
        values.try_fold(first?, |all, value| Ok(builder.value(operation, &[all, value?], bit, &[])?))
    }

    /// The truth value of all bounds of a guard.
    pub fn within(
        &self,
        guard: &polyrs_core::codegen::overflow::Guard,
        builder: Builder<'c, 'a>,
    ) -> Result<Value<'c, 'a>, EmitError> {
        let bit: Type<'c> = IntegerType::new(self.context, 1).into();
        let mut all: Option<Value<'c, 'a>> = None;
        for bound in &guard.bounds {
            let (value, _) = *self
                .scope
                .parameters
                .get(bound.parameter)
                .ok_or(EmitError::Place("a guard of an unknown parameter"))?;
            for (predicate, limit) in [(AT_LEAST, bound.lower), (AT_MOST, bound.upper)] {
                let Some(limit) = limit else { continue };
                // Compared as it is: a difference could overflow.
                let limit = builder.constant_index(limit)?;
                let holds = compare(builder, predicate, value, limit)?;
                all = Some(match all {
                    None => holds,
                    Some(all) => builder.value("arith.andi", &[all, holds], bit, &[])?,
                });
            }
        }
        all.ok_or(EmitError::Place("a guard that bounds nothing"))
    }
}

/// `scf.if` without results; both branches still lack their `scf.yield`.
pub fn scf_if<'c, 'a>(
    builder: Builder<'c, 'a>,
    cond: Value<'c, 'a>,
    otherwise: bool,
) -> Result<(Builder<'c, 'a>, Option<Builder<'c, 'a>>), EmitError> {
    let (then_region, then) = builder.region(&[]);
    let (else_region, other) = if otherwise {
        let (region, builder) = builder.region(&[]);
        (region, Some(builder))
    } else {
        (melior::ir::Region::new(), None)
    };
    builder.build_with("scf.if", &[cond], &[], &[], vec![then_region, else_region])?;
    Ok((then, other))
}

fn compare<'c, 'a>(
    builder: Builder<'c, 'a>,
    predicate: i64,
    left: Value<'c, 'a>,
    right: Value<'c, 'a>,
) -> Result<Value<'c, 'a>, EmitError> {
    let predicate = IntegerAttribute::new(IntegerType::new(builder.context(), 64).into(), predicate).into();
    let bit = IntegerType::new(builder.context(), 1).into();
    Ok(builder.value("arith.cmpi", &[left, right], bit, &[("predicate", predicate)])?)
}

/// The comparisons of a condition that is a conjunction of them.
fn conjuncts(cond: &Cond) -> Option<Vec<Cond>> {
    match cond {
        Cond::Compare(Comparison::Eq | Comparison::Ge | Comparison::Gt | Comparison::Le | Comparison::Lt, ..) => {
            Some(vec![cond.clone()])
        }
        Cond::And(list) => {
            list.iter().map(conjuncts).collect::<Option<Vec<_>>>().map(|lists| lists.into_iter().flatten().collect())
        }
        Cond::Or(list) if list.len() == 1 => conjuncts(&list[0]),
        Cond::Or(_) => None,
    }
}

/// A use that follows when the buffer is exchanged in the statements' operations.
fn is_plain_use(user: OperationRef<'_, '_>) -> bool {
    ["affine.load", "affine.store", "affine.vector_load", "affine.vector_store", "memref.load", "memref.store"]
        .into_iter()
        .chain(["memref.dealloc"])
        .any(|name| is(user, name))
}

fn is_float(r#type: Type<'_>) -> bool {
    use melior::ir::TypeLike;
    // SAFETY: the type is alive.
    unsafe { mlir_sys::mlirTypeIsAFloat(r#type.to_raw()) }
}
