//! The text of a raised function, and of its check.
//!
//! | file | what |
//! |---|---|
//! | `function.rs` | control flow |
//! | `instruction.rs` | instructions |
//! | `needed.rs` | the values that have to be computed |
//! | `runtime_check.rs` | when the new function does what the region does |
//! | `rows.rs` | where rows behind pointers start, and how far apart they are |
//! | `emitter.rs` | names, constants and lines |
//! | `text.rs` | affine expressions in MLIR's notation |

pub mod emitter;
pub mod function;
pub mod instruction;
pub mod needed;
pub mod rows;
pub mod runtime_check;
pub mod text;
