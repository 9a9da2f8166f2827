//! From the affine dialect to the model.
//!
//! [`lift_function`] looks for runs of operations that can be described exactly, as long as possible, in every block of
//! a function. Nothing is changed. The steps for one run: [`frame`] says what is inside and what outside; [`reader`]
//! describes loops, conditions and accesses (with [`index`], [`expression`], [`memory`], [`accesses`], [`layout`] and
//! [`views`]); [`carried`] and [`plan`] decide which values go from statement to statement, and how; [`statements`] and
//! [`assemble`] make the model, [`blocks`] with fewer statements where that is asked for, with what [`delay`] knows of how
//! long reads are waited for.

mod accesses;
mod assemble;
mod blocks;
mod carried;
mod conflict;
mod context;
mod delay;
mod discover;
mod expression;
mod frame;
mod index;
mod kind;
mod layout;
mod memory;
mod new_code;
mod parameters;
mod plan;
mod reader;
mod reduction;
mod refusal;
mod slice;
mod statements;
mod tree;
mod types;
mod views;

pub use discover::{Granularity, Settings, lift_function};
pub use layout::has_rows;
pub use memory::{is_same_buffer, root};
pub use new_code::{NewCode, Unread, read_new_code};
pub use parameters::function_argument;
pub use reduction::{Gathering, Kind};
pub use refusal::{LiftRefusal, Reason};
pub use types::element as element_type;
