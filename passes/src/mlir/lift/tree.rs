//! The region as a tree of blocks, with everything that is affine already described.

use std::collections::HashMap;

use melior::ir::{OperationRef, Value};
use polyrs_core::isl::{Map, PwAff, Set};
use polyrs_core::scop::{AccessKind, ElementType};

use crate::mlir::ir::operation::results;
use crate::mlir::ir::value::{ValueId, id};
use crate::mlir::region::ArrayBinding;

/// The position of a block in [`Tree::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BodyId(pub usize);

/// The position of a loop in [`Tree::loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopId(pub usize);

/// A place in the textual order of a block: right before the node of this number, or the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// The block.
    pub block: BodyId,
    /// The number of nodes of the block that come before.
    pub node: usize,
}

/// A body: operations of the region that run once for each point of one domain.
pub(super) struct Body<'c, 'a> {
    /// The node that holds this body; nothing for the region's own body.
    pub parent: Option<Point>,
    /// The induction variables, outermost first.
    pub iterators: Vec<Value<'c, 'a>>,
    /// The iterations in which the block runs: `[p] -> { [i] : ... }`.
    pub domain: Set,
    /// The contents, in order, without the terminator.
    pub nodes: Vec<TreeNode<'c, 'a>>,
}

/// Something in a block.
pub(super) enum TreeNode<'c, 'a> {
    /// An operation that is cloned as a whole.
    Leaf(Leaf<'c, 'a>),
    /// A loop, or several nested in each other.
    Loop(LoopId),
    /// A condition.
    If(If<'c, 'a>),
}

/// An operation that is cloned as a whole, or stands for nothing in the new code.
pub(super) struct Leaf<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// The role.
    pub role: Role,
    /// The accesses, reads first.
    pub accesses: Vec<MemoryAccess>,
}

/// The role of a [`Leaf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Recomputed where it is used.
    Pure,
    /// Repeated where it is used, as long as nothing was written in between.
    Load,
    /// A statement of its own.
    Effect,
    /// An allocation: the end of the buffer's former life. The array's position.
    Allocation(usize),
    /// Nothing is left of it.
    Nothing,
}

/// A loop, or the dimensions of a parallel nest.
pub(super) struct Loop<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// Where it is.
    pub point: Point,
    /// The number of dimensions that it adds.
    pub dimensions: usize,
    /// The body.
    pub body: BodyId,
    /// The values that it carries from one iteration to the next.
    pub carried: Vec<Carried<'c, 'a>>,
    /// The elements that accumulators were expanded into: written by the loop although no store in it says so.
    pub expanded: Vec<MemoryAccess>,
}

/// A value that a loop carries.
#[derive(Clone, Copy)]
pub(super) struct Carried<'c, 'a> {
    /// The value before the loop.
    pub init: Value<'c, 'a>,
    /// The value inside.
    pub argument: Value<'c, 'a>,
    /// The value for the next iteration.
    pub next: Value<'c, 'a>,
    /// The value after the loop.
    pub result: Value<'c, 'a>,
}

/// An `affine.if`.
pub(super) struct If<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// The body that runs where the condition holds, with the values that it yields.
    pub then: (BodyId, Vec<Value<'c, 'a>>),
    /// The body that runs elsewhere, with the values that it yields.
    pub otherwise: Option<(BodyId, Vec<Value<'c, 'a>>)>,
    /// The results.
    pub results: Vec<Value<'c, 'a>>,
}

/// One reference to memory.
#[derive(Clone)]
pub(super) struct MemoryAccess {
    /// The array's position.
    pub array: usize,
    /// The kind.
    pub kind: AccessKind,
    /// The elements: `[p] -> { [i] -> A[a] }`, the domain that of the block.
    pub relation: Map,
    /// The relation is exactly what an executed instance touches, and every instance executes it.
    pub exact: bool,
}

/// An array of the region.
pub(super) struct ArrayInfo<'c, 'a> {
    /// The name, unique.
    pub name: String,
    /// The counterpart in the IR.
    pub binding: ArrayBinding<'c, 'a>,
    /// The extents over the parameters: `[p] -> { [(e)] }`.
    pub extent: Vec<Option<PwAff>>,
    /// The type of the elements for the model.
    pub element: ElementType,
}

