//! A region, as lifting hands it to emission: its model, and how its parts correspond to the IR.
//!
//! Lifting reads the IR and changes nothing. Emission writes code for an AST over the model's statements in front of
//! the operation after [`LiftedRegion::anchor`], and removes the original afterwards.
//!
//! Every value that a statement uses is one of these:
//! - defined outside of everything in [`LiftedRegion::replaced`], so it can be used as it is;
//! - the result of an operation in [`LiftedRegion::hoisted`];
//! - one of the statement's [`StatementBody::iterators`];
//! - the buffer of an [`ArrayBinding::Local`] whose allocation is in `replaced`;
//! - listed in the statement's [`StatementBody::inputs`];
//! - the result of an operation in [`StatementBody::operations`] before it.

use melior::ir::{Location, OperationRef, Type, Value};
use polyrs_core::codegen::Expr;
use polyrs_core::isl::Set;
use polyrs_core::layout::{SizeBound, SizeCondition};
use polyrs_core::scop::{Scop, StatementId};

use super::ir::Bound;

/// A region of the IR as a model, and what each part of the model is in the IR.
#[derive(Clone)]
pub struct LiftedRegion<'c, 'a> {
    /// The model.
    pub scop: Scop,
    /// What is known of the parameters, bounds that are too far to be in the model's context among it: `[p] -> { : ... }`.
    pub limits: Set,
    /// Where the region starts, for remarks.
    pub location: Location<'c>,
    /// The last operation of the region, at its top level. The new code belongs right behind it.
    pub anchor: OperationRef<'c, 'a>,
    /// The top-level operations that the new code stands for, in textual order. They are erased afterwards, last one
    /// first. Operations between them that are not listed (pure ones, allocations) stay where they are.
    pub replaced: Vec<OperationRef<'c, 'a>>,
    /// Pure operations nested in `replaced` that define parameters, or the sizes of hoisted allocations, and depend on
    /// nothing that is computed in the region. Cloned in this order before the new code.
    pub hoisted: Vec<OperationRef<'c, 'a>>,
    /// Deallocations at the region's top level that stay; they have to be moved behind the new code.
    pub deferred: Vec<OperationRef<'c, 'a>>,
    /// The value of each parameter, of type `index`, in the order of the parameters of `scop.context`.
    pub parameters: Vec<Value<'c, 'a>>,
    /// The counterpart of each of `scop.arrays`.
    pub arrays: Vec<ArrayBinding<'c, 'a>>,
    /// The operations of each of `scop.statements`.
    pub statements: Vec<StatementBody<'c, 'a>>,
    /// Values defined in `replaced` that are used after it.
    pub live_out: Vec<LiveOut<'c, 'a>>,
    /// The sizes for which its arrays' layout pays and fits, if that is not the program's own.
    pub conditions: Vec<SizeCondition>,
    /// What runs for other sizes is to stay as it is.
    pub settled: bool,
    /// The sizes that it is for. For others it may compute something else, and the original has to run.
    pub sizes: Vec<SizeBound>,
}

impl<'c, 'a> LiftedRegion<'c, 'a> {
    /// The operations of a statement.
    pub fn statement(&self, id: StatementId) -> &StatementBody<'c, 'a> {
        &self.statements[id.0]
    }

    /// How many loops are around its innermost statement.
    pub fn depth(&self) -> usize {
        self.statements.iter().map(|statement| statement.iterators.len()).max().unwrap_or(0)
    }

    /// Each instance of a statement accesses all that its accesses name: what is in a region of an operation may depend
    /// on data.
    pub fn is_certain(&self, id: StatementId) -> bool {
        use melior::ir::operation::OperationLike;
        self.statement(id).operations.iter().all(|operation| operation.region_count() == 0)
    }
}

/// The counterpart of an array of the model in the IR.
#[derive(Clone)]
pub enum ArrayBinding<'c, 'a> {
    /// Memory that exists outside of the region.
    Memory {
        /// The buffer. Accesses may go through views of it.
        buffer: Value<'c, 'a>,
    },
    /// A buffer whose content means nothing before and after the region, or, if it is allocated inside a loop,
    /// before and after an iteration of that loop.
    Local {
        /// The `memref.alloc` or `memref.alloca`. Unless it is inside an operation of [`LiftedRegion::replaced`] it
        /// stays where it is. If it is, one buffer made before the region is enough; its size operands are usable
        /// there (see [`LiftedRegion::hoisted`]).
        allocation: OperationRef<'c, 'a>,
        /// The allocation is inside an operation of [`LiftedRegion::replaced`].
        nested: bool,
    },
    /// A buffer that a layout asks for (`crate::mlir::layout`): it is made before the new code, and freed behind it, or on
    /// the stack.
    Field {
        /// What stands for the buffer in statements.
        placeholder: Value<'c, 'a>,
        /// The type of the buffer.
        r#type: Type<'c>,
        /// The extents that the type leaves open, in terms of parameters.
        sizes: Vec<Expr>,
        /// As long as none of them is greater, the size in bytes fits.
        limit: i64,
        /// There is one: what it takes is bounded, and threads have no copies.
        alone: bool,
    },
    /// An SSA value that crosses statements.
    Scalar {
        /// Its type.
        element: Type<'c>,
    },
}

/// Where a value that crosses statements is kept between them.
#[derive(Clone)]
pub enum ValueStorage<'c, 'a> {
    /// In a [`ArrayBinding::Scalar`], by its position in [`LiftedRegion::arrays`].
    Scalar(usize),
    /// In an element of a buffer. The subscripts' operands are values that the statement can use.
    Element {
        /// The buffer or view.
        memref: Value<'c, 'a>,
        /// The subscripts.
        subscripts: Bound<'c, 'a>,
    },
}

impl ValueStorage<'_, '_> {
    /// The scalar that it is, by its position in [`LiftedRegion::arrays`].
    pub fn scalar(&self) -> Option<usize> {
        match self {
            ValueStorage::Scalar(scalar) => Some(*scalar),
            ValueStorage::Element { .. } => None,
        }
    }
}

/// The operations of one instance of a statement. None at all for a statement that only kills.
#[derive(Clone)]
pub struct StatementBody<'c, 'a> {
    /// The location of what the statement stands for.
    pub location: Location<'c>,
    /// The original induction variables, in the order of the dimensions of the statement's domain. The instance's
    /// values replace them.
    pub iterators: Vec<Value<'c, 'a>>,
    /// The values that are read first, and where from. Each stands for the original value.
    pub inputs: Vec<(Value<'c, 'a>, ValueStorage<'c, 'a>)>,
    /// The operations to clone, in this order, stores included. One that has regions is cloned as a whole.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// The original values (in terms of the clones) to write last, and where to.
    pub outputs: Vec<(ValueStorage<'c, 'a>, Value<'c, 'a>)>,
}

/// A value that is used after the region.
#[derive(Clone)]
pub struct LiveOut<'c, 'a> {
    /// The original value.
    pub value: Value<'c, 'a>,
    /// The scalar that holds it at the end, by its position in [`LiftedRegion::arrays`].
    pub scalar: usize,
}
