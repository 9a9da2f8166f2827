//! From the affine dialect to the model.
//!
//! [`lift_function`] looks for runs of operations that can be described exactly, as long as possible, in every block of
//! a function. Nothing is changed. The steps for one run: [`frame`] says what is inside and what outside; [`reader`]
//! describes loops, conditions and accesses (with [`index`], [`expression`], [`memory`], [`layout`] and [`views`]); [`carried`] and
//! [`plan`] decide which values go from statement to statement, and how; [`statements`] and [`assemble`] make the model.

mod assemble;
mod carried;
mod conflict;
mod context;
mod discover;
mod emitted;
mod expression;
mod frame;
mod index;
mod kind;
mod layout;
mod memory;
mod parameters;
mod plan;
mod reader;
mod refusal;
mod slice;
mod statements;
mod tree;
mod types;
mod views;

pub use discover::{Settings, lift_function};
pub use emitted::{NewCode, Unread, read_emitted};
pub use memory::root;
pub use parameters::function_argument;
pub use refusal::{Reason, Refusal};
