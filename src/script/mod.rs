//! Schedules that are changed by hand: commands on loops with names, each of which is judged at once (docs/try.md).
//!
//! A tree is read as loops with names; a command makes another one of them; that is written as a tree again,
//! gets marks for vectors, and is taken if the independent checker accepts it, as it is. If not, the dependence that is
//! in the way is said in points of a small region.
//!
//! | file | what |
//! |---|---|
//! | `command.rs`, `parse.rs`, `help.rs` | commands, as data, as text, and what they do |
//! | `nest.rs`, `read.rs`, `write.rs` | a tree as loops with names, from and to isl's trees |
//! | `names.rs`, `similar.rs` | what loops are called, and what was perhaps meant |
//! | `steps/` | the steps, a file each |
//! | `judge.rs`, `dependence.rs` | whether a tree is right, what it costs, and what forbids it |
//! | `session.rs`, `answer.rs` | a tree that is changed step by step, and what is answered |
//! | `sections.rs` | scripts in a file, for several regions |

mod answer;
mod command;
mod dependence;
mod error;
mod help;
mod judge;
mod names;
mod nest;
mod parse;
mod read;
mod sections;
mod session;
mod similar;
mod steps;
#[cfg(test)]
mod tests;
mod write;

pub use answer::{Answer, LoopEntry, PROTOCOL};
pub use dependence::{DependenceKind, End, Fate, Forbidding, Values};
pub use help::{COMMANDS, Explained};
pub use sections::{Misplaced, Place, Script, Section, Selector};
pub use session::{Files, Outcome, Session};
