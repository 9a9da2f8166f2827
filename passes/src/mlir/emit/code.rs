//! The AST as operations.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value};
use polyrs_core::codegen::{Comparison, Cond, Expr, For, If, Node};

use super::carry::Carrying;
use super::emitter::Emitter;
use super::error::EmitError;
use super::handing::CarryingLoop;
use super::instance::Instance;
use super::operand::{Operands, difference};
use super::promote::{Footprint, PromotedLoop};
use super::unroll::Inside;
use crate::mlir::ir::operation::is;
use crate::mlir::ir::value::uses;
use crate::mlir::ir::{Builder, Loop};
use crate::mlir::region::ArrayBinding;

/// `arith.cmpi`'s numbers.
pub const EQUAL: i64 = 0;
/// Not the same number.
pub const DIFFERENT: i64 = 1;
/// As signed numbers, not greater.
pub const AT_MOST: i64 = 3;
/// As signed numbers, not less.
pub const AT_LEAST: i64 = 5;

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Appends a node's operations.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub fn node(&mut self, node: &Node, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        match node {
            Node::Block(children) => children.iter().try_for_each(|child| self.node(child, builder)),
            Node::For(node) => self.for_node(node, builder),
            Node::If(branch) => self.if_node(branch, builder),
            Node::Kernel(kernel) => self.kernel(kernel, builder),
            Node::Shared(shared) if self.shared_memory.in_kernel => self.shared(shared, builder),
            Node::Shared(shared) => self.packed(shared, builder),
            Node::Call(call) => Instance::emit(self, call, builder),
        }
    }

    fn for_node(&mut self, node: &For, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let beside = node.beside();
        let built = self.head(node, beside, builder)?;
        let first = self.footprints.len();
        if node.parallel.is_none() {
            let footprints = Footprint::of_loop(node, &self.scope, |array| self.memory_of(array));
            self.footprints.extend(footprints);
        }
        let first_carrying = self.carrying.len();
        let carrying = Carrying::of_loop(node, &self.scope, |array| self.memory_of(array));
        self.carrying.extend(carrying);
        let iterators = [node].into_iter().chain(beside).map(|node| node.iterator.0);
        iterators.clone().zip(&built.variables).for_each(|(at, variable)| self.scope.iterators[at] = Some(*variable));
        let (vectors, blocks, ends) = (self.vectors.len(), self.blocks.len(), self.ends.len());
        if let ([Expr::Const(0)], [Expr::Const(extent)], 1) = (&node.lower[..], &node.upper[..], node.step) {
            self.extents.insert(node.iterator, *extent);
        }
        if let (true, Some(points)) = (node.ends, self.extents.get(&node.iterator)) {
            self.ending.insert(node.iterator, *points);
        }
        let body = beside.map_or(&node.body, |inner| &inner.body);
        for scalar in self.written(body) {
            self.known[scalar] = None;
        }
        let outside = (self.known.clone(), self.buffers.clone());
        let frees = match &node.parallel {
            Some(parallel) => self.privatize(&parallel.private, built.body)?,
            None => Vec::new(),
        };
        self.node(body, built.body)?;
        for buffer in frees {
            built.body.build("memref.dealloc", &[buffer], &[], &[])?;
        }
        built.body.affine_yield(&[])?;
        (self.known, self.buffers) = outside;
        iterators.for_each(|at| self.scope.iterators[at] = None);
        self.extents.remove(&node.iterator);
        self.ending.remove(&node.iterator);
        let holds = !(self.footprints.is_empty() && self.carrying.is_empty());
        if node.vector && holds {
            self.vectors.push(built.operation);
        }
        if node.ends && !self.footprints.is_empty() {
            self.ends.push(built.operation);
        }
        if node.block && holds {
            self.blocks.truncate(blocks);
            self.blocks.push(built.operation);
        }
        let carrying = self.carrying.split_off(first_carrying);
        if !carrying.is_empty() {
            let inside = (self.blocks.split_off(blocks), self.vectors.split_off(vectors));
            self.carried.push(CarryingLoop::new(built.operation, carrying, inside));
        }
        let closed = self.footprints.split_off(first);
        if !closed.is_empty() {
            let inside = Inside {
                vectors: self.vectors.split_off(vectors),
                blocks: self.blocks.split_off(blocks),
                ends: self.ends.split_off(ends),
                ahead: self.ahead.iter().filter_map(|array| self.memory_of(array)).collect(),
            };
            self.promoted.extend(PromotedLoop::new(built.operation, closed, inside));
        }
        Ok(())
    }

    /// The operation of a loop, or of two whose iterations threads share together.
    fn head(&self, node: &For, beside: Option<&For>, builder: Builder<'c, 'a>) -> Result<Loop<'c, 'a>, EmitError> {
        let loops = || [node].into_iter().chain(beside);
        let maps = |bounds: fn(&For) -> &[Expr]| {
            loops().map(|node| Operands::map(self.context, self, bounds(node))).collect::<Result<Vec<_>, _>>()
        };
        let (lowers, uppers) = (maps(|node| &node.lower)?, maps(|node| &node.upper)?);
        if node.parallel.is_none() {
            return Ok(builder.affine_for(&lowers[0], &uppers[0], node.step, &[])?);
        }
        let steps: Vec<i64> = loops().map(|node| node.step).collect();
        Ok(builder.affine_parallel(&lowers, &uppers, &steps)?)
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
                ArrayBinding::Field { alone: true, .. } => {
                    return Err(refuse("its memory is bounded"));
                }
                ArrayBinding::Field { r#type, sizes, .. } => {
                    let buffer = self.field_buffer((*r#type, sizes), body)?;
                    self.set_buffer(array, buffer);
                    frees.push(buffer);
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
    pub fn truth(&self, cond: &Cond, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
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

/// The truth value of a comparison.
pub fn compare<'c, 'a>(
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
