//! Reading a run of operations into a [`Tree`].

use std::collections::HashMap;

use melior::ir::{BlockRef, OperationRef, Value};
use polyrs_core::isl::{self, DimType, PwAff, Set, Space, Val};
use polyrs_core::scop::AccessKind;

use super::expression;
use super::frame::{Frame, OperationId};
use super::kind::{Indexed, Kind};
use super::memory::Memory;
use super::parameters::Parameters;
use super::refusal::{Reason, Step, Stop};
use super::tree::{
    Body, BodyId, Carried, Definition, If, Leaf, Loop, LoopId, MemoryAccess, Point, Role, Tree, TreeNode,
};
use crate::mlir::ir::affine::{self, Access};
use crate::mlir::ir::operation::{nested, operands, operations, results};
use crate::mlir::ir::value::{ValueId, id};
use crate::mlir::ir::{AffineFor, AffineIf, AffineParallel, Bound};

/// Reads a region. What it has read is in its fields when it is done.
pub(super) struct Reader<'f, 'c, 'a> {
    /// The isl context of the region.
    pub isl: isl::Ctx,
    /// The operations.
    pub frame: &'f Frame<'c, 'a>,
    /// The blocks and loops.
    pub tree: Tree<'c, 'a>,
    /// The parameters.
    pub parameters: Parameters<'c, 'a>,
    /// The arrays.
    pub memory: Memory<'c, 'a>,
    /// The top-level operation that is being read.
    pub(super) current: Option<OperationRef<'c, 'a>>,
    /// The positions of allocations inside of loops, for their buffers.
    pub(super) allocations: HashMap<OperationId, usize>,
    /// The positions of index values traced so far in `expressions`, on spaces of so many dimensions.
    pub(super) traced: HashMap<(ValueId, usize), usize>,
    /// Index values as expressions, if they are affine. In an order of their own: isl's memory, and with it
    /// the operations that it counts, depends on the order in which its objects go.
    pub(super) expressions: Vec<Option<PwAff>>,
}

impl<'f, 'c, 'a> Reader<'f, 'c, 'a> {
    /// A reader that has read nothing.
    pub fn new(isl: isl::Ctx, frame: &'f Frame<'c, 'a>) -> Self {
        Self {
            isl,
            frame,
            tree: Tree::default(),
            parameters: Parameters::default(),
            memory: Memory::default(),
            current: None,
            allocations: HashMap::new(),
            traced: HashMap::new(),
            expressions: Vec::new(),
        }
    }

    /// Reads the frame's operations.
    pub fn read(&mut self) -> Step<'c, 'a, ()> {
        self.memory.find_handles(self.frame);
        let domain = Set::universe(self.space(0)?)?;
        let block = self.add_block(None, Vec::new(), domain);
        for operation in self.frame.operations.clone() {
            if !self.frame.is_kept(operation) {
                self.current = Some(operation);
                self.read_operation(block, operation)?;
            }
        }
        Ok(())
    }

    /// The space of a block's iterations: `{ [i] }`.
    pub fn space(&self, depth: usize) -> isl::Result<Space> {
        Space::unit(&self.isl)?.add_unnamed_tuple_ui(depth)
    }

    /// Adds a block that holds nothing yet.
    pub(super) fn add_block(&mut self, parent: Option<Point>, iterators: Vec<Value<'c, 'a>>, domain: Set) -> BodyId {
        self.tree.blocks.push(Body { parent, iterators, domain, nodes: Vec::new() });
        BodyId(self.tree.blocks.len() - 1)
    }

    fn define(&mut self, value: Value<'c, 'a>, definition: Definition) {
        self.tree.values.insert(id(value), definition);
    }

    /// The point behind what has been read of a block.
    fn end(&self, block: BodyId) -> Point {
        Point { block, node: self.tree.block(block).nodes.len() }
    }

    fn push(&mut self, block: BodyId, node: TreeNode<'c, 'a>) {
        self.tree.blocks[block.0].nodes.push(node);
    }

    /// Reads the operations of a body and returns what its terminator yields.
    fn read_body(&mut self, block: BodyId, body: BlockRef<'c, 'a>) -> Step<'c, 'a, Vec<Value<'c, 'a>>> {
        let mut all = operations(body);
        let yields = all.pop().map(operands).unwrap_or_default();
        for operation in all {
            self.read_operation(block, operation)?;
        }
        Ok(yields)
    }

