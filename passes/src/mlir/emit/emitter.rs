//! The state of emission.

use std::collections::{BTreeMap, BTreeSet};

use melior::Context;
use melior::ir::r#type::MemRefType;
use melior::ir::{OperationRef, Type, Value};
use polyrs_core::codegen::{Ast, Expr, IteratorId, Node};
use polyrs_core::scop::StatementId;

use super::access::{load, no_subscripts, store};
use super::carry::Carrying;
use super::copied::Transfers;
use super::error::EmitError;
use super::handing::CarryingLoop;
use super::operand::{Names, Operands, Role};
use super::packed::PackedTile;
use super::promote::{Footprint, PromotedLoop};
use super::scalars::{self, Effects};
use super::scope::Scope;
use super::shared_memory::SharedMemory;
use crate::mlir::ir::operation::{is, results};
use crate::mlir::ir::value::ValueId;
use crate::mlir::ir::{Builder, ValueMap};
use crate::mlir::lift::NewCode;
use crate::mlir::region::{ArrayBinding, LiftedRegion};

/// The state of emission: the region, and where values are at the place that is being built.
pub struct Emitter<'r, 'c, 'a> {
    /// The region.
    pub region: &'r LiftedRegion<'c, 'a>,
    pub(super) context: &'c Context,
    /// The parameters and the iterators of open loops.
    pub(super) scope: Scope<'c, 'a>,
    /// The extents of open loops that run from zero to a constant in steps of one.
    pub(super) extents: BTreeMap<IteratorId, i64>,
    /// The open loops whose points may end before, with how many they have at most.
    pub(super) ending: BTreeMap<IteratorId, i64>,
    /// The footprints that open loops promote, innermost last.
    pub(super) footprints: Vec<Footprint<'c, 'a>>,
    /// What open loops may hand on from one iteration to the next.
    pub(super) carrying: Vec<Carrying<'c, 'a>>,
    /// The loops in them that carry no dependence.
    pub(super) vectors: Vec<OperationRef<'c, 'a>>,
    /// The outermost loops over the points of blocks in them.
    pub(super) blocks: Vec<OperationRef<'c, 'a>>,
    /// The loops in them whose points may end before.
    pub(super) ends: Vec<OperationRef<'c, 'a>>,
    /// The loops that promote footprints.
    pub(super) promoted: Vec<PromotedLoop<'c, 'a>>,
    /// The loops that hand elements on.
    pub(super) carried: Vec<CarryingLoop<'c, 'a>>,
    /// The arrays of which rows that are read side by side are fetched ahead.
    pub(super) ahead: BTreeSet<String>,
    /// The packed tiles of code that is open, innermost last.
    pub(super) packing: Vec<PackedTile<'c, 'a>>,
    /// The others.
    pub(super) packed: Vec<PackedTile<'c, 'a>>,
    /// Results of hoisted operations, here.
    hoisted: Vec<(Value<'c, 'a>, Value<'c, 'a>)>,
    /// The last write of each scalar, where it dominates this place.
    pub(super) known: Vec<Option<Value<'c, 'a>>>,
    /// The memory of each array that has its own here: a scalar's buffer, the copy of a local buffer.
    pub(super) buffers: Vec<Option<Value<'c, 'a>>>,
    /// The scalars that need memory.
    pub(super) memory: BTreeSet<usize>,
    /// Where new arrays are made on the stack, and which they are.
    pub(super) stack: Option<(Builder<'c, 'a>, BTreeSet<usize>)>,
    /// Every buffer made so far for an array, by the array's position.
    made: Vec<(usize, Value<'c, 'a>)>,
    /// The shared memory of the kernel at hand.
    pub(super) shared_memory: SharedMemory<'c, 'a>,
    /// The device's copies of buffers.
    pub(super) on_device: Vec<ValueId>,
    /// What of arrays is copied for kernels.
    pub transfers: Transfers,
    /// Whether the buffers of kernels are on the device already.
    pub device_memory: bool,
    /// Where the original is beside kernels: the branch that runs after them, once their results are there.
    pub after_kernels: Option<Builder<'c, 'a>>,
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

