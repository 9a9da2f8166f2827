//! What is wrong in a kernel, or with what a loop holds, whether or not values come out right.

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

/// What accesses an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agent {
    /// An instance, as in `S[1, 2]`.
    Instance(String),
    /// A copy to shared memory.
    SharedCopy,
    /// The copy from memory to the buffer of a loop that holds the element.
    CopyIn,
    /// The copy from there to memory.
    CopyBack,
    /// A loop that holds the element, between the two.
    Holder,
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Agent::Instance(name) => name,
            Agent::SharedCopy => "the copy to shared memory",
            Agent::CopyIn => "the copy to a loop's buffer",
            Agent::CopyBack => "the copy back from a loop's buffer",
            Agent::Holder => "the loop that holds it",
        })
    }
}

/// Who accesses an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accessor {
    /// What of the code it is.
    pub agent: Agent,
    /// The thread, in a kernel. Which one of a block copies an element to shared memory is the emitter's choice, so
    /// that of such a copy is an example.
    pub thread: Option<ThreadId>,
}

impl fmt::Display for Accessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.agent, in_thread(self.thread.as_ref()))
    }
}

/// A thread in brackets, if it is one.
fn in_thread(thread: Option<&ThreadId>) -> String {
    thread.map_or_else(String::new, |thread| format!(" ({thread})"))
}

/// A fault of a kernel, or of a loop that holds elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Two threads access one element, one of them writes it, and no barrier is between them; or two iterations that
    /// may run at the same time do so on the CPU, where one of them holds the element. Who holds an
    /// element writes it all the time.
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
        copier: Accessor,
    },
    /// An access in memory of an element that a loop around it holds in a buffer.
    HeldElsewhere {
        /// The element.
        element: String,
        /// Who accesses it.
        accessor: Accessor,
    },
    /// An access in a loop's buffer to an element beyond what the loop holds.
    NotHeld {
        /// The element.
        element: String,
        /// Who accesses it.
        accessor: Accessor,
    },
    /// A copy back of an element that nothing in the loop is certain to write.
    NotWritten {
        /// The element.
        element: String,
        /// Who copies it.
        copier: Accessor,
    },
    /// A loop that holds elements has no iteration.
    HeldByNone {
        /// The array.
        array: String,
        /// The thread, in a kernel.
        thread: Option<ThreadId>,
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
            Fault::OutOfBounds { element, copier } => {
                let to = if copier.agent == Agent::SharedCopy { "a tile" } else { "a loop's buffer" };
                let thread = in_thread(copier.thread.as_ref());
                write!(f, "{element} is copied to {to}{thread}, and nothing else accesses it")
            }
            Fault::HeldElsewhere { element, accessor } => {
                write!(f, "held elsewhere: {accessor} accesses {element} in memory, which a loop around it holds")
            }
            Fault::NotHeld { element, accessor } => {
                write!(f, "not held: {accessor} accesses {element} in a loop's buffer, beyond what that holds")
            }
            Fault::NotWritten { element, copier } => {
                let thread = in_thread(copier.thread.as_ref());
                write!(f, "{element} is copied back from a loop's buffer{thread}, and nothing in the loop writes it")
            }
            Fault::HeldByNone { array, thread } => {
                write!(f, "a loop that holds elements of {array}{} does not run", in_thread(thread.as_ref()))
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
