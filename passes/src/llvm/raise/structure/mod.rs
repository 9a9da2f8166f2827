//! Loops and conditions instead of branches.
//!
//! | file | what |
//! |---|---|
//! | `nodes.rs` | straight code, conditions, loops, and what is neither |
//! | `recover.rs` | a function as chains of such nodes |
//! | `dominance.rs` | post-dominators |
//! | `members.rs` | the instructions and blocks of nodes |
//! | `versions.rs` | loops in two versions, of which one is left |
//! | `extent.rs` | where a run of nodes starts and ends, and what is used behind it |
//! | `burden.rs` | what loops do besides their work |
//! | `lives.rs` | how much of the stack it needs at once |

pub mod burden;
pub mod dominance;
pub mod extent;
pub mod lives;
pub mod members;
pub mod nodes;
pub mod recover;
pub mod versions;