    /// Reads an operation of a block.
    pub(super) fn read_operation(&mut self, block: BodyId, operation: OperationRef<'c, 'a>) -> Step<'c, 'a, ()> {
        match Kind::of(operation) {
            Kind::For(view) => self.read_for(block, &view),
            Kind::Parallel(view) => self.read_parallel(block, &view),
            Kind::If(view) => self.read_if(block, view),
            Kind::Affine(view) => {
                let access = self.affine_access(block, &view)?;
                let stores = view.kind == affine::AccessKind::Store;
                self.push_leaf(block, operation, if stores { Role::Effect } else { Role::Load }, vec![access]);
                Ok(())
            }
            Kind::Indexed(view) => {
                let access = self.indexed_access(block, operation, &view)?;
                self.push_leaf(block, operation, if view.stores { Role::Effect } else { Role::Load }, vec![access]);
                Ok(())
            }
            Kind::Copy => {
                let accesses = self.copy_accesses(block, operation)?;
                self.push_leaf(block, operation, Role::Effect, accesses);
                Ok(())
            }
            Kind::Allocation => {
                let array = self.nested_allocation(operation)?;
                self.push_leaf(block, operation, Role::Allocation(array), Vec::new());
                Ok(())
            }
            Kind::Deallocation | Kind::Hint => {
                self.push_leaf(block, operation, Role::Nothing, Vec::new());
                Ok(())
            }
            Kind::Pure => {
                self.push_leaf(block, operation, Role::Pure, Vec::new());
                Ok(())
            }
            Kind::Atomic => {
                let accesses = self.atomic_accesses(block, operation)?;
                self.push_leaf(block, operation, Role::Effect, accesses);
                Ok(())
            }
            Kind::Other => Err(Stop::Refused(operation, Reason::of_unknown(operation))),
        }
    }

    fn push_leaf(&mut self, block: BodyId, operation: OperationRef<'c, 'a>, role: Role, accesses: Vec<MemoryAccess>) {
        let point = self.end(block);
        for result in results(operation) {
            self.define(result, Definition::Leaf(point));
        }
        self.push(block, TreeNode::Leaf(Leaf { operation, role, accesses }));
    }

    fn read_for(&mut self, block: BodyId, view: &AffineFor<'c, 'a>) -> Step<'c, 'a, ()> {
        let domain = self.tree.block(block).domain.clone();
        let domain = self.add_dimension(view.operation, block, domain, &view.lower, &view.upper, view.step)?;
        let number = self.enter_loop(block, view.operation, vec![view.variable], domain);
        let body = self.tree.get_loop(number).body;
        for (position, value) in view.carried.iter().enumerate() {
            self.define(*value, Definition::Carried(number, position));
        }
        let yields = self.read_body(body, view.body)?;
        let all = results(view.operation);
        for (position, result) in all.iter().enumerate() {
            self.define(*result, Definition::LoopResult(number, position));
        }
        let values = view.inits.iter().zip(&view.carried).zip(yields).zip(all);
        self.tree.loops[number.0].carried = values
            .map(|(((init, argument), next), result)| Carried { init: *init, argument: *argument, next, result })
            .collect();
        Ok(())
    }

    fn read_parallel(&mut self, block: BodyId, view: &AffineParallel<'c, 'a>) -> Step<'c, 'a, ()> {
        if !view.reductions.is_empty() {
            return Err(Stop::Refused(view.operation, Reason::Reduction));
        }
        let mut domain = self.tree.block(block).domain.clone();
        for ((lower, upper), step) in view.lowers.iter().zip(&view.uppers).zip(&view.steps) {
            domain = self.add_dimension(view.operation, block, domain, lower, upper, *step)?;
        }
        let number = self.enter_loop(block, view.operation, view.variables.clone(), domain);
        let body = self.tree.get_loop(number).body;
        self.read_body(body, view.body)?;
        Ok(())
    }

    fn enter_loop(
        &mut self,
        block: BodyId,
        operation: OperationRef<'c, 'a>,
        variables: Vec<Value<'c, 'a>>,
        domain: Set,
    ) -> LoopId {
        let point = self.end(block);
        let dimensions = variables.len();
        let mut iterators = self.tree.block(block).iterators.clone();
        for variable in variables {
            self.define(variable, Definition::Iterator(iterators.len()));
            iterators.push(variable);
        }
        let body = self.add_block(Some(point), iterators, domain);
        let number = LoopId(self.tree.loops.len());
        self.tree.loops.push(Loop { operation, point, dimensions, body, carried: Vec::new(), expanded: Vec::new() });
        self.push(block, TreeNode::Loop(number));
        number
    }