/// The scalars of a region that a statement reads and writes.
pub fn effects(region: &LiftedRegion<'_, '_>, statement: StatementId) -> Effects {
    let body = region.statement(statement);
    Effects {
        reads: body.inputs.iter().filter_map(|(_, place)| place.scalar()).collect(),
        writes: body.outputs.iter().filter_map(|(place, _)| place.scalar()).collect(),
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
            ending: BTreeMap::new(),
            footprints: Vec::new(),
            carrying: Vec::new(),
            vectors: Vec::new(),
            blocks: Vec::new(),
            ends: Vec::new(),
            promoted: Vec::new(),
            carried: Vec::new(),
            ahead: BTreeSet::new(),
            packing: Vec::new(),
            packed: Vec::new(),
            hoisted,
            known: vec![None; region.arrays.len()],
            buffers: vec![None; region.arrays.len()],
            memory,
            stack: None,
            made: Vec::new(),
            shared_memory: SharedMemory::default(),
            on_device: Vec::new(),
            transfers: Transfers::default(),
            device_memory: false,
            after_kernels: None,
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

    /// Says where an array is kept from here on: `None` for where it was at first.
    pub fn redirect(&mut self, array: usize, buffer: Option<Value<'c, 'a>>) {
        self.buffers[array] = buffer;
        self.made.extend(buffer.map(|buffer| (array, buffer)));
    }

    /// Every buffer that was made, with the position of its array.
    pub fn own_buffers(&self) -> Vec<(usize, Value<'c, 'a>)> {
        self.made.clone()
    }

    /// The value of each parameter.
    pub fn parameter_values(&self) -> Vec<Value<'c, 'a>> {
        self.scope.parameters.iter().map(|(value, _)| *value).collect()
    }

    /// The loops that promote footprints, in the order of their ends.
    pub fn take_promoted(&mut self) -> Vec<PromotedLoop<'c, 'a>> {
        std::mem::take(&mut self.promoted)
    }

    /// The loops that hand elements on, in the order of their ends.
    pub fn take_carried(&mut self) -> Vec<CarryingLoop<'c, 'a>> {
        std::mem::take(&mut self.carried)
    }

    /// The packed tiles, in the order of their code's ends.
    pub fn take_packed(&mut self) -> Vec<PackedTile<'c, 'a>> {
        std::mem::take(&mut self.packed)
    }

    /// Notes an access for the footprints that are promoted here, and for the innermost packed tile that it is of.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn note(
        &mut self,
        (operation, is_load): (OperationRef<'c, 'a>, bool),
        instance: (StatementId, &[Expr]),
        place: (Value<'c, 'a>, &[Expr]),
    ) -> Result<(), EmitError> {
        for footprint in &mut self.footprints {
            footprint.note(self.context, operation, instance, place, &self.scope, &self.extents)?;
        }
        for carrying in &mut self.carrying {
            carrying.note((operation, is_load), place, &self.scope)?;
        }
        if is_load {
            for tile in self.packing.iter_mut().rev() {
                if tile.note(self.context, operation, instance, place, (&self.scope, &self.ending))? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The new code, but for its operations, as reading it back has to know it; or why an instance could not be
    /// marked.
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
                ArrayBinding::Local { .. } | ArrayBinding::Field { .. } | ArrayBinding::Scalar { .. } => {}
            }
        }
        buffers.extend(self.own_buffers());
        match self.unmarked.take() {
            Some(reason) => Err(reason),
            None => Ok(NewCode { operations: Vec::new(), parameters: self.parameter_values(), buffers }),
        }
    }

    /// The copies here of values from outside of statements.
    pub fn outer_values(&self) -> ValueMap<'c, 'a> {
        let mut values = ValueMap::new();
        for &(original, copy) in &self.hoisted {
            values.insert(original, copy);
        }
        for (binding, buffer) in self.region.arrays.iter().zip(&self.buffers) {
            let Some(buffer) = buffer else { continue };
            match binding {
                ArrayBinding::Local { allocation, .. } => {
                    if let Ok(original) = allocation.result(0) {
                        values.insert(original.into(), *buffer);
                    }
                }
                ArrayBinding::Memory { buffer: original } => values.insert(*original, *buffer),
                ArrayBinding::Field { placeholder, .. } => values.insert(*placeholder, *buffer),
                ArrayBinding::Scalar { .. } => {}
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

    /// An expression with choices as a value.
    pub fn number(&self, expr: &Expr, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, EmitError> {
        let (list, operation) = match expr {
            Expr::Select(cond, one, other) => {
                let choice = [self.truth(cond, builder)?, self.number(one, builder)?, self.number(other, builder)?];
                return Ok(builder.value("arith.select", &choice, builder.index(), &[])?);
            }
            Expr::Min(list) => (list, "arith.minsi"),
            Expr::Max(list) => (list, "arith.maxsi"),
            Expr::Add(one, other) if !expr.is_quasi_affine() => {
                let sum = [self.number(one, builder)?, self.number(other, builder)?];
                return Ok(builder.value("arith.addi", &sum, builder.index(), &[])?);
            }
            Expr::Mul(factor, one) if !expr.is_quasi_affine() => {
                let product = [self.number(one, builder)?, builder.constant_index(*factor)?];
                return Ok(builder.value("arith.muli", &product, builder.index(), &[])?);
            }
            _ => return self.materialize(expr, builder),
        };
        let mut values = list.iter().map(|one| self.number(one, builder));
        let first = values.next().ok_or(EmitError::Place("the least of no numbers"))?;
        values.try_fold(first?, |all, one| Ok(builder.value(operation, &[all, one?], builder.index(), &[])?))
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

    /// The scalars that the code of a node writes.
    pub fn written(&self, node: &Node) -> BTreeSet<usize> {
        scalars::written(node, &|statement| effects(self.region, statement))
    }

    /// The memory that an array's elements are in here.
    pub fn memory_of(&self, array: &str) -> Option<Value<'c, 'a>> {
        let array = self.region.scop.arrays.iter().position(|known| known.name == array)?;
        if let Some(buffer) = self.buffer(array) {
            return Some(buffer);
        }
        match self.region.arrays.get(array)? {
            ArrayBinding::Memory { buffer } => Some(self.outer_values().get(*buffer)),
            ArrayBinding::Local { allocation, .. } => Some(allocation.result(0).ok()?.into()),
            ArrayBinding::Field { .. } | ArrayBinding::Scalar { .. } => None,
        }
    }
}

fn is_float(r#type: Type<'_>) -> bool {
    use melior::ir::TypeLike;
    // SAFETY: the type is alive.
    unsafe { mlir_sys::mlirTypeIsAFloat(r#type.to_raw()) }
}
