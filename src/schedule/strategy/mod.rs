//! What the scheduler aims at: choices, the problems of members, and the steps that say when which of them is solved.
//!
//! | file | what |
//! |---|---|
//! | `aims.rs` | a strategy: its choices, and what follows from its steps |
//! | `formulation.rs` | a problem: what is made least, in which order, under which constraints |
//! | `linear.rs` | constraints on coefficients of named statements |
//! | `near.rs` | which relations the distances of a problem are over |
//! | `weights.rs` | what distances between named statements count for, and references to named arrays |
//! | `step.rs` | when a problem is solved, and what is done where it has no solution |
//! | `file.rs` | the file form, and what is wrong with a file |
//! | `decoupled.rs` | what goes with the algorithm that is called so |
//! | `presets.rs`, `presets/`, `named.rs` | the strategies of papers, as files |
//!
//! `band/` interprets problems and steps, `scheduler/` the other choices.

mod aims;
mod decoupled;
mod file;
mod formulation;
mod linear;
mod named;
mod near;
mod presets;
mod step;
#[cfg(test)]
mod tests;
mod weights;

pub use aims::{Algorithm, Fusion, Strategy, WavefrontPartner};
pub use file::ParseError;
pub use formulation::{Formulation, Independence, Signs, Term};
pub use linear::{Coefficient, EACH, Linear, ONE};
pub use near::{DependenceKind, Near};
pub use step::{Coincident, Condition, Keep, Otherwise, Step};
pub use weights::Weights;
