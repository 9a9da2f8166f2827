//! The interpreter: runs a region at given parameter values in its original order, under any schedule tree, or as an
//! AST, and compares what is left in memory.
//!
//! Statements are uninterpreted functions. The value that an instance writes is a hash of the statement, of the
//! original instance vector and of the values that it reads, in the order of its accesses; so two runs leave the same
//! memory only if (but for collisions of 64-bit hashes) the same values flowed in the same way. In particular:
//!
//! - Memory and scalars start with a value of its own for each element; local buffers start undefined.
//! - A may-write happens or not by that hash, so it depends on what was read.
//! - A kill leaves an element undefined. What is computed from an undefined value is undefined, and where the original
//!   order leaves an element undefined, anything is accepted: [`Report::undefined`] counts these, so that a comparison
//!   that says nothing can be noticed.
//! - What the tree or AST leaves unordered (parallel and vector loops, children of set nodes, instances with the same
//!   date) is run ascending, descending, shuffled, and interleaved, where the reads and the writes of an instance are
//!   separate steps. Each iteration of a parallel loop has its own, at first undefined, copy of the arrays that the
//!   loop says are private.
//!
//! A kernel of an AST is run as a GPU runs it (`kernel`): blocks are in no order, and threads of a block are in none
//! between two barriers. Barriers are around copies to shared memory (`shared`), whose tiles belong to a block, start
//! undefined, and keep what they hold until it is overwritten; statements read from them what the code says (`tiles`).
//! Besides differences of values a report has faults, with instance, block and thread: races, which are looked for in
//! the accesses (`race`), so that they are found also where all orders give the same values; threads of a block that do
//! not come to the same barriers; reads from a tile of what is not there, or was written since it was copied; copies of
//! what nothing accesses. Marks of kernels in trees say less: there all threads are in no order.
//!
//! A loop that holds elements has a buffer for them while it runs, in a kernel one for each thread (`held`): accesses
//! that an emitter would redirect go there. Faults are an access in memory to what is held, in the loop, by another
//! thread, or by an iteration of a parallel loop that may run at the same time; a copy of what nothing accesses, or
//! back of what the loop does not write; a loop that holds something and does not run.
//!
//! Nothing here comes from `schedule/`, `dependence/` or from the rewriting of trees.

mod ast;
mod budget;
mod compare;
mod error;
mod evaluate;
mod execute;
mod fault;
mod footprint;
mod hash;
mod held;
mod interpreter;
mod kernel;
mod line;
mod outcome;
mod parameters;
mod race;
mod shared;
#[cfg(test)]
mod tests;
mod tiles;
mod trace;
mod tree;
mod trial;

pub use compare::{Difference, Report};
pub use error::Error;
pub use fault::{Accessor, Agent, Fault, ThreadId};
pub use interpreter::Interpreter;
pub use line::Order;
pub use outcome::Outcome;
pub use parameters::small_parameters;
pub use trace::Trace;
pub use tree::Reading;
pub use trial::{Trial, trial};
