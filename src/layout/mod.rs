//! Data layout: where the elements of arrays are while a region runs (Shirako and Sarkar 2019). `docs/layout.md` has the
//! plan of all that is to come.
//!
//! A layout maps each element `A[e]` of some arrays to a logical address, a vector (`Φ`, section 3.1): dimensions permuted,
//! tiled, skewed, padded, arrays interleaved. It is applied to the region itself: [`Layout::apply`] gives a region whose
//! statements access new, local arrays, with statements that copy in and out. Dependences, scheduling, checking and code
//! see nothing but that region, so copies are tiled and run in parallel as any statement is. That the new region computes
//! what the old one does is proved from both alone (`src/check/layout/mod.rs`).
//!
//! | file | what |
//! |---|---|
//! | `directive.rs` | the text in which users say maps (4.1), and what is wrong in it |
//! | `clause.rs` | what it says, as data |
//! | `token.rs` | the words of that text, and places in it |
//! | `map.rs` | a map of an array, as data and as a relation |
//! | `legality.rs` | maps are one-to-one, and copies are neither missing nor idle (3.1.2) |
//! | `tree.rs` | the tree of fields that the maps of a layout make (4.2) |
//! | `field.rs` | sizes and offsets in one field of memory (4.3), and as nested structures (4.4) |
//! | `redistribution.rs` | arrays with several layouts, one after the other (`redist` of 4.1) |
//! | `expansion.rs` | arrays with a place for each iteration of some loops (3.2) |
//! | `kept.rs` | operands that iterations copy before they are overwritten |
//! | `lifetime.rs` | which elements are alive at the same time (3.2.2) |
//! | `contraction.rs` | arrays of which a window is enough, for one order of the region |
//! | `any_order.rs` | the same for all orders |
//! | `reduction.rs` | partial results of reductions, so that their iterations run in parallel (5, Figure 11) |
//! | `partial.rs` | the same, asked for and proved |
//! | `parts.rs` | the region with statements in parts that keep them |
//! | `around.rs` | what comes before and after a part of a region's order |
//! | `sizes.rs` | the bounds on sizes that a layout is for, where others make no sense |
//! | `condition.rs` | conditions on sizes, such as how much memory expanded arrays may take |
//! | `stack.rs` | which new arrays are on the stack |
//! | `applied.rs` | the region with its new arrays, as data |
//! | `apply.rs` | how it is made |
//! | `print.rs` | a layout's maps as text that can be read |
//! | `candidates.rs` | the layouts that the joint search tries (5) |

mod any_order;
mod applied;
mod apply;
mod around;
mod candidates;
mod clause;
mod condition;
mod contraction;
mod directive;
mod expansion;
mod field;
mod kept;
mod legality;
mod lifetime;
mod map;
mod partial;
mod parts;
mod print;
mod redistribution;
mod reduction;
mod sizes;
mod stack;
mod token;
mod tree;

pub use applied::{Applied, Copied, PartOf, Placed, Reduced};
pub use candidates::{Choice, choices};
pub use condition::{Memory, SizeCondition, Term};
pub use directive::{LayoutText, Mention, mentions};
pub use expansion::Expansion;
pub use field::Field;
pub use kept::Kept;
pub use map::{Layout, LayoutMap, Pad, Transfer};
pub use redistribution::Redistribution;
pub use reduction::PartialSums;
pub use sizes::{Side, SizeBound};
pub use stack::on_stack;
pub use token::DirectiveError;
pub use tree::Tree;

use crate::check::layout::LayoutError;
use crate::codegen;
use crate::isl;

/// Why a layout cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text of a directive is wrong.
    #[error(transparent)]
    Directive(#[from] DirectiveError),
    /// Elements that are alive at the same time have one address, in the order that was looked at; they may be apart in
    /// another one.
    #[error(transparent)]
    Alive(DirectiveError),
    /// isl failed, or its quota struck.
    #[error(transparent)]
    Isl(#[from] isl::Error),
    /// The region with the layout could not be shown to compute the same (`src/check/layout/mod.rs`).
    #[error("not proved to compute the same: {0}")]
    Unproved(String),
    /// A size cannot be said in the AST.
    #[error(transparent)]
    Code(#[from] codegen::Error),
}

impl From<LayoutError> for Error {
    fn from(error: LayoutError) -> Self {
        match error {
            LayoutError::Isl(error) => Error::Isl(error),
            LayoutError::Different(difference) => Error::Unproved(difference),
        }
    }
}

impl From<codegen::Overflow> for Error {
    fn from(overflow: codegen::Overflow) -> Self {
        Error::Code(overflow.into())
    }
}