impl<'c, 'a> ArrayInfo<'c, 'a> {
    /// The array is this memref.
    pub fn is_buffer(&self, memref: Value<'c, 'a>) -> bool {
        match &self.binding {
            ArrayBinding::Memory { buffer } => *buffer == memref,
            ArrayBinding::Local { allocation, .. } => results(*allocation).contains(&memref),
            ArrayBinding::Field { .. } | ArrayBinding::Scalar { .. } => false,
        }
    }
}

/// Where a value of the region comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    /// The induction variable of this dimension.
    Iterator(usize),
    /// A loop's carried value of this number, inside the loop.
    Carried(LoopId, usize),
    /// A loop's result of this number.
    LoopResult(LoopId, usize),
    /// A condition's result of this number; the node.
    IfResult(Point, usize),
    /// A leaf's result.
    Leaf(Point),
}

/// The region.
#[derive(Default)]
pub(super) struct Tree<'c, 'a> {
    /// The blocks; the region's own is the first one.
    pub blocks: Vec<Body<'c, 'a>>,
    /// The loops, outer before inner.
    pub loops: Vec<Loop<'c, 'a>>,
    /// Where the values that are defined in the region come from. All others are from outside.
    pub values: HashMap<ValueId, Definition>,
}

impl<'c, 'a> Tree<'c, 'a> {
    /// A block.
    pub fn block(&self, id: BodyId) -> &Body<'c, 'a> {
        &self.blocks[id.0]
    }

    /// A loop.
    pub fn get_loop(&self, id: LoopId) -> &Loop<'c, 'a> {
        &self.loops[id.0]
    }

    /// Where a value comes from; nothing if it is from outside.
    pub fn definition(&self, value: Value<'c, 'a>) -> Option<Definition> {
        self.values.get(&id(value)).copied()
    }

    /// The node at a point.
    pub fn node(&self, point: Point) -> &TreeNode<'c, 'a> {
        &self.block(point.block).nodes[point.node]
    }

    /// The leaf at a point, if there is one.
    pub fn leaf(&self, point: Point) -> Option<&Leaf<'c, 'a>> {
        match self.node(point) {
            TreeNode::Leaf(leaf) => Some(leaf),
            _ => None,
        }
    }

    /// The number of induction variables around a block.
    pub fn depth(&self, block: BodyId) -> usize {
        self.block(block).iterators.len()
    }

    /// The blocks right inside a node.
    pub fn inner_blocks(&self, node: &TreeNode<'c, 'a>) -> Vec<BodyId> {
        match node {
            TreeNode::Leaf(_) => Vec::new(),
            TreeNode::Loop(number) => vec![self.get_loop(*number).body],
            TreeNode::If(branch) => {
                std::iter::once(branch.then.0).chain(branch.otherwise.as_ref().map(|o| o.0)).collect()
            }
        }
    }

    /// The point of `outer` whose node holds `point`, or `point` itself if it is in `outer`; nothing if it is not
    /// inside of `outer`.
    pub fn ancestor(&self, point: Point, outer: BodyId) -> Option<Point> {
        let mut current = point;
        while current.block != outer {
            current = self.block(current.block).parent?;
        }
        Some(current)
    }

    /// Every access at or below a node, with the block that it is in.
    pub fn accesses_of<'t>(
        &'t self,
        block: BodyId,
        node: &'t TreeNode<'c, 'a>,
        found: &mut Vec<(BodyId, &'t MemoryAccess)>,
    ) {
        match node {
            TreeNode::Leaf(leaf) => found.extend(leaf.accesses.iter().map(|access| (block, access))),
            TreeNode::Loop(number) => {
                found.extend(self.get_loop(*number).expanded.iter().map(|access| (block, access)))
            }
            TreeNode::If(_) => {}
        }
        for inner in self.inner_blocks(node) {
            for node in &self.block(inner).nodes {
                self.accesses_of(inner, node, found);
            }
        }
    }
}