    /// One more dimension behind those of `domain`, between the bounds and a whole number of steps from the lower.
    fn add_dimension(
        &mut self,
        operation: OperationRef<'c, 'a>,
        block: BodyId,
        domain: Set,
        lower: &Bound<'c, 'a>,
        upper: &Bound<'c, 'a>,
        step: i64,
    ) -> Step<'c, 'a, Set> {
        let depth = domain.dim(DimType::SET)?;
        let space = self.space(depth + 1)?;
        let variable = expression::variable(&space, depth)?;
        let lowers = self.bound(operation, block, lower, &space)?;
        let uppers = self.bound(operation, block, upper, &space)?;
        let mut domain = domain.add_dims(DimType::SET, 1)?;
        for bound in &lowers {
            domain = domain.intersect(variable.clone().ge_set(bound.clone())?)?;
        }
        for bound in uppers {
            domain = domain.intersect(variable.clone().lt_set(bound)?)?;
        }
        if step != 1
            && let Some(first) = self.first_iteration(&domain, lowers, step)?
        {
            let distance = variable.sub(first)?.modulo(Val::int(&self.isl, step)?)?;
            domain = domain.intersect(distance.eq_set(expression::constant(&space, 0)?)?)?;
        }
        Ok(domain.coalesce()?)
    }

    /// The first iteration of a loop up to multiples of its step, where the loop is entered. It is the greatest of its
    /// lower bounds, and any of them if they are the same modulo the step: so are those of tiles, and their maximum
    /// would be a function of as many pieces.
    fn first_iteration(&self, domain: &Set, lowers: Vec<PwAff>, step: i64) -> Step<'c, 'a, Option<PwAff>> {
        let step = Val::int(&self.isl, step)?;
        let Some((one, others)) = lowers.split_first() else { return Ok(None) };
        let remainder = one.clone().modulo(step.clone())?;
        let mut same = true;
        for other in others {
            let differs = other.clone().modulo(step.clone())?.ne_set(remainder.clone())?;
            same = same && domain.clone().intersect(differs)?.is_empty()?;
        }
        if same {
            return Ok(Some(one.clone()));
        }
        let mut greatest = one.clone();
        for other in others {
            greatest = greatest.max(other.clone())?;
        }
        Ok(Some(greatest))
    }

    /// The results of a bound as functions on a space of iterations.
    fn bound(
        &mut self,
        operation: OperationRef<'c, 'a>,
        block: BodyId,
        bound: &Bound<'c, 'a>,
        space: &Space,
    ) -> Step<'c, 'a, Vec<PwAff>> {
        let operands = self.affine_operands(operation, block, &bound.operands, space)?;
        expression::apply(bound.map, &operands, space)?.ok_or(Stop::Refused(operation, Reason::NotAffine))
    }

    /// The operands of a bound or condition; all have to be affine.
    fn affine_operands(
        &mut self,
        operation: OperationRef<'c, 'a>,
        block: BodyId,
        values: &[Value<'c, 'a>],
        space: &Space,
    ) -> Step<'c, 'a, Vec<PwAff>> {
        let mut functions = Vec::new();
        for value in values {
            match self.index(block, *value, space)? {
                Some(function) => functions.push(function),
                None => return Err(self.not_affine(operation, *value)),
            }
        }
        Ok(functions)
    }

    /// A bound or condition depends on a value that is not affine. If it was computed by earlier operations of the
    /// region, a region that starts later can have it as a parameter.
    fn not_affine(&self, operation: OperationRef<'c, 'a>, value: Value<'c, 'a>) -> Stop<'c, 'a> {
        let current = self.current.unwrap_or(operation);
        let mut sources = Vec::new();
        self.sources(value, &mut sources);
        match Frame::new(vec![current]) {
            Some(only) if sources.iter().all(|source| only.is_outside(*source)) => Stop::Cut(current),
            _ => Stop::Refused(operation, Reason::NotAffine),
        }
    }

