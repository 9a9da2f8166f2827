//! What is run in which order, and what is left unordered.

use super::fault::{Fault, ThreadId};
use crate::scop::StatementId;

/// An instance of the interpreter: its position among all instances.
pub(super) type InstanceId = usize;

/// An element: its position among all elements that are touched.
pub(super) type ElementId = usize;

/// A part of a run.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// One instance, with those of its reads that are from tiles.
    Instance(InstanceId, Vec<TileRead>),
    /// A thread copies an element to a tile.
    Copy(Copied),
    /// A thread waits for the others of its block. There are none but between the steps of a thread.
    Barrier(Barrier),
    /// One after the other.
    Sequence(Vec<Step>),
    /// In any order and at the same time.
    Unordered {
        /// The parts.
        children: Vec<Step>,
        /// The positions of the arrays of which each part has its own copy.
        private: Vec<usize>,
    },
    /// The blocks of a kernel, in any order and at the same time.
    Kernel(Vec<Block>),
}

/// A block of a kernel.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Its threads, in any order and at the same time between two barriers.
    pub threads: Vec<Thread>,
}

/// A thread of a block.
#[derive(Debug, Clone)]
pub(super) struct Thread {
    /// Which one it is.
    pub id: ThreadId,
    /// Its steps, one after the other, cut at its barriers: one part more than there are of these.
    pub phases: Vec<Vec<Step>>,
    /// The barriers that it comes to.
    pub barriers: Vec<Barrier>,
}

/// A barrier of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Barrier {
    /// The copy to shared memory that it belongs to, in the order of the code.
    pub site: usize,
    /// It is the one behind the copy, not the one before it.
    pub is_behind: bool,
}

/// A place in the shared memory of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    /// The number of the tile.
    pub buffer: usize,
    /// The number of the element in it, row by row.
    pub offset: usize,
}

/// An element that is copied to a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Copied {
    pub element: ElementId,
    pub cell: Cell,
}

/// A read from a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileRead {
    /// The position of the access in its statement; it touches one element.
    pub access: usize,
    /// `None` where the element is outside of the tile.
    pub cell: Option<Cell>,
}

/// An instance that the region does not have.
#[derive(Debug, Clone)]
pub(super) struct Foreign {
    pub statement: StatementId,
    pub vector: Vec<i64>,
    /// The thread that runs it, in a kernel.
    pub thread: Option<ThreadId>,
}

/// A run with its freedom: made by [`super::Interpreter::original`], [`super::Interpreter::tree`] or
/// [`super::Interpreter::ast`].
#[derive(Debug, Clone)]
pub struct Trace {
    pub(super) root: Step,
    /// Instances that the region does not have.
    pub(super) foreign: Vec<Foreign>,
    /// What is wrong in kernels in any order.
    pub(super) faults: Vec<Fault>,
}
