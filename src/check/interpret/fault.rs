//! What is wrong in a kernel, whether or not values come out right.

use crate::scop::StatementId;
use std::collections::BTreeSet;
use std::fmt;

/// A thread of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadId {
    /// The number of its block along the axes of blocks, x last.
    pub block: Vec<i128>,
    /// Its number in the block along the axes of threads, x last.
    pub thread: Vec<i128>,
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {:?}, thread {:?}", self.block, self.thread)
    }
}

/// Who accesses an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accessor {
    /// The instance, as in `S[1, 2]`; `None` for a copy to shared memory.
    pub instance: Option<String>,
    /// The thread. Which one of a block copies an element is the emitter's choice, so that of a copy is an example.
    pub thread: ThreadId,
}

impl fmt::Display for Accessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Accessor { instance, thread } = self;
        write!(f, "{} ({thread})", instance.as_deref().unwrap_or("the copy to shared memory"))
    }
}

/// A fault of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Two threads access one element, one of them writes it, and no barrier is between them.
    Race {
        /// The element, of an array or of shared memory.
        element: String,
        /// Who writes it.
        writer: Accessor,
        /// Who else accesses it.
        other: Accessor,
        /// That is a write as well.
        is_write: bool,
    },
    /// Two threads of a block do not come to the same barriers.
    Divergence {
        /// One thread, and which barrier it waits at.
        waiting: (ThreadId, String),
        /// Another one, and where it is then.
        other: (ThreadId, String),
    },
    /// A read from a tile of an element that was not copied there.
    NotCopied {
        /// The element.
        element: String,
        /// Who reads it.
        reader: Accessor,
        /// The element that is there instead, if there is one.
        holds: Option<String>,
    },
    /// A read from a tile of an element that is outside of it.
    OutsideOfTile {
        /// The element.
        element: String,
        /// Who reads it.
        reader: Accessor,
    },
    /// A read from a tile of an element that was written since it was copied.
    Stale {
        /// The element.
        element: String,
        /// Who reads it.
        reader: Accessor,
        /// The instance that wrote it last.
        writer: String,
    },
    /// A copy of an element that no instance accesses, so that it may be no memory.
    OutOfBounds {
        /// The element.
        element: String,
        /// Who copies it.
        thread: ThreadId,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Race { element, writer, other, is_write } => {
                let verb = if *is_write { "writes" } else { "reads" };
                write!(f, "race: {writer} writes {element}, which {other} {verb}")
            }
            Fault::Divergence { waiting: (waiting, barrier), other: (other, place) } => {
                write!(f, "divergence: {waiting} waits at {barrier}, {other} {place}")
            }
            Fault::NotCopied { element, reader, holds } => {
                write!(f, "{reader} reads {element} from a tile, where ")?;
                match holds {
                    Some(holds) => write!(f, "{holds} is instead"),
                    None => write!(f, "it was not copied"),
                }
            }
            Fault::OutsideOfTile { element, reader } => {
                write!(f, "{reader} reads {element} from a tile, which it is outside of")
            }
            Fault::Stale { element, reader, writer } => {
                write!(f, "{reader} reads a stale copy of {element}, which {writer} has written since")
            }
            Fault::OutOfBounds { element, thread } => {
                write!(f, "{element} is copied to a tile ({thread}), and nothing else accesses it")
            }
        }
    }
}

/// What makes faults examples of one mistake: their kind, where it is, and the statements.
pub(super) type Mistake = (&'static str, usize, [Option<StatementId>; 2]);

/// Faults, one example of each mistake.
#[derive(Debug, Default)]
pub(super) struct Faults {
    found: Vec<Fault>,
    mistakes: BTreeSet<Mistake>,
}

impl Faults {
    /// Adds an example, unless there is one.
    pub fn add(&mut self, mistake: Mistake, fault: impl FnOnce() -> Fault) {
        if self.mistakes.insert(mistake) {
            self.found.push(fault());
        }
    }

    /// The examples, as they were found.
    pub fn into_vec(self) -> Vec<Fault> {
        self.found
    }
}
