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
    /// One instance, with those of its accesses that are not to memory.
    Instance(InstanceId, Vec<Redirect>),
    /// A thread copies an element to a tile.
    Copy(Copied),
    /// A loop copies an element to its buffer, or back.
    Held(HeldCopy),
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

/// An execution of a loop that holds a footprint: its position among all of them.
pub(super) type HoldId = usize;

/// An element that a loop copies to its buffer or back.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldCopy {
    pub hold: HoldId,
    pub element: ElementId,
    /// From the buffer to memory, not from there.
    pub is_back: bool,
}

/// An access that is not to memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Redirect {
    /// The position of the access in its statement; it touches one element.
    pub access: usize,
    pub to: Place,
}

/// Where an access goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// To a tile in shared memory; `None` where the element is outside of it.
    Tile(Option<Cell>),
    /// To the buffer of a loop that holds the element, if all accesses of that form do: the number of the form counts
    /// as long as the code is run.
    Buffer { hold: HoldId, form: usize },
}

impl Redirect {
    /// The loop whose buffer one of an instance's accesses goes to.
    pub fn hold(redirects: &[Redirect], access: usize) -> Option<HoldId> {
        redirects.iter().find(|redirect| redirect.access == access).and_then(|redirect| match redirect.to {
            Place::Buffer { hold, .. } => Some(hold),
            Place::Tile(_) => None,
        })
    }
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
    /// What is wrong in kernels and with what loops hold, in any order.
    pub(super) faults: Vec<Fault>,
}