    fn read_if(&mut self, block: BodyId, view: AffineIf<'c, 'a>) -> Step<'c, 'a, ()> {
        let operation = view.operation;
        let outer = self.tree.block(block);
        let (iterators, domain) = (outer.iterators.clone(), outer.domain.clone());
        let space = self.space(iterators.len())?;
        let arguments = self.affine_operands(operation, block, &view.operands, &space)?;
        let Some(holds) = expression::condition(view.condition, &arguments, &space)? else {
            return Err(Stop::Refused(operation, Reason::NotAffine));
        };
        let point = self.end(block);
        let inside = domain.clone().intersect(holds.clone())?.coalesce()?;
        let then = self.add_block(Some(point), iterators.clone(), inside);
        // The node comes first, so that points inside have a parent.
        self.push(
            block,
            TreeNode::If(If { operation, then: (then, Vec::new()), otherwise: None, results: Vec::new() }),
        );
        let then_yields = self.read_body(then, view.then)?;
        let otherwise = match view.otherwise {
            None => None,
            Some(body) => {
                let elsewhere = domain.subtract(holds)?.coalesce()?;
                let otherwise = self.add_block(Some(point), iterators, elsewhere);
                let yields = self.read_body(otherwise, body)?;
                Some((otherwise, yields))
            }
        };
        let results = results(operation);
        for (position, result) in results.iter().enumerate() {
            self.define(*result, Definition::IfResult(point, position));
        }
        let node = TreeNode::If(If { operation, then: (then, then_yields), otherwise, results });
        self.tree.blocks[block.0].nodes[point.node] = node;
        Ok(())
    }

    /// The access of an operation of the affine dialect.
    fn affine_access(&mut self, block: BodyId, view: &Access<'c, 'a>) -> Step<'c, 'a, MemoryAccess> {
        let space = self.space(self.tree.depth(block))?;
        let mut functions = Vec::new();
        for value in &view.subscripts.operands {
            functions.push(self.index(block, *value, &space)?);
        }
        let operands: Option<Vec<PwAff>> = functions.into_iter().collect();
        let subscripts = match operands {
            Some(operands) => expression::apply(view.subscripts.map, &operands, &space)?,
            None => None,
        };
        let kind = if view.kind == affine::AccessKind::Store { AccessKind::MustWrite } else { AccessKind::Read };
        let vector = if view.vector { Some(view.value) } else { None };
        self.access(block, view.operation, view.memref, subscripts, vector, kind)
    }

    /// The access of an operation with values as subscripts.
    fn indexed_access(
        &mut self,
        block: BodyId,
        operation: OperationRef<'c, 'a>,
        view: &Indexed<'c, 'a>,
    ) -> Step<'c, 'a, MemoryAccess> {
        let space = self.space(self.tree.depth(block))?;
        let mut functions = Vec::new();
        for value in &view.subscripts {
            functions.push(self.index(block, *value, &space)?);
        }
        let kind = if view.stores { AccessKind::MustWrite } else { AccessKind::Read };
        let vector = if view.vector { Some(view.value) } else { None };
        self.access(block, operation, view.memref, functions.into_iter().collect(), vector, kind)
    }

    /// `memref.copy`: anything of the source, to anywhere in the target.
    fn copy_accesses(&mut self, block: BodyId, operation: OperationRef<'c, 'a>) -> Step<'c, 'a, Vec<MemoryAccess>> {
        let mut accesses = Vec::new();
        for (buffer, kind) in operands(operation).into_iter().zip([AccessKind::Read, AccessKind::MayWrite]) {
            accesses.push(self.access(block, operation, buffer, None, None, kind)?);
        }
        Ok(accesses)
    }

    /// Everything that control flow other than loops of ours may touch.
    fn atomic_accesses(&mut self, block: BodyId, operation: OperationRef<'c, 'a>) -> Step<'c, 'a, Vec<MemoryAccess>> {
        let mut accesses = Vec::new();
        for inner in nested(operation) {
            let access = match Kind::of(inner) {
                Kind::Affine(view) if !self.is_private(operation, view.memref) => self.affine_access(block, &view)?,
                Kind::Indexed(view) if !self.is_private(operation, view.memref) => {
                    self.indexed_access(block, inner, &view)?
                }
                _ => continue,
            };
            let kind = if access.kind.is_write() { AccessKind::MayWrite } else { access.kind };
            accesses.push(MemoryAccess { kind, exact: false, ..access });
        }
        accesses.sort_by_key(|access| access.kind);
        Ok(accesses)
    }
}
